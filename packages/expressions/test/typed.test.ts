import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  countFinite,
  drawPoints,
  ExpressionError,
  isEqual,
  parseExpression,
  type Random,
  readTyped,
  type Tree,
  toLatex,
} from '../src/index.ts'

const SYMBOLS = ['x', 'y', 'a', 'b', 'v_0', 'v_x_0', 'theta', 'mass']
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
  ['\\left|x\\left|y\\right|\\right|', 'abs(x*abs(y))'],
  ['\\lvert x\\lvert y\\rvert\\rvert^2', 'abs(x*abs(y))^2'],
  ['sin\\left|x\\right|', 'sin(abs(x))'],
  ['asind(x)', 'asind(x)'],
  ['sind^{-1} x', 'asind(x)'],
  ['arctand x', 'atand(x)'],
  ['x² 3', 'x^2*3'],
  ['2e x', '2*e*x'],
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
  ['v_{x,0}^2 + v_{ x , 0 }', 'v_x_0^2 + v_x_0'],
  ['0{,}5x + max(0{,}5, 1)', '0.5*x + max(0.5, 1)'],
  ['\\log x + log(2x)', 'log10(x) + log10(2*x)'],
  ['x^{²} + y^{ ⁻¹² }', 'x^2 + y^(-12)'],
  ['2\\left\\{x+y\\right\\}\\{x\\}', '2*(x+y)*x'],
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

describe('two formulas', () => {
  const points = (key: Tree) => drawPoints(key, [{ name: 'x' }, { name: 'y' }], random())

  test('aren’t equal by numbers that are large on the way alone', () => {
    expect(isEqual(parseExpression('10^20 - 10^20'), points(parseExpression('x')))).toBe(false)
  })

  test('aren’t equal by powers of what has no value', () => {
    for (const none of ['x*(1/0)^0', 'x + 0*atan(1/0)', 'x/(0^-1)^0', 'x + lcm(0, 1/0)'])
      expect(isEqual(parseExpression(none), points(parseExpression('x'))), none).toBe(false)
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

test.each(['2 3', 'sin 2 3', '2e3', '2E-3', 'max(1;x)', '\\left|x|', '1 000'])('%j is refused', (text) => {
  expect(() => read(text)).toThrow(ExpressionError)
})

test('functions that aren’t allowed are refused however they are written', () => {
  const allowed = { symbols: SYMBOLS, also: ['sin'] }
  expect(readTyped('sin x', allowed)).toBeDefined()
  for (const text of ['|x|', '√x', '\\sqrt{x}', '\\sqrt[3]{x}', '\\binom{x}{2}', 'sin^{-1} x'])
    expect(() => readTyped(text, allowed), text).toThrow('isn’t allowed')
})

test('no text takes long to read, to compare or to draw', () => {
  const texts = [
    ...[`${'-'.repeat(190)}x`, `${'sin '.repeat(120)}x`, `${'√'.repeat(190)}x`, `${'|'.repeat(499)}x`],
    ...[`${'--x^('.repeat(45)}y${')'.repeat(45)}`, `${'(--x)^'.repeat(40)}x`, '\\frac{'.repeat(70)],
    ...[`${'('.repeat(240)}x${')'.repeat(240)}`, `${'factorial('.repeat(40)}x${')'.repeat(40)}`],
  ]
  const key = drawPoints(parseExpression('x'), [{ name: 'x' }], random())
  const take = (text: string) => {
    try {
      const tree = read(text)
      toLatex(tree)
      isEqual(tree, key)
    } catch (error) {
      expect(error, text).toBeInstanceOf(ExpressionError)
    }
  }
  for (const text of texts) {
    for (let round = 0; round < 20; round++) take(text)
    const from = process.threadCpuUsage()
    for (let round = 0; round < 20; round++) take(text)
    const { user, system } = process.threadCpuUsage(from)
    // 2 ms on a quick machine; what grows without a limit takes seconds.
    expect((user + system) / 1_000 / 20, text).toBeLessThan(20)
  }
})

test('symbols are drawn from above 0 only where the key asks for it', () => {
  const below = (points: ReturnType<typeof drawPoints>, name: string) =>
    points.values.some((values) => (values.get(name) ?? 0) < 0)
  const one = drawPoints(parseExpression('ln(x) + y'), [{ name: 'y' }, { name: 'x' }], random())
  expect([countFinite(one), below(one, 'x'), below(one, 'y')]).toEqual([24, false, true])
  const both = drawPoints(parseExpression('sqrt(x*y)'), [{ name: 'x' }, { name: 'y' }], random())
  expect([countFinite(both), below(both, 'x'), below(both, 'y')]).toEqual([24, false, false])
})

test('what is multiplied on the way to the key brings no tolerance', () => {
  const points = drawPoints(parseExpression('exp(50)*x/exp(50)'), [{ name: 'x' }], random())
  expect(isEqual(parseExpression('x'), points)).toBe(true)
  expect(isEqual(parseExpression('x + 1'), points)).toBe(false)
})

test('binomial coefficients of real numbers', () => {
  const points = drawPoints(parseExpression('binom(x, 3)'), [{ name: 'x' }], random())
  expect(countFinite(points)).toBe(24)
  expect(isEqual(read('x(x-1)(x-2)/6'), points)).toBe(true)
  const real = drawPoints(parseExpression('binom(x, y)'), [{ name: 'x' }, { name: 'y' }], random())
  expect(isEqual(read('binom(x-1,y-1) + binom(x-1,y)'), real)).toBe(true)
})
