import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { QuestionType } from '../../schemas/common.ts'
import type { Parts } from '../../schemas/parts.schemas.ts'
import type { Task } from '../../src/features/questions/kinds/kind.ts'
import { kindOf } from '../../src/features/questions/kinds/kinds.ts'

/**
 * What students get is the same, byte by byte, for all keys that a question could have: so ids, orders, lengths and
 * ETags can't tell them, however many papers somebody compares.
 */

const BASE = {
  question_text: '',
  option_a: 'a',
  option_b: 'b',
  option_c: 'c',
  option_d: 'd',
  more_options: ['e'],
}
const texts = (least: number) =>
  fc.array(fc.string({ minLength: 1, maxLength: 6 }), { minLength: least, maxLength: 8 })
const seed = fc.uuid()

function toTask(id: number, key: { correct_answer?: string; parts?: Parts }): Task {
  return { ...BASE, id, tolerance: '0', correct_answer: '', parts: null, ...key }
}

/** Two keys of one question. */
const keys: fc.Arbitrary<{
  type: QuestionType
  one: Parameters<typeof toTask>[1]
  other: Parameters<typeof toTask>[1]
}> = fc.oneof(
  fc.tuple(texts(2), texts(0)).chain(([matches, distractors]) =>
    fc.shuffledSubarray(matches, { minLength: matches.length }).map((turned) => {
      const withMatches = (list: string[]) => ({
        parts: { pairs: list.map((match, index) => ({ prompt: `${index}`, match })), distractors },
      })
      return { type: 'MATCHING' as const, one: withMatches(matches), other: withMatches(turned) }
    }),
  ),
  texts(2).chain((items) =>
    fc.shuffledSubarray(items, { minLength: items.length }).map((turned) => ({
      type: 'ORDERING' as const,
      one: { parts: { items } },
      other: { parts: { items: turned } },
    })),
  ),
  fc.tuple(texts(2), texts(1), texts(1), fc.nat(), fc.nat()).map(([choices, one, other, first, second]) => {
    const withKey = (correct: number, accepted: string[], key: string) => ({
      parts: {
        gaps: [
          { kind: 'choice' as const, choices, correct: correct % choices.length },
          { kind: 'text' as const, accepted },
          { kind: 'number' as const, key, tolerance: '0' },
        ],
      },
    })
    return { type: 'GAPS' as const, one: withKey(first, one, '1'), other: withKey(second, other, '2000') }
  }),
  fc.constantFrom<QuestionType>('MCQ', 'MSQ', 'NUMERIC', 'SHORT').map((type) => ({
    type,
    one: { correct_answer: type === 'NUMERIC' ? '1' : 'A' },
    other: { correct_answer: type === 'NUMERIC' ? '22' : 'E' },
  })),
)

test('a paper is the same whatever the key is, and another attempt has other ids', () => {
  fc.assert(
    fc.property(
      keys,
      fc.integer({ min: 1, max: 1e6 }),
      seed,
      seed,
      ({ type, one, other }, id, first, second) => {
        const kind = kindOf(type)
        const paper = (key: typeof one, of: string) =>
          JSON.stringify([kind.show(toTask(id, key), of), kind.letters(toTask(id, key))])
        expect(paper(other, first)).toBe(paper(one, first))
        const idsOf = (text: string) => [...text.matchAll(/"id":"([^"]+)"/g)].map(([, found]) => found)
        const [ours, theirs] = [idsOf(paper(one, first)), idsOf(paper(one, second))]
        if (first !== second) expect(ours.some((each) => theirs.includes(each))).toBe(false)
      },
    ),
    { numRuns: 1_000 },
  )
})
