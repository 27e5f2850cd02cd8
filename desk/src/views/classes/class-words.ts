import { t } from '../../texts.ts'

/** How many students a class has, and whether it is over. */
export function describeStudents({
  students: count,
  archived,
}: {
  students: number
  archived: boolean
}): string {
  return archived
    ? t('{count, plural, one {# student} other {# students}}, archived', { count })
    : t('{count, plural, one {# student} other {# students}}', { count })
}

export function leaveQuestion(name: string): string {
  return t(
    'Leave “{name}”? You lose its exams. What you have begun can be finished, and your results stay yours.',
    { name },
  )
}
