import type { Answer, PaperQuestion } from '@exam-practice/client/exam'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { AnsweredQuestion } from '../../../components/questions/answered-question.tsx'
import type { AnswerChange } from '../../../components/questions/kind.ts'
import { kindOf } from '../../../components/questions/kinds.ts'
import { MarksOf } from '../../../components/questions/marks-of.tsx'
import { t } from '../../../texts.ts'
import { Palette } from './palette.tsx'

interface PaperProps {
  questions: readonly PaperQuestion[]
  answers: Readonly<Record<string, Answer>>
  marked: readonly number[]
  seen: readonly number[]
  index: number
  show: (index: number) => void
  change: (question: PaperQuestion, next: AnswerChange) => void
  mark: (question: PaperQuestion) => void
  /** Asked at each key: these can come faster than the page is drawn. */
  canWrite: () => boolean
  areKeysOff: boolean
  /** What is said about the answer of the question that is shown. */
  notice?: ComponentChildren
}

/** One question at a time, with the means to answer it, and the palette of all. */
export function Paper(props: PaperProps) {
  const { questions, answers, marked, seen, index, show, change, mark, canWrite, areKeysOff, notice } = props
  const heading = useRef<HTMLHeadingElement>(null)
  // Keys can come faster than the page is drawn.
  const shownIndex = useRef(index)
  // The question is read first: its text would lie above what is visible after a start from further down.
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [index])
  function go(next: number) {
    if (next < 0 || next >= questions.length) return
    shownIndex.current = next
    show(next)
  }
  const shown = () => questions[shownIndex.current] as PaperQuestion
  useShortcuts({
    isOn: () => canWrite() && !areKeysOff,
    next: () => go(shownIndex.current + 1),
    previous: () => go(shownIndex.current - 1),
    mark: () => mark(shown()),
    choose: (letter) => {
      const next = kindOf(shown().question_type).chooseLetter?.(shown(), letter)
      if (next) change(shown(), next)
      return next !== undefined
    },
  })
  const question = questions[index]
  if (!question) return null
  const isReadOnly = !canWrite()
  const isMarked = marked.includes(question.id)
  return (
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
          isReadOnly={isReadOnly}
        />
        {notice}
        <div class="taking-moves">
          <button type="button" onClick={() => go(index - 1)} disabled={index === 0}>
            Previous
          </button>
          <button
            type="button"
            class={index + 1 < questions.length ? 'main' : ''}
            onClick={() => go(index + 1)}
            disabled={index + 1 >= questions.length}
          >
            Next
          </button>
          <button
            type="button"
            class="quiet"
            onClick={() => change(question, () => null)}
            disabled={isReadOnly || answers[question.id] === undefined}
          >
            Clear answer
          </button>
          <button type="button" aria-pressed={isMarked} disabled={isReadOnly} onClick={() => mark(question)}>
            {isMarked ? 'Marked' : 'Mark for later'}
          </button>
        </div>
      </article>
      <aside class="stack tight" aria-label="All questions">
        <Palette
          questions={questions}
          answers={answers}
          marked={marked}
          seen={new Set(seen)}
          current={index}
          show={go}
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
