import { useStore } from '@nanostores/preact'
import { ask, client } from '../../../client.ts'
import { Action } from '../../../components/forms/button.tsx'
import { Empty, Loaded } from '../../../components/page/load-states.tsx'
import { Pager } from '../../../components/page/pager.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { ResultsTable } from '../../../components/results-table.tsx'
import { download } from '../../../download.ts'
import { $query } from '../../../router.ts'
import { t } from '../../../texts.ts'
import type { TabProps } from './tab-props.ts'

/** How each student did at an exam, and who is taking it now. */
export function Results({ exam }: TabProps) {
  const { page } = useStore($query)
  const path = { exam_id: exam.id }
  const found = useLoad(`${exam.id} ${page}`, () =>
    ask(
      client.GET('/api/v01/admin/exams/{exam_id}/results', {
        params: { path, query: page ? { page: Number(page) } : {} },
      }),
    ),
  )
  return (
    <Loaded of={found}>
      {(list) =>
        list.total === 0 ? (
          <Empty title="Nobody has taken it yet" />
        ) : (
          <div class="stack">
            <div class="row">
              <Action class="small" act={found.reload}>
                Refresh
              </Action>
              <Action
                class="small"
                act={() =>
                  download(
                    client.GET('/api/v01/admin/exams/{exam_id}/results.csv', {
                      params: { path },
                      parseAs: 'blob',
                    }),
                    'results.csv',
                  )
                }
              >
                Download
              </Action>
            </div>
            <ResultsTable
              rows={list.results}
              reload={found.reload}
              hrefOf={(attemptId) => `/desk/teach/attempts/${attemptId}`}
            />
            <Pager
              of={list}
              total={t('{count, plural, one {# student} other {# students}}', { count: list.total })}
            />
          </div>
        )
      }
    </Loaded>
  )
}
