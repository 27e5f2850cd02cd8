import { type ExamState, listUndelivered } from '@exam-practice/client/exam'
import { useEffect, useState } from 'preact/hooks'
import { ask, client, RequestFailed } from '../../../client.ts'
import { Failed } from '../../../components/page/load-states.tsx'
import { focusHeading, Page } from '../../../components/page/page.tsx'
import { useLive } from '../../../components/page/use-live.ts'
import { useLoad } from '../../../components/page/use-load.ts'
import { t } from '../../../texts.ts'
import { LateAnswers } from '../late-answers.tsx'
import { Figures } from '../result/figures.tsx'
import { readNeeded, Verdict } from '../result/verdict.tsx'
import { forgetPlace } from './place.ts'

interface EndedProps {
  state: ExamState
  examId: number
  name: string
  /** Its time is over, as far as this device knows. */
  isTimeUp: boolean
  close: () => void
}

/** The end of an attempt: the result, or when there will be one, and what came too late. */
export function AttemptEnded({ state, examId, name, isTimeUp, close }: EndedProps) {
  const { attemptId, phase, unsynced } = state
  const [wasTimeUp] = useState(isTimeUp)
  const found = useLoad(attemptId, async () => {
    const path = { params: { path: { attempt_id: attemptId } } }
    const [result, needed] = await Promise.all([
      ask(client.GET('/api/v01/attempts/{attempt_id}', path)),
      readNeeded(examId),
    ])
    return { result, needed }
  })
  const late = useLoad(unsynced, async () =>
    (await listUndelivered(client)).find((journal) => journal.attemptId === attemptId),
  )
  useLive(found.reload, (frame) => frame.type === 'results_released' && frame.exam_id === examId)
  useEffect(() => {
    forgetPlace(attemptId)
    focusHeading()
  }, [attemptId])
  const isHeldBack = found.error instanceof RequestFailed && found.error.code === 'results_not_released'
  return (
    <Page title={titleOf(phase, found.data?.result.status, wasTimeUp)} lead={name}>
      {phase === 'closed' && unsynced === 0 && (
        <p class="notice" role="status">
          The exam was handed in with all your answers.
        </p>
      )}
      {phase === 'closed' && late.data && (
        <div class="notice warn stack tight" role="status">
          <p>These answers came too late and are not counted. They are kept on this device.</p>
          <LateAnswers journal={late.data} />
        </div>
      )}
      {found.data && (
        <>
          <Verdict of={found.data.result} needed={found.data.needed} />
          <Figures result={found.data.result} />
        </>
      )}
      {isHeldBack && (
        <p class="notice" role="status">
          Your teacher releases the results later. You are told here as soon as it happens.
        </p>
      )}
      {found.error !== undefined && !isHeldBack && <Failed error={found.error} again={found.reload} />}
      <div class="row">
        {found.data && (
          <a class="button main" href={`/desk/results/${attemptId}`}>
            Review the answers
          </a>
        )}
        <button type="button" onClick={close}>
          Back to the exam
        </button>
      </div>
    </Page>
  )
}

/** It may have been handed in on another device; until its result is known, the clock has to do. */
function titleOf(phase: ExamState['phase'], status: string | undefined, isTimeUp: boolean): string {
  if (phase === 'submitted' || status === 'submitted') return t('Handed in')
  return status === 'expired' || isTimeUp ? t('Time was up') : t('The exam has ended')
}
