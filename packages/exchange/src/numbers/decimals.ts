/** An exact decimal: `digits` ÷ 10^`scale`, `scale` never below 0. */
export interface Decimal {
  digits: bigint
  scale: number
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/

/** Powers of ten, by exponent: computing the 999th takes as long as ten comparisons. */
const powers: bigint[] = []
/** More than a typed number has. */
const LARGEST_KEPT = 1_200

function powerOfTen(exponent: number): bigint {
  if (exponent > LARGEST_KEPT) return 10n ** BigInt(exponent)
  powers[exponent] ??= 10n ** BigInt(exponent)
  return powers[exponent]
}

/** Reads `3`, `-11.72`, `.5`, `3.` or `1e-1`; exponents up to three digits. undefined for what is no number. */
export function parseDecimal(text: string): Decimal | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? []
  if (sign === undefined || whole + fraction === '') return undefined
  const magnitude = BigInt(whole + fraction)
  const digits = sign === '-' ? -magnitude : magnitude
  const scale = fraction.length - Number(exponent)
  return scale >= 0 ? { digits, scale } : { digits: digits * powerOfTen(-scale), scale: 0 }
}

/** The number's digits at a scale that is at least its own. */
export function digitsAt({ digits, scale }: Decimal, wanted: number): bigint {
  return wanted === scale ? digits : digits * powerOfTen(wanted - scale)
}

/** The shortest way to write it: `-0.5`, `12`. */
export function writeDecimal({ digits, scale }: Decimal): string {
  const magnitude = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0')
  const point = magnitude.length - scale
  let end = magnitude.length
  while (end > point && magnitude[end - 1] === '0') end -= 1
  const fraction = magnitude.slice(point, end)
  return `${digits < 0n ? '-' : ''}${magnitude.slice(0, point)}${fraction && `.${fraction}`}`
}

/** Whether |given − key| ≤ tolerance, without any rounding. */
export function isWithin(given: Decimal, key: Decimal, tolerance: Decimal): boolean {
  const scale = Math.max(given.scale, key.scale, tolerance.scale)
  const difference = digitsAt(given, scale) - digitsAt(key, scale)
  return (difference < 0n ? -difference : difference) <= digitsAt(tolerance, scale)
}
