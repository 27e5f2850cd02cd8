import { randomInt } from 'node:crypto'

/** Lists and objects within one another, in what clients send: more than anything they are asked for. */
const DEEPEST = 64

/** Longest text, in bytes or characters, that is parsed at once. Hardly anything is longer. */
export const SHORT_TEXT = 4 * 1024

/** Values in all: hardly any text of a megabyte holds as many, and nothing that is asked for. */
const MOST_VALUES = 600_000
/** Names in all: 30 for each question of the largest exam. */
const MOST_NAMES = 300_000

/**
 * Short texts that are all different: the engine keeps each of them once, which takes as long as twenty values of a
 * known kind. The largest exam may have 30 for each of its questions.
 */
const MOST_TEXTS = 300_000
/**
 * What the shapes of objects cost: the engine makes a class for each beginning of one (`{"a":1,"b":2},{"a":3,"c":4}`
 * needs three: `a`, `a b` and `a c`). Objects of more names than `MOST_IN_CLASS` have no class, and each name more
 * takes as long as a text. The answers to the largest exam cost 70,000.
 */
const MOST_SHAPES = 100_000
const NEW_SHAPE = 4
/** An object's first name costs more: all first names are looked up in one table. */
const NEW_FIRST_SHAPE = 10
const MOST_IN_CLASS = 1_000
/** Texts up to this length are kept only once. All names are: none that is asked for is longer. */
const SHORT_VALUE = 10
const LONGEST_NAME = 32
/** Texts of fewer characters can't hold that much. */
const COUNTED_TEXT = MOST_SHAPES * 2

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Bits of the hash by which something is found in `met`, which has more than twice as many places as are needed. */
const PLACE_BITS = 20
const met = new Int32Array(1 << PLACE_BITS)
/** Of this process, so that nobody can choose texts that count as one. */
const SEED = randomInt(2 ** 31)
const FACTOR = randomInt(2 ** 31) * 2 + 1

/**
 * Whether a JSON text nests deeper, or holds more, than anything that is asked for. A megabyte of brackets, or of names
 * that are all different, takes long to parse and longer to collect; recognising one takes a few milliseconds.
 */
export function isTooComplex(text: string): boolean {
  const isCounted = text.length > COUNTED_TEXT
  if (isCounted) met.fill(0)
  /** The shape, so far, of each object that is open, and its names. */
  const shapes = new Int32Array(DEEPEST + 1)
  const sizes = new Int32Array(DEEPEST + 1)
  let depth = 0
  let values = 0
  let names = 0
  let texts = 0
  let cost = 0
  let start = 0
  let end = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        start = at + 1
        end = findQuote(text, start)
        at = end
        if (isCounted && end - start <= SHORT_VALUE && isNew(hash(text, start, end, SEED))) texts += 1
        break
      case 0x3a: // :
        names += 1
        if (!isCounted) break
        sizes[depth] = (sizes[depth] ?? 0) + 1
        if ((sizes[depth] ?? 0) > MOST_IN_CLASS) cost += 1
        if (end - start > LONGEST_NAME) cost += NEW_SHAPE
        else {
          const shape = hash(text, start, end, shapes[depth] ?? 0)
          shapes[depth] = shape
          if (isNew(shape)) cost += sizes[depth] === 1 ? NEW_FIRST_SHAPE : NEW_SHAPE
        }
        break
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > DEEPEST) return true
        shapes[depth] = ~SEED
        sizes[depth] = 0
        values += 1
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1
        break
      case 0x2c: // ,
        values += 1
    }
    if (values >= MOST_VALUES || names > MOST_NAMES || texts > MOST_TEXTS || cost > MOST_SHAPES) return true
  }
  return false
}

function hash(text: string, start: number, end: number, seed: number): number {
  let mixed = seed
  for (let at = start; at < end; at++) mixed = Math.imul(mixed ^ text.charCodeAt(at), FACTOR)
  mixed = Math.imul(mixed ^ (mixed >>> 16), FACTOR)
  return mixed ^ (mixed >>> 15)
}

/** Whether this is the first time that something is met. */
function isNew(hashed: number): boolean {
  const value = hashed || 1
  let place = value >>> (32 - PLACE_BITS)
  while (met[place] !== 0) {
    if (met[place] === value) return false
    place = (place + 1) & (met.length - 1)
  }
  met[place] = value
  return true
}

/** Where the string ends that begins here: at the first quotation mark that isn't escaped. */
function findQuote(text: string, from: number): number {
  for (let start = from; ; ) {
    const end = text.indexOf('"', start)
    if (end === -1) return text.length
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1
    if (slashes % 2 === 0) return end
    start = end + 1
  }
}
