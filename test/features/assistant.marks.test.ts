import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NOTHING_HELD, readMarks, takeMarks } from '../../src/features/assistant/marks.ts'
import { sourcesOf } from '../../src/features/assistant/tutor-sources.ts'

function takeAll(pieces: readonly string[], given: number): string {
  let [text, held] = ['', NOTHING_HELD]
  for (const piece of pieces) {
    const taken = takeMarks(held, piece, given)
    text += taken.shown
    held = taken.held
  }
  return text + held
}

/** Takes one mark out after another until all that are left name a passage. */
function reference(text: string, given: number): string {
  const isFalse = (digits: string) => !Array.from({ length: given }, (_, n) => String(n + 1)).includes(digits)
  for (let left = text; ; ) {
    const found = [...left.matchAll(/【(\d+)】/g)].find(([, digits]) => isFalse(digits as string))
    if (!found) return left
    left = left.slice(0, found.index) + left.slice(found.index + found[0].length)
  }
}

const TEXTS = fc
  .array(
    fc.constantFrom(
      '【',
      '】',
      '1',
      '2',
      '3',
      '12',
      '0',
      '【1】',
      '【9】',
      '[3]',
      '.',
      ' ',
      'a',
      '𝒙',
      '【注】',
    ),
  )
  .map((parts) => parts.join(''))

test('however a text is cut, the same marks are taken out', () => {
  fc.assert(
    fc.property(TEXTS, fc.array(fc.nat(40)), fc.nat(12), (text, cuts, given) => {
      const places = [
        0,
        ...cuts.filter((at) => at < text.length).sort((one, other) => one - other),
        text.length,
      ]
      // Pieces of an answer are whole characters.
      const characters = [...text]
      const pieces = places.slice(1).map((end, index) => characters.slice(places[index], end).join(''))
      const taken = takeAll(pieces, given)
      expect(taken).toBe(reference(text, given))
      expect(takeAll([taken], given)).toBe(taken)
    }),
    { numRuns: Number(process.env.CASES ?? 2_000) },
  )
})

test.each([
  ['As said【1】 and【2】[3].', 'As said【1】 and[3].'],
  ['【01】【0】【10】【】【注】【 1】', '【】【注】【 1】'],
  ['【【9】1】', '【1】'],
  ['【【1】9】', '【【1】9】'],
  ['open 【12', 'open 【12'],
])('of %s stays %s', (text, left) => expect(takeAll([...text], 1)).toBe(left))

test('marks are found where they stood', () => {
  expect(readMarks('One【1】. Two.【2】【12】')).toEqual({
    plain: 'One. Two.',
    marks: [
      { n: 1, at: 3 },
      { n: 2, at: 9 },
      { n: 12, at: 9 },
    ],
  })
})

test('a quote is the sentence with most words of the one that is marked', () => {
  const passage = (materialId: number, text: string) => ({
    materialId,
    title: `M${materialId}`,
    page: materialId,
    text,
  })
  const passages = [
    passage(1, 'Power is work per time. Work is force times distance! Heat is something else.'),
    passage(2, 'Nothing. 仕事は力と距離の積である。熱は別の物である。'),
  ]
  const quoteOf = (text: string) => sourcesOf(text, passages).map(({ n, quote }) => [n, quote])
  expect(quoteOf('Heat matters not. The WORK is the force times its distance【1】. Power is work.')).toEqual([
    [1, 'Work is force times distance!'],
  ])
  expect(quoteOf('It is heat.【1】 距離と力の積。【2】【1】')).toEqual([
    [1, 'Heat is something else.'],
    [2, '仕事は力と距離の積である。'],
  ])
  expect(quoteOf('【2】【3】')).toEqual([[2, 'Nothing.']])
  expect(sourcesOf('【1】', [])).toEqual([])
})
