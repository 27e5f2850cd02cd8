/**
 * Grading by the rules, as simply as possible and without any code of the service. Times are numbers that increase
 * with each event.
 */

export interface ReferenceQuestion {
  id: number
  type: 'MCQ' | 'MSQ' | 'NUMERIC'
  key: string
  tolerance: number
  positive: number
  negative: number
  /** When its type, key or tolerance was last written. */
  keyedAt: number
}

export interface ReferenceRegrade {
  id: number
  questionId: number
  action: 'new_key' | 'credit_all' | 'drop'
  key: string | null
  tolerance: number | null
  type: ReferenceQuestion['type']
  madeAt: number
  undone: boolean
}

export interface ReferenceResult {
  score: number
  max_score: number
  correct: number
  incorrect: number
  unattempted: number
}

export function gradeFromScratch(
  paper: ReferenceQuestion[],
  scoring: 'all_or_nothing' | 'partial',
  answers: Record<string, string | string[]>,
  regrades: ReferenceRegrade[],
): ReferenceResult {
  /** In 1/1,200 of a mark, so that halves, thirds and quarters of hundredths are integers. */
  let units = 0
  let maxUnits = 0
  const counts = { correct: 0, incorrect: 0, unattempted: 0 }
  for (const question of paper) {
    const applicable = regrades.filter(
      (regrade) =>
        !regrade.undone &&
        regrade.questionId === question.id &&
        (regrade.action !== 'new_key' ||
          (regrade.type === question.type && regrade.madeAt > question.keyedAt)),
    )
    const newest = applicable.at(-1)
    if (newest?.action === 'drop') continue
    const positive = Math.round(question.positive * 1_200)
    maxUnits += positive
    if (newest?.action === 'credit_all') {
      units += positive
      counts.correct += 1
      continue
    }
    const share = judge(
      newest ? { ...question, key: newest.key ?? '', tolerance: newest.tolerance ?? 0 } : question,
      scoring,
      answers[question.id],
    )
    if (share === undefined) counts.unattempted += 1
    else if (share === 1) counts.correct += 1
    else counts.incorrect += 1
    if (share === -1) units -= Math.round(question.negative * 1_200)
    else units += Math.round(positive * (share ?? 0))
  }
  return { score: toMarks(units), max_score: toMarks(maxUnits), ...counts }
}

/** The share of the marks that an answer earns; -1 if it is wrong, undefined without an answer. */
function judge(
  question: ReferenceQuestion,
  scoring: 'all_or_nothing' | 'partial',
  answer: string | string[] | undefined,
): number | undefined {
  if (answer === undefined || answer.length === 0 || question.key === '') return undefined
  if (question.type === 'MCQ') return answer === question.key ? 1 : -1
  if (question.type === 'NUMERIC')
    return Math.abs(Number(answer) - Number(question.key)) <= question.tolerance + 1e-9 ? 1 : -1
  const key = question.key.split(',')
  const right = key.filter((letter) => answer.includes(letter)).length
  if (right < answer.length) return -1
  if (right === key.length) return 1
  return scoring === 'partial' ? right / key.length : -1
}

/** Rounds to four decimals, halves away from zero. */
function toMarks(units: number): number {
  return (Math.sign(units) * Math.floor((Math.abs(units) * 10_000) / 1_200 + 0.5)) / 10_000 + 0
}
