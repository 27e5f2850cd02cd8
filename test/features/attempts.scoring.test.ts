import { isWithin, parseDecimal } from '@exam-practice/exchange/decimals'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Answers } from '../../src/db/tables/attempts.tables.ts'
import { AnswerKey, type KeyedQuestion } from '../../src/features/attempts/scoring.ts'
import type { MsqScoring } from '../../src/features/questions/kinds/kind.ts'

const TEXTS = {
  question_text: '',
  option_a: '',
  option_b: '',
  option_c: '',
  option_d: '',
  more_options: [],
  parts: null,
}

function question(given: Partial<KeyedQuestion> = {}): KeyedQuestion {
  return {
    id: 1,
    ...TEXTS,
    question_type: 'MCQ',
    correct_answer: 'B',
    positive_marks: '4',
    negative_marks: '1',
    tolerance: '0',
    ...given,
  }
}

function gradeOne(
  given: Partial<KeyedQuestion>,
  answer: string | string[] | undefined,
  scoring?: MsqScoring,
) {
  const key = new AnswerKey([question(given)], scoring ?? 'all_or_nothing')
  const answers: Answers = answer === undefined ? {} : { 1: answer }
  const judgement = key.judgeOne(0, answer)
  expect(key.grade(answers).score).toBe(judgement.marks)
  return [judgement.verdict, judgement.marks]
}

const CORRECT = ['correct', 4]
const WRONG = ['incorrect', -1]
const BLANK = ['unattempted', 0]

test('marks of more places than a number has are told as numbers', () => {
  const questions = [question({ positive_marks: '1e-308' }), question({ id: 2 })]
  const result = new AnswerKey(questions, 'all_or_nothing').grade({ 1: 'B', 2: 'B' })
  expect(result).toMatchObject({ score: 4, maxScore: 4, percentage: 100, correct: 2 })
})

describe('one question', () => {
  test.each([
    ['B', CORRECT],
    ['A', WRONG],
    ['', BLANK],
    [undefined, BLANK],
  ])('MCQ with key B: %s', (answer, expected) => {
    expect(gradeOne({}, answer)).toEqual(expected)
  })

  test.each<[string[] | undefined, unknown, unknown]>([
    [['A', 'C', 'D'], CORRECT, CORRECT],
    [['D', 'A', 'C'], CORRECT, CORRECT],
    [['A', 'C'], WRONG, ['incorrect', 2.6667]],
    [['A'], WRONG, ['incorrect', 1.3333]],
    [['B'], WRONG, WRONG],
    [['A', 'B', 'C', 'D'], WRONG, WRONG],
    [[], BLANK, BLANK],
    [undefined, BLANK, BLANK],
  ])('MSQ with key A,C,D: %s', (answer, strictly, partially) => {
    const given = { question_type: 'MSQ', correct_answer: 'A,C,D' } as const
    expect(gradeOne(given, answer, 'all_or_nothing')).toEqual(strictly)
    expect(gradeOne(given, answer, 'partial')).toEqual(partially)
  })

  test.each([
    ['0.1', '0.2', '0.3', CORRECT],
    ['0.1', '0.2', '-0.1', CORRECT],
    ['0.1', '0.2', '0.30000000000000001', WRONG],
    ['-11.7', '0.02', '-11.72', CORRECT],
    ['-11.7', '0.02', '-11.68', CORRECT],
    ['-11.7', '0.02', '-11.7200001', WRONG],
    ['0.1', '0', '1e-1', CORRECT],
    ['0.1', '0', '+.1', CORRECT],
    ['1e3', '0', '1000.00', CORRECT],
    ['3.', '0', '3', CORRECT],
    ['0', '0', '-0', CORRECT],
    ['9007199254740993', '0', '9007199254740992', WRONG],
    ['1e999', '0', '1e999', CORRECT],
    ['1e-999', '0', '0', WRONG],
    ['3', '0', '3.', BLANK],
    ['3', '0', '3.e1', BLANK],
    ['0', '10', '-', BLANK],
    ['0', '10', '+', BLANK],
    ['0', '10', '.', BLANK],
    ['0', '10', '1e', BLANK],
    ['0', '10', '1e-', BLANK],
    ['0', '10', 'e5', BLANK],
    ['0', '10', '', BLANK],
  ])('NUMERIC with key %s ± %s: %s', (correct_answer, tolerance, answer, expected) => {
    expect(gradeOne({ question_type: 'NUMERIC', correct_answer, tolerance }, answer)).toEqual(expected)
  })

  test.each(['MCQ', 'MSQ', 'NUMERIC'] as const)(
    '%s without a key counts as unattempted for everybody',
    (question_type) => {
      for (const answer of ['A', ['A'], '1', undefined])
        expect(gradeOne({ question_type, correct_answer: '' }, answer)).toEqual(BLANK)
    },
  )
})

describe('a paper', () => {
  test('adds up without rounding, and may come out negative', () => {
    const tenths = new AnswerKey(
      [1, 2, 3].map((id) => question({ id, positive_marks: '0.1', negative_marks: '0.7' })),
      'all_or_nothing',
    )
    expect(tenths.grade({ 1: 'B', 2: 'B', 3: 'B' })).toEqual({
      score: 0.3,
      maxScore: 0.3,
      percentage: 100,
      correct: 3,
      incorrect: 0,
      unattempted: 0,
    })
    expect(tenths.grade({ 1: 'B', 2: 'A', 3: 'A' })).toMatchObject({ score: -1.3, correct: 1, incorrect: 2 })

    const thirds = new AnswerKey(
      [1, 2, 3].map((id) => question({ id, question_type: 'MSQ', correct_answer: 'A,B,C' })),
      'partial',
    )
    expect(thirds.grade({ 1: ['A'], 2: ['B'], 3: ['C'] })).toMatchObject({ score: 4, incorrect: 3 })
  })

  test('marks keep their own decimals', () => {
    const key = new AnswerKey(
      [question({ positive_marks: '0.123456', negative_marks: '0.000001' })],
      'partial',
    )
    expect(key.grade({ 1: 'B' }).score).toBe(0.123456)
    expect(key.grade({ 1: 'A' }).score).toBe(-0.000001)
  })

  test('without questions, or without marks, has a score of 0 of 0', () => {
    const nothing = { score: 0, maxScore: 0, percentage: 0 }
    expect(new AnswerKey([], 'partial').grade({})).toMatchObject(nothing)
    expect(new AnswerKey([question({ positive_marks: '0' })], 'partial').grade({ 1: 'B' })).toMatchObject(
      nothing,
    )
  })
})

// Properties, for random papers and answers.

const letters = fc.subarray(['A', 'B', 'C', 'D'])
const decimal = fc
  .tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.integer({ min: 0, max: 4 }))
  .map(([digits, scale]) => `${digits}e-${scale}`)
const positive = decimal.map((text) => text.replace('-', '').replace(/e(\d)/, 'e-$1'))

const keyed: fc.Arbitrary<Omit<KeyedQuestion, 'id'>> = fc
  .tuple(
    fc.oneof(
      fc.constantFrom('A', 'B', 'C', 'D').map((key) => ['MCQ', key] as const),
      fc.subarray(['A', 'B', 'C', 'D'], { minLength: 1 }).map((key) => ['MSQ', key.join()] as const),
      decimal.map((key) => ['NUMERIC', key] as const),
    ),
    positive,
    positive,
    positive,
  )
  .map(([[question_type, correct_answer], positive_marks, negative_marks, tolerance]) => ({
    question_type,
    correct_answer,
    positive_marks,
    negative_marks,
    tolerance,
    ...TEXTS,
  }))
const paper = fc
  .array(keyed, { minLength: 1, maxLength: 12 })
  .map((questions) => questions.map((each, index) => ({ ...each, id: index + 1 })))
const scoring = fc.constantFrom<MsqScoring>('all_or_nothing', 'partial')

function answersTo(questions: KeyedQuestion[]): fc.Arbitrary<[string, string | string[]][]> {
  return fc
    .tuple(
      ...questions.map(({ question_type }) =>
        fc.option<string | string[]>(
          question_type === 'MSQ'
            ? letters
            : question_type === 'MCQ'
              ? fc.constantFrom('A', 'B', 'C', 'D', '')
              : fc.oneof(decimal, fc.constantFrom('-', '', '3.')),
        ),
      ),
    )
    .map((given) =>
      given.flatMap((answer, index): [string, string | string[]][] =>
        answer === null ? [] : [[String(index + 1), answer]],
      ),
    )
}
const sitting = paper.chain((questions) => fc.tuple(fc.constant(questions), answersTo(questions), scoring))

describe('for every paper and any answers', () => {
  test('the order of questions and answers is irrelevant', () => {
    fc.assert(
      fc.property(sitting, ([questions, given, mode]) => {
        const key = new AnswerKey(questions, mode)
        const turned = new AnswerKey(questions.toReversed(), mode)
        expect(turned.grade(Object.fromEntries(given.toReversed()))).toEqual(
          key.grade(Object.fromEntries(given)),
        )
      }),
    )
  })

  test('the score lies between all wrong and all right, and every question counts once', () => {
    fc.assert(
      fc.property(sitting, ([questions, given, mode]) => {
        const result = new AnswerKey(questions, mode).grade(Object.fromEntries(given))
        const worst = -questions.reduce((sum, { negative_marks }) => sum + Number(negative_marks), 0)
        expect(result.score).toBeLessThanOrEqual(result.maxScore)
        expect(result.score).toBeGreaterThanOrEqual(worst - 1e-6)
        expect(result.correct + result.incorrect + result.unattempted).toBe(questions.length)
        if (result.correct === questions.length) expect(result.score).toBe(result.maxScore)
      }),
    )
  })

  test('the review adds up to the score', () => {
    fc.assert(
      fc.property(sitting, ([questions, given, mode]) => {
        const key = new AnswerKey(questions, mode)
        const answers = Object.fromEntries(given)
        const sum = questions.reduce(
          (total, { id }, index) => total + key.judgeOne(index, answers[id]).marks,
          0,
        )
        expect(sum).toBeCloseTo(key.grade(answers).score, 2)
      }),
    )
  })

  test('clearing an answer takes back exactly its marks', () => {
    fc.assert(
      fc.property(sitting, ([questions, given, mode]) => {
        fc.pre(given.length > 0)
        const key = new AnswerKey(questions, mode)
        const [[first] = ['']] = given
        const index = Number(first) - 1
        const marks = key.judgeOne(index, Object.fromEntries(given)[String(first)]).marks
        const without = key.grade(Object.fromEntries(given.slice(1))).score
        expect(without + marks).toBeCloseTo(key.grade(Object.fromEntries(given)).score, 3)
      }),
    )
  })
})

describe('tolerance', () => {
  const read = (text: string) => parseDecimal(text) ?? { digits: 0n, scale: 0 }

  test('is symmetric, and includes its limits', () => {
    fc.assert(
      fc.property(decimal, decimal, positive, (one, other, tolerance) => {
        const [a, b, t] = [read(one), read(other), read(tolerance)]
        expect(isWithin(a, b, t)).toBe(isWithin(b, a, t))
        const mirrored = ({ digits, scale }: typeof a) => ({ digits: -digits, scale })
        expect(isWithin(mirrored(a), mirrored(b), t)).toBe(isWithin(a, b, t))
        const scale = Math.max(a.scale, t.scale)
        const shifted = (by: bigint) => ({
          digits: a.digits * 10n ** BigInt(scale - a.scale) + t.digits * 10n ** BigInt(scale - t.scale) + by,
          scale,
        })
        expect(isWithin(shifted(0n), a, t)).toBe(true)
        expect(isWithin(shifted(1n), a, t)).toBe(false)
      }),
    )
  })

  test('agrees with integer arithmetic', () => {
    const cents = fc.integer({ min: -1_000, max: 1_000 })
    const asText = (value: number) => (value / 100).toFixed(2)
    fc.assert(
      fc.property(cents, cents, fc.nat(500), (given, key, tolerance) => {
        expect(isWithin(read(asText(given)), read(asText(key)), read(asText(tolerance)))).toBe(
          Math.abs(given - key) <= tolerance,
        )
      }),
    )
  })
})
