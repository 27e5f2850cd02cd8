import { useStore } from '@nanostores/preact'
import { useState } from 'preact/hooks'
import { type Answer, ask, client } from '../../client.ts'
import { Action } from '../../components/forms/button.tsx'
import { KeysClosed } from '../../components/keys-closed.tsx'
import { Loaded } from '../../components/page/load-states.tsx'
import { Pager } from '../../components/page/pager.tsx'
import { SelectionBar } from '../../components/page/selection-bar.tsx'
import { type Column, Table } from '../../components/page/table.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { useSelection } from '../../components/page/use-selection.ts'
import { download } from '../../download.ts'
import { nameAndUsername, percent } from '../../format.ts'
import { $query } from '../../router.ts'
import { t } from '../../texts.ts'
import type { ClassTabProps } from './class-tab.ts'
import { GradebookSettings } from './gradebook-settings.tsx'
import { GradedStudent } from './graded-student.tsx'
import { type GradedRow, MessageStudents, StudentsBelow } from './message-students.tsx'

/** The results of a class's students at all of its exams, with their totals. */
export function Gradebook({ of: { class: own }, reload }: ClassTabProps) {
  const [opened, setOpened] = useState<number>()
  const [isWriting, setWriting] = useState(false)
  const selection = useSelection<GradedRow>(({ user_id }) => user_id)
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
      {(book) => {
        // Of several pages one alone could be sorted.
        const sorted = (order: Column<GradedRow>['order']) => (book.total_pages > 1 ? undefined : order)
        return (
          <div class="stack">
            <Action
              class="small"
              act={() =>
                download(
                  client.GET('/api/v01/classes/{id}/gradebook.csv', { params: { path }, parseAs: 'blob' }),
                  `${own.name}.csv`,
                )
              }
            >
              Download
            </Action>
            {book.exams.map((exam) => (
              <KeysClosed key={exam.id} of={exam} name={exam.name} />
            ))}
            {book.exams.length > 0 && (
              <GradebookSettings
                of={own}
                exams={book.exams}
                reload={() => Promise.all([reload(), found.reload()])}
              />
            )}
            {!own.archived && <StudentsBelow of={book} selection={selection} />}
            <SelectionBar
              count={selection.chosen.length}
              label={t('{count, plural, one {# student selected} other {# students selected}}', {
                count: selection.chosen.length,
              })}
              clear={selection.clear}
            >
              <button type="button" class="small" aria-haspopup="dialog" onClick={() => setWriting(true)}>
                Write to them
              </button>
            </SelectionBar>
            <Table
              caption="Gradebook"
              rows={book.students}
              keyOf={(row) => row.user_id}
              {...(own.archived ? {} : { selection: { ...selection, name: nameAndUsername } })}
              columns={[
                {
                  head: t('Student'),
                  order: sorted(nameAndUsername),
                  cell: (row) => (
                    <>
                      <button
                        type="button"
                        class="quiet small name"
                        aria-haspopup="dialog"
                        onClick={() => setOpened(row.user_id)}
                      >
                        {nameAndUsername(row)}
                      </button>{' '}
                      {row.left && <span class="chip">Has left</span>}
                      {row.comment && (
                        <>
                          <br />
                          <small>
                            <bdi>{row.comment}</bdi>
                          </small>
                        </>
                      )}
                    </>
                  ),
                },
                {
                  head: t('Total'),
                  order: sorted(({ total }) => total),
                  cell: (row) => <b>{percent(row.total)}</b>,
                  isNumber: true,
                },
                ...book.exams.map((exam) => ({
                  head:
                    exam.average === null
                      ? exam.name
                      : t('{exam} (average {percent}, {passed} of {marked} passed)', {
                          exam: exam.name,
                          percent: percent(exam.average),
                          passed: exam.passed ?? 0,
                          marked: exam.marked ?? 0,
                        }),
                  order: sorted((row) => resultOf(row, exam.id)?.percentage ?? null),
                  cell: (row: GradedRow) => {
                    const result = resultOf(row, exam.id)
                    return (
                      <>
                        {result ? (
                          <a
                            class={colourOf(result)}
                            href={`/desk/classes/${own.id}/attempts/${result.attempt_id}`}
                            title={t('{count, plural, one {# attempt} other {# attempts}}', {
                              count: result.attempts,
                            })}
                          >
                            {standingOf(result, exam)}
                          </a>
                        ) : (
                          standingOf(result, exam)
                        )}
                        {row.excused.includes(exam.id) && <span class="chip">Excused</span>}
                      </>
                    )
                  },
                  isNumber: true,
                })),
              ]}
            />
            {book.students
              .filter(({ user_id }) => user_id === opened)
              .map((student) => (
                <GradedStudent
                  key={student.user_id}
                  classId={own.id}
                  exams={book.exams}
                  student={student}
                  close={() => setOpened(undefined)}
                  reload={found.reload}
                />
              ))}
            {isWriting && selection.chosen.length > 0 && (
              <MessageStudents classId={own.id} students={selection.chosen} close={() => setWriting(false)} />
            )}
            <Pager
              of={book}
              total={t('{count, plural, one {# student} other {# students}}', { count: book.total })}
            />
          </div>
        )
      }}
    </Loaded>
  )
}

type Book = Answer<'/api/v01/classes/{id}/gradebook', 'get'>
type GradebookResult = GradedRow['results'][number]

function resultOf({ results }: GradedRow, examId: number): GradebookResult | undefined {
  return results.find(({ exam_id }) => exam_id === examId)
}

/** By the pass mark; a verdict isn't told by its colour alone, since the number stands there. */
function colourOf(result: GradebookResult | undefined): string {
  if (result?.passed == null) return ''
  return result.passed ? 'chip good' : 'chip warn'
}

/** The result that counts, or how far somebody is where marks are not shown yet. */
function standingOf(result: GradebookResult | undefined, exam: Book['exams'][number]): string {
  if (exam.shows_keys || !result) return percent(result?.percentage)
  return result.finished > 0 ? t('Handed in') : t('Under way')
}
