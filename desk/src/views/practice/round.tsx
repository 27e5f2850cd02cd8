import type { CardsAhead, NextCard, Practice, Wanted } from '@exam-practice/client/practice'
import { useStore } from '@nanostores/preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { runWithToast } from '../../components/dialogs/toasts.tsx'
import { t } from '../../texts.ts'
import type { AnsweredCard } from './answered-card.ts'
import { AskedCard } from './asked-card.tsx'
import { JudgedCard } from './judged-card.tsx'
import { RoundEnd } from './round-end.tsx'
import { useKeys } from './use-keys.ts'

interface RoundProps {
  practised: Practice
  ahead: CardsAhead
  wanted: Wanted
}

/** One card after another, until none is left. */
export function Round({ practised, ahead, wanted }: RoundProps) {
  const cards = useStore(ahead.$cards)
  const reviews = useStore(practised.$reviews)
  const [answered, setAnswered] = useState<readonly AnsweredCard[]>([])
  const [isJudged, setJudged] = useState(false)
  /** A card whose review was taken back comes first. */
  const [again, setAgain] = useState<NextCard>()
  const heading = useRef<HTMLHeadingElement>(null)
  const isFirst = useRef(true)
  const next = again ?? cards[0]
  // The card stays while the list behind it changes.
  const [asked, setAsked] = useState<NextCard | undefined>(next)
  if (!asked && !isJudged && next) setAsked(next)
  const last = answered.at(-1)
  useEffect(() => {
    if (!isFirst.current && !isJudged) heading.current?.focus({ preventScroll: true })
    isFirst.current = false
    if (!isJudged) scrollTo(0, 0)
  }, [asked, isJudged])

  async function give(card: NextCard, answer: unknown, sure: boolean, took_ms: number) {
    await runWithToast(async () => {
      const { question_id } = card.card
      const { question_version, draw } = card.question
      const review = { question_id, question_version, answer, sure, took_ms }
      const { id } = await practised.review(draw === undefined ? review : { ...review, draw })
      setAnswered((before) => [...before, { id, card }])
      setAgain(undefined)
      setJudged(true)
    })
  }
  function goOn() {
    setJudged(false)
    setAsked(undefined)
  }
  async function undo() {
    if (!last) return
    await practised.undo(last.id)
    setAnswered((before) => before.slice(0, -1))
    setAgain(last.card)
    setAsked(last.card)
    setJudged(false)
  }
  useKeys({ Z: () => void undo() })

  const done = answered.length
  const left =
    cards.filter(({ card }) => card.question_id !== again?.card.question_id).length + (again ? 1 : 0)
  const review = isJudged ? reviews.find(({ id }) => id === last?.id) : undefined
  if (!isJudged && !asked)
    return (
      <RoundEnd
        answered={answered}
        reviews={reviews}
        wanted={wanted}
        reload={() => ahead.refresh()}
        undo={undo}
      />
    )
  return (
    <div class="stack">
      <div class="row spread">
        <progress class="meter" max={done + left} value={done} aria-label="Progress" />
        <small>
          {t('{done, plural, other {# answered}} · {left, plural, one {# card} other {# cards}} left', {
            done,
            left,
          })}
        </small>
      </div>
      {isJudged && last ? (
        <JudgedCard key={last.id} answered={last} review={review} goOn={goOn} />
      ) : (
        asked && (
          <AskedCard key={`${asked.card.question_id}-${done}`} card={asked} give={give} heading={heading} />
        )
      )}
      {last && (
        <p>
          <button type="button" class="quiet small" onClick={() => void undo()}>
            {t('Undo the last answer')} <kbd>Z</kbd>
          </button>
        </p>
      )}
    </div>
  )
}
