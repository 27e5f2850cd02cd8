import type { OfferedQuestion, QuestionFields } from '../../../../schemas/questions.schemas.ts'
import { MOST_MORE_OPTIONS, optionsOf } from '../kinds/letters.ts'

/** A picture that came inside the file. */
export interface FoundImage {
  /** With its folders. */
  name: string
  bytes: Uint8Array
}

/** The common form of all formats; `checkQuestion` decides whether it becomes a question. */
export type ExchangeItem = {
  /** Its name in messages to the person who sent the file: `Question 3 (Pendulum)`, `Row 5`. */
  label: string
} & (
  | {
      question: OfferedQuestion
      image?: FoundImage
      /** `image_path` is kept without a check. */
      anyImagePath?: true
    }
  | { reason: string }
  /** It asks nothing: no question, and no failure. */
  | { note: string }
)

/** Why an item can't be imported, in words for the person who sent the file. The other items are imported. */
export class Skip extends Error {}

/** What asks nothing, such as a text between questions. */
export class NoQuestion extends Error {}

/** Longest name of an item in a message. */
const LONGEST_NAME = 80

/** A question whose image still has to be read from the package. */
export interface Draft {
  question: OfferedQuestion
  /** Where the image is, as the item says it. */
  imageAddress: string | undefined
}

/** Numbers the items of a file, and turns a `Skip` into the reason that it gives. */
export function createItems() {
  let count = 0
  return {
    read<T extends object>(
      name: string,
      build: () => T,
    ): { label: string } & (T | { reason: string } | { note: string }) {
      count += 1
      const plain = name.replace(/\s+/g, ' ').trim().slice(0, LONGEST_NAME).toWellFormed()
      const label = plain === '' ? `Question ${count}` : `Question ${count} (${plain})`
      try {
        return { label, ...build() }
      } catch (error) {
        if (error instanceof Skip) return { label, reason: error.message }
        if (error instanceof NoQuestion) return { label, note: error.message }
        throw error
      }
    },
  }
}
export type Items = ReturnType<typeof createItems>

/** The one image that a question can have. */
export function onlyImage(images: string[]): string | undefined {
  if (images.length > 1) throw new Skip('it has more than one image')
  return images[0]
}

/** Options can't have images. */
export function withoutImages({ text, images }: { text: string; images: string[] }): string {
  if (images.length > 0) throw new Skip('it has an image in its options')
  return text
}

export interface Choice {
  text: string
  /** The part of the full marks that choosing it brings: 1 all of them, below 0 a loss. */
  share: number
}

const OPTIONS = ['option_a', 'option_b', 'option_c', 'option_d'] as const
const MOST_OPTIONS = OPTIONS.length + MOST_MORE_OPTIONS
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
/** Some tools write thirds with three digits only. */
const ROUNDING = 0.01

/** Makes a choice question; throws `Skip` if its marks or options have no equivalent here. */
export function toChoiceQuestion(text: string, choices: Choice[], multiple: boolean): OfferedQuestion {
  if (choices.length > MOST_OPTIONS) throw new Skip(`it has more than ${MOST_OPTIONS} options`)
  if (choices.length === 0) throw new Skip('it has no options')
  const right = choices.filter(({ share }) => share > 0)
  const [first] = right
  if (!multiple) {
    if (right.length > 1) throw new Skip('more than one option brings marks, but only one can be chosen')
    if (first && Math.abs(first.share - 1) > ROUNDING)
      throw new Skip('its right option brings only part of the marks')
  } else if (first) {
    if (right.some(({ share }) => Math.abs(share - first.share) > ROUNDING))
      throw new Skip('its right options bring different parts of the marks')
    const sum = right.reduce((total, { share }) => total + share, 0)
    if (Math.abs(sum - 1) > ROUNDING) throw new Skip('its right options do not bring the full marks together')
  }
  const key = choices.flatMap(({ share }, index) => (share > 0 ? [LETTERS.charAt(index)] : []))
  return {
    question_type: multiple ? 'MSQ' : 'MCQ',
    question_text: text,
    ...Object.fromEntries(OPTIONS.map((field, index) => [field, choices[index]?.text ?? ''])),
    more_options: choices.slice(OPTIONS.length).map((choice) => choice.text),
    correct_answer: key.join(','),
  }
}

export function toTrueFalse(text: string, isTrue: boolean): OfferedQuestion {
  const choices = ['True', 'False'].map((word) => ({
    text: word,
    share: (word === 'True') === isTrue ? 1 : 0,
  }))
  return toChoiceQuestion(text, choices, false)
}

/** The options of a question: up to the last one that has a text or is in the key. */
export function listOptions(question: ExportedQuestion): { letter: string; text: string; right: boolean }[] {
  const key = question.correct_answer === '' ? [] : question.correct_answer.split(',')
  const all = optionsOf(question).map((option) => ({ ...option, right: key.includes(option.letter) }))
  const last = all.findLastIndex(({ text, right }) => text !== '' || right)
  // At least two, or it is no choice.
  return all.slice(0, Math.max(last + 1, 2))
}

/** A question to be exported. */
export interface ExportedQuestion extends QuestionFields {
  id: number
  exam_id: number
}

/** Reads the image of an exported question; undefined if there is none. */
export type ReadImage = (question: ExportedQuestion) => Promise<FoundImage | undefined>
