import '../taking.css'
import type { Answer, ExamSession, PaperQuestion } from '@exam-practice/client/exam'
import { useStore } from '@nanostores/preact'
import { atom } from 'nanostores'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { runWithToast } from '../../../components/dialogs/toasts.tsx'
import { $title } from '../../../view-title.ts'
import { QuestionText } from '../question-text.tsx'
import { AnswerField } from './answer-field.tsx'
import { Clock } from './clock.tsx'
import { AttemptEnded } from './ended.tsx'
import { Palette } from './palette.tsx'
import { SubmitDialog } from './submit-dialog.tsx'

/** An active attempt: one question at a time, with the palette, the clock and the state of saving. */
export function Taking({ session, close }: { session: ExamSession; close: () => void }) {
  const state = useStore(session.$state)
  const $index = useMemo(() => atom(0), [])
  const index = useStore($index)
  const [seen, setSeen] = useState<ReadonlySet<number>>(new Set())
  const [isSubmitting, setSubmitting] = useState(false)
  const [writes, setWrites] = useState(0)
  const heading = useRef<HTMLHeadingElement>(null)
  const { questions, answers, marked } = state
  const question = questions[index]
  useEffect(() => $title.set('Exam under way'), [])
  useEffect(() => {
    if (question) setSeen((before) => new Set(before).add(question.id))
  }, [question])
  function show(next: number) {
    if (next < 0 || next >= questions.length) return
    $index.set(next)
    heading.current?.focus()
  }
  /** Counts a write until it is stored on this machine. */
  function write(change: () => Promise<void>) {
    setWrites((count) => count + 1)
    void runWithToast(change).finally(() => setWrites((count) => count - 1))
  }
  const isMarked = question !== undefined && marked.includes(question.id)
  const give = (answer: Answer | null) => question && write(() => session.answer(question.id, answer))
  // Keys and clicks can come faster than the page is drawn, so each one reads the current state.
  const now = () => ({ ...session.$state.get(), question: questions[$index.get()] as PaperQuestion })
  function toggle(shown: PaperQuestion, letter: string) {
    const { answers: before } = session.$state.get()
    write(() => session.answer(shown.id, toggleOption(shown, before[shown.id], letter)))
  }
  useShortcuts({
    isOn: () => session.$state.get().canWrite && !isSubmitting,
    next: () => show($index.get() + 1),
    previous: () => show($index.get() - 1),
    mark: () => {
      const { question: shown, marked: before } = now()
      write(() => session.mark(shown.id, !before.includes(shown.id)))
    },
    toggle: (letter) => toggle(now().question, letter),
  })
  if (state.phase === 'submitted' || state.phase === 'closed')
    return <AttemptEnded state={state} close={close} />
  if (!question) return null
  const rejected = state.rejected[question.id]
  return (
    <div class="taking">
      <header class="taking-head">
        <Saving unsynced={state.unsynced} phase={state.phase} isWriting={writes > 0} />
        <Clock session={session} />
        <button type="button" class="main" onClick={() => setSubmitting(true)} disabled={!state.canWrite}>
          Hand in
        </button>
      </header>
      {!state.canWrite && state.phase === 'active' && (
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
              Question {index + 1} <small>of {questions.length}</small>
            </h1>
            <small>
              +{question.positive_marks}
              {question.negative_marks > 0 && ` / −${question.negative_marks}`}
            </small>
          </div>
          <QuestionText question={question} />
          <AnswerField
            question={question}
            answer={answers[question.id]}
            give={give}
            toggle={(letter) => toggle(question, letter)}
            isReadOnly={!state.canWrite}
          />
          {rejected && (
            <p class="notice bad" role="alert">
              Not saved: {rejected}
            </p>
          )}
          <div class="row spread">
            <div class="row">
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
            </div>
            <div class="row">
              <button
                type="button"
                class="quiet"
                onClick={() => give(null)}
                disabled={!state.canWrite || answers[question.id] === undefined}
              >
                Clear answer
              </button>
              <button
                type="button"
                aria-pressed={isMarked}
                disabled={!state.canWrite}
                onClick={() => write(() => session.mark(question.id, !isMarked))}
              >
                {isMarked ? 'Marked' : 'Mark for later'}
              </button>
            </div>
          </div>
        </article>
        <aside class="stack tight" aria-label="All questions">
          <Palette
            questions={questions}
            answers={answers}
            marked={marked}
            seen={seen}
            current={index}
            show={show}
          />
          <details class="keys">
            <summary>Keyboard</summary>
            <p>
              <kbd>A</kbd>–<kbd>D</kbd> choose · <kbd>N</kbd> next · <kbd>P</kbd> previous · <kbd>M</kbd> mark
              · all else with Tab
            </p>
          </details>
        </aside>
      </div>
      {isSubmitting && (
        <SubmitDialog
          total={questions.length}
          answered={questions.filter(({ id }) => answers[id] !== undefined).length}
          marked={marked.length}
          unsynced={state.unsynced}
          submit={() => session.submit()}
          close={() => setSubmitting(false)}
        />
      )}
    </div>
  )
}

/** Whether the answers are saved, and where. */
function Saving({ unsynced, phase, isWriting }: { unsynced: number; phase: string; isWriting: boolean }) {
  const [isOnline, setOnline] = useState(navigator.onLine)
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
              ? `Saving ${unsynced}…`
              : `No connection: ${unsynced} kept on this machine`}
    </p>
  )
}

/** The answer with an option chosen, or for MSQ no longer chosen if it was; a number stays as it is. */
function toggleOption(
  { question_type }: PaperQuestion,
  answer: Answer | undefined,
  letter: string,
): Answer | null {
  if (question_type === 'MCQ') return letter
  if (question_type !== 'MSQ') return answer ?? null
  const chosen = new Set(Array.isArray(answer) ? answer : [])
  if (!chosen.delete(letter)) chosen.add(letter)
  return chosen.size > 0 ? [...chosen].sort() : null
}

interface Shortcuts {
  isOn: () => boolean
  next: () => void
  previous: () => void
  mark: () => void
  toggle: (letter: string) => void
}

/** Shortcuts by single keys, except in text fields. */
function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts)
  latest.current = shortcuts
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { isOn, next, previous, mark, toggle } = latest.current
      const isTyping =
        event.target instanceof HTMLElement &&
        event.target.matches('input:not([type=radio], [type=checkbox]), textarea, select')
      if (!isOn() || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      const key = event.key.toUpperCase()
      if (key === 'N') next()
      else if (key === 'P') previous()
      else if (key === 'M') mark()
      else if (/^[A-D]$/.test(key)) toggle(key)
      else return
      event.preventDefault()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}
