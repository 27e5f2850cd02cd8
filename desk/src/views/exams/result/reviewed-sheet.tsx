import type { ComponentChildren } from 'preact'
import { ScoreOf } from '../../../components/questions/marks-of.tsx'
import { ReviewedQuestion } from '../../../components/questions/reviewed-question.tsx'
import { t } from '../../../texts.ts'
import { RefusedAnswer } from '../taking/refused-answer.tsx'
import { type AttemptResult, isPartlyRight, type JudgedAnswer } from './figures.tsx'

export type QuestionReview = AttemptResult['review'][number]

interface ReviewedSheetProps {
  question: QuestionReview
  number: number
  /** Why the answer was not taken. */
  refused?: string | undefined
  /** What can be done about it. */
  children?: ComponentChildren
}

/** A question of a result: how it was answered and graded, the key and why it is right. */
export function ReviewedSheet({ question, number, refused, children }: ReviewedSheetProps) {
  return (
    <article class="sheet" aria-label={t('Question {number}', { number })}>
      <div class="row spread">
        <h2>{t('Question {number}', { number })}</h2>
        <span class="row">
          {question.regraded && <span class="chip warn">Regraded</span>}
          {refused === undefined && <Judgement question={question} />}
          <ScoreOf awarded={question.marks_awarded} most={question.positive_marks} />
        </span>
      </div>
      {refused !== undefined && <RefusedAnswer reason={refused} />}
      <ReviewedQuestion
        question={question}
        given={question.given_answer}
        correct={question.correct}
        explanation={question.explanation}
      />
      {children}
    </article>
  )
}

/** How a question was graded, for its student and for their teachers. */
export function Judgement({ question }: { question: JudgedAnswer }) {
  if (question.is_correct) return <span class="chip good">Correct</span>
  if (question.given_answer === null) return <span class="chip">Not answered</span>
  return isPartlyRight(question) ? (
    <span class="chip warn">Partly correct</span>
  ) : (
    <span class="chip bad">Incorrect</span>
  )
}
