import type { Answer } from '../../../client.ts'
import { Stat } from '../../../components/page/stat.tsx'
import { number, percent, timeTaken } from '../../../format.ts'
import { t } from '../../../texts.ts'

export type AttemptResult = Answer<'/api/v01/attempts/{attempt_id}', 'get'>

/** A trial has no times. */
type FiguresResult = Pick<AttemptResult, 'result' | 'review'> &
  Partial<Pick<AttemptResult, 'started_at' | 'submitted_at'>>

/** What is null is hidden from teachers as long as keys are. */
export type JudgedAnswer = Pick<
  NonNullable<Answer<'/api/v01/admin/attempts/{attempt_id}/review', 'get'>['review']>[number],
  'is_correct' | 'given_answer' | 'marks_awarded'
>

/** The result of an attempt in numbers. */
export function Figures({ result }: { result: FiguresResult }) {
  const { score, max_score, percentage, correct, unattempted } = result.result
  const partly = result.review.filter(isPartlyRight).length
  const total = result.review.length
  return (
    <dl class="figures">
      <Stat
        label="Marks"
        value={
          <>
            {t('{part} of {whole}', { part: number(score), whole: number(max_score) })}{' '}
            <small>{percent(percentage)}</small>
          </>
        }
      />
      <Stat label="Correct" value={t('{part} of {whole}', { part: correct, whole: total })} />
      {partly > 0 && <Stat label="Partly correct" value={partly} />}
      <Stat label="Incorrect" value={result.result.incorrect - partly} />
      <Stat label="Not answered" value={unattempted} />
      {result.started_at !== undefined && result.submitted_at !== undefined && (
        <Stat
          label="Time taken"
          value={timeTaken({ started_at: result.started_at, submitted_at: result.submitted_at })}
        />
      )}
    </dl>
  )
}

/** Some marks, but not all: the service counts it as incorrect. */
export function isPartlyRight({ is_correct, given_answer, marks_awarded }: JudgedAnswer): boolean {
  return !is_correct && given_answer !== null && Number(marks_awarded) > 0
}
