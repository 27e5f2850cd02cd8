import { type Decimal, digitsAt } from '@exam-practice/exchange/decimals'
import type { Answers, GradedValues, StoredAnswer, StoredQuestion } from '../../db/tables/attempts.tables.ts'
import { leastCommonMultiple } from '../../formats/fractions.ts'
import type { CompiledKey, MsqScoring } from '../questions/kinds/kind.ts'
import { kindOf } from '../questions/kinds/kinds.ts'
import { requireDecimal } from '../questions/kinds/numbers.ts'

/** The fields of a question that grading uses. */
export interface KeyedQuestion
  extends Omit<StoredQuestion, 'image_path' | 'image_alt' | 'tag_keys' | 'key_version' | 'content_version'> {
  /** Set by a regrade: its marks for everybody, or no marks for anybody. */
  ruling?: 'by_key' | 'credit_all' | 'drop'
}

/** A question without a key is `unattempted` for everybody. A dropped question is none of the three. */
export type Verdict = 'correct' | 'incorrect' | 'unattempted' | 'dropped'

/** Percentages that 1.0.0 stored are quotients: a rounding error must not turn a pass into a fail. */
const TOLERANCE = 1e-9

/** A percentage as it is shown, to two decimals. */
export function roundPercentage(percentage: number): number {
  // Without `+ 0` a small negative number would become -0.
  return Math.round(percentage * 100) / 100 + 0
}

/**
 * Whether a stored percentage reaches a mark. It is stored as it is shown, so that nobody fails with the percentage
 * that they are told to need. 1.0.0 stored it unrounded: its results stay what they were until they are
 * regraded.
 */
export function reaches(percentage: number, mark: number): boolean {
  return percentage + TOLERANCE >= mark
}

/** A stored result as it is shown: where nothing could be scored there is no percentage, and nobody passes or fails. */
export function judgeResult(
  { percentage, maxScore }: Pick<GradedValues, 'percentage' | 'maxScore'>,
  mark: number,
) {
  if (maxScore === 0) return { percentage: null, passed: null }
  return { percentage: roundPercentage(percentage), passed: reaches(percentage, mark) }
}

/** One question's outcome. */
export interface Judgement {
  verdict: Verdict
  /** As they are shown. */
  marks: number
  /** Exactly, as a whole number of `AnswerKey.unitsPerMark`. */
  units: bigint
}

/** Totals whose decimal form is remembered. */
const MOST_TOLD = 10_000
/** Totals are shown to four decimals, or to the smallest decimal place of the marks. */
const SHOWN_STEPS = 10_000n
/** Marks such as 1e-308 have more places than a number can count. */
const MOST_STEPS = 10n ** 20n

type QuestionJudgement = Omit<Judgement, 'marks'>

interface Judge {
  id: string
  /** The marks that can be reached, in units. */
  most: bigint
  judge: (answer: StoredAnswer | undefined) => QuestionJudgement
}

/**
 * A paper's key, compiled once: each kind's own, and marks as whole units. A unit is so small a part of the smallest
 * decimal place of the paper's marks that each share of each question is a whole number of units: sums are not rounded
 * until they are shown.
 */
export class AnswerKey {
  readonly #judges: Judge[]
  readonly #places = new Map<number, number>()
  readonly unitsPerMark: bigint
  readonly #steps: bigint
  /** Marks by units, for the totals that have occurred: most attempts have the same few. */
  readonly #marksByUnits = new Map<bigint, number>()

  constructor(questions: readonly KeyedQuestion[], msqScoring: MsqScoring) {
    const compiled = questions.map((question) => ({
      question,
      key: kindOf(question.question_type).compile(question, msqScoring),
      positive: requireDecimal(question.positive_marks),
      negative: requireDecimal(question.negative_marks),
    }))
    const scale = Math.max(
      0,
      ...compiled.flatMap(({ positive, negative }) => [positive.scale, negative.scale]),
    )
    const parts = compiled.reduce(
      (common, { key }) => leastCommonMultiple(common, key?.denominator ?? 1n),
      1n,
    )
    const placesOfMarks = 10n ** BigInt(scale)
    this.unitsPerMark = parts * placesOfMarks
    const places = placesOfMarks > MOST_STEPS ? MOST_STEPS : placesOfMarks
    this.#steps = places > SHOWN_STEPS ? places : SHOWN_STEPS
    const toUnits = (decimal: Decimal) => digitsAt(decimal, scale) * parts
    this.#judges = compiled.map(({ question, key, positive, negative }) => ({
      id: String(question.id),
      most: question.ruling === 'drop' ? 0n : toUnits(positive),
      judge: judgeBy(question.ruling, key, toUnits(positive), -toUnits(negative)),
    }))
    for (const [place, { id }] of questions.entries()) this.#places.set(id, place)
  }

  /** `drawn` are the ids of the attempt's questions, null for all of the paper. */
  grade(answers: Answers, drawn: readonly number[] | null = null): GradedValues {
    let units = 0n
    let most = 0n
    const counts = { correct: 0, incorrect: 0, unattempted: 0, dropped: 0 }
    for (const { id, most: ownMost, judge } of this.#given(drawn)) {
      const judged = judge(answers[id])
      units += judged.units
      most += ownMost
      counts[judged.verdict] += 1
    }
    const score = this.#toMarks(units)
    const maxScore = this.#toMarks(most)
    const { dropped: _, ...counted } = counts
    const percentage = maxScore === 0 ? 0 : roundPercentage((score / maxScore) * 100)
    return { score, maxScore, percentage, ...counted }
  }

  /** The outcome of the question at a place of the paper. */
  judgeOne(place: number, answer: StoredAnswer | undefined): Judgement {
    const { verdict, units } = this.#judges[place]?.judge(answer) ?? UNATTEMPTED
    return { verdict, marks: this.#toMarks(units), units }
  }

  #given(drawn: readonly number[] | null): readonly Judge[] {
    return drawn === null
      ? this.#judges
      : drawn.flatMap((id) => this.#judges[this.#places.get(id) ?? -1] ?? [])
  }

  #toMarks(units: bigint): number {
    let marks = this.#marksByUnits.get(units)
    if (marks === undefined) {
      const doubled = (2n * units * this.#steps) / this.unitsPerMark
      // Rounds half away from zero.
      marks = Number((doubled + (doubled < 0n ? -1n : 1n)) / 2n) / Number(this.#steps)
      if (this.#marksByUnits.size < MOST_TOLD) this.#marksByUnits.set(units, marks)
    }
    return marks
  }
}

const UNATTEMPTED: QuestionJudgement = { verdict: 'unattempted', units: 0n }
const DROPPED: QuestionJudgement = { verdict: 'dropped', units: 0n }

function judgeBy(
  ruling: KeyedQuestion['ruling'],
  key: CompiledKey | undefined,
  positive: bigint,
  negative: bigint,
): Judge['judge'] {
  const right: QuestionJudgement = { verdict: 'correct', units: positive }
  const wrong: QuestionJudgement = { verdict: 'incorrect', units: negative }
  if (ruling === 'drop') return () => DROPPED
  if (ruling === 'credit_all') return () => right
  if (key === undefined) return () => UNATTEMPTED
  const { denominator, judge } = key
  const part = positive / denominator
  return (answer) => {
    const share = judge(answer)
    if (share === undefined) return UNATTEMPTED
    if (share === denominator) return right
    return share === 0n ? wrong : { verdict: 'incorrect', units: part * share }
  }
}
