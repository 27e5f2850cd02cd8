import { useStore } from '@nanostores/preact'
import { useState } from 'preact/hooks'
import { ask, client } from '../../client.ts'
import { Action } from '../../components/forms/button.tsx'
import { Choice } from '../../components/forms/fields.tsx'
import { KeysClosed } from '../../components/keys-closed.tsx'
import { Empty, Loaded } from '../../components/page/load-states.tsx'
import { Pager } from '../../components/page/pager.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { ResultsTable, type StudentResult } from '../../components/results-table.tsx'
import { download } from '../../download.ts'
import { percent } from '../../format.ts'
import { $query, setQuery } from '../../router.ts'
import { t } from '../../texts.ts'
import type { ClassTabProps, OneClass } from './class-tab.ts'
import { StudentDialog } from './student-dialog.tsx'

/** How each student of a class did at one of its exams, who is taking it now, and their own times and attempts. */
export function ClassResults({ of: { class: own, exams } }: ClassTabProps) {
  const [newest] = exams
  return newest ? <Results own={own} exams={exams} newest={newest.id} /> : <Empty title="No exams yet" />
}

interface ResultsProps {
  own: OneClass['class']
  exams: OneClass['exams']
  /** The id of the newest exam. */
  newest: number
}

function Results({ own, exams, newest }: ResultsProps) {
  const { exam = String(newest), page } = useStore($query)
  const examId = Number(exam)
  const path = { id: own.id }
  const of = { params: { path: { id: own.id, exam_id: examId } } }
  const found = useLoad(`${exam} ${page}`, async () => {
    const query = { exam_id: examId, ...(page ? { page: Number(page) } : {}) }
    const [list, times] = await Promise.all([
      ask(client.GET('/api/v01/classes/{id}/results', { params: { path, query } })),
      ask(client.GET('/api/v01/classes/{id}/exams/{exam_id}/accommodations', of)),
    ])
    return { list, times }
  })
  const [student, setStudent] = useState<StudentResult>()
  return (
    <div class="stack">
      <Choice
        label="Exam"
        value={exam}
        options={exams.map(({ id, name }) => [id, name] as const)}
        onChange={({ currentTarget }) => setQuery({ exam: currentTarget.value, page: undefined })}
      />
      <Loaded of={found}>
        {({ list, times }) => {
          const timesOf = (id: number) => times.accommodations.find(({ user_id }) => user_id === id)
          return (
            <>
              <div class="row">
                <Action class="small" act={found.reload}>
                  Refresh
                </Action>
                <Action
                  class="small"
                  act={() =>
                    download(
                      client.GET('/api/v01/classes/{id}/results.csv', {
                        params: { path, query: { exam_id: examId } },
                        parseAs: 'blob',
                      }),
                      'results.csv',
                    )
                  }
                >
                  Download
                </Action>
                <a class="button small" href={`/desk/classes/${own.id}/exams/${examId}/items`}>
                  Item analysis
                </a>
                <a class="button small" href={`/desk/classes/${own.id}/exams/${examId}/analytics`}>
                  Analytics
                </a>
              </div>
              <KeysClosed of={list.exam} />
              {times.class_accommodation && (
                <p>
                  {t('The whole class has {percent} more time at this exam.', {
                    percent: percent(times.class_accommodation.extra_time_percent),
                  })}
                </p>
              )}
              <ResultsTable
                rows={list.results}
                reload={found.reload}
                hrefOf={(attemptId) => `/desk/classes/${own.id}/attempts/${attemptId}`}
                {...(own.archived
                  ? {}
                  : {
                      change: (row: StudentResult) => (
                        <span class="row">
                          {timesOf(row.user_id) && <span class="chip">Own times</span>}
                          <button
                            type="button"
                            class="small"
                            aria-label={t('Times and attempts: {name}', { name: row.full_name })}
                            onClick={() => setStudent(row)}
                          >
                            Times and attempts
                          </button>
                        </span>
                      ),
                    })}
              />
              <Pager
                of={list}
                total={t('{count, plural, one {# student} other {# students}}', { count: list.total })}
              />
              {student && (
                <StudentDialog
                  key={student.user_id}
                  at={{ id: own.id, exam_id: examId }}
                  student={student}
                  times={timesOf(student.user_id)}
                  close={() => setStudent(undefined)}
                  reload={found.reload}
                />
              )}
            </>
          )
        }}
      </Loaded>
    </div>
  )
}
