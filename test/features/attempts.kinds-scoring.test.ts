import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Answers } from '../../src/db/tables/attempts.tables.ts'
import { AnswerKey, type KeyedQuestion } from '../../src/features/attempts/scoring.ts'
import { checkQuestion } from '../../src/features/questions/question-checks.ts'

/** Papers with answers that are graded here and by the reference. */
const CASES = Number(process.env.CASES ?? 1_000)

// --- the reference: the rules of docs/protocol/questions.md#marks, as fractions, without any code of the service

interface Fraction {
  over: bigint
  under: bigint
}
const fraction = (over: bigint, under = 1n): Fraction => ({ over, under })
const plus = (one: Fraction, other: Fraction) =>
  fraction(one.over * other.under + other.over * one.under, one.under * other.under)
const times = (one: Fraction, other: Fraction) => fraction(one.over * other.over, one.under * other.under)
const minus = ({ over, under }: Fraction) => fraction(-over, under)
function readFraction(text: string): Fraction {
  const [whole = '0', decimals = ''] = text.split('.')
  return fraction(BigInt(whole + decimals), 10n ** BigInt(decimals.length))
}
/** To four decimals, halves away from zero. */
function rounded({ over, under }: Fraction): number {
  const size = over < 0n ? -over : over
  const units = (size * 20_000n + under) / (under * 2n)
  return (over < 0n ? -1 : 1) * (Number(units) / 10_000) + 0
}

interface Case {
  question: Record<string, unknown>
  /** As it is stored. */
  answer: string | string[]
  /** The share that is right; undefined: nothing was given. */
  share: Fraction | undefined
  /** Whether shares count with `all_or_nothing` too. */
  isAlwaysShared?: boolean
}

const ONE = fraction(1n)
const NONE = fraction(0n)

// --- random questions with answers, whose shares are known from how they are made

const WORDS = ['red', 'Blue', 'gelb  grün', 'ÉTÉ', '%x']
const percent = fc.constantFrom('100', '50', '33.3333', '0.5', '12.25')
const accepted = fc
  .subarray(WORDS, { minLength: 1 })
  .chain((words) =>
    fc
      .array(percent, { minLength: words.length, maxLength: words.length })
      .map((percents) => words.map((word, index) => ({ word, percent: percents[index] as string }))),
  )
type Accepted = { word: string; percent: string }
const toLine = ({ word, percent: share }: Accepted) => `%${share}%${word}`
/** Other ways to type a word. */
const typed = fc.constantFrom(
  (word: string) => word,
  (word: string) => ` ${word.toUpperCase()}\u00a0`,
  (word: string) => word.normalize('NFD').replace(/ +/, ' '),
)
const textAnswer = (lines: Accepted[]) =>
  fc.oneof(
    fc.tuple(fc.constantFrom(...lines), typed).map(([{ word, percent: share }, type]) => ({
      entry: type(word).trim(),
      share: times(readFraction(share), fraction(1n, 100n)),
    })),
    fc.constantFrom('pink', 'rot').map((entry) => ({ entry, share: NONE })),
    fc.constant({ entry: '', share: undefined }),
  )

const short: fc.Arbitrary<Case> = accepted.chain((lines) =>
  textAnswer(lines).map(({ entry, share }) => ({
    question: { question_type: 'SHORT', correct_answer: lines.map(toLine).join('\n') },
    answer: entry,
    share,
    isAlwaysShared: true,
  })),
)

/** The mean of the shares of parts; nothing was given where none of them was. */
function meanOf(shares: readonly (Fraction | undefined)[]): Fraction | undefined {
  if (shares.every((share) => share === undefined)) return undefined
  const sum = shares.reduce<Fraction>((total, share) => plus(total, share ?? NONE), NONE)
  return times(sum, fraction(1n, BigInt(shares.length)))
}

const MATCHES = ['m1', 'm2', 'm3']
const CHOICES = [...MATCHES, 'd1']
const matching: fc.Arbitrary<Case> = fc
  .array(fc.tuple(fc.constantFrom(...MATCHES), fc.constantFrom('', '', ...CHOICES)), {
    minLength: 2,
    maxLength: 5,
  })
  .map((rows) => {
    const known = [...new Set([...rows.map(([match]) => match), 'd1'])].sort()
    const given = rows.map(([, choice]) => (known.includes(choice) ? choice : ''))
    return {
      question: {
        question_type: 'MATCHING',
        parts: { pairs: rows.map(([match], index) => ({ prompt: `p${index}`, match })), distractors: ['d1'] },
      },
      answer: given.map((choice) => (choice === '' ? '' : String(known.indexOf(choice)))),
      share: meanOf(
        rows.map(([match], index) => (given[index] === '' ? undefined : given[index] === match ? ONE : NONE)),
      ),
    }
  })

const ordering: fc.Arbitrary<Case> = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 2, maxLength: 6 })
  .chain((items) =>
    fc.tuple(
      fc.constant(items),
      fc.shuffledSubarray(Object.keys(items), { minLength: items.length }),
      fc.nat(4),
    ),
  )
  .map(([items, order, isBlank]) => {
    const sorted = items.toSorted()
    return {
      question: { question_type: 'ORDERING', parts: { items } },
      answer: isBlank === 0 ? [] : order,
      share:
        isBlank === 0
          ? undefined
          : meanOf(items.map((item, index) => (sorted[Number(order[index])] === item ? ONE : NONE))),
    }
  })

const gap = fc.oneof(
  accepted.chain((lines) =>
    textAnswer(lines).map((given) => ({ gap: { kind: 'text', accepted: lines.map(toLine) }, ...given })),
  ),
  fc.tuple(fc.nat(2), fc.constantFrom('', '0', '1', '2')).map(([correct, entry]) => ({
    gap: { kind: 'choice', choices: ['x', 'y', 'z'], correct },
    entry,
    share: entry === '' ? undefined : Number(entry) === correct ? ONE : NONE,
  })),
  fc
    .tuple(fc.integer({ min: -99, max: 99 }), fc.integer({ min: -99, max: 99 }), fc.nat(20))
    .map(([key, given, tolerance]) => ({
      gap: { kind: 'number', key: (key / 10).toFixed(1), tolerance: (tolerance / 10).toFixed(1) },
      entry: given === 0 ? '3.' : (given / 10).toFixed(1).replace('.', given % 2 ? ',' : '.'),
      share: given === 0 ? undefined : Math.abs(key - given) <= tolerance ? ONE : NONE,
    })),
)
const gaps: fc.Arbitrary<Case> = fc.array(gap, { minLength: 1, maxLength: 4 }).map((all) => ({
  question: {
    question_type: 'GAPS',
    question_text: all.map((_gap, index) => `[[${index + 1}]]`).join(' '),
    parts: { gaps: all.map((each) => each.gap) },
  },
  answer: all.map(({ entry }) => entry),
  share: meanOf(all.map(({ share }) => share)),
}))

const LETTERS = ['A', 'B', 'C', 'D', 'E', 'F']
const options = { option_a: '1', option_b: '2', option_c: '3', option_d: '4', more_options: ['5', '6'] }
const mcq: fc.Arbitrary<Case> = fc
  .tuple(fc.constantFrom(...LETTERS), fc.constantFrom('', ...LETTERS))
  .map(([key, answer]) => ({
    question: { ...options, question_type: 'MCQ', correct_answer: key },
    answer,
    share: answer === '' ? undefined : answer === key ? ONE : NONE,
  }))
const msq: fc.Arbitrary<Case> = fc
  .tuple(fc.subarray(LETTERS, { minLength: 1 }), fc.subarray(LETTERS))
  .map(([key, answer]) => ({
    question: { ...options, question_type: 'MSQ', correct_answer: key.join(',') },
    answer,
    share:
      answer.length === 0
        ? undefined
        : answer.every((letter) => key.includes(letter))
          ? fraction(BigInt(answer.length), BigInt(key.length))
          : NONE,
  }))

const marks = fc.constantFrom('0', '1', '4', '0.1', '2.75', '0.0001')
const paper = fc.tuple(
  fc.array(fc.tuple(fc.oneof(short, matching, ordering, gaps, mcq, msq), marks, marks), {
    minLength: 1,
    maxLength: 8,
  }),
  fc.constantFrom('all_or_nothing' as const, 'partial' as const),
)

test(`${CASES} papers of all kinds are graded as the rules say, in exact fractions`, () => {
  fc.assert(
    fc.property(paper, ([rows, scoring]) => {
      const questions: KeyedQuestion[] = []
      const answers: Answers = {}
      let score = NONE
      const counts = { correct: 0, incorrect: 0, unattempted: 0 }
      for (const [
        index,
        [{ question, answer, share, isAlwaysShared }, positive, negative],
      ] of rows.entries()) {
        const checked = checkQuestion({ question_text: 'x', ...question })
        if (!('question' in checked)) throw new Error(JSON.stringify(checked.errors))
        const id = index + 1
        const stored = { ...checked.question, positive_marks: positive, negative_marks: negative }
        questions.push({ ...stored, id, tolerance: '0' })
        answers[id] = answer
        if (share === undefined) counts.unattempted += 1
        else if (share.over === share.under) counts.correct += 1
        else counts.incorrect += 1
        if (share === undefined) continue
        const counted = scoring === 'partial' || isAlwaysShared || share.over === share.under ? share : NONE
        const gained =
          counted.over === 0n ? minus(readFraction(negative)) : times(readFraction(positive), counted)
        score = plus(score, gained)
      }
      expect(new AnswerKey(questions, scoring).grade(answers)).toMatchObject({
        ...counts,
        score: rounded(score),
      })
    }),
    { numRuns: CASES, ...(process.env.SEED ? { seed: Number(process.env.SEED) } : {}) },
  )
}, 600_000)
