import { isLonger } from '../../../formats/code-points.ts'

/** Code points of a text in `parts`, as of an option. */
const LONGEST_TEXT = 20_000

/** What a teacher wrote of `parts` doesn't fit; the message says where and why. */
export class PartsError extends Error {}

/** Without a name it is `parts` itself, which the error's path names. */
export function readObject(given: unknown, name?: string): Record<string, unknown> {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new PartsError(name === undefined ? 'is not an object' : `${name} is not an object`)
  return given as Record<string, unknown>
}

/** `read` gets each entry with its name, such as `pairs[0]`. */
export function readList<T>(
  given: unknown,
  name: string,
  [fewest, most]: readonly [number, number],
  read: (entry: unknown, name: string) => T,
): T[] {
  if (!Array.isArray(given)) throw new PartsError(`${name} is not a list`)
  if (given.length < fewest || given.length > most)
    throw new PartsError(`${name} has ${given.length} entries, not ${fewest} to ${most}`)
  return given.map((entry, index) => read(entry, `${name}[${index}]`))
}

/** Trimmed; numbers are read as texts. */
export function readPartText(given: unknown, name: string): string {
  if (typeof given !== 'string' && typeof given !== 'number') throw new PartsError(`${name} is not a text`)
  const text = String(given).trim()
  if (text === '') throw new PartsError(`${name} is empty`)
  if (text.includes('\0') || !text.isWellFormed())
    throw new PartsError(`${name} holds characters that cannot be stored`)
  if (isLonger(text, LONGEST_TEXT)) throw new PartsError(`${name} is longer than ${LONGEST_TEXT} characters`)
  return text
}

/** Different texts in an order that says nothing of the key. */
export function inPlainOrder(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort()
}

export function areSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index])
}
