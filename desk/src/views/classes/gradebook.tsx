import { useStore } from '@nanostores/preact'
import { type Answer, ask, client } from '../../client.ts'
import { Action } from '../../components/forms/button.tsx'
import { KeysClosed } from '../../components/keys-closed.tsx'
import { Loaded } from '../../components/page/load-states.tsx'
import { Pager } from '../../components/page/pager.tsx'
import { Table } from '../../components/page/table.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { download } from '../../download.ts'
import { nameAndUsername, percent } from '../../format.ts'
import { $query } from '../../router.ts'
import { t } from '../../texts.ts'
import type { ClassTabProps } from './class-tab.ts'

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
          {book.exams.map((exam) => (
            <KeysClosed key={exam.id} of={exam} name={exam.name} />
          ))}
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
              ...book.exams.map((exam) => ({
                head: exam.name,
                cell: (row: (typeof book.students)[number]) =>
                  standingOf(
                    row.results.find(({ exam_id }) => exam_id === exam.id),
                    exam,
                  ),
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

type Book = Answer<'/api/v01/classes/{id}/gradebook', 'get'>
type GradebookResult = Book['students'][number]['results'][number]

/** The best result, or how far somebody is where marks are not shown yet. */
function standingOf(result: GradebookResult | undefined, exam: Book['exams'][number]): string {
  if (exam.shows_keys || !result) return percent(result?.percentage)
  return result.finished > 0 ? t('Handed in') : t('Under way')
}
