import type { Answer } from '../../../client.ts'
import { Stat } from '../../../components/page/stat.tsx'
import { number } from '../../../format.ts'

type Result = Answer<'/api/v01/attempts/{attempt_id}', 'get'>['result']

/** The result of an attempt in numbers. */
export function Figures({ result }: { result: Result }) {
  return (
    <dl class="figures">
      <Stat name="Score" value={`${number(result.score)} of ${number(result.max_score)}`} />
      <Stat name="Percent" value={`${number(result.percentage)} %`} />
      <Stat name="Right" value={result.correct} />
      <Stat name="Wrong" value={result.incorrect} />
      <Stat name="Not answered" value={result.unattempted} />
    </dl>
  )
}
