import { useStore } from '@nanostores/preact'
import { ask, client, toQuery } from '../../../client.ts'
import { Choice, Field } from '../../../components/forms/fields.tsx'
import { Form } from '../../../components/forms/form.tsx'
import { Empty, Loaded } from '../../../components/page/load-states.tsx'
import { Page } from '../../../components/page/page.tsx'
import { Pager } from '../../../components/page/pager.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { RichText } from '../../../components/rich-text/rich-text.tsx'
import { serviceTime } from '../../../format.ts'
import { $query, setQuery } from '../../../router.ts'
import { nameOfRole, ROLES } from './roles.ts'

/** Requests for another role. */
export default function Requests() {
  const { status = 'pending', page } = useStore($query)
  const found = useLoad(`${status} ${page}`, () =>
    ask(
      client.GET('/api/v01/admin/access-requests', {
        params: {
          query: toQuery<'/api/v01/admin/access-requests'>({
            status: status === 'all' ? undefined : status,
            page,
          }),
        },
      }),
    ),
  )
  return (
    <Page title="Access requests">
      <Choice
        label="Which"
        value={status}
        options={[
          ['pending', 'Open'],
          ['completed', 'Approved'],
          ['denied', 'Denied'],
          ['all', 'All'],
        ]}
        onChange={({ currentTarget }) => setQuery({ status: currentTarget.value, page: undefined })}
      />
      <Loaded of={found}>
        {(list) =>
          list.requests.length === 0 ? (
            <Empty title="None" />
          ) : (
            <>
              {list.requests.map((each) => {
                const path = { params: { path: { id: each.request_id } } }
                return (
                  <article key={each.request_id} class="sheet" aria-label={`Request of ${each.username}`}>
                    <p class="row spread">
                      <span>
                        <strong>{each.username}</strong> <small>{each.email}</small>
                      </span>
                      <small>{serviceTime(each.request_date)}</small>
                    </p>
                    <p>
                      {nameOfRole(each.current_access)} → <strong>{nameOfRole(each.requested_access)}</strong>
                    </p>
                    <RichText text={each.reason} />
                    {each.status === 'pending' ? (
                      <>
                        <Form
                          button="Approve"
                          send={async ({ approved_access }) => {
                            const body = { approved_access: approved_access as typeof each.requested_access }
                            const { message } = await ask(
                              client.POST('/api/v01/admin/access-requests/{id}/approve', { ...path, body }),
                            )
                            await found.reload()
                            return message
                          }}
                        >
                          <Choice
                            label="Role to grant"
                            name="approved_access"
                            value={each.requested_access}
                            options={ROLES}
                          />
                        </Form>
                        <Form
                          button="Deny"
                          send={async ({ reason }) => {
                            const { message } = await ask(
                              client.POST('/api/v01/admin/access-requests/{id}/deny', {
                                ...path,
                                body: { reason: String(reason) },
                              }),
                            )
                            await found.reload()
                            return message
                          }}
                        >
                          <Field label="Reason for denying" name="reason" required />
                        </Form>
                      </>
                    ) : (
                      <small>
                        {each.status === 'denied' ? 'Denied' : 'Approved'} by {each.processed_by},{' '}
                        {each.processed_date && serviceTime(each.processed_date)}
                      </small>
                    )}
                  </article>
                )
              })}
              <Pager of={list} what="requests" />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}
