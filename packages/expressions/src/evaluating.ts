import type Fraction from 'fraction.js'
import { bounded, decimal, power, readDecimal } from './exact.ts'
import { callExact, callReal } from './functions.ts'
import { type Arithmetic, CONSTANTS, type Comparison, isArithmetic, type Tree } from './tree.ts'

/** Values of names. */
export type Values = ReadonlyMap<string, Fraction>

/**
 * The exact value of an expression that stands for a number: sums, products and quotients aren't rounded, what functions
 * and constants give has 15 significant digits. undefined where it isn't finite, or a name has no value.
 */
export function evaluate(tree: Tree, values: Values): Fraction | undefined {
  switch (tree.kind) {
    case 'number':
      return readDecimal(tree.text)
    case 'constant':
      return decimal(CONSTANTS[tree.name])
    case 'name':
      return values.get(tree.name)
    case 'minus':
      return evaluate(tree.of, values)?.neg()
    case 'call': {
      const of = tree.of.map((value) => evaluate(value, values))
      const result = of.every((value) => value !== undefined) ? callExact(tree.name, of) : undefined
      return result && bounded(result)
    }
    case 'operator': {
      const [left, right] = [evaluate(tree.left, values), evaluate(tree.right, values)]
      if (!left || !right || !isArithmetic(tree.operator)) return undefined
      const result = calculate(tree.operator, left, right)
      return result && bounded(result)
    }
    case 'not':
      return undefined
  }
}

/** Whether a condition is fulfilled; not where a value in it isn't finite. */
export function holds(tree: Tree, values: Values): boolean {
  return decide(tree, values) ?? false
}

/** undefined where a value isn't finite, so that `not` doesn't make it true. */
function decide(tree: Tree, values: Values): boolean | undefined {
  if (tree.kind === 'not') {
    const of = decide(tree.of, values)
    return of === undefined ? undefined : !of
  }
  if (tree.kind !== 'operator') return undefined
  if (tree.operator === 'and' || tree.operator === 'or') {
    const [left, right] = [decide(tree.left, values), decide(tree.right, values)]
    if (left === undefined || right === undefined) return undefined
    return tree.operator === 'and' ? left && right : left || right
  }
  const [left, right] = [evaluate(tree.left, values), evaluate(tree.right, values)]
  if (!left || !right || isArithmetic(tree.operator)) return undefined
  return compare(tree.operator, left.compare(right))
}

function compare(comparison: Comparison, order: number): boolean {
  switch (comparison) {
    case '==':
      return order === 0
    case '!=':
      return order !== 0
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
  }
}

function calculate(operator: Arithmetic, left: Fraction, right: Fraction): Fraction | undefined {
  switch (operator) {
    case '+':
      return left.add(right)
    case '-':
      return left.sub(right)
    case '*':
      return left.mul(right)
    case '/':
      return right.n === 0n ? undefined : left.div(right)
    case '^':
      return power(left, right)
  }
}

/** What a tree gives at a point, by floating-point numbers: NaN where it has no value. */
export function evaluateReal(tree: Tree, values: ReadonlyMap<string, number>): number {
  return real(tree, values, (node) => evaluateReal(node, values))
}

/** A value, and how large what cancels out in it may be, which says how much of it may be rounding. */
export interface RealValue {
  value: number
  cancelling: number
}

/** As `evaluateReal`. */
export function evaluateSized(tree: Tree, values: ReadonlyMap<string, number>): RealValue {
  let largest = 0
  const sizedAt = (node: Tree): Sized => {
    const sizes: Sized[] = []
    const value = real(node, values, (below) => {
      const sized = sizedAt(below)
      sizes.push(sized)
      return sized.value
    })
    // Only these lose digits: what is multiplied keeps its precision, however large it becomes in between.
    if (node.kind === 'operator' && '+-'.includes(node.operator))
      for (const summand of sizes) largest = Math.max(largest, Math.abs(summand.value))
    return { value, size: sizeOf(node, value, sizes) }
  }
  const { value, size } = sizedAt(tree)
  // A large summand counts by what it is multiplied with: 10^-19 times a sum is nowhere near 1.
  return { value, cancelling: Number.isFinite(size) ? Math.min(largest, size) : largest }
}

/** A value, and how large it would be if nothing cancelled out: infinite or NaN where that can't be said. */
interface Sized {
  value: number
  size: number
}

function sizeOf(node: Tree, value: number, [left, right]: Sized[]): number {
  if (!left) return Math.abs(value)
  if (node.kind === 'minus') return left.size
  if (node.kind === 'call') {
    const { name } = node
    // Of several values the sizes aren't followed.
    if (right) return Number.POSITIVE_INFINITY
    const step = STEP * (Math.abs(left.value) || 1)
    const slopes = [left.value - step, left.value + step].map(
      (beside) => Math.abs(callReal(name, [beside]) - value) / step,
    )
    return Math.abs(value) + Math.max(...slopes) * left.size
  }
  if (node.kind !== 'operator' || !right) return Number.POSITIVE_INFINITY
  const [l, r] = [Math.abs(left.value), Math.abs(right.value)]
  switch (node.operator) {
    case '+':
    case '-':
      return left.size + right.size
    case '*':
      return left.size * right.size
    case '/':
      return left.size / r + (l * right.size) / r ** 2
    case '^': {
      const byParts = Math.abs(value) * (1 + (r * left.size) / l + Math.abs(Math.log(l)) * right.size)
      return Number.isInteger(right.value) && right.value > 0
        ? Math.max(left.size ** right.value, byParts)
        : byParts
    }
    default:
      return Number.POSITIVE_INFINITY
  }
}

/** Of a value: how far beside it a function's slope is taken. */
const STEP = 1e-6

function real(tree: Tree, values: ReadonlyMap<string, number>, at: (node: Tree) => number): number {
  switch (tree.kind) {
    case 'number':
      return Number(tree.text)
    case 'constant':
      return CONSTANTS[tree.name]
    case 'name':
      return values.get(tree.name) ?? Number.NaN
    case 'minus':
      return -at(tree.of)
    case 'call': {
      const of = tree.of.map(at)
      return of.some(Number.isNaN) ? Number.NaN : callReal(tree.name, of)
    }
    case 'operator': {
      const [left, right] = [at(tree.left), at(tree.right)]
      if (tree.operator === '+') return left + right
      if (tree.operator === '-') return left - right
      if (tree.operator === '*') return left * right
      // What has no value gives none to what it is in: in JavaScript 1/0 is infinite, and anything to the 0 is 1.
      if (tree.operator === '/') return right === 0 ? Number.NaN : left / right
      const isPower = tree.operator === '^' && !Number.isNaN(left) && (left !== 0 || right >= 0)
      return isPower ? left ** right : Number.NaN
    }
    case 'not':
      return Number.NaN
  }
}
