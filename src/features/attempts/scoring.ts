import type { Answers, StoredQuestion } from '../../db/tables/exams/attempts.ts'
import { type Decimal, digitsAt, isWithin, parseDecimal, writeDecimal } from '../../formats/decimals.ts'

export type MsqScoring = 'all_or_nothing' | 'partial'
/** The fields of a question that grading uses. */
export interface KeyedQuestion
  extends Pick<
    StoredQuestion,
    'id' | 'question_type' | 'correct_answer' | 'positive_marks' | 'negative_marks' | 'tolerance'
  > {
  /** Set by a regrade: its marks for everybody, or no marks for anybody. */
  ruling?: 'by_key' | 'credit_all' | 'drop'
}

/** A question without a key is `unattempted` for everybody. A dropped question is none of the three. */
export type Verdict = 'correct' | 'incorrect' | 'unattempted' | 'dropped'

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

/** Totals whose decimal form is remembered. */
const MOST_TOLD = 10_000

/** Typed numbers whose outcome is remembered, for each question: most people give the same few. */
const MOST_JUDGED = 1_000

interface Judged {
  verdict: Verdict
  units: bigint
}

/**
 * A paper's key, compiled once: letters as bit masks, parsed numbers, marks as whole units. A unit is a twelfth of
 * the smallest decimal place of the paper's marks, so that a half, a third or a quarter of a question's marks is a
 * whole number of units, and sums are not rounded until they are shown.
 */
export class AnswerKey {
  readonly #questions: [id: string, judge: (answer: string | string[] | undefined) => Judged][]
  readonly #unitsPerMark: bigint
  readonly #maxUnits: bigint
  /** Marks by units, for the totals that have occurred: most attempts have the same few. */
  readonly #told = new Map<bigint, number>()

  constructor(questions: readonly KeyedQuestion[], msqScoring: MsqScoring) {
    const marks = questions.map((question) => ({
      positive: requireDecimal(question.positive_marks),
      negative: requireDecimal(question.negative_marks),
    }))
    const scale = Math.max(0, ...marks.flatMap(({ positive, negative }) => [positive.scale, negative.scale]))
    const toUnits = (decimal: Decimal) => digitsAt(decimal, scale) * 12n
    this.#unitsPerMark = 12n * 10n ** BigInt(scale)
    this.#maxUnits = marks.reduce(
      (sum, { positive }, index) => (questions[index]?.ruling === 'drop' ? sum : sum + toUnits(positive)),
      0n,
    )
    this.#questions = questions.map((question, index) => {
      const { positive, negative } = marks[index] as (typeof marks)[number]
      return [String(question.id), compile(question, msqScoring, toUnits(positive), -toUnits(negative))]
    })
  }

  grade(answers: Answers): Result {
    let units = 0n
    const counts = { correct: 0, incorrect: 0, unattempted: 0, dropped: 0 }
    for (const [id, judge] of this.#questions) {
      const judged = judge(answers[id])
      units += judged.units
      counts[judged.verdict] += 1
    }
    const score = this.#toMarks(units)
    const maxScore = this.#toMarks(this.#maxUnits)
    const { dropped: _, ...counted } = counts
    return { score, maxScore, percentage: maxScore === 0 ? 0 : (score / maxScore) * 100, ...counted }
  }

  /** The outcome of each question, in the order of the paper. */
  judge(answers: Answers): Judgement[] {
    return this.#questions.map(([id], index) => this.judgeOne(index, answers[id]))
  }

  /** The outcome of the question at a place of the paper. */
  judgeOne(index: number, answer: string | string[] | undefined): Judgement {
    const [, judge] = this.#questions[index] ?? [undefined, () => UNATTEMPTED]
    const { verdict, units } = judge(answer)
    return { verdict, marks: this.#toMarks(units) }
  }

  /** Shown marks are whole numbers of steps: ten-thousandths, or the smallest decimal place of the marks. */
  get stepsPerMark(): number {
    return Number(this.#steps)
  }

  get #steps(): bigint {
    return this.#unitsPerMark > 120_000n ? this.#unitsPerMark / 12n : 10_000n
  }

  #toMarks(units: bigint): number {
    let marks = this.#told.get(units)
    if (marks === undefined) {
      const doubled = (2n * units * this.#steps) / this.#unitsPerMark
      // Rounds half away from zero.
      marks = Number((doubled + (doubled < 0n ? -1n : 1n)) / 2n) / Number(this.#steps)
      if (this.#told.size < MOST_TOLD) this.#told.set(units, marks)
    }
    return marks
  }
}

const UNATTEMPTED: Judged = { verdict: 'unattempted', units: 0n }
const DROPPED: Judged = { verdict: 'dropped', units: 0n }

function compile(
  question: KeyedQuestion,
  msqScoring: MsqScoring,
  positive: bigint,
  negative: bigint,
): (answer: string | string[] | undefined) => Judged {
  const key = question.correct_answer
  const right: Judged = { verdict: 'correct', units: positive }
  const wrong: Judged = { verdict: 'incorrect', units: negative }
  if (question.ruling === 'drop') return () => DROPPED
  if (question.ruling === 'credit_all') return () => right
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
      const judge = (answer: string) => {
        const given = readGivenNumber(answer)
        if (!given) return UNATTEMPTED
        return isWithin(given, wanted, tolerance) ? right : wrong
      }
      const judged = new Map<string, Judged>()
      return (answer) => {
        if (typeof answer !== 'string') return UNATTEMPTED
        let outcome = judged.get(answer)
        if (!outcome) {
          outcome = judge(answer)
          if (judged.size < MOST_JUDGED) judged.set(answer, outcome)
        }
        return outcome
      }
    }
  }
}

/**
 * A complete number as a student types it, with a point or a comma: `-`, `3.`, `1e` and the like are incomplete and
 * count as none.
 */
function readGivenNumber(answer: string): Decimal | undefined {
  const text = answer.includes('.') ? answer : answer.replace(',', '.')
  return /\.(?!\d)/.test(text) ? undefined : parseDecimal(text)
}

/** Whether an answer counts as one: an incomplete number does not. */
export function isAnswered(
  type: KeyedQuestion['question_type'],
  answer: string | string[] | undefined,
): answer is string | string[] {
  if (isBlank(answer)) return false
  return type !== 'NUMERIC' || (typeof answer === 'string' && readGivenNumber(answer) !== undefined)
}

/** The shortest form of a number, so that `2.50`, `2,5` and `+2.5` are the same; very long ones stay as typed. */
export function writeNumber(answer: string): string {
  const number = readGivenNumber(answer)
  const isLong =
    !number || number.scale > LONGEST_WRITTEN || number.digits.toString().length > LONGEST_WRITTEN
  return isLong ? answer : writeDecimal(number)
}

/** Longer numbers are not written out. */
const LONGEST_WRITTEN = 40

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
