import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutPassages, sentencesOf } from '../../src/formats/passages.ts'

const LONGEST = 1_200
const lengthOf = (text: string) => [...text].length
const withoutBlanks = (text: string) => text.replaceAll(/\s/g, '')

/** Sentences short and long, headings, items and lines, in several scripts. */
const PAGES = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'A sum. ',
        'Why? ',
        '# Sums\n',
        '- an item\n',
        '2. another\n',
        '\n',
        '\n\n',
        '和的导数。',
        '𝒙 ',
      ),
      fc.nat(400).map((words) => `${'word '.repeat(words)}end. `),
      fc.nat(3_000).map((letters) => '𝒙'.repeat(letters)),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''))

test('a page is cut into passages between its sentences, and loses nothing', () => {
  fc.assert(
    fc.property(PAGES, (page) => {
      const sentences = sentencesOf(page)
      expect(sentences.join('')).toBe(page)
      const passages = cutPassages(page)
      expect(passages.filter((passage) => passage !== passage.trim() || passage === '')).toEqual([])
      expect(Math.max(0, ...passages.map(lengthOf))).toBeLessThanOrEqual(LONGEST)
      expect(withoutBlanks(passages.join(''))).toBe(withoutBlanks(page))
      // Where sentences end, or within one that is too long for a passage.
      const ends = new Set<number>()
      const tooLong: [number, number][] = []
      let end = 0
      for (const sentence of sentences) {
        const start = end
        end += withoutBlanks(sentence).length
        ends.add(end)
        if (lengthOf(sentence) > LONGEST) tooLong.push([start, end])
      }
      let place = 0
      for (const passage of passages) {
        place += withoutBlanks(passage).length
        expect(ends.has(place) || tooLong.some(([from, to]) => from < place && place < to)).toBe(true)
      }
    }),
  )
})

test.each([
  ['# Sums\nThe derivative\nof a sum.', ['# Sums\n', 'The derivative\nof a sum.']],
  ['Sums\n====\nOf them', ['Sums\n====\n', 'Of them']],
  ['So:\n- one\n  and more\n* two\n3. three', ['So:\n', '- one\n  and more\n', '* two\n', '3. three']],
])('a heading and an item end a sentence: %j', (text, sentences) => {
  const found = sentencesOf(text)
  expect(found.join('')).toBe(text)
  expect(found.filter((sentence) => sentence.trim() !== '')).toEqual(sentences)
})
