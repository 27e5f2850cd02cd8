import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  countFinite,
  drawPoints,
  isEqual,
  LEAST_FINITE,
  parseExpression,
  type Random,
  readTyped,
} from '../src/index.ts'
import { type Expression, evaluated, fromText, nearest, print, type Ratio, TooLong } from './reference.ts'

/** Keys that are compared with an answer of their value, and with one of another value. */
const CASES = Number(process.env.CASES ?? 2_000)

const number = (text: string): Expression => ({ is: 'number', text })
const name = (of: string): Expression => ({ is: 'name', name: of })
const call = (of: string, inner: Expression): Expression => ({ is: 'call', name: of, of: [inner] })
const negative = (of: Expression): Expression => ({ is: 'negative', of })
type Sign = '+' | '-' | '*' | '/' | '^'
const binary = (left: Expression, sign: Sign, right: Expression): Expression => ({
  is: 'binary',
  sign,
  left,
  right,
})

const ONE = number('1')
const TWO = number('2')
/** 1 + of². */
const above = (of: Expression) => binary(ONE, '+', binary(of, '^', TWO))

/** In x and y, without poles where they are compared. */
const keys = fc.letrec<{ any: Expression }>((tie) => {
  const any = tie('any')
  return {
    any: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      { weight: 4, arbitrary: fc.constantFrom('x', 'y').map(name) },
      { weight: 2, arbitrary: fc.constantFrom('2', '3', '0.5', '1.25', '7').map(number) },
      {
        weight: 4,
        arbitrary: fc
          .tuple(any, fc.constantFrom<Sign>('+', '-', '*'), any)
          .map(([left, sign, right]) => binary(left, sign, right)),
      },
      { weight: 1, arbitrary: fc.tuple(any, any).map(([of, by]) => binary(of, '/', above(by))) },
      {
        weight: 1,
        arbitrary: fc.tuple(any, fc.constantFrom('2', '3')).map(([of, to]) => binary(of, '^', number(to))),
      },
      { weight: 1, arbitrary: any.map(negative) },
      {
        weight: 1,
        arbitrary: fc.tuple(fc.constantFrom('sin', 'cos', 'atan'), any).map(([of, inner]) => call(of, inner)),
      },
      {
        weight: 1,
        arbitrary: fc.tuple(fc.constantFrom('sqrt', 'ln'), any).map(([of, inner]) => call(of, above(inner))),
      },
      { weight: 1, arbitrary: any.map((inner) => call('exp', call('sin', inner))) },
    ),
  }
}).any

/** Others of the same value, by the rules of arithmetic. */
const REWRITINGS: ((of: Expression) => Expression)[] = [
  (of) => binary(binary(TWO, '*', of), '-', of),
  (of) =>
    binary(
      of,
      '*',
      binary(binary(call('sin', name('x')), '^', TWO), '+', binary(call('cos', name('x')), '^', TWO)),
    ),
  (of) => negative(negative(of)),
  (of) => binary(of, '/', binary(binary(name('y'), '^', number('0')), '^', TWO)),
  (of) =>
    of.is === 'binary' && '+*'.includes(of.sign)
      ? binary(of.right, of.sign, of.left)
      : binary(number('0'), '+', of),
  (of) =>
    of.is === 'binary' && of.sign === '-'
      ? binary(negative(of.right), '+', of.left)
      : binary(of, '-', number('0')),
  (of) =>
    of.is === 'binary' && of.sign === '/' ? binary(of.left, '*', binary(of.right, '^', negative(ONE))) : of,
  (of) =>
    of.is === 'binary' && of.sign === '*' && of.left.is === 'binary' && of.left.sign === '+'
      ? binary(binary(of.left.left, '*', of.right), '+', binary(of.left.right, '*', of.right))
      : binary(binary(of, '*', number('3')), '/', number('3')),
  (of) =>
    of.is === 'binary' && of.sign === '^' && of.right.is === 'number' && of.right.text === '2'
      ? binary(of.left, '*', of.left)
      : of,
]

/**
 * The tree with one of its nodes, counted from the root, as `change` makes it. Exponents stay whole: of a number below 0
 * another power than a whole one has no value.
 */
function changed(of: Expression, at: number, change: (node: Expression) => Expression): Expression {
  let index = 0
  const walk = (node: Expression): Expression => {
    const isThere = index++ === at
    if (isThere) return change(node)
    if (node.is === 'negative') return { ...node, of: walk(node.of) }
    if (node.is === 'call') return { ...node, of: node.of.map(walk) }
    if (node.is !== 'binary') return node
    return { ...node, left: walk(node.left), right: node.sign === '^' ? node.right : walk(node.right) }
  }
  return walk(of)
}

function countNodes(of: Expression): number {
  if (of.is === 'negative') return 1 + countNodes(of.of)
  if (of.is === 'call') return of.of.reduce((sum, each) => sum + countNodes(each), 1)
  if (of.is !== 'binary') return 1
  return 1 + countNodes(of.left) + (of.sign === '^' ? 0 : countNodes(of.right))
}

/** One change, as a slip of the pen makes it. */
function slip(of: Expression): Expression {
  if (of.is === 'number') return number(of.text === '2' ? '3' : '2')
  if (of.is === 'name') return name(of.name === 'x' ? 'y' : 'x')
  if (of.is === 'negative') return of.of
  if (of.is === 'call') return { ...of, name: of.name === 'sin' ? 'cos' : 'sin' }
  return { ...of, sign: ({ '+': '-', '-': '+', '*': '+', '/': '*', '^': '*' } as const)[of.sign] }
}

/** As people type it: products without a sign, fractions and roots in LaTeX. */
function typed(of: Expression): string {
  const bracketed = (each: Expression) =>
    each.is === 'binary' || each.is === 'negative' ? `\\left(${typed(each)}\\right)` : typed(each)
  switch (of.is) {
    case 'number':
      return of.text.replace('.', ',')
    case 'name':
      return of.name
    case 'negative':
      return `−${bracketed(of.of)}`
    case 'call': {
      const [inner] = of.of as [Expression]
      if (of.name === 'sqrt') return `\\sqrt{${typed(inner)}}`
      return of.name === 'atan' ? `\\arctan(${typed(inner)})` : `\\${of.name}\\left(${typed(inner)}\\right)`
    }
    case 'binary': {
      if (of.sign === '/') return `\\frac{${typed(of.left)}}{${typed(of.right)}}`
      const left = bracketed(of.left)
      if (of.sign === '^')
        return `${of.left.is === 'name' ? left : `\\left(${typed(of.left)}\\right)`}^{${typed(of.right)}}`
      const right = bracketed(of.right)
      const isPlain = of.left.is === 'number' && of.right.is === 'name'
      return of.sign === '*' ? `${left}${isPlain ? '' : ' \\cdot '}${right}` : `${left} ${of.sign} ${right}`
    }
  }
}

const SYMBOLS = [{ name: 'x' }, { name: 'y' }]
const read = (of: Expression, isTyped: boolean) =>
  isTyped ? readTyped(typed(of), { symbols: ['x', 'y'] }) : parseExpression(print(of))

/** Whether two trees have different values, by more than a rounding, somewhere. */
function differs(one: Expression, other: Expression): boolean {
  return (
    [
      ['0.7', '2.3'],
      ['-1.9', '0.45'],
      ['2.77', '-1.1'],
    ] as const
  ).some(([x, y]) => {
    const at = new Map<string, Ratio>([
      ['x', fromText(x)],
      ['y', fromText(y)],
    ])
    const [a, b] = [one, other].map((each) => evaluated(each, at)) as [Ratio | undefined, Ratio | undefined]
    if (!a || !b) return (a === undefined) !== (b === undefined)
    const [p, q] = [nearest(a), nearest(b)]
    return Math.abs(p - q) > 1e-6 * Math.max(Math.abs(p), Math.abs(q)) && Math.abs(p - q) > 1e-7
  })
}

function random(seed: number): Random {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state
  }
}

const COSTLY = { meta: process.env.CASES ? { costly: 'as many as were asked for' } : {}, timeout: 600_000 }

test(`${CASES} formulas are equal to others of their value, and to none with a slip`, COSTLY, () => {
  const seen = { equal: 0, unequal: 0 }
  fc.assert(
    fc.property(
      keys,
      fc.array(fc.tuple(fc.constantFrom(...REWRITINGS), fc.nat()), { minLength: 1, maxLength: 3 }),
      fc.nat(),
      fc.boolean(),
      fc.nat(1e6),
      (key, rewritings, at, isTyped, seed) => {
        const same = rewritings.reduce(
          (of, [rewrite, place]) => changed(of, place % countNodes(of), rewrite),
          key,
        )
        const other = changed(same, at % countNodes(same), slip)
        fc.pre([key, same, other].every((each) => typed(each).length <= 500 && countNodes(each) <= 180))
        const points = drawPoints(parseExpression(print(key)), SYMBOLS, random(seed))
        fc.pre(countFinite(points) >= LEAST_FINITE)
        fc.pre(points.key.every(({ value, cancelling }) => Math.max(Math.abs(value), cancelling) < 1e4))
        expect(isEqual(read(same, isTyped), points), `${print(key)} = ${print(same)}`).toBe(true)
        seen.equal += 1
        try {
          if (!differs(key, other)) return
        } catch (error) {
          if (error instanceof TooLong) return
          throw error
        }
        expect(isEqual(read(other, isTyped), points), `${print(key)} ≠ ${print(other)}`).toBe(false)
        seen.unequal += 1
      },
    ),
    { numRuns: CASES, maxSkipsPerRun: 20, ...(process.env.SEED ? { seed: Number(process.env.SEED) } : {}) },
  )
  expect(seen.unequal).toBeGreaterThan(CASES / 2)
  if (process.env.CASES) console.log(seen)
})

const TINY = ['1.6*10^-19', '6.62607015*10^(-34)', 'exp(-40)', '10^-12/3']

test.each([
  ...TINY.map((factor) => [`${factor}*(x+y)`, `${factor}*x + ${factor}*y`]),
  ...TINY.map((factor) => [`${factor}*x/(4+y)`, `x/((4+y)/(${factor}))`]),
  ...TINY.map((factor) => [`${factor}*(x-y)^4`, `${factor}*(x^4 - 4*x^3*y + 6*x^2*y^2 - 4*x*y^3 + y^4)`]),
  ['exp(-(x+40))', 'exp(-x)*exp(-40)'],
  ['10^(-(20+x))', '10^-20/10^x'],
  ['(x-y)^6', '(x^2 - 2*x*y + y^2)^3'],
  ['(x+100)^2 - (x-100)^2', '400*x'],
])('%s is %s, and neither 0 nor a millionth more', (key, same) => {
  for (let seed = 1; seed <= 50; seed++) {
    const points = drawPoints(parseExpression(key), SYMBOLS, random(seed))
    const isRight = (answer: string) => isEqual(parseExpression(answer), points)
    expect([same, '0', `(${key})*1.000001`, `-(${key})`].map(isRight)).toEqual([true, false, false, false])
  }
})
