import { describe, expect, test } from 'vitest'
import { checkQuestion, describeErrors } from '../../src/features/questions/question-checks.ts'

const check = (offered: Parameters<typeof checkQuestion>[0]) => {
  const checked = checkQuestion(offered)
  return 'question' in checked ? checked.question : describeErrors(checked.errors)
}

describe('a question', () => {
  test('without fields gets every default', () => {
    expect(check({})).toEqual({
      question_text: '',
      option_a: '',
      option_b: '',
      option_c: '',
      option_d: '',
      more_options: [],
      correct_answer: '',
      parts: null,
      explanation: '',
      tags: [],
      variables: [],
      conditions: [],
      question_type: 'MCQ',
      image_path: null,
      image_alt: '',
      positive_marks: 4,
      negative_marks: 1,
      tolerance: 0,
    })
  })

  test('is kept as written, except that its key is normalised and outer spaces are trimmed', () => {
    expect(
      check({
        question_text: '  $\\frac{1}{2}$\nis "what"? \\\\  ',
        option_a: '½',
        option_c: '⅓',
        correct_answer: 'ca',
        question_type: 'msq',
        image_path: 'Physics/q 1.png',
        positive_marks: '2.5',
        negative_marks: 0,
        tolerance: '1e-3',
      }),
    ).toMatchObject({
      question_text: '$\\frac{1}{2}$\nis "what"? \\\\',
      option_a: '½',
      correct_answer: 'A,C',
      question_type: 'MSQ',
      image_path: 'Physics/q 1.png',
      positive_marks: 2.5,
      negative_marks: 0,
      tolerance: 0.001,
    })
  })

  test.each([
    ['MCQ', 'b', 'B'],
    ['MCQ', ' D ', 'D'],
    ['MSQ', 'A', 'A'],
    ['MSQ', 'd, a', 'A,D'],
    ['MSQ', 'AC', 'A,C'],
    ['MSQ', '["C","A"]', 'A,C'],
    ['MSQ', ['b', 'A'], 'A,B'],
    ['MSQ', 'A,A', 'A'],
    ['NUMERIC', '-11.72', '-11.72'],
    ['NUMERIC', '.5', '.5'],
    ['NUMERIC', '1e-1', '1e-1'],
    ['NUMERIC', 42, '42'],
    ['NUMERIC', '', ''],
  ])('of type %s takes the key %j as %j', (question_type, correct_answer, stored) => {
    expect(check({ question_type, correct_answer })).toMatchObject({ correct_answer: stored })
  })

  test.each([
    ['MCQ', 'E'],
    ['MCQ', 'A,B'],
    ['MCQ', 'AA'],
    ['MCQ', '1'],
    ['MSQ', 'A;C'],
    ['MSQ', 'A,,C'],
    ['MSQ', '[A'],
    ['MSQ', 'A"C'],
    ['NUMERIC', 'B'],
    ['NUMERIC', '-'],
    ['NUMERIC', '1e'],
    ['NUMERIC', '1,5'],
    ['NUMERIC', '1e999'],
    ['NUMERIC', '9'.repeat(51)],
    ['NUMERIC', 'Infinity'],
  ])('of type %s refuses the key %j', (question_type, correct_answer) => {
    expect(check({ question_type, correct_answer })).toBe(
      `correct_answer does not fit a question of type ${question_type}`,
    )
  })

  test.each([
    [{ question_type: 'ESSAY' }, 'question_type'],
    [{ positive_marks: -1 }, 'positive_marks'],
    [{ positive_marks: 'four' }, 'positive_marks'],
    [{ negative_marks: Number.NaN }, 'negative_marks'],
    [{ negative_marks: 10_001 }, 'negative_marks'],
    [{ tolerance: Number.POSITIVE_INFINITY }, 'tolerance'],
    [{ tolerance: '0x10' }, 'tolerance'],
    [{ question_text: 'a\0b' }, 'question_text'],
    [{ option_d: '\ud800' }, 'option_d'],
    [{ option_a: 'x'.repeat(20_001) }, 'option_a'],
    [{ image_path: '../secret.png' }, 'image_path'],
    [{ image_path: 'a/b/c.png' }, 'image_path'],
    [{ image_path: 'q.png' }, 'image_path'],
  ])('is refused with %j', (offered, field) => {
    expect(check(offered)).toMatch(new RegExp(`^${field} `))
  })

  test('may have texts of 20,000 code points, whatever their size in bytes', () => {
    expect(check({ question_text: '😀'.repeat(20_000) })).toBeTypeOf('object')
    expect(check({ question_text: '😀'.repeat(20_001) })).toBeTypeOf('string')
  })
})
