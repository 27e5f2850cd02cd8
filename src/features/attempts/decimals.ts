/** An exact decimal: `digits` ÷ 10^`scale`, `scale` never below 0. */
export interface Decimal {
  digits: bigint
  scale: number
}

const DECIMAL = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,3}))?$/

/** Reads `3`, `-11.72`, `.5`, `3.` or `1e-1`; exponents up to three digits. undefined for what is no number. */
export function parseDecimal(text: string): Decimal | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? []
  if (sign === undefined || whole + fraction === '') return undefined
  const magnitude = BigInt(whole + fraction)
  const digits = sign === '-' ? -magnitude : magnitude
  const scale = fraction.length - Number(exponent)
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 }
}

/** The digits that this number has at a larger scale, or at its own. */
export function digitsAt({ digits, scale }: Decimal, wanted: number): bigint {
  return wanted === scale ? digits : digits * 10n ** BigInt(wanted - scale)
}

/** Whether |given − key| ≤ tolerance, without any rounding. */
export function isWithin(given: Decimal, key: Decimal, tolerance: Decimal): boolean {
  const scale = Math.max(given.scale, key.scale, tolerance.scale)
  const difference = digitsAt(given, scale) - digitsAt(key, scale)
  return (difference < 0n ? -difference : difference) <= digitsAt(tolerance, scale)
}
