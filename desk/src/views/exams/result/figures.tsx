import type { Answer } from '../../../client.ts'
import { Stat } from '../../../components/page/stat.tsx'
import { number } from '../../../format.ts'

type Result = Answer<'/api/v01/attempts/{attempt_id}', 'get'>

/** The result of an attempt in numbers. */
export function Figures({ result }: { result: Result }) {
  const { score, max_score, percentage, correct, unattempted } = result.result
  const partly = result.review.filter(isPartlyRight).length
  const total = result.review.length
  return (
    <dl class="figures">
      <Stat name="Marks" value={`${number(score)} of ${number(max_score)}`} />
      <Stat name="Percent" value={`${number(percentage)} %`} />
      <Stat name="Correct" value={`${correct} of ${total}`} />
      {partly > 0 && <Stat name="Partly correct" value={partly} />}
      <Stat name="Incorrect" value={result.result.incorrect - partly} />
      <Stat name="Not answered" value={unattempted} />
    </dl>
  )
}

/** Some marks, but not all: the service counts it as incorrect. */
export function isPartlyRight(question: Result['review'][number]): boolean {
  return !question.is_correct && question.given_answer !== null && question.marks_awarded > 0
}
