import type { NextCard } from '@exam-practice/client/practice'
import type { RefObject } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { isEnter } from '../../components/forms/typing-keys.ts'
import { AnsweredQuestion } from '../../components/questions/answered-question.tsx'
import type { AnswerChange, GivenAnswer } from '../../components/questions/kind.ts'
import { isAnswered, kindOf } from '../../components/questions/kinds.ts'
import { t } from '../../texts.ts'
import { useKeys } from './use-keys.ts'

interface AskedCardProps {
  card: NextCard
  give: (card: NextCard, answer: GivenAnswer | '', sure: boolean, tookMs: number) => Promise<void>
  heading: RefObject<HTMLHeadingElement | null>
}

const LETTERS = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index))

/** A question, and the two buttons with which it is answered. */
export function AskedCard({ card, give, heading }: AskedCardProps) {
  const { question } = card
  const [answer, setAnswer] = useState<GivenAnswer>()
  // Keys can come faster than the page is drawn.
  const latest = useRef<GivenAnswer | undefined>(undefined)
  const began = useRef(performance.now())
  const isGiven = useRef(false)
  function change(next: AnswerChange) {
    latest.current = next(latest.current) ?? undefined
    setAnswer(latest.current)
  }
  async function finish(sure: boolean) {
    // Without an answer one can only not know it.
    if (isGiven.current || (sure && !isAnswered(question, latest.current))) return
    isGiven.current = true
    await give(card, latest.current ?? '', sure, Math.round(performance.now() - began.current))
    isGiven.current = false
  }
  const kind = kindOf(question.question_type)
  const letters = LETTERS.flatMap((letter): [string, () => void][] => {
    const next = kind.chooseLetter?.(question, letter)
    return next ? [[letter, () => change(next)]] : []
  })
  useKeys({ ...Object.fromEntries(letters), 1: () => void finish(true), 2: () => void finish(false) })
  return (
    <article
      class="sheet"
      aria-labelledby="card"
      onKeyDown={(event) => {
        // In a line that somebody types, Enter answers; elsewhere it presses what has the focus.
        if (!isEnter(event) || !isLine(event.target)) return
        event.preventDefault()
        void finish(!event.shiftKey)
      }}
    >
      <div class="row spread">
        <h2 id="card" ref={heading} tabIndex={-1}>
          {card.card.exam_name}
        </h2>
        <span class="row">
          {card.card.tags.map((tag) => (
            <a key={tag} class="chip" href={`/desk/practice/cards?tag=${encodeURIComponent(tag)}`}>
              {tag}
            </a>
          ))}
          <span class="chip">{card.card.state === 'new' ? 'New' : 'Again'}</span>
        </span>
      </div>
      <AnsweredQuestion question={question} answer={answer} change={change} isReadOnly={false} />
      <div class="practice-answer">
        <button
          type="button"
          class="main"
          disabled={!isAnswered(question, answer)}
          onClick={() => void finish(true)}
        >
          {t('Sure')} <kbd>1</kbd>
        </button>
        <button type="button" onClick={() => void finish(false)}>
          {isAnswered(question, answer) ? t('Not sure') : t('I don’t know')} <kbd>2</kbd>
        </button>
        <small>Both check your answer. A correct one that you were sure of comes back later.</small>
      </div>
    </article>
  )
}

function isLine(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && !['radio', 'checkbox'].includes(target.type)
}
