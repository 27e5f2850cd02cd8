import type Fraction from 'fraction.js'

/** How a value is written: with so many decimals, or so many significant digits. */
export type Format = { decimals: number } | { significant: number }

const FULL_DIGITS = 15
const SHORT_DIGITS = 6
/** Powers of ten from which, and up to which, a number is written without an exponent. */
const LEAST_EXPONENT = -4
const MOST_EXPONENT = 9
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** A value's sign, digits and power of ten, as they are written. */
export interface Written {
  isNegative: boolean
  digits: string
  /** 0 where it is written without one. */
  exponent: number
}

/**
 * Rounds half away from zero. Without a format a value whose decimals end within 15 digits is whole, others have 6
 * significant digits, and neither has zeros at its end.
 */
export function write(value: Fraction, format?: Format): Written {
  if (format && 'decimals' in format) {
    const scaled = round(value, format.decimals)
    return { isNegative: value.s < 0n && scaled !== 0n, digits: place(scaled, format.decimals), exponent: 0 }
  }
  const significant = format?.significant ?? (isShort(value) ? FULL_DIGITS : SHORT_DIGITS)
  const { digits, exponent } = roundTo(value, significant)
  const isNegative = value.s < 0n && value.n !== 0n
  const trim = (text: string) => (format || !text.includes('.') ? text : text.replace(/\.?0+$/, ''))
  const hasExponent = value.n !== 0n && (exponent < LEAST_EXPONENT || isBeyond(exponent, digits))
  const scale = significant - 1 - (hasExponent ? 0 : exponent)
  const written = scale >= 0 ? place(digits, scale) : String(digits * 10n ** BigInt(-scale))
  return { isNegative, digits: trim(written), exponent: hasExponent ? exponent : 0 }
}

/** As a sentence has it: `−2.5`, `1.2 × 10⁻⁷`. */
export function toText({ isNegative, digits, exponent }: Written): string {
  const power = exponent === 0 ? '' : ` × 10${superscript(exponent)}`
  return `${isNegative ? '−' : ''}${digits}${power}`
}

/** As people type it, and as keys are written: `-2.5`, `1.2e-7`. */
export function toPlainNumber({ isNegative, digits, exponent }: Written): string {
  return `${isNegative ? '-' : ''}${digits}${exponent === 0 ? '' : `e${exponent}`}`
}

/** As a formula has it: `-2.5`, `1.2 \times 10^{-7}`. */
export function toLatexNumber({ isNegative, digits, exponent }: Written): string {
  const power = exponent === 0 ? '' : ` \\times 10^{${exponent}}`
  return `${isNegative ? '-' : ''}${digits}${power}`
}

/** The value as a decimal text where it is one, whatever its length; undefined for others, as a third. */
export function toDecimal(value: Fraction): string | undefined {
  const scale = scaleOf(value.d)
  if (scale === undefined) return undefined
  const text = place((value.n * 10n ** BigInt(scale)) / value.d, scale)
  return `${value.s < 0n ? '-' : ''}${text}`
}

/** Decimals of a fraction with this denominator; undefined where they don't end. */
function scaleOf(denominator: bigint): number | undefined {
  let [rest, twos, fives] = [denominator, 0, 0]
  for (; rest % 2n === 0n; rest /= 2n) twos += 1
  for (; rest % 5n === 0n; rest /= 5n) fives += 1
  return rest === 1n ? Math.max(twos, fives) : undefined
}

function isShort(value: Fraction): boolean {
  const scale = scaleOf(value.d)
  if (scale === undefined) return false
  const digits = String((value.n * 10n ** BigInt(scale)) / value.d).replace(/0+$/, '')
  return digits.length <= FULL_DIGITS
}

/** |value| × 10^`decimals`, rounded half away from zero. */
function round({ n, d }: Fraction, decimals: number): bigint {
  const [above, below] = decimals >= 0 ? [n * 10n ** BigInt(decimals), d] : [n, d * 10n ** BigInt(-decimals)]
  return (2n * above + below) / (2n * below)
}

/** |value| as `digits` × 10^(`exponent` − `significant` + 1), with just so many digits. */
function roundTo(value: Fraction, significant: number): { digits: bigint; exponent: number } {
  if (value.n === 0n) return { digits: 0n, exponent: 0 }
  let exponent = String(value.n).length - String(value.d).length
  const power = 10n ** BigInt(Math.abs(exponent))
  if (exponent >= 0 ? value.n < value.d * power : value.n * power < value.d) exponent -= 1
  const digits = round(value, significant - 1 - exponent)
  return digits < 10n ** BigInt(significant)
    ? { digits, exponent }
    : { digits: digits / 10n, exponent: exponent + 1 }
}

/** From 10⁹ on, which itself has none. */
function isBeyond(exponent: number, digits: bigint): boolean {
  return exponent > MOST_EXPONENT || (exponent === MOST_EXPONENT && !/^10*$/.test(String(digits)))
}

/** A whole number with a point before its last `decimals` digits. */
function place(digits: bigint, decimals: number): string {
  const text = String(digits).padStart(decimals + 1, '0')
  const point = text.length - decimals
  return decimals === 0 ? text : `${text.slice(0, point)}.${text.slice(point)}`
}

function superscript(exponent: number): string {
  const digits = [...String(Math.abs(exponent))].map((digit) => SUPERSCRIPTS[Number(digit)])
  return `${exponent < 0 ? '⁻' : ''}${digits.join('')}`
}
