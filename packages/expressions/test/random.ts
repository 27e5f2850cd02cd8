import fc from 'fast-check'
import { type Condition, decimalNear, type Expression, type Format, ratio } from './reference.ts'

/** Random expressions, conditions and formats, of all operators and functions. */

const number = (text: string): Expression => ({ is: 'number', text })
const call = (name: string, ...of: Expression[]): Expression => ({ is: 'call', name, of })
const binary = (sign: '+' | '-' | '*' | '/' | '^', left: Expression, right: Expression): Expression => ({
  is: 'binary',
  sign,
  left,
  right,
})

export const decimal = (least: number, most: number) =>
  fc
    .tuple(fc.integer({ min: least, max: most }), fc.nat(3))
    .map(([digits, decimals]) => decimalNear(ratio(BigInt(digits), 10n ** BigInt(decimals)), decimals))
const literal = fc.oneof(
  decimal(0, 20_000),
  fc.constantFrom('.5', '2.', '1e3', '2.5E-4', '0', '1', '2', '10'),
)

/** Functions that have a value for any number, and for those of their domain alone. */
const EVERYWHERE = [
  ...['cbrt', 'abs', 'sin', 'cos', 'tan', 'atan', 'tanh', 'floor', 'ceil', 'round', 'sind', 'cosd', 'tand'],
  ...['atand', 'exp', 'sinh', 'cosh'],
]
const SOMEWHERE: [string, (of: Expression) => Expression][] = [
  ...['sqrt', 'ln', 'log10', 'log2'].map((name): [string, (of: Expression) => Expression] => [
    name,
    (of) => call('abs', of),
  ]),
  ...['asin', 'acos', 'asind', 'acosd'].map((name): [string, (of: Expression) => Expression] => [
    name,
    (of) => call('sin', of),
  ]),
  ['factorial', (of) => call('mod', call('round', of), number('25'))],
]
const EXPONENTS = ['0', '1', '2', '3', '4', '0.5', '2.5'].map(number)

/** Of these names. */
export function expressions(names: readonly string[]): fc.Arbitrary<Expression> {
  const name = fc.constantFrom(...names).map((each): Expression => ({ is: 'name', name: each }))
  const leaf = fc.oneof(
    { weight: 5, arbitrary: name },
    { weight: 3, arbitrary: literal.map(number) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('pi', 'e').map((each): Expression => ({ is: 'name', name: each })),
    },
  )
  return fc.letrec<{ any: Expression }>((tie) => {
    const any = tie('any')
    const whole = any.map((of) => call('round', of))
    const mostlyWhole = fc.oneof(whole, leaf)
    const some = fc.array(any, { minLength: 1, maxLength: 3 })
    return {
      any: fc.oneof(
        { maxDepth: 4, depthSize: 'small' },
        { weight: 6, arbitrary: leaf },
        {
          weight: 6,
          arbitrary: fc
            .tuple(fc.constantFrom<'+' | '-' | '*' | '/'>('+', '-', '*', '/'), any, any)
            .map(([sign, left, right]) => binary(sign, left, right)),
        },
        { weight: 2, arbitrary: any.map((of): Expression => ({ is: 'negative', of })) },
        {
          weight: 2,
          arbitrary: fc
            .tuple(any, fc.constantFrom(...EXPONENTS), fc.nat(4))
            .map(([of, exponent, sign]) =>
              binary('^', of, sign === 0 ? { is: 'negative', of: exponent } : exponent),
            ),
        },
        {
          weight: 2,
          arbitrary: fc.tuple(fc.constantFrom(...EVERYWHERE), any).map(([of, each]) => call(of, each)),
        },
        {
          weight: 2,
          arbitrary: fc
            .tuple(fc.constantFrom(...SOMEWHERE), any, fc.nat(9))
            .map(([[of, into], each, outside]) => call(of, outside === 0 ? each : into(each))),
        },
        {
          weight: 1,
          arbitrary: fc
            .tuple(fc.constantFrom('mod', 'atan2'), any, any)
            .map(([of, one, two]) => call(of, one, two)),
        },
        {
          weight: 1,
          arbitrary: fc.tuple(fc.constantFrom('min', 'max'), some).map(([of, each]) => call(of, ...each)),
        },
        {
          weight: 1,
          arbitrary: fc
            .tuple(fc.constantFrom('gcd', 'lcm'), fc.array(mostlyWhole, { minLength: 1, maxLength: 3 }))
            .map(([of, each]) => call(of, ...each)),
        },
        {
          weight: 1,
          arbitrary: fc
            .tuple(whole, fc.nat(12))
            .map(([of, taken]) => call('binom', of, number(String(taken)))),
        },
      ),
    }
  }).any
}

export function conditions(of: fc.Arbitrary<Expression>): fc.Arbitrary<Condition> {
  const signs = fc.constantFrom<'==' | '!=' | '<' | '<=' | '>' | '>='>('==', '!=', '!=', '<', '<=', '>', '>=')
  return fc.letrec<{ any: Condition }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 2 },
      {
        weight: 3,
        arbitrary: fc
          .tuple(signs, of, of)
          .map(([sign, left, right]): Condition => ({ is: 'compares', sign, left, right })),
      },
      { weight: 1, arbitrary: tie('any').map((inner): Condition => ({ is: 'not', of: inner })) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom<'and' | 'or'>('and', 'or'), tie('any'), tie('any'))
          .map(([word, left, right]): Condition => ({ is: 'joins', word, left, right })),
      },
    ),
  })).any
}

export const formats: fc.Arbitrary<Format> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.nat(15).map((decimals) => ({ decimals })) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 15 }).map((significant) => ({ significant })) },
)
