import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  countFinite,
  drawPoints,
  isEqual,
  parseExpression,
  type Random,
  readTyped,
  type Tree,
  toLatex,
} from '../src/index.ts'

const SYMBOLS = ['x', 'y', 'a', 'b', 'v_0', 'theta', 'mass']
const read = (text: string) => readTyped(text, { symbols: SYMBOLS })
const random = (): Random => {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state
  }
}

test.each([
  ['2x', '2*x'],
  ['xy', 'x*y'],
  ['2(x+1)(x−1)', '2*(x+1)*(x-1)'],
  ['1/2x', '(1/2)*x'],
  ['a/b/x', '(a/b)/x'],
  ['-x^2', '-(x^2)'],
  ['x^-1', 'x^(-1)'],
  ['x^2y', 'x^2*y'],
  ['x²y', 'x^2*y'],
  ['x⁻²', 'x^(-2)'],
  ['x**2', 'x^2'],
  ['x^{a+1}', 'x^(a+1)'],
  ['e^{-x^2}', 'e^(-(x^2))'],
  ['0,5x', '0.5*x'],
  ['.5x', '.5*x'],
  ['2·x×y', '2*x*y'],
  ['\\frac{a}{b}', 'a/b'],
  ['\\dfrac12x', '(1/2)*x'],
  ['\\frac1{2x}', '1/(2*x)'],
  ['\\sqrt{x+1}', 'sqrt(x+1)'],
  ['\\sqrt[3]{x}', 'cbrt(x)'],
  ['√x', 'sqrt(x)'],
  ['√(x+1)', 'sqrt(x+1)'],
  ['|x|', 'abs(x)'],
  ['|x||y|', 'abs(x)*abs(y)'],
  ['||x|-1|', 'abs(abs(x)-1)'],
  ['\\left(a+b\\right)^2', '(a+b)^2'],
  ['\\pi x', 'pi*x'],
  ['2π', '2*pi'],
  ['\\sin x', 'sin(x)'],
  ['sin 2x', 'sin(2*x)'],
  ['sin x cos x', 'sin(x)*cos(x)'],
  ['sinx cosx', 'sin(x)*cos(x)'],
  ['\\sin^2 x', 'sin(x)^2'],
  ['sin(x)^2', 'sin(x)^2'],
  ['sin²x', 'sin(x)^2'],
  ['\\sin^{-1} x', 'asin(x)'],
  ['\\arctan x', 'atan(x)'],
  ['\\operatorname{asin}(x)', 'asin(x)'],
  ['\\log_{10} x', 'log10(x)'],
  ['ln|x|', 'ln(abs(x))'],
  ['max(0,5)', 'max(0, 5)'],
  ['max((0,5),1)', 'max(0.5, 1)'],
  ['\\binom{a}{2}', 'binom(a, 2)'],
  ['$v_{0} x$', 'v_0*x'],
  ['v_0x', 'v_0*x'],
  ['\\theta mass', 'theta*mass'],
])('%s is read as %s', (typed, plain) => {
  expect(read(typed)).toEqual(parseExpression(plain))
})

test.each([
  ['q', /'q'/],
  ['x_1', /'x_1'/],
  ['v_{01}', /'v_01'/],
  ['2+', /lacks a value/],
  ['(x', /lacks a \)/],
  ['x)', /closes none/],
  ['|x', /bar/],
  ['\\frac{a}', /lacks a value/],
  ['x = 2', /'='/],
  ['1,000,000', /lacks a value|comma/],
  ['max 1', /without brackets/],
  ['', /lacks a value/],
])('%s can’t be read, and the reason is said', (typed, reason) => {
  expect(() => read(typed)).toThrow(reason)
})

test('functions that aren’t allowed are refused', () => {
  expect(() => readTyped('sin x', { symbols: ['x'], also: ['cos'] })).toThrow(/uses sin/)
  expect(readTyped('cos x', { symbols: ['x'], also: ['cos'] })).toEqual(parseExpression('cos(x)'))
})

test('whatever is typed is read or refused', () => {
  const signs = fc.constantFrom(
    ...'0123456789.,+-*/^()[]{}|_ xyabv'.split(''),
    '\\frac',
    '\\sqrt',
    'sin',
    '²',
    '√',
    '$',
    '\\',
  )
  fc.assert(
    fc.property(fc.string({ unit: signs, maxLength: 250 }), (text) => {
      try {
        read(text)
      } catch (error) {
        expect(error).toHaveProperty('name', 'ExpressionError')
      }
    }),
    { numRuns: 3_000 },
  )
})

/** Formulas in x and y without poles, and what each is also equal to. */
const formulas = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('x', 'y', '2', '3', '0.5'),
    fc.tuple(tie('any'), tie('any')).map(([one, other]) => `(${one} + ${other})`),
    fc.tuple(tie('any'), tie('any')).map(([one, other]) => `(${one} - ${other})`),
    fc.tuple(tie('any'), tie('any')).map(([one, other]) => `(${one} * ${other})`),
    tie('any').map((of) => `sin(${of})`),
    tie('any').map((of) => `sqrt(1 + (${of})^2)`),
  ),
})).any
const rewritings: ((of: string) => string)[] = [
  (of) => `0 + ${of}`,
  (of) => `2*(${of}) - (${of})`,
  (of) => `(${of})*(sin(x)^2 + cos(x)^2)`,
  (of) => `((${of})^2 - 1)/1 + 1 - (${of})^2 + ${of}`,
  (of) => `-(-(${of}))`,
]

describe('two formulas', () => {
  const points = (key: Tree) => drawPoints(key, [{ name: 'x' }, { name: 'y' }], random())

  test('that are equal by construction are equal, and unequal by any other constant', () => {
    fc.assert(
      fc.property(
        formulas,
        fc.constantFrom(...rewritings),
        fc.constantFrom('0.001', '1'),
        (of, rewrite, change) => {
          fc.pre(of.length < 80)
          const key = parseExpression(of)
          const drawn = points(key)
          fc.pre(drawn.key.every(({ largest }) => largest < 1e4))
          expect(isEqual(parseExpression(rewrite(of)), drawn), rewrite(of)).toBe(true)
          expect(isEqual(parseExpression(`${rewrite(of)} + ${change}`), drawn), of).toBe(false)
        },
      ),
      { numRuns: 1_000 },
    )
  })

  test('aren’t equal by numbers that are large on the way alone', () => {
    expect(isEqual(parseExpression('10^20 - 10^20'), points(parseExpression('x')))).toBe(false)
  })

  test('are compared from 0.1 on where the key has no value below 0', () => {
    const drawn = points(parseExpression('ln(x)'))
    expect(countFinite(drawn)).toBe(24)
    expect(isEqual(parseExpression('2*ln(sqrt(x))'), drawn)).toBe(true)
  })
})

test('a formula is drawn as it was read', () => {
  expect(toLatex(read('x^2/(a+b) sin 2x'))).toBe('\\frac{x^{2}}{a + b} \\, \\sin\\left(2 \\, x\\right)')
})
