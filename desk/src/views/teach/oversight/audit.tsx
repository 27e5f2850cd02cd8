import { useStore } from '@nanostores/preact'
import { ask, client, toQuery } from '../../../client.ts'
import { Field } from '../../../components/forms/fields.tsx'
import { Empty, Loaded } from '../../../components/page/load-states.tsx'
import { Page } from '../../../components/page/page.tsx'
import { Pager } from '../../../components/page/pager.tsx'
import { Table } from '../../../components/page/table.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { moment } from '../../../format.ts'
import { $query, setQuery } from '../../../router.ts'
import { t } from '../../../texts.ts'
import { PersonChoice } from '../people/person-choice.tsx'
import { AuditSubject } from './audit-subject.tsx'

/** The log of administrators' changes. */
export default function Audit() {
  const { action, subject, actor, page } = useStore($query)
  const found = useLoad(`${action} ${subject} ${actor} ${page}`, () =>
    ask(
      client.GET('/api/v01/admin/audit', {
        params: {
          query: toQuery<'/api/v01/admin/audit'>({ action, subject, actor_id: actor, page }),
        },
      }),
    ),
  )
  return (
    <Page title="Audit log" lead="Who changed what, and when. Nothing here can be changed.">
      <div class="filters">
        <PersonChoice onChoose={(id) => setQuery({ actor: id, page: undefined })} />
        <Field
          label="Action"
          value={action}
          onChange={({ currentTarget }) => setQuery({ action: currentTarget.value.trim(), page: undefined })}
        />
        <Field
          label="Subject"
          value={subject}
          hint="such as exam:7"
          onChange={({ currentTarget }) => setQuery({ subject: currentTarget.value.trim(), page: undefined })}
        />
      </div>
      <Loaded of={found}>
        {(list) =>
          list.entries.length === 0 ? (
            <Empty title="Nothing here" />
          ) : (
            <>
              <Table
                caption="Changes"
                rows={list.entries}
                keyOf={({ id }) => id}
                columns={[
                  { head: t('When'), cell: (each) => moment(each.at) },
                  { head: t('Who'), cell: (each) => each.actor ?? t('the command line') },
                  { head: t('What'), cell: (each) => <code>{each.action}</code> },
                  { head: t('Subject'), cell: (each) => <AuditSubject entry={each} /> },
                  { head: t('Summary'), cell: (each) => <span lang="en">{each.summary}</span> },
                  { head: t('IP address'), cell: (each) => each.ip ?? '–' },
                ]}
              />
              <Pager
                of={list}
                total={t('{count, plural, one {# change} other {# changes}}', { count: list.total })}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}
