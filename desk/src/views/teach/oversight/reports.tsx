import { useStore } from '@nanostores/preact'
import type { ComponentChildren } from 'preact'
import { type Answer, ask, client, toQuery } from '../../../client.ts'
import { promptForConfirmation } from '../../../components/dialogs/prompts.tsx'
import { Choice, Field } from '../../../components/forms/fields.tsx'
import { Form } from '../../../components/forms/form.tsx'
import { Empty, Loaded } from '../../../components/page/load-states.tsx'
import { Page } from '../../../components/page/page.tsx'
import { Pager } from '../../../components/page/pager.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { RichText } from '../../../components/rich-text/rich-text.tsx'
import { moment } from '../../../format.ts'
import { $query, setQuery } from '../../../router.ts'
import { t } from '../../../texts.ts'

type Report = Answer<'/api/v01/admin/reports', 'get'>['reports'][number]

/** Reported messages and comments with their context, to be decided. */
export default function Reports() {
  const { status = 'open', page } = useStore($query)
  const found = useLoad(`${status} ${page}`, () =>
    ask(
      client.GET('/api/v01/admin/reports', {
        params: { query: toQuery<'/api/v01/admin/reports'>({ status, page }) },
      }),
    ),
  )
  return (
    <Page title="Reports" lead="Messages and comments that somebody found wrong.">
      <Choice
        label="Which"
        value={status}
        options={[
          ['open', t('Not decided yet')],
          ['dismissed', t('Left standing')],
          ['deleted', t('Deleted')],
        ]}
        onChange={({ currentTarget }) => setQuery({ status: currentTarget.value, page: undefined })}
      />
      <Loaded of={found}>
        {(list) =>
          list.reports.length === 0 ? (
            <Empty title="None" />
          ) : (
            <>
              {list.reports.map((report) => (
                <article
                  key={report.id}
                  class="sheet"
                  aria-label={t('Report by {name}', { name: report.reporter.username })}
                >
                  <p class="row spread">
                    <span>
                      {report.kind === 'comment'
                        ? t('<b>{name}</b> about a comment by <b>{author}</b>', namesIn(report))
                        : t('<b>{name}</b> about a message by <b>{author}</b>', namesIn(report))}
                    </span>
                    <small>{moment(report.created_at)}</small>
                  </p>
                  <div class="notice warn">
                    <RichText text={report.reason} />
                  </div>
                  <ul class="list">
                    {report.context.map((each) => (
                      <li key={each.id}>
                        {each.is_reported && <span class="chip bad">Reported</span>}{' '}
                        <b>{each.author.username}:</b> <RichText text={each.text} />
                        {each.attachments.map(({ id, name, url }) => (
                          <a key={id} href={url} target="_blank" rel="noreferrer">
                            {name}
                          </a>
                        ))}
                      </li>
                    ))}
                  </ul>
                  {report.status === 'open' ? (
                    <Form
                      button="Decide"
                      draft={`report-decision-${report.id}`}
                      send={async ({ action, note }) => {
                        const question = t('Delete what was reported, for everybody?')
                        if (action === 'delete' && !(await promptForConfirmation(question, t('Delete'))))
                          return false
                        const body = {
                          action: action as 'dismiss' | 'delete',
                          ...(note ? { note: String(note) } : {}),
                        }
                        const path = { params: { path: { id: report.id } } }
                        await ask(client.POST('/api/v01/admin/reports/{id}/resolve', { ...path, body }))
                        return found.reload()
                      }}
                    >
                      <div class="fields">
                        <Choice
                          label="What becomes of it"
                          name="action"
                          options={[
                            ['dismiss', t('It stands')],
                            ['delete', t('It is deleted')],
                          ]}
                        />
                        <Field label="Note" name="note" maxLength={1000} />
                      </div>
                    </Form>
                  ) : (
                    <small>
                      {report.status === 'deleted'
                        ? t('Deleted by {name}', { name: report.resolved_by ?? '–' })
                        : t('Left standing by {name}', { name: report.resolved_by ?? '–' })}{' '}
                      <bdi>{report.note}</bdi>
                    </small>
                  )}
                </article>
              ))}
              <Pager
                of={list}
                total={t('{count, plural, one {# report} other {# reports}}', { count: list.total })}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function namesIn({ reporter, author }: Report) {
  return {
    name: reporter.username,
    author: author.username,
    b: (inner: ComponentChildren) => <strong>{inner}</strong>,
  }
}
