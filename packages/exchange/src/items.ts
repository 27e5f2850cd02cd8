import type { Image, ItemContent, Question } from './question.ts'

/** Why an item can't be a question, in words for the person who sent the file. The other items are read. */
export class Skip extends Error {}

/** What asks nothing, such as a text between questions. */
export class NoQuestion extends Error {}

/** Longest name of an item in a message. */
const LONGEST_NAME = 80

/** A question whose image still has to be read from the package. */
export interface Draft {
  question: Question
  /** Where the image is, as the item says it. */
  imageAddress: string | undefined
  imageAlt?: string | undefined
  /** As in `Item`. */
  lost?: readonly string[]
  /** Where the passages are that it asks about. */
  passages?: readonly string[]
}

/** Numbers the items of a file, and turns a `Skip` into the reason that it gives. */
export function createItems() {
  let count = 0
  return {
    read<T extends Draft | ItemContent>(
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

/** An image with what its text says that it shows. */
export function described(image: Image, alt: string | undefined): Image {
  return alt ? { ...image, alt } : image
}

/** Options can't have images. */
export function withoutImages({ text, images }: { text: string; images: string[] }): string {
  if (images.length > 0) throw new Skip('it has an image in its options')
  return text
}

/** Several texts, each in paragraphs of its own. */
export function joinTexts(texts: readonly string[]): string {
  return [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))].join('\n\n')
}

/** The names of tags, each without blanks around it. */
export function readTags(words: readonly string[]): string[] {
  return words.map((word) => word.trim()).filter((word) => word !== '')
}

/** Said of a question whose file has no key. */
export const WITHOUT_KEY = 'the file has no key for it'
