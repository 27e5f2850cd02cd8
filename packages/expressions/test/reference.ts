/**
 * What docs/protocol/questions.md says of expressions and of how values are shown, by whole numbers and JavaScript's Math
 * alone: it shares no code with the package, and no library.
 */

/** In lowest terms, with a denominator above 0. */
export interface Ratio {
  n: bigint
  d: bigint
}

export type Expression =
  | { is: 'number'; text: string }
  | { is: 'name'; name: string }
  | { is: 'negative'; of: Expression }
  | { is: 'call'; name: string; of: Expression[] }
  | { is: 'binary'; sign: '+' | '-' | '*' | '/' | '^'; left: Expression; right: Expression }

export type Condition =
  | { is: 'compares'; sign: '==' | '!=' | '<' | '<=' | '>' | '>='; left: Expression; right: Expression }
  | { is: 'not'; of: Condition }
  | { is: 'joins'; word: 'and' | 'or'; left: Condition; right: Condition }

export type Format = { decimals: number } | { significant: number } | undefined

/** Thrown for what the service may round on its way, since its digits would be thousands. */
export class TooLong extends Error {}

const MOST_BITS = 3_500
const absolute = (of: bigint) => (of < 0n ? -of : of)
const bitsOf = (of: bigint) => absolute(of).toString(2).length

export function ratio(n: bigint, d = 1n): Ratio {
  let [larger, smaller] = [absolute(n), absolute(d)]
  while (smaller > 0n) [larger, smaller] = [smaller, larger % smaller]
  const common = d < 0n ? -larger : larger
  const reduced = { n: n / common, d: d / common }
  if (Math.max(bitsOf(reduced.n), bitsOf(reduced.d)) > MOST_BITS) throw new TooLong()
  return reduced
}

export function fromText(text: string): Ratio {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', part = ''] = mantissa.replace('-', '').split('.')
  const digits = BigInt(`${whole}${part}` || '0') * (mantissa.startsWith('-') ? -1n : 1n)
  const shift = Number(exponent) - part.length
  return shift < 0 ? ratio(digits, 10n ** BigInt(-shift)) : ratio(digits * 10n ** BigInt(shift))
}

export const plus = (a: Ratio, b: Ratio) => ratio(a.n * b.d + b.n * a.d, a.d * b.d)
export const minus = (a: Ratio, b: Ratio) => ratio(a.n * b.d - b.n * a.d, a.d * b.d)
export const times = (a: Ratio, b: Ratio) => ratio(a.n * b.n, a.d * b.d)
export const over = (a: Ratio, b: Ratio) => (b.n === 0n ? undefined : ratio(a.n * b.d, a.d * b.n))
export const sizeOf = (a: Ratio) => ratio(absolute(a.n), a.d)
export const order = (a: Ratio, b: Ratio) =>
  Number(a.n * b.d - b.n * a.d > 0n) - Number(a.n * b.d < b.n * a.d)

function floor({ n, d }: Ratio): bigint {
  return n >= 0n || n % d === 0n ? n / d : n / d - 1n
}

/** The nearest floating-point number; of two that are as near, the even one. */
export function nearest({ n, d }: Ratio): number {
  if (n === 0n) return 0
  const scale = 70 - bitsOf(n) + bitsOf(d)
  const [above, below] = scale > 0 ? [absolute(n) << BigInt(scale), d] : [absolute(n), d << BigInt(-scale)]
  // What is cut off makes the last bit 1, so that nothing that is above a half is taken for one.
  const bits = (above / below) | BigInt(above % below > 0n)
  if (Math.abs(scale) > 900) throw new TooLong()
  return (n < 0n ? -1 : 1) * Number(bits) * 2 ** -scale
}

/** The first 15 digits of a floating-point number. */
function inDigits(number: number): Ratio | undefined {
  return Number.isFinite(number) ? fromText(number.toPrecision(15)) : undefined
}

const DEGREE = Math.PI / 180

/** Of an angle brought down to 0° to 90°: at multiples of 30°, or of 45° for tangents, exactly what it is. */
function inDegrees(name: string, angle: Ratio): Ratio | undefined {
  const [wanted, turn] = [exactly(nearest(angle)), ratio(360n)]
  let rest = minus(wanted, times(turn, ratio(floor(over(wanted, turn) as Ratio))))
  let [sine, cosine] = [1n, 1n]
  if (order(rest, ratio(180n)) > 0) {
    rest = minus(turn, rest)
    sine = -1n
  }
  if (order(rest, ratio(90n)) > 0) {
    rest = minus(ratio(180n), rest)
    cosine = -1n
  }
  const radians = (of: Ratio) => nearest(of) * DEGREE
  const isSteep = order(rest, ratio(45n)) > 0
  const missing = minus(ratio(90n), rest)
  const isWhole = (degrees: bigint) => order(rest, ratio(degrees)) === 0
  if (name === 'sind') {
    if (isWhole(30n)) return ratio(sine, 2n)
    const size = isSteep || isWhole(45n) ? Math.cos(radians(missing)) : Math.sin(radians(rest))
    return times(ratio(sine), inDigits(size) as Ratio)
  }
  if (name === 'cosd') {
    if (isWhole(60n)) return ratio(cosine, 2n)
    const size = isSteep ? Math.sin(radians(missing)) : Math.cos(radians(rest))
    return times(ratio(cosine), inDigits(size) as Ratio)
  }
  if (isWhole(90n)) return undefined
  if (isWhole(45n)) return ratio(sine * cosine)
  const size = isSteep ? 1 / Math.tan(radians(missing)) : Math.tan(radians(rest))
  return times(ratio(sine * cosine), inDigits(size) as Ratio)
}

/** The value of a floating-point number, whose digits end. */
function exactly(number: number): Ratio {
  let [rest, doublings] = [number, 0]
  for (; !Number.isInteger(rest); doublings++) rest *= 2
  return ratio(BigInt(rest), 2n ** BigInt(doublings))
}

const BY_MATH: Record<string, (...of: number[]) => number> = {
  ...{ sqrt: Math.sqrt, cbrt: Math.cbrt, exp: Math.exp, ln: Math.log, log10: Math.log10, log2: Math.log2 },
  ...{ sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin, acos: Math.acos, atan: Math.atan },
  ...{ atan2: Math.atan2, sinh: Math.sinh, cosh: Math.cosh, tanh: Math.tanh },
  asind: (of) => Math.asin(of) / DEGREE,
  acosd: (of) => Math.acos(of) / DEGREE,
  atand: (of) => Math.atan(of) / DEGREE,
}

function euclid(one: bigint, other: bigint): bigint {
  return other === 0n ? absolute(one) : euclid(other, one % other)
}

function range(from: bigint, to: bigint): bigint {
  return from > to ? 1n : from * range(from + 1n, to)
}

function call(name: string, of: Ratio[]): Ratio | undefined {
  const byMath = BY_MATH[name]
  if (byMath) return inDigits(byMath(...of.map(nearest)))
  const [one, two] = of as [Ratio, Ratio]
  if (/^(?:sin|cos|tan)d$/.test(name)) return inDegrees(name, one)
  if (name === 'abs') return sizeOf(one)
  if (name === 'floor') return ratio(floor(one))
  if (name === 'ceil') return ratio(-floor(ratio(-one.n, one.d)))
  if (name === 'round') {
    const rounded = floor(plus(sizeOf(one), ratio(1n, 2n)))
    return ratio(one.n < 0n ? -rounded : rounded)
  }
  if (name === 'min') return of.toSorted(order)[0]
  if (name === 'max') return of.toSorted(order).at(-1)
  if (name === 'mod') {
    const quotient = over(one, two)
    return quotient && minus(one, times(two, ratio(floor(quotient))))
  }
  if (of.some(({ d }) => d !== 1n)) return undefined
  const whole = of.map(({ n }) => n)
  if (name === 'gcd') return ratio(whole.reduce(euclid, 0n))
  if (name === 'lcm')
    return ratio(whole.reduce((a, b) => (a === 0n || b === 0n ? 0n : absolute(a * b) / euclid(a, b)), 1n))
  const [n = 0n, k = 0n] = whole
  if (name === 'factorial') return n < 0n || n > 170n ? undefined : ratio(range(1n, n))
  if (name !== 'binom') throw new Error(`no function ${name}`)
  if (n < 0n || n > 1_000n || k < 0n) return undefined
  return k > n ? ratio(0n) : ratio(range(n - k + 1n, n) / range(1n, k))
}

function raise(base: Ratio, exponent: Ratio): Ratio | undefined {
  if (base.n === 0n && exponent.n < 0n) return undefined
  if (exponent.d !== 1n) return inDigits(nearest(base) ** nearest(exponent))
  const size = absolute(exponent.n)
  if (size * BigInt(Math.max(bitsOf(base.n), bitsOf(base.d))) > MOST_BITS) throw new TooLong()
  const [n, d] = [base.n ** size, base.d ** size]
  return exponent.n < 0n ? ratio(d, n) : ratio(n, d)
}

/** undefined where it isn't finite, as where a name has no value. */
export function evaluated(of: Expression, values: ReadonlyMap<string, Ratio>): Ratio | undefined {
  switch (of.is) {
    case 'number':
      return fromText(of.text)
    case 'name':
      if (of.name === 'pi') return fromText('3.14159265358979')
      return of.name === 'e' ? fromText('2.71828182845905') : values.get(of.name)
    case 'negative': {
      const value = evaluated(of.of, values)
      return value && ratio(-value.n, value.d)
    }
    case 'call': {
      const given = of.of.map((each) => evaluated(each, values))
      return given.every((each) => each !== undefined) ? call(of.name, given) : undefined
    }
    case 'binary': {
      const [left, right] = [evaluated(of.left, values), evaluated(of.right, values)]
      if (!left || !right) return undefined
      return { '+': plus, '-': minus, '*': times, '/': over, '^': raise }[of.sign](left, right)
    }
  }
}

/** Whether it is true; undefined where a value in it isn't finite. */
export function isTrue(of: Condition, values: ReadonlyMap<string, Ratio>): boolean | undefined {
  if (of.is === 'not') {
    const inner = isTrue(of.of, values)
    return inner === undefined ? undefined : !inner
  }
  if (of.is === 'joins') {
    const [left, right] = [isTrue(of.left, values), isTrue(of.right, values)]
    if (left === undefined || right === undefined) return undefined
    return of.word === 'and' ? left && right : left || right
  }
  const [left, right] = [evaluated(of.left, values), evaluated(of.right, values)]
  if (!left || !right) return undefined
  const difference = order(left, right)
  return {
    '==': difference === 0,
    '!=': difference !== 0,
    '<': difference < 0,
    '<=': difference <= 0,
    '>': difference > 0,
    '>=': difference >= 0,
  }[of.sign]
}

/** How close it binds: what stands beside something that binds closer needs brackets. */
function bindingOf(of: Expression): number {
  if (of.is === 'negative') return 3
  if (of.is !== 'binary') return 9
  return { '+': 1, '-': 1, '*': 2, '/': 2, '^': 4 }[of.sign]
}

/** With the brackets that it needs. */
export function print(of: Expression): string {
  const inside = (each: Expression, least: number) =>
    bindingOf(each) < least ? `(${print(each)})` : print(each)
  switch (of.is) {
    case 'number':
      return of.text
    case 'name':
      return of.name
    case 'negative':
      return `-${inside(of.of, 3)}`
    case 'call':
      return `${of.name}(${of.of.map(print).join(', ')})`
    case 'binary': {
      if (of.sign === '^') return `${inside(of.left, 5)}^${inside(of.right, 3)}`
      const binding = bindingOf(of)
      return `${inside(of.left, binding)} ${of.sign} ${inside(of.right, binding + 1)}`
    }
  }
}

export function printCondition(of: Condition): string {
  if (of.is === 'compares') return `${print(of.left)} ${of.sign} ${print(of.right)}`
  if (of.is === 'not')
    return of.of.is === 'joins' ? `not (${printCondition(of.of)})` : `not ${printCondition(of.of)}`
  const inside = (each: Condition) =>
    of.word === 'and' && each.is === 'joins' && each.word === 'or'
      ? `(${printCondition(each)})`
      : printCondition(each)
  return `${inside(of.left)} ${of.word} ${inside(of.right)}`
}

/** Rounded half away from zero to so many decimals, which may be below 0, as a whole number. */
function scaled({ n, d }: Ratio, decimals: number): bigint {
  const up = 10n ** BigInt(Math.abs(decimals))
  const [above, below] = decimals < 0 ? [absolute(n), d * up] : [absolute(n) * up, d]
  return (above * 2n + below) / (below * 2n)
}

function withPoint(digits: bigint, decimals: number): string {
  if (decimals <= 0) return `${digits}${'0'.repeat(-decimals)}`
  const text = `${digits}`.padStart(decimals + 1, '0')
  return `${text.slice(0, -decimals)}.${text.slice(-decimals)}`
}

/** The power of ten of the first digit. */
function firstPower(of: Ratio): number {
  let power = `${absolute(of.n)}`.length - `${of.d}`.length - 1
  while (order(sizeOf(of), raise(ratio(10n), ratio(BigInt(power + 1))) as Ratio) >= 0) power += 1
  return power
}

/** A value's sign, digits, and power of ten where it is shown with one. */
export function shownParts(of: Ratio, format: Format): { sign: boolean; digits: string; power: number } {
  if (format && 'decimals' in format) {
    const digits = scaled(of, format.decimals)
    return { sign: of.n < 0n && digits > 0n, digits: withPoint(digits, format.decimals), power: 0 }
  }
  if (of.n === 0n) {
    const zeros = format && format.significant > 1 ? `.${'0'.repeat(format.significant - 1)}` : ''
    return { sign: false, digits: `0${zeros}`, power: 0 }
  }
  const count = format?.significant ?? (isShort(of) ? 15 : 6)
  let power = firstPower(of)
  let digits = scaled(of, count - 1 - power)
  if (`${digits}`.length > count) {
    digits /= 10n
    power += 1
  }
  // The value as it is rounded, beside 10⁻⁴ and 10⁹.
  const rounded = times(ratio(digits), raise(ratio(10n), ratio(BigInt(power - count + 1))) as Ratio)
  const isPlain = order(rounded, ratio(1n, 10_000n)) >= 0 && order(rounded, ratio(10n ** 9n)) <= 0
  const text = withPoint(digits, count - 1 - (isPlain ? power : 0))
  const trimmed = format || !text.includes('.') ? text : text.replace(/0+$/, '').replace(/\.$/, '')
  return { sign: of.n < 0n, digits: trimmed, power: isPlain ? 0 : power }
}

/** Whether its decimals end within 15 digits. */
function isShort(of: Ratio): boolean {
  let [rest, decimals] = [of.d, 0]
  for (; rest > 1n && decimals <= MOST_BITS; decimals++) {
    if (rest % 10n === 0n) rest /= 10n
    else if (rest % 2n === 0n) rest /= 2n
    else if (rest % 5n === 0n) rest /= 5n
    else return false
  }
  const digits = `${(absolute(of.n) * 10n ** BigInt(decimals)) / of.d}`
  return digits.replace(/0+$/, '').length <= 15
}

const RAISED = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹']

/** As a sentence has it. */
export function show(of: Ratio, format: Format): string {
  const { sign, digits, power } = shownParts(of, format)
  const raised = [...`${Math.abs(power)}`].map((digit) => RAISED[Number(digit)]).join('')
  const exponent = power === 0 ? '' : ` × 10${power < 0 ? '⁻' : ''}${raised}`
  return `${sign ? '−' : ''}${digits}${exponent}`
}

/** As a formula has it, by what stands around it. */
export function showInFormula(
  of: Ratio,
  format: Format,
  place: { needsBrackets?: boolean; isRaised?: boolean; needsBraces?: boolean },
): string {
  const { sign, digits, power } = shownParts(of, format)
  const exponent = power === 0 ? '' : ` \\times 10^{${power}}`
  const text = `${sign ? '-' : ''}${digits}${exponent}`
  if (place.needsBraces) return `{${text}}`
  const isAmbiguous = (sign && (place.needsBrackets || place.isRaised)) || (exponent !== '' && place.isRaised)
  return isAmbiguous ? `(${text})` : text
}

/** As keys are written. */
export function showPlain(of: Ratio, format: Format): string {
  const { sign, digits, power } = shownParts(of, format)
  return `${sign ? '-' : ''}${digits}${power === 0 ? '' : `e${power}`}`
}

/** A decimal that is nearest to a value, away from zero or towards it where there is none. */
export function decimalNear(of: Ratio, decimals: number): string {
  const digits = scaled(of, decimals)
  return `${of.n < 0n && digits > 0n ? '-' : ''}${withPoint(digits, decimals)}`
}
