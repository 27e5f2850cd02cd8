import { isLonger } from '../../formats/code-points.ts'

const MOST_TAGS = 20
/** Tags as they are written: some may be there twice. Longer lists are not looked through. */
const MOST_WRITTEN = 200
const LONGEST_TAG = 40
/** What a name on one line can't hold. */
const UNUSABLE = /[\p{Cc}\u2028\u2029]/u

/** Tags that differ in case alone are the same. */
export function foldTag(tag: string): string {
  return tag.normalize('NFC').toLowerCase()
}

/** Trimmed, each once in its first spelling; a string says what is wrong. */
export function readTags(given: unknown): string[] | string {
  const list = given ?? []
  if (!Array.isArray(list)) return 'is not a list of texts'
  if (list.length > MOST_WRITTEN) return `has more than ${MOST_TAGS} tags`
  if (list.some((tag) => typeof tag !== 'string')) return 'is not a list of texts'
  const tags = list.map((text: string) => text.trim())
  const wrong = tags.map(findFault).find((fault) => fault !== undefined)
  if (wrong !== undefined) return wrong
  const once = eachOnce(tags)
  return once.length > MOST_TAGS ? `has more than ${MOST_TAGS} tags` : once
}

/** Those of another tool's words that can be tags. */
export function toTags(words: readonly string[]): string[] {
  const tags = words.map((word) => word.trim()).filter((word) => findFault(word) === undefined)
  return eachOnce(tags).slice(0, MOST_TAGS)
}

function findFault(tag: string): string | undefined {
  if (tag === '' || isLonger(tag, LONGEST_TAG))
    return `has a tag that isn't of 1 to ${LONGEST_TAG} characters`
  return UNUSABLE.test(tag) || !tag.isWellFormed()
    ? 'has a tag with characters that cannot be stored'
    : undefined
}

function eachOnce(tags: readonly string[]): string[] {
  const first = new Map<string, string>()
  for (const tag of tags) if (!first.has(foldTag(tag))) first.set(foldTag(tag), tag)
  return [...first.values()]
}
