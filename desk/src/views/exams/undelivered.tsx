import { forgetUndelivered, type Journal, listUndelivered } from '@exam-practice/client/exam'
import { ask, client } from '../../client.ts'
import { Action } from '../../components/forms/button.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { t } from '../../texts.ts'
import { LateAnswers } from './late-answers.tsx'

/** Tells the person about answers that did not reach the service before their exam ended. */
export function Undelivered() {
  const found = useLoad('undelivered', () => listUndelivered(client))
  if (!found.data?.length) return null
  return (
    <>
      {found.data.map((journal) => (
        <div key={journal.attemptId} class="notice warn stack tight">
          <p>
            <ExamName of={journal} />
            {t(
              '{count, plural, one {# answer of yours reached the service too late and isn’t counted.} other {# answers of yours reached the service too late and aren’t counted.}} Your teacher may want to know.',
              { count: Object.keys(journal.unsynced).length },
            )}
          </p>
          <LateAnswers journal={journal} />
          <p class="row">
            <a class="button small" href={`/desk/exams/${journal.examId}`}>
              Open the exam
            </a>
            <Action
              class="small"
              act={async () => {
                await forgetUndelivered(client, journal)
                await found.reload()
              }}
              confirm="Delete these answers from this device?"
            >
              Delete
            </Action>
          </p>
        </div>
      ))}
    </>
  )
}

/** It isn't kept with the answers, so that without a connection there is none. */
function ExamName({ of: { examId } }: { of: Journal }) {
  const params = { path: { exam_id: examId } }
  const found = useLoad(examId, () => ask(client.GET('/api/v01/exams/{exam_id}', { params })))
  return (
    found.data && (
      <>
        <strong>{found.data.exam.name}</strong>
        <br />
      </>
    )
  )
}
