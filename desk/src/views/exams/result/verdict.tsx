import type { ComponentChildren } from 'preact'
import { type Answer, ask, client } from '../../../client.ts'
import { percent } from '../../../format.ts'
import { t } from '../../../texts.ts'

/** The percentage that passes an exam; undefined where the exam can't be seen any more. */
export async function readNeeded(examId: number): Promise<number | undefined> {
  const path = { params: { path: { exam_id: examId } } }
  const found = await ask(client.GET('/api/v01/exams/{exam_id}', path)).catch(() => undefined)
  return found?.exam.pass_percentage
}

interface VerdictProps {
  of: Pick<Answer<'/api/v01/attempts/{attempt_id}', 'get'>, 'percentage' | 'passed'>
  needed: number | undefined
}

/** Whether an attempt passed, and by how much. */
export function Verdict({ of: { percentage, passed }, needed }: VerdictProps) {
  if (percentage === null || needed === undefined) return null
  const distance = Math.abs(percentage - needed)
  const said = {
    percent: percent(percentage),
    needed: percent(needed),
    margin: Math.round(distance * 100) / 100,
    b: (inner: ComponentChildren) => <strong>{inner}</strong>,
  }
  return (
    <p class={`notice verdict ${passed ? 'good' : 'bad'}`} role="status">
      {distance === 0
        ? passed
          ? t('<b>Passed</b> with exactly the {needed} that are needed.', said)
          : t('<b>Not passed</b>: just below the {needed} that are needed.', said)
        : passed
          ? t(
              '<b>Passed</b> with {percent}, {margin, plural, one {# percentage point} other {# percentage points}} above the {needed} that are needed.',
              said,
            )
          : t(
              '<b>Not passed</b>: {percent}, {margin, plural, one {# percentage point} other {# percentage points}} below the {needed} that are needed.',
              said,
            )}
    </p>
  )
}
