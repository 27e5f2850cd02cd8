import { ask, client } from '../../../client.ts'
import { number } from '../../../format.ts'

/** The percentage that passes an exam; undefined where the exam can't be seen any more. */
export async function readNeeded(examId: number): Promise<number | undefined> {
  const path = { params: { path: { exam_id: examId } } }
  const found = await ask(client.GET('/api/v01/exams/{exam_id}', path)).catch(() => undefined)
  return found?.exam.pass_percentage
}

interface VerdictProps {
  percentage: number | null
  needed: number | undefined
}

/** Whether an attempt passed, and by how much. */
export function Verdict({ percentage, needed }: VerdictProps) {
  if (percentage === null || needed === undefined) return null
  const distance = Math.abs(percentage - needed)
  const isPassed = percentage >= needed
  const margin = `${number(distance)} percentage ${distance === 1 ? 'point' : 'points'}`
  return (
    <p class={`notice verdict ${isPassed ? 'good' : 'bad'}`} role="status">
      <strong>{isPassed ? 'Passed' : 'Not passed'}</strong>
      {distance === 0
        ? ` with exactly the ${number(needed)} % that are needed.`
        : isPassed
          ? ` with ${number(percentage)} %, ${margin} above the ${number(needed)} % that are needed.`
          : `: ${number(percentage)} %, ${margin} below the ${number(needed)} % that are needed.`}
    </p>
  )
}
