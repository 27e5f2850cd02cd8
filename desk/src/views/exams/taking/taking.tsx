import '../taking.css'
import type { ExamSession } from '@exam-practice/client/exam'
import { useStore } from '@nanostores/preact'
import { useEffect, useState } from 'preact/hooks'
import { client } from '../../../client.ts'
import { runWithToast } from '../../../components/dialogs/toasts.tsx'
import { isAnswered } from '../../../components/questions/kinds.ts'
import { t } from '../../../texts.ts'
import { endUnderWay, setUnderWay } from '../../../under-way.ts'
import { $title } from '../../../view-title.ts'
import { Clock } from './clock.tsx'
import { AttemptEnded } from './ended.tsx'
import { Paper } from './paper.tsx'
import { usePlace } from './place.ts'
import { RefusedAnswer } from './refused-answer.tsx'
import { SubmitDialog } from './submit-dialog.tsx'
import { TimeUp } from './time-up.tsx'

interface TakingProps {
  session: ExamSession
  /** The exam's name; undefined: it could not be asked for. */
  name: string | undefined
  close: () => void
}

/** An active attempt: one question at a time, with the palette, the clock and the state of saving. */
export function Taking({ session, name, close }: TakingProps) {
  const state = useStore(session.$state)
  const [place, move] = usePlace(state.attemptId, name)
  const [isSubmitting, setSubmitting] = useState(false)
  const [writes, setWrites] = useState(0)
  const { questions, answers, marked, canWrite } = state
  const index = Math.min(place.index, questions.length - 1)
  const question = questions[index]
  useEffect(() => $title.set(place.name || t('Exam')), [place.name])
  const isOver = state.phase === 'submitted' || state.phase === 'closed'
  useEffect(() => {
    const endsAt = state.endsAt === null ? null : new Date(state.endsAt).toISOString()
    if (isOver) endUnderWay(session.examId)
    else setUnderWay({ examId: session.examId, name: place.name || t('Your exam'), endsAt })
  }, [isOver, state.endsAt, place.name])
  useEffect(() => {
    if (question && !place.seen.includes(question.id)) move({ seen: [...place.seen, question.id] })
  }, [question])
  // An extension mustn't open the question again that the end of the time has closed.
  useEffect(() => {
    if (!canWrite) setSubmitting(false)
  }, [canWrite])
  /** Counts a write until it is stored on this device. */
  function write(change: () => Promise<unknown>) {
    setWrites((count) => count + 1)
    void runWithToast(async () => void (await change())).finally(() => setWrites((count) => count - 1))
  }
  if (isOver)
    return (
      <AttemptEnded
        state={state}
        examId={session.examId}
        name={place.name}
        isTimeUp={session.remaining() === 0}
        close={close}
      />
    )
  if (!question) return null
  const rejected = state.rejected[question.id]
  return (
    <div class="taking">
      <header class="taking-head">
        <p class="taking-name">
          <bdi>{place.name}</bdi>
        </p>
        <Saving unsynced={state.unsynced} phase={state.phase} isWriting={writes > 0} />
        <Clock session={session} />
        <button
          type="button"
          class={index + 1 === questions.length ? 'main' : ''}
          onClick={() => setSubmitting(true)}
          disabled={!canWrite}
        >
          Hand in
        </button>
      </header>
      {state.phase === 'over' && <TimeUp state={state} />}
      {!canWrite && state.phase === 'active' && (
        <div class="notice warn row spread" role="status">
          <span>You are taking this exam in another tab. Here it can only be read.</span>
          <button type="button" class="small" onClick={() => session.takeOver()}>
            Go on here
          </button>
        </div>
      )}
      <Paper
        questions={questions}
        answers={answers}
        marked={marked}
        seen={place.seen}
        index={index}
        show={(next) => move({ index: next })}
        change={({ id }, next) => write(() => session.answer(id, next(session.$state.get().answers[id])))}
        mark={({ id }) => write(() => session.mark(id, !session.$state.get().marked.includes(id)))}
        canWrite={() => session.$state.get().canWrite}
        areKeysOff={isSubmitting}
        notice={rejected && <RefusedAnswer reason={rejected} />}
      />
      {isSubmitting && canWrite && (
        <SubmitDialog
          total={questions.length}
          answered={questions.filter((each) => isAnswered(each, answers[each.id])).length}
          marked={marked.length}
          unsynced={state.unsynced}
          submit={async () => void (await session.submit())}
          close={() => setSubmitting(false)}
        />
      )}
    </div>
  )
}

/** Whether the answers are saved, and where. */
function Saving({ unsynced, phase, isWriting }: { unsynced: number; phase: string; isWriting: boolean }) {
  const [isOnline, setOnline] = useState(navigator.onLine)
  const storage = useStore(client.$storage)
  useEffect(() => {
    const look = () => setOnline(navigator.onLine)
    addEventListener('online', look)
    addEventListener('offline', look)
    return () => {
      removeEventListener('online', look)
      removeEventListener('offline', look)
    }
  }, [])
  // What is only in this page goes with it.
  const isAtRisk = unsynced > 0 && storage !== 'durable'
  useEffect(() => {
    if (!isAtRisk) return
    const ask = (event: Event) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isAtRisk])
  const isKept = unsynced > 0 || phase === 'submitting'
  return (
    <p class={`saving ${isKept ? 'kept' : 'saved'}`} role="status">
      {phase === 'submitting'
        ? isOnline
          ? 'Handing in…'
          : 'No connection: handed in as soon as it is back'
        : unsynced === 0
          ? 'All answers saved'
          : isWriting
            ? 'Saving…'
            : isOnline
              ? t('Saving {count}…', { count: unsynced })
              : storage === 'durable'
                ? t('No connection: {count} kept on this device', { count: unsynced })
                : t(
                    'No connection, and this device can’t keep {count, plural, one {# answer} other {# answers}}: leave this page open',
                    { count: unsynced },
                  )}
    </p>
  )
}
