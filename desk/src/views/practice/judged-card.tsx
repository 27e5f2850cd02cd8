import type { GivenReview } from '@exam-practice/client/practice'
import { useEffect, useRef, useState } from 'preact/hooks'
import { AnsweredQuestion } from '../../components/questions/answered-question.tsx'
import { ReviewedQuestion } from '../../components/questions/reviewed-question.tsx'
import { clockTime, isToday, moment } from '../../format.ts'
import { t } from '../../texts.ts'
import { Exchange } from '../tutor/exchange.tsx'
import type { AnsweredCard } from './answered-card.ts'
import { toMaterial } from './tutor-material.ts'

interface JudgedCardProps {
  answered: AnsweredCard
  review: GivenReview | undefined
  goOn: () => void
}

const VERDICTS = {
  right: [t('Correct'), 'good'],
  partly: [t('Partly correct'), 'warn'],
  wrong: [t('Incorrect'), 'bad'],
} as const
const IDEAS = [t('Why is this the answer? Explain it step by step.'), t('Where did I go wrong?')]

/** What became of an answer, with the key and the explanation. */
export function JudgedCard({ answered, review, goOn }: JudgedCardProps) {
  const { card, question } = answered.card
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => button.current?.focus({ preventScroll: true }), [])
  const result = review?.result
  const judged = result && 'outcome' in result ? result : undefined
  return (
    <article class="sheet" aria-labelledby="card">
      <div class="row spread">
        <h2 id="card">{card.exam_name}</h2>
        <p role="status">
          {judged ? (
            <span class={`chip ${VERDICTS[judged.outcome][1]}`}>{VERDICTS[judged.outcome][0]}</span>
          ) : (
            <span class="chip">{describeState(review)}</span>
          )}
        </p>
      </div>
      {judged && review ? (
        <>
          <ReviewedQuestion
            question={{ ...question, correct_answer: judged.correct_answer, tolerance: 0 }}
            given={toGiven(review.review.answer)}
            correct={judged.correct}
            explanation={judged.explanation}
          />
          <small>
            {isToday(judged.card.due)
              ? t('It comes back at {time}.', { time: clockTime(judged.card.due) })
              : t('It comes back {time}.', { time: moment(judged.card.due) })}
          </small>
        </>
      ) : (
        review && (
          <AnsweredQuestion
            question={question}
            answer={toGiven(review.review.answer) ?? undefined}
            change={() => {}}
            isReadOnly
          />
        )
      )}
      <div class="row">
        <button type="button" class="main" ref={button} onClick={goOn}>
          {t('Next')} <kbd>Enter</kbd>
        </button>
      </div>
      {judged && review && (
        <Tutor answered={answered} material={toMaterial(question, review.review.answer, judged)} />
      )}
    </article>
  )
}

function describeState(review: GivenReview | undefined): string {
  if (review?.error ?? (review?.result && 'error' in review.result))
    return t('This question can’t be practised any more')
  return review?.state === 'sending'
    ? t('Being judged…')
    : t('Kept on this device until there is a connection')
}

/** An empty answer is none. */
function toGiven(answer: unknown): string | string[] | null {
  return typeof answer === 'string' ? answer || null : (answer as string[])
}

function Tutor({ answered, material }: { answered: AnsweredCard; material: string }) {
  const [isOpen, setOpen] = useState(false)
  const [conversation, setConversation] = useState<number>()
  return (
    <section class="stack tight" aria-label="Tutor">
      <p>
        <button type="button" class="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Ask the tutor
        </button>
      </p>
      {isOpen && (
        <Exchange
          conversationId={conversation}
          opened={setConversation}
          suggestions={IDEAS}
          draft={`practice-${answered.card.card.question_id}`}
          material={material}
        />
      )}
    </section>
  )
}
