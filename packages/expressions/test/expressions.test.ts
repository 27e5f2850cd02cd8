import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { evaluate, parseCondition, parseExpression, toText, write } from '../src/index.ts'

/** What a text stands for, as it is shown; null where it isn't finite. */
function shown(text: string): string | null {
  const value = evaluate(parseExpression(text), new Map())
  return value ? toText(write(value)) : null
}

/** A fraction that knows nothing of the package. */
type Rational = [numerator: bigint, denominator: bigint]
interface Case {
  text: string
  value: Rational | undefined
  binds: number
}

const wrap = ({ text, binds }: Case, least: number) => (binds < least ? `(${text})` : text)
const both = (
  one: Case,
  other: Case,
  calculate: (a: Rational, b: Rational) => Rational | undefined,
): Rational | undefined => one.value && other.value && calculate(one.value, other.value)

/** Texts with the brackets that their precedence asks for and no others, and what they are worth. */
const cases = fc.letrec<{ any: Case }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.tuple(fc.nat(2_000), fc.nat(3)).map(([digits, scale]): Case => {
      const padded = String(digits).padStart(scale + 1, '0')
      const text = scale === 0 ? padded : `${padded.slice(0, -scale)}.${padded.slice(-scale)}`
      return { text, value: [BigInt(digits), 10n ** BigInt(scale)], binds: 9 }
    }),
    tie('any').map(
      (of): Case => ({
        text: `-${wrap(of, 3)}`,
        value: of.value && ([-of.value[0], of.value[1]] satisfies Rational),
        binds: 3,
      }),
    ),
    fc.tuple(tie('any'), tie('any')).map(([one, other]) => ({
      text: `${wrap(one, 1)} + ${wrap(other, 2)}`,
      value: both(one, other, ([a, b], [c, d]) => [a * d + c * b, b * d]),
      binds: 1,
    })),
    fc.tuple(tie('any'), tie('any')).map(([one, other]) => ({
      text: `${wrap(one, 1)}-${wrap(other, 2)}`,
      value: both(one, other, ([a, b], [c, d]) => [a * d - c * b, b * d]),
      binds: 1,
    })),
    fc.tuple(tie('any'), tie('any')).map(([one, other]) => ({
      text: `${wrap(one, 2)} * ${wrap(other, 3)}`,
      value: both(one, other, ([a, b], [c, d]) => [a * c, b * d]),
      binds: 2,
    })),
    fc.tuple(tie('any'), tie('any')).map(([one, other]) => ({
      text: `${wrap(one, 2)}/${wrap(other, 3)}`,
      value: both(one, other, ([a, b], [c, d]) => (c === 0n ? undefined : [a * d, b * c])),
      binds: 2,
    })),
    fc.tuple(tie('any'), fc.nat(3)).map(
      ([of, exponent]): Case => ({
        text: `${wrap(of, 5)}^${exponent}`,
        value: of.value && [of.value[0] ** BigInt(exponent), of.value[1] ** BigInt(exponent)],
        binds: 4,
      }),
    ),
  ),
})).any

test('sums, products, quotients and whole powers are exact, with the precedence of mathematics', () => {
  fc.assert(
    fc.property(cases, ({ text, value }) => {
      fc.pre(text.length <= 500 && (text.match(/[\d.]+|[-+*/^]/g)?.length ?? 0) <= 200)
      const read = evaluate(parseExpression(text), new Map())
      const [numerator, denominator] = value ?? []
      expect(read === undefined, text).toBe(value === undefined)
      if (read && denominator) expect(read.s * read.n * denominator, text).toBe((numerator ?? 0n) * read.d)
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  ['-2^2', '−4'],
  ['2^3^2', '512'],
  ['2^-3^2', '0.001953125'],
  ['0.1 + 0.2', '0.3'],
  ['1/3', '0.333333'],
  ['2/3*3', '2'],
  ['sqrt(2)', '1.4142135623731'],
  ['round(-2.5)', '−3'],
  ['mod(-7, 3)', '2'],
  ['mod(7, -3)', '−2'],
  ['sind(30)', '0.5'],
  ['cosd(90)', '0'],
  ['tand(135)', '−1'],
  ['sind(-0.001)*10^10', '−174532.925190572'],
  ['sind(45)^2 - cosd(45)^2', '0'],
  ['binom(5, 2) + factorial(4)', '34'],
  ['gcd(12, 18) + lcm(4, 6)', '18'],
  ['10^9', '1000000000'],
  ['10^9 + 1', '1.000000001 × 10⁹'],
  ['1/10000', '0.0001'],
  ['1/100000', '1 × 10⁻⁵'],
  ['0 * -1', '0'],
])('%s is shown as %s', (text, wanted) => {
  expect(shown(text)).toBe(wanted)
})

test.each(['1/0', 'ln(0)', 'sqrt(-1)', 'tand(90)', 'factorial(171)', 'gcd(0.5, 1)', '0^-1', 'mod(1, 0)'])(
  '%s has no value',
  (text) => {
    expect(shown(text)).toBeNull()
  },
)

describe('a text that is no expression', () => {
  test.each([
    ['', /empty/],
    ['2x', /missing/],
    ['sin 2', /missing/],
    ['1 < 2', /a number is asked for/],
    ['sin(1, 2)', /gives sin 2 values/],
    ['sin + 1', /without brackets/],
    ['f(1)', /no function/],
    ['a.constructor', /'\.'/],
    ['"a"', /'"'/],
    ['a[0]', /'\['/],
    ['1;2', /';'/],
    ['1 ? 2 : 3', /'\?'/],
    ['1, 2', /missing/],
    [`1${'+1'.repeat(100)}`, /more than 200/],
    ['1'.repeat(501), /longer than 500/],
  ])('%s is refused with the reason', (text, reason) => {
    expect(() => parseExpression(text)).toThrow(reason)
  })

  test('of any kind is refused, or has a value, within milliseconds', () => {
    const signs = fc.constantFrom(
      ...'0123456789.eE+-*/^()<>=!, abxpi'.split(''),
      'sqrt(',
      'factorial(',
      '^9',
      'and ',
    )
    const texts = fc.oneof(
      fc.string({ unit: signs, maxLength: 120 }),
      fc.string({ unit: 'binary', maxLength: 60 }),
    )
    fc.assert(
      fc.property(texts, (text) => {
        try {
          evaluate(parseExpression(text), new Map())
        } catch (error) {
          expect(error).toHaveProperty('name', 'ExpressionError')
        }
      }),
      { numRuns: 3_000 },
    )
  })

  test('means nothing to the parser, whatever its names', () => {
    for (const name of ['this', 'true', 'null', 'constructor', '__proto__x'.slice(2), 'undefined'])
      expect(parseExpression(name)).toEqual({ kind: 'name', name })
  })
})

test('a condition is a comparison, or several that are joined', () => {
  expect(parseCondition('not a < b and c == 2 or a >= 1')).toMatchObject({ operator: 'or' })
  for (const text of ['a', 'a + 1', 'a < b < c', 'a and b < c', '(a < b) + 1', 'not a'])
    expect(() => parseCondition(text), text).toThrow()
})
