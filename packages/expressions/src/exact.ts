import Fraction from 'fraction.js'

/** Bits of a numerator or denominator above which a value is rounded to 15 digits, so that all is calculated at once. */
const MOST_BITS = 4_096
const ABOVE = 1n << BigInt(MOST_BITS)
const DECIMAL = /^(-?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i
/** A power of ten beyond which no floating-point number is. */
const LARGEST_EXPONENT = 330

/** More than a floating-point number's own. */
const QUOTIENT_BITS = 66

/** The significant digits of what functions give. */
const DIGITS = 15

/** A decimal text as a fraction; undefined where it is no number or far beyond what can be calculated with. */
export function readDecimal(text: string): Fraction | undefined {
  const [, sign, whole = '', part = '', exponent = '0'] = DECIMAL.exec(text) ?? []
  const power = Number(exponent)
  if (sign === undefined || whole + part === '' || Math.abs(power) > LARGEST_EXPONENT) return undefined
  const digits = BigInt(whole + part)
  const scale = part.length - power
  const signed = sign === '-' ? -digits : digits
  return scale > 0
    ? new Fraction(signed, 10n ** BigInt(scale))
    : new Fraction(signed * 10n ** BigInt(-scale), 1n)
}

/** A value as `n/d`, or `n`, which loses nothing. */
export function writeRatio(value: Fraction): string {
  return value.toFraction()
}

/** What `writeRatio` has written. */
export function readRatio(text: string): Fraction {
  const [numerator = '', denominator = '1'] = text.split('/')
  return new Fraction(BigInt(numerator), BigInt(denominator))
}

/** A floating-point number by its first 15 significant digits; undefined where it isn't finite. */
export function decimal(number: number): Fraction | undefined {
  return Number.isFinite(number) ? readDecimal(number.toPrecision(DIGITS)) : undefined
}

export function isWhole(of: Fraction): boolean {
  return of.d === 1n
}

/** The nearest floating-point number, for numerators and denominators of any length. */
export function toNumber({ s, n, d }: Fraction): number {
  if (n <= Number.MAX_SAFE_INTEGER && d <= Number.MAX_SAFE_INTEGER) return (Number(s) * Number(n)) / Number(d)
  const scale = QUOTIENT_BITS - bitsOf(n) + bitsOf(d)
  const [above, below] = scale > 0 ? [n << BigInt(scale), d] : [n, d << BigInt(-scale)]
  // What is cut off counts as a last bit, so that a little more than half is rounded up.
  const quotient = (above / below) | BigInt(above % below !== 0n)
  const half = scale >> 1
  // In two steps, since 2 to that power may be too large or too small by itself.
  return Number(s) * Number(quotient) * 2 ** -half * 2 ** -(scale - half)
}

/** The value itself, or one of 15 digits where it has become too long to go on with. */
export function bounded(of: Fraction): Fraction | undefined {
  return of.n < ABOVE && of.d < ABOVE ? of : decimal(toNumber(of))
}

/** Exact for whole exponents; undefined where there is no finite value. */
export function power(of: Fraction, exponent: Fraction): Fraction | undefined {
  if (of.n === 0n && exponent.s < 0n) return undefined
  const bits = BigInt(Math.max(bitsOf(of.n), bitsOf(of.d)))
  if (!isWhole(exponent) || exponent.n * bits > MOST_BITS) return decimal(toNumber(of) ** toNumber(exponent))
  const [numerator, denominator] = [(of.s * of.n) ** exponent.n, of.d ** exponent.n]
  return exponent.s < 0n ? new Fraction(denominator, numerator) : new Fraction(numerator, denominator)
}

function bitsOf(number: bigint): number {
  return number.toString(16).length * 4
}
