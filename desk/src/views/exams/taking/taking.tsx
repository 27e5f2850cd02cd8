import '../taking.css'
import type { ExamSession, PaperQuestion } from '@exam-practice/client/exam'
import { useStore } from '@nanostores/preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { client } from '../../../client.ts'
import { runWithToast } from '../../../components/dialogs/toasts.tsx'
import { AnsweredQuestion } from '../../../components/questions/answered-question.tsx'
import type { AnswerChange } from '../../../components/questions/kind.ts'
import { kindOf } from '../../../components/questions/kinds.ts'
import { MarksOf } from '../../../components/questions/marks-of.tsx'
import { t } from '../../../texts.ts'
import { endUnderWay, setUnderWay } from '../../../under-way.ts'
import { $title } from '../../../view-title.ts'
import { Clock } from './clock.tsx'
import { AttemptEnded } from './ended.tsx'
import { Palette } from './palette.tsx'
import { usePlace } from './place.ts'
import { SubmitDialog } from './submit-dialog.tsx'
import { TimeUp } from './time-up.tsx'

/** Why an answer is refused that is too large even when it is sent alone: for all others the service has a sentence. */
const TOO_LARGE = new Set(['payload_too_large', 'invalid_json'])

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
  const heading = useRef<HTMLHeadingElement>(null)
  const { questions, answers, marked, canWrite } = state
  const index = Math.min(place.index, questions.length - 1)
  // Keys can come faster than the page is drawn.
  const shownIndex = useRef(index)
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
  // The question is read first: its text would lie above what is visible after a start from further down.
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [index])
  function show(next: number) {
    if (next < 0 || next >= questions.length) return
    shownIndex.current = next
    move({ index: next })
  }
  /** Counts a write until it is stored on this device. */
  function write(change: () => Promise<unknown>) {
    setWrites((count) => count + 1)
    void runWithToast(async () => void (await change())).finally(() => setWrites((count) => count - 1))
  }
  const isMarked = question !== undefined && marked.includes(question.id)
  // Keys and clicks can come faster than the page is drawn, so each one reads the current state.
  const now = () => ({ ...session.$state.get(), question: questions[shownIndex.current] as PaperQuestion })
  const change = ({ id }: PaperQuestion, next: AnswerChange) =>
    write(() => session.answer(id, next(session.$state.get().answers[id])))
  useShortcuts({
    isOn: () => session.$state.get().canWrite && !isSubmitting,
    next: () => show(shownIndex.current + 1),
    previous: () => show(shownIndex.current - 1),
    mark: () => {
      const { question: shown, marked: before } = now()
      write(() => session.mark(shown.id, !before.includes(shown.id)))
    },
    choose: (letter) => {
      const shown = now().question
      const next = kindOf(shown.question_type).chooseLetter?.(shown, letter)
      if (next) change(shown, next)
      return next !== undefined
    },
  })
  if (isOver) return <AttemptEnded state={state} examId={session.examId} name={place.name} close={close} />
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
      <div class="taking-body">
        <article class="sheet" aria-labelledby="question">
          <div class="row spread">
            <h1 id="question" ref={heading} tabIndex={-1}>
              {t('Question {number} <small>of {count}</small>', {
                number: index + 1,
                count: questions.length,
                small: (inner) => <small>{inner}</small>,
              })}
            </h1>
            <MarksOf question={question} />
          </div>
          <AnsweredQuestion
            question={question}
            answer={answers[question.id]}
            change={(next) => change(question, next)}
            isReadOnly={!canWrite}
          />
          {rejected && (
            <p class="notice bad" role="alert">
              {TOO_LARGE.has(rejected)
                ? t('Not saved: this answer is too large')
                : t('Not saved: {reason}', { reason: <span lang="en">{rejected}</span> })}
            </p>
          )}
          <div class="taking-moves">
            <button type="button" onClick={() => show(index - 1)} disabled={index === 0}>
              Previous
            </button>
            <button
              type="button"
              class={index + 1 < questions.length ? 'main' : ''}
              onClick={() => show(index + 1)}
              disabled={index + 1 >= questions.length}
            >
              Next
            </button>
            <button
              type="button"
              class="quiet"
              onClick={() => change(question, () => null)}
              disabled={!canWrite || answers[question.id] === undefined}
            >
              Clear answer
            </button>
            <button
              type="button"
              aria-pressed={isMarked}
              disabled={!canWrite}
              onClick={() => write(() => session.mark(question.id, !isMarked))}
            >
              {isMarked ? 'Marked' : 'Mark for later'}
            </button>
          </div>
        </article>
        <aside class="stack tight" aria-label="All questions">
          <Palette
            questions={questions}
            answers={answers}
            marked={marked}
            seen={new Set(place.seen)}
            current={index}
            show={show}
          />
          <details class="keys">
            <summary>Keyboard</summary>
            <p>
              {t(
                '<k>A</k>, <k>B</k> … choose an option · <k>N</k> next · <k>P</k> previous · <k>M</k> mark · all else with Tab',
                { k: (inner) => <kbd>{inner}</kbd> },
              )}
            </p>
          </details>
        </aside>
      </div>
      {isSubmitting && canWrite && (
        <SubmitDialog
          total={questions.length}
          answered={questions.filter(({ id }) => answers[id] !== undefined).length}
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
  const isKept = unsynced > 0 || phase === 'submitting'
  return (
    <p class={`saving ${isKept ? 'kept' : 'saved'}`} role="status">
      {phase === 'submitting'
        ? 'Handing in…'
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

interface Shortcuts {
  isOn: () => boolean
  next: () => void
  previous: () => void
  mark: () => void
  /** Chooses an option, and answers whether the question has it. */
  choose: (letter: string) => boolean
}

/** Shortcuts by single keys, except in text fields. */
function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts)
  latest.current = shortcuts
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { isOn, next, previous, mark, choose } = latest.current
      const isTyping =
        event.target instanceof HTMLElement &&
        event.target.matches('input:not([type=radio], [type=checkbox]), textarea, select')
      if (!isOn() || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      const key = event.key.toUpperCase()
      if (key === 'N') next()
      else if (key === 'P') previous()
      else if (key === 'M') mark()
      else if (!/^[A-Z]$/.test(key) || !choose(key)) return
      event.preventDefault()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}
