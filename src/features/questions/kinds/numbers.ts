import { type Decimal, isWithin, parseDecimal, writeDecimal } from '@exam-practice/exchange/decimals'
import { ExpressionError, onlyPlace, parseTemplate } from '@exam-practice/expressions'
import type { ExactKey, ExactNumber, Filling } from './kind.ts'
import { readText } from './texts.ts'

/** Longer than any sensible number, short enough to calculate exactly. */
const LONGEST_NUMBER = 50
/** Code points of a number as a student types it, which is kept even if it is only half a number. */
const LONGEST_TYPED = 100
/** Numbers of more characters are not written out. */
const LONGEST_WRITTEN = 40
const ABOVE_WRITTEN = 10n ** BigInt(LONGEST_WRITTEN)
const BELOW_WRITTEN = -(10n ** BigInt(LONGEST_WRITTEN - 1))

/** Whether a text is one whole, finite decimal number. */
export function isDecimal(text: string): boolean {
  return text.length <= LONGEST_NUMBER && parseDecimal(text) !== undefined && Number.isFinite(Number(text))
}

export function requireDecimal(text: string): Decimal {
  const decimal = parseDecimal(text)
  if (!decimal) throw new Error(`'${text}' is no decimal number`)
  return decimal
}

/** A typed number as it is stored; undefined if it can't be one. A number as such is taken as its text. */
export function readTyped(given: unknown): string | undefined {
  return readText(typeof given === 'number' ? String(given) : given, LONGEST_TYPED)
}

/**
 * A complete number as a student types it, with a point or a comma: `-`, `3.`, `1e` and the like are incomplete and
 * count as none.
 */
export function readGivenNumber(answer: string): Decimal | undefined {
  const text = answer.includes('.') ? answer : answer.replace(',', '.')
  return /\.(?!\d)/.test(text) ? undefined : parseDecimal(text)
}

/** Whether a text is one `{@expression@}` and nothing else, or can't be read: what is wrong with it is told elsewhere. */
export function isPlace(text: string): boolean {
  if (!text.includes('{@')) return false
  try {
    return onlyPlace(parseTemplate(text)) !== undefined
  } catch (error) {
    if (error instanceof ExpressionError) return true
    throw error
  }
}

/** Key and tolerance with the values of a draw. */
export function fillNumber(
  key: string,
  tolerance: string,
  { number }: Filling,
): { key: string; tolerance: string; exact?: ExactKey } {
  const [wanted, allowed] = [number(key), number(tolerance)]
  const exact = { key: wanted?.exact ?? wanted?.text, tolerance: allowed?.exact ?? allowed?.text }
  const isDrawn = wanted?.exact !== undefined || allowed?.exact !== undefined || !wanted || !allowed
  return { key: wanted?.text ?? '', tolerance: allowed?.text ?? '0', ...(isDrawn ? { exact } : {}) }
}

/** As `compileNumber`, by exact values that may be no decimals; without one of them nothing is right. */
export function compileExact({ key, tolerance }: ExactKey): (answer: string) => boolean | undefined {
  const [wanted, allowed] = [key && toFraction(key), tolerance && toFraction(tolerance)]
  return (answer) => {
    const given = readGivenNumber(answer)
    if (!given || !wanted || !allowed) return given && false
    const times = ({ digits, scale }: Decimal, factor: bigint) => ({ digits: digits * factor, scale })
    // Times both denominators.
    return isWithin(
      times(given, wanted.below * allowed.below),
      times(wanted.above, allowed.below),
      times(allowed.above, wanted.below),
    )
  }
}

function toFraction(of: ExactNumber): { above: Decimal; below: bigint } {
  return typeof of === 'string'
    ? { above: requireDecimal(of), below: 1n }
    : { above: { digits: of.s * of.n, scale: 0 }, below: of.d }
}

/** Whether a typed number is right; undefined if it is none. */
export function compileNumber(key: string, tolerance: string): (answer: string) => boolean | undefined {
  const wanted = requireDecimal(key)
  const allowed = requireDecimal(tolerance)
  return (answer) => {
    const given = readGivenNumber(answer)
    return given && isWithin(given, wanted, allowed)
  }
}

/** The shortest form of a number, so that `2.50`, `2,5` and `+2.5` are the same; very long ones stay as typed. */
export function writeNumber(answer: string): string {
  const number = readGivenNumber(answer)
  // To write a thousand digits in order to count them takes long.
  const isLong =
    !number ||
    number.scale > LONGEST_WRITTEN ||
    number.digits >= ABOVE_WRITTEN ||
    number.digits <= BELOW_WRITTEN
  return isLong ? answer : writeDecimal(number)
}
