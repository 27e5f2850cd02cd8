import { keysOf } from '../../src/formats/words.ts'

/** Shorter words are in every sentence. */
const SHORTEST_WORD = 4
/** The part of a claim's words that the page must have. */
const SHARE = 0.5

/** Whether an answer states a result: by its mark, or in one of these forms, as words of their own. */
export function statesResult(answer: string, forms: readonly string[]): boolean {
  return answer.includes('[FINAL ANSWER]') || forms.some((form) => hasWhole(answer, form))
}

/** Whether it has this text, which is no part of a longer word or number. */
function hasWhole(text: string, form: string): boolean {
  const [given, wanted] = [text, form].map((each) => each.toLowerCase().replaceAll(/\s+/g, ' ')) as [
    string,
    string,
  ]
  for (let at = given.indexOf(wanted); at >= 0; at = given.indexOf(wanted, at + 1)) {
    const before = given.slice(0, at)
    const after = given.slice(at + wanted.length)
    if (!/[\p{L}\p{N}]$|\p{N}[.,]$/u.test(before) && !/^[\p{L}\p{N}]|^[.,]\p{N}/u.test(after)) return true
  }
  return false
}

/** Whether a page has at least half of a claim's words; a claim without words is borne out by any. */
export function bearsOut(page: string, claim: string): boolean {
  const known = keysOf(page)
  const words = [...keysOf(claim)].filter((word) => [...word].length >= SHORTEST_WORD)
  return words.filter((word) => known.has(word)).length >= SHARE * words.length
}
