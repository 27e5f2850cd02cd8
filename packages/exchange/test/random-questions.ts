import fc from 'fast-check'
import type { ExportedItem, Image, Question } from '../src/index.ts'
import { text as anyText } from './random-text.ts'

export const IMAGE: Image = { name: 'Physics/pen dulum.png', bytes: Buffer.from('not looked at') }

/** Two square brackets would be a gap. */
const text = anyText.map((each) => each.replaceAll('[[', '').trim())
const line = text.map((each) => `x${each}`.replace(/[\r\n]/g, ' ').trim())
const number = fc.constantFrom('0', '-1.50', '2.5', '6.02e23', '12345678901234567890.123')
const accepted = fc.uniqueArray(
  fc.record({ text: line, percent: fc.constantFrom('100', '50', '33.3333333') }),
  { minLength: 1, maxLength: 4, selector: ({ text: each }) => each.toLowerCase() },
)
const textEntry = accepted.map((each) => ({ kind: 'text' as const, accepted: each }))
const numberEntry = fc
  .record({ key: number, tolerance: fc.constantFrom('0', '0.1', '25') })
  .map((each) => ({ kind: 'number' as const, ...each }))
const unique = (minLength: number, maxLength: number) =>
  fc
    .array(text, { minLength, maxLength })
    .map((texts) => texts.map((each, index) => `${index}${each}`.trim()))
const choiceGap = fc
  .tuple(unique(2, 5), fc.nat(1))
  .map(([choices, correct]) => ({ kind: 'choice' as const, choices, correct }))

const task = fc.oneof(
  fc
    .tuple(
      fc.boolean(),
      fc.array(line, { minLength: 2, maxLength: 30 }),
      fc.array(fc.nat(29), { maxLength: 4 }),
    )
    .map(([multiple, texts, right]) => ({
      kind: 'choice' as const,
      multiple,
      options: texts.map((each, index) => ({
        text: each,
        isRight: multiple ? right.includes(index) : right[0] === index,
      })),
    })),
  textEntry,
  numberEntry,
  fc.tuple(unique(2, 6), unique(2, 6), unique(0, 3)).map(([prompts, matches, distractors]) => ({
    kind: 'matching' as const,
    pairs: prompts.map((prompt, index) => ({ prompt, match: matches[index % matches.length] ?? '' })),
    distractors: distractors.map((each) => `d${each}`),
  })),
  fc.array(line, { minLength: 2, maxLength: 6 }).map((items) => ({ kind: 'ordering' as const, items })),
  fc
    .tuple(
      fc.array(fc.oneof(textEntry, numberEntry, choiceGap), { minLength: 1, maxLength: 4 }),
      fc.array(text, { minLength: 4, maxLength: 4 }),
    )
    .map(([gaps, texts]) => ({
      kind: 'gaps' as const,
      gaps,
      text: `x${gaps.map((_gap, index) => `${texts[index]}[[${index + 1}]]`).join('')}`,
    })),
)
/** Any question, with hostile texts. */
export const question: fc.Arbitrary<Question> = fc
  .record({
    text: line,
    explanation: text,
    tags: fc.constantFrom<string[]>([], ['a', 'b c']),
    marks: fc.constantFrom('1', '2.5'),
  })
  .chain((asked) => task.map((each) => ({ ...asked, ...each })))

export async function* toItems(questions: readonly Question[]): AsyncGenerator<ExportedItem> {
  for (const [index, each] of questions.entries())
    yield { id: String(index), name: `No. ${index}`, question: each, readImage: async () => IMAGE }
}
