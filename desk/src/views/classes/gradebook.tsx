import { useStore } from '@nanostores/preact'
import { ask, client } from '../../client.ts'
import { Action } from '../../components/forms/button.tsx'
import { Loaded } from '../../components/page/load-states.tsx'
import { Pager } from '../../components/page/pager.tsx'
import { Table } from '../../components/page/table.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { download } from '../../download.ts'
import { nameAndUsername, percent } from '../../format.ts'
import { $query } from '../../router.ts'
import { t } from '../../texts.ts'
import type { ClassTabProps } from './class.tsx'

/** The best results of a class's students at all of its exams. */
export function Gradebook({ of: { class: own } }: ClassTabProps) {
  const { page } = useStore($query)
  const path = { id: own.id }
  const found = useLoad(page, () =>
    ask(
      client.GET('/api/v01/classes/{id}/gradebook', {
        params: { path, query: page ? { page: Number(page) } : {} },
      }),
    ),
  )
  return (
    <Loaded of={found}>
      {(book) => (
        <div class="stack">
          <Action
            class="small"
            act={() =>
              download(
                client.GET('/api/v01/classes/{id}/gradebook.csv', { params: { path }, parseAs: 'blob' }),
                'gradebook.csv',
              )
            }
          >
            Download
          </Action>
          <Table
            caption="Gradebook"
            rows={book.students}
            keyOf={(row) => row.user_id}
            columns={[
              {
                head: t('Student'),
                cell: (row) => (
                  <>
                    {nameAndUsername(row)} {row.left && <span class="chip">Has left</span>}
                  </>
                ),
              },
              ...book.exams.map(({ id, name }) => ({
                head: name,
                cell: (row: (typeof book.students)[number]) => {
                  const result = row.results.find(({ exam_id }) => exam_id === id)
                  return percent(result?.percentage)
                },
                isNumber: true,
              })),
            ]}
          />
          <Pager
            of={book}
            total={t('{count, plural, one {# student} other {# students}}', { count: book.total })}
          />
        </div>
      )}
    </Loaded>
  )
}
