import { useStore } from '@nanostores/preact'
import { type Answer, ask, client, toQuery } from '../../../client.ts'
import { Choice, Field } from '../../../components/forms/fields.tsx'
import { Form } from '../../../components/forms/form.tsx'
import { Empty, Loaded } from '../../../components/page/load-states.tsx'
import { Page } from '../../../components/page/page.tsx'
import { Pager } from '../../../components/page/pager.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { RichText } from '../../../components/rich-text/rich-text.tsx'
import { serviceTime } from '../../../format.ts'
import { nameOfRole, ROLES } from '../../../roles.ts'
import { $query, setQuery } from '../../../router.ts'
import { t } from '../../../texts.ts'

type Request = Answer<'/api/v01/admin/access-requests', 'get'>['requests'][number]

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
          ['pending', t('Not decided yet')],
          ['completed', t('Approved')],
          ['denied', t('Denied')],
          ['all', t('All')],
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
                  <article
                    key={each.request_id}
                    class="sheet"
                    aria-label={t('Request of {name}', { name: each.username })}
                  >
                    <p class="row spread">
                      <span>
                        <strong>{each.username}</strong> <small>{each.email}</small>
                      </span>
                      <small>{serviceTime(each.request_date)}</small>
                    </p>
                    {!each.signed_in && <p>Sent without signing in: ask whether it was them.</p>}
                    <p>
                      {t('{role} → <b>{wanted}</b>', {
                        role: nameOfRole(each.current_access),
                        wanted: nameOfRole(each.requested_access),
                        b: (inner) => <strong>{inner}</strong>,
                      })}
                    </p>
                    <RichText text={each.reason} />
                    {each.status === 'pending' ? (
                      <>
                        <Form
                          button="Approve"
                          send={async ({ approved_access }) => {
                            const body = { approved_access: approved_access as typeof each.requested_access }
                            await ask(
                              client.POST('/api/v01/admin/access-requests/{id}/approve', { ...path, body }),
                            )
                            await found.reload()
                            return t('Approved')
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
                            await ask(
                              client.POST('/api/v01/admin/access-requests/{id}/deny', {
                                ...path,
                                body: { reason: String(reason) },
                              }),
                            )
                            await found.reload()
                            return t('Denied')
                          }}
                        >
                          <Field label="Reason for denying" name="reason" required />
                        </Form>
                      </>
                    ) : (
                      <small>
                        {each.status === 'denied'
                          ? t('Denied by {name}, {time}', processingOf(each))
                          : t('Approved by {name}, {time}', processingOf(each))}
                      </small>
                    )}
                  </article>
                )
              })}
              <Pager
                of={list}
                total={t('{count, plural, one {# request} other {# requests}}', { count: list.total })}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function processingOf({ processed_by, processed_date }: Request) {
  return { name: processed_by ?? '–', time: processed_date ? serviceTime(processed_date) : '–' }
}
