import type { ExamState } from '@exam-practice/client/exam'
import { Page } from '../../../components/page/page.tsx'
import { plural } from '../../../format.ts'
import { Figures } from '../result/figures.tsx'

/** The end of an attempt: whether all answers arrived, and the link to the result. */
export function AttemptEnded({ state, close }: { state: ExamState; close: () => void }) {
  const { result, attemptId, phase, unsynced } = state
  if (phase === 'closed')
    return (
      <Page title="The exam is over">
        <div class="notice warn" role="status">
          Time ran out, or it was closed. It is graded from what the service had of you
          {unsynced > 0
            ? `; ${plural(unsynced, 'answer')} didn’t arrive in time and are kept on this machine.`
            : '.'}
        </div>
        <div class="row">
          <a class="button main" href={`/desk/results/${attemptId}`}>
            Show the result
          </a>
          <button type="button" onClick={close}>
            Back to the exam
          </button>
        </div>
      </Page>
    )
  const score = result?.result
  return (
    <Page
      title="Handed in"
      lead={
        score
          ? 'Well done. This is your result.'
          : (result?.message ?? 'Your teacher releases the results later.')
      }
    >
      {score && <Figures result={score} />}
      <div class="row">
        {score && (
          <a class="button main" href={`/desk/results/${attemptId}`}>
            Look through the answers
          </a>
        )}
        <button type="button" onClick={close}>
          Back to the exam
        </button>
      </div>
    </Page>
  )
}
