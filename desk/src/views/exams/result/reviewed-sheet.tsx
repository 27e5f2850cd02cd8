import type { ComponentChildren } from 'preact'
import type { Answer } from '../../../client.ts'
import { ScoreOf } from '../../../components/questions/marks-of.tsx'
import { ReviewedQuestion } from '../../../components/questions/reviewed-question.tsx'
import { t } from '../../../texts.ts'
import { RefusedAnswer } from '../taking/refused-answer.tsx'
import { isPartlyRight } from './figures.tsx'

type Reviewed = Answer<'/api/v01/attempts/{attempt_id}', 'get'>['review'][number]

interface ReviewedSheetProps {
  question: Reviewed
  number: number
  /** Why the answer was not taken. */
  refused?: string | undefined
  /** What can be done about it. */
  children?: ComponentChildren
}

/** A question of a result: how it was answered and graded, the key and why it is right. */
export function ReviewedSheet({ question, number, refused, children }: ReviewedSheetProps) {
  const [verdict, mood] = judge(question)
  return (
    <article class="sheet" aria-label={t('Question {number}', { number })}>
      <div class="row spread">
        <h2>{t('Question {number}', { number })}</h2>
        <span class="row">
          {question.regraded && <span class="chip warn">Regraded</span>}
          {refused === undefined && <span class={`chip ${mood}`}>{verdict}</span>}
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

function judge(question: Reviewed): [verdict: string, mood: string] {
  if (question.is_correct) return [t('Correct'), 'good']
  if (question.given_answer === null) return [t('Not answered'), '']
  return isPartlyRight(question) ? [t('Partly correct'), 'warn'] : [t('Incorrect'), 'bad']
}
