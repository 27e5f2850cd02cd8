import type { Answers, StoredQuestion } from '../../db/tables/attempts.ts'
import { type Decimal, digitsAt, isWithin, parseDecimal } from './decimals.ts'

export type MsqScoring = 'all_or_nothing' | 'partial'
/** What grading looks at of a question. */
export type KeyedQuestion = Pick<
  StoredQuestion,
  'id' | 'question_type' | 'correct_answer' | 'positive_marks' | 'negative_marks' | 'tolerance'
>

/** `unattempted` too where the question has no key: nobody is judged by it. */
export type Verdict = 'correct' | 'incorrect' | 'unattempted'

export interface Result {
  score: number
  maxScore: number
  /** score ÷ maxScore × 100, not rounded; 0 where there is nothing to score. */
  percentage: number
  correct: number
  incorrect: number
  unattempted: number
}

/** One question's outcome, for the review. */
export interface Judgement {
  verdict: Verdict
  marks: number
}

interface Judged {
  verdict: Verdict
  units: bigint
}

/**
 * A paper's key, compiled once: letters as bit masks, numbers parsed, marks as whole units. A unit is a
 * twelfth of the finest decimal place that the paper's marks use, so that a half, a third or a quarter of
 * a question's marks is a whole number of units, and no sum is ever rounded before it is told.
 */
export class AnswerKey {
  readonly #questions: [id: string, judge: (answer: string | string[] | undefined) => Judged][]
  readonly #unitsPerMark: bigint
  readonly #maxUnits: bigint

  constructor(questions: readonly KeyedQuestion[], msqScoring: MsqScoring) {
    const marks = questions.map((question) => ({
      positive: requireDecimal(question.positive_marks),
      negative: requireDecimal(question.negative_marks),
    }))
    const scale = Math.max(0, ...marks.flatMap(({ positive, negative }) => [positive.scale, negative.scale]))
    const toUnits = (decimal: Decimal) => digitsAt(decimal, scale) * 12n
    this.#unitsPerMark = 12n * 10n ** BigInt(scale)
    this.#maxUnits = marks.reduce((sum, { positive }) => sum + toUnits(positive), 0n)
    this.#questions = questions.map((question, index) => {
      const { positive, negative } = marks[index] as (typeof marks)[number]
      return [String(question.id), compile(question, msqScoring, toUnits(positive), -toUnits(negative))]
    })
  }

  grade(answers: Answers): Result {
    let units = 0n
    const counts = { correct: 0, incorrect: 0, unattempted: 0 }
    for (const [id, judge] of this.#questions) {
      const judged = judge(answers[id])
      units += judged.units
      counts[judged.verdict] += 1
    }
    const score = this.#toMarks(units)
    const maxScore = this.#toMarks(this.#maxUnits)
    return { score, maxScore, percentage: maxScore === 0 ? 0 : (score / maxScore) * 100, ...counts }
  }

  /** The outcome of each question, in the order of the paper. */
  judge(answers: Answers): Judgement[] {
    return this.#questions.map(([id, judge]) => {
      const { verdict, units } = judge(answers[id])
      return { verdict, marks: this.#toMarks(units) }
    })
  }

  /** To four decimals, or to as many as the marks themselves have. */
  #toMarks(units: bigint): number {
    const finest = this.#unitsPerMark > 120_000n ? this.#unitsPerMark / 12n : 10_000n
    const doubled = (2n * units * finest) / this.#unitsPerMark
    // Half away from zero.
    return Number((doubled + (doubled < 0n ? -1n : 1n)) / 2n) / Number(finest)
  }
}

const UNATTEMPTED: Judged = { verdict: 'unattempted', units: 0n }

function compile(
  question: KeyedQuestion,
  msqScoring: MsqScoring,
  positive: bigint,
  negative: bigint,
): (answer: string | string[] | undefined) => Judged {
  const key = question.correct_answer
  const right: Judged = { verdict: 'correct', units: positive }
  const wrong: Judged = { verdict: 'incorrect', units: negative }
  if (key === '') return () => UNATTEMPTED
  switch (question.question_type) {
    case 'MCQ':
      return (answer) => (isBlank(answer) ? UNATTEMPTED : answer === key ? right : wrong)
    case 'MSQ': {
      const wanted = maskOf(key.split(','))
      return (answer) => {
        if (isBlank(answer)) return UNATTEMPTED
        const chosen = maskOf(answer)
        if (chosen === wanted) return right
        if (msqScoring === 'all_or_nothing' || (chosen & ~wanted) !== 0) return wrong
        return { verdict: 'incorrect', units: (positive * countBits(chosen)) / countBits(wanted) }
      }
    }
    case 'NUMERIC': {
      const wanted = requireDecimal(key)
      const tolerance = requireDecimal(question.tolerance)
      return (answer) => {
        const given = typeof answer === 'string' ? readGivenNumber(answer) : undefined
        if (!given) return UNATTEMPTED
        return isWithin(given, wanted, tolerance) ? right : wrong
      }
    }
  }
}

/** A whole number as a student gives it: `-`, `3.`, `1e` and the like are half typed, and none yet. */
function readGivenNumber(answer: string): Decimal | undefined {
  return /\.(?!\d)/.test(answer) ? undefined : parseDecimal(answer)
}

function isBlank(answer: string | string[] | undefined): answer is undefined | '' {
  return answer === undefined || answer.length === 0
}

function maskOf(letters: string | string[]): number {
  let mask = 0
  for (const letter of letters) mask |= 1 << (letter.charCodeAt(0) - 65)
  return mask
}

function countBits(mask: number): bigint {
  let count = 0n
  for (let rest = mask; rest !== 0; rest &= rest - 1) count += 1n
  return count
}

function requireDecimal(text: string): Decimal {
  const decimal = parseDecimal(text)
  if (!decimal) throw new Error(`'${text}' is no decimal number`)
  return decimal
}
