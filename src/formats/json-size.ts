/** Lists and objects within one another, in what clients send: more than anything they are asked for. */
const DEEPEST = 64

/** Longest text, in bytes or characters, that is parsed at once. Hardly anything is longer. */
export const SHORT_TEXT = 4 * 1024

/** Values in all: more than any shorter text holds, or any longer one is asked for. */
const MOST_VALUES = 600_000

const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * Whether a JSON text nests deeper, or holds more, than anything that is asked for. A megabyte of brackets takes long
 * to parse and longer to collect; to see that it is one takes a millisecond.
 */
export function isTooComplex(text: string): boolean {
  let depth = 0
  let commas = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = findQuote(text, at + 1)
        break
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > DEEPEST) return true
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1
        break
      case 0x2c: // ,
        if (++commas >= MOST_VALUES) return true
    }
  }
  return false
}

/** Where the string ends that begins here. */
function findQuote(text: string, from: number): number {
  let at = from
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) break
    if (code === BACKSLASH) at += 1
  }
  return at
}
