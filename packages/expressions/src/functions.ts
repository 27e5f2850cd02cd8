import Fraction from 'fraction.js'
import { decimal, isWhole, toNumber } from './exact.ts'

/** A function: how many values it takes, and what it gives for them. */
interface MathFunction {
  /** Least and most values; one of each where it is left out. */
  takes?: [number, number]
  /** By floating-point numbers; NaN where it has no value. */
  real(...of: number[]): number
  /** Without rounding; undefined where it has no value. Without it, 15 digits of `real` are the value. */
  exact?(...of: Fraction[]): Fraction | undefined
}

const MANY: [number, number] = [1, 20]
const DEGREE = Math.PI / 180
const LARGEST_FACTORIAL = 170
const LARGEST_BINOMIAL = 1_000

const FUNCTIONS = {
  sqrt: { real: Math.sqrt },
  cbrt: { real: Math.cbrt },
  abs: { real: Math.abs, exact: (of) => of.abs() },
  sin: { real: Math.sin },
  cos: { real: Math.cos },
  tan: { real: Math.tan },
  asin: { real: Math.asin },
  acos: { real: Math.acos },
  atan: { real: Math.atan },
  atan2: { takes: [2, 2], real: Math.atan2 },
  sinh: { real: Math.sinh },
  cosh: { real: Math.cosh },
  tanh: { real: Math.tanh },
  sind: { real: sind },
  cosd: { real: cosd },
  tand: { real: tand },
  asind: { real: (of) => Math.asin(of) / DEGREE },
  acosd: { real: (of) => Math.acos(of) / DEGREE },
  atand: { real: (of) => Math.atan(of) / DEGREE },
  exp: { real: Math.exp },
  ln: { real: Math.log },
  log10: { real: Math.log10 },
  log2: { real: Math.log2 },
  floor: { real: Math.floor, exact: (of) => of.floor() },
  ceil: { real: Math.ceil, exact: (of) => of.ceil() },
  /** Half away from zero. */
  round: {
    real: (of) => Math.sign(of) * Math.round(Math.abs(of)),
    exact: (of) => (of.s < 0n ? of.neg().add(HALF).floor().neg() : of.add(HALF).floor()),
  },
  min: {
    takes: MANY,
    real: Math.min,
    exact: (...of) => of.reduce((least, next) => (next.lt(least) ? next : least)),
  },
  max: {
    takes: MANY,
    real: Math.max,
    exact: (...of) => of.reduce((most, next) => (next.gt(most) ? next : most)),
  },
  /** With the divisor's sign. */
  mod: {
    takes: [2, 2],
    real: (of, by) => of - by * Math.floor(of / by),
    exact: (of, by) => (by.n === 0n ? undefined : of.sub(by.mul(of.div(by).floor()))),
  },
  gcd: {
    takes: MANY,
    real: (...of) => of.reduce((one, other) => realGcd(one, other), 0),
    exact: (...of) => whole(of, (numbers) => numbers.reduce(gcd, 0n)),
  },
  lcm: {
    takes: MANY,
    real: (...of) => of.reduce((one, other) => realLcm(one, other), 1),
    exact: (...of) => whole(of, (numbers) => numbers.reduce(lcm, 1n)),
  },
  factorial: {
    real: (of) => (Number.isInteger(of) ? (factorials()[of] ?? Number.NaN) : Number.NaN),
    exact: (of) =>
      isWhole(of) && of.s >= 0n && of.n <= LARGEST_FACTORIAL
        ? new Fraction(product(1n, of.n), 1n)
        : undefined,
  },
  binom: {
    takes: [2, 2],
    real: realBinomial,
    exact: (of, taken) =>
      isWhole(of) && isWhole(taken)
        ? whole([of, taken], ([n = 0n, k = 0n]) => binomial(n, k))
        : decimal(realBinomial(toNumber(of), toNumber(taken))),
  },
} satisfies Record<string, MathFunction>

export type FunctionName = keyof typeof FUNCTIONS

export const FUNCTION_NAMES = Object.keys(FUNCTIONS) as FunctionName[]

const table: Record<string, MathFunction> = FUNCTIONS
const HALF = new Fraction(1, 2)

export function isFunctionName(name: string): name is FunctionName {
  return Object.hasOwn(table, name)
}

/** The least and the most values that a function takes. */
export function takes(name: FunctionName): [number, number] {
  return table[name]?.takes ?? [1, 1]
}

export function callReal(name: FunctionName, of: number[]): number {
  return table[name]?.real(...of) ?? Number.NaN
}

export function callExact(name: FunctionName, of: Fraction[]): Fraction | undefined {
  const called = table[name]
  return called?.exact ? called.exact(...of) : decimal(callReal(name, of.map(toNumber)))
}

function sind(of: number): number {
  const { rest, sine } = quarterOf(of)
  // Where it is rational it is exact; from 45° on the cosine of what is missing loses fewer digits.
  if (rest === 30) return sine / 2
  return sine * (rest >= 45 ? Math.cos((90 - rest) * DEGREE) : Math.sin(rest * DEGREE))
}

function cosd(of: number): number {
  const { rest, cosine } = quarterOf(of)
  if (rest === 60) return cosine / 2
  return cosine * (rest > 45 ? Math.sin((90 - rest) * DEGREE) : Math.cos(rest * DEGREE))
}

function tand(of: number): number {
  const { rest, sine, cosine } = quarterOf(of)
  if (rest === 90) return Number.NaN
  if (rest === 45) return sine * cosine
  return sine * cosine * (rest > 45 ? 1 / Math.tan((90 - rest) * DEGREE) : Math.tan(rest * DEGREE))
}

/** What an angle is from 0° to 90°, without rounding, and the signs of its sine and cosine. */
function quarterOf(degrees: number): { rest: number; sine: number; cosine: number } {
  let rest = Math.abs(degrees % 360)
  let sine = degrees < 0 ? -1 : 1
  if (rest > 180) {
    rest = 360 - rest
    sine = -sine
  }
  return rest > 90 ? { rest: 180 - rest, sine, cosine: -1 } : { rest, sine, cosine: 1 }
}

function whole(of: Fraction[], calculate: (numbers: bigint[]) => bigint | undefined): Fraction | undefined {
  if (!of.every(isWhole)) return undefined
  const result = calculate(of.map(({ s, n }) => s * n))
  return result === undefined ? undefined : new Fraction(result, 1n)
}

function gcd(one: bigint, other: bigint): bigint {
  let [larger, smaller] = [one < 0n ? -one : one, other < 0n ? -other : other]
  while (smaller !== 0n) [larger, smaller] = [smaller, larger % smaller]
  return larger
}

function lcm(one: bigint, other: bigint): bigint {
  if (one === 0n || other === 0n) return 0n
  const multiple = (one / gcd(one, other)) * other
  return multiple < 0n ? -multiple : multiple
}

function realGcd(one: number, other: number): number {
  if (!Number.isSafeInteger(one) || !Number.isSafeInteger(other)) return Number.NaN
  let [larger, smaller] = [Math.abs(one), Math.abs(other)]
  while (smaller !== 0) [larger, smaller] = [smaller, larger % smaller]
  return larger
}

function realLcm(one: number, other: number): number {
  return one === 0 || other === 0 ? 0 : Math.abs(one / realGcd(one, other)) * Math.abs(other)
}

function product(from: bigint, to: bigint): bigint {
  let result = 1n
  for (let factor = from; factor <= to; factor++) result *= factor
  return result
}

let known: number[] | undefined

function factorials(): number[] {
  known ??= Array.from({ length: LARGEST_FACTORIAL + 1 }, (_, of) => Number(product(1n, BigInt(of))))
  return known
}

function binomial(of: bigint, taken: bigint): bigint | undefined {
  if (of < 0n || of > LARGEST_BINOMIAL || taken < 0n) return undefined
  if (taken > of) return 0n
  const fewer = taken > of - taken ? of - taken : taken
  return product(of - fewer + 1n, of) / product(1n, fewer)
}

/** Of real numbers too: Γ(n + 1) / (Γ(k + 1) Γ(n − k + 1)), by factors where so many are taken as can be counted. */
function realBinomial(of: number, taken: number): number {
  if (Number.isInteger(taken)) {
    if (taken < 0) return 0
    // From whole ones the fewer can be taken.
    const count = Number.isInteger(of) && of >= taken ? Math.min(taken, of - taken) : taken
    if (count > LARGEST_BINOMIAL) return Number.NaN
    let result = 1
    for (let factor = 1; factor <= count; factor++) result *= (of - count + factor) / factor
    return Number.isInteger(of) && Number.isSafeInteger(Math.round(result)) ? Math.round(result) : result
  }
  return gamma(of + 1) / (gamma(taken + 1) * gamma(of - taken + 1))
}

/** Lanczos' series, for 15 digits. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
]

function gamma(of: number): number {
  // Poles: there it has no value, and its reciprocal is 0.
  if (Number.isInteger(of) && of <= 0) return Number.POSITIVE_INFINITY
  if (of < 0.5) return Math.PI / (Math.sin(Math.PI * of) * gamma(1 - of))
  const x = of - 1
  const sum = LANCZOS.reduce((total, term, index) => (index === 0 ? term : total + term / (x + index)), 0)
  const t = x + LANCZOS.length - 1.5
  return Math.sqrt(2 * Math.PI) * t ** (x + 0.5) * Math.exp(-t) * sum
}
