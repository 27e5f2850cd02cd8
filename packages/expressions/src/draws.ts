import type Fraction from 'fraction.js'
import { evaluate, holds, type Values } from './evaluating.ts'
import { readDecimal } from './exact.ts'
import { isFunctionName } from './functions.ts'
import { namesIn, parseCondition, parseExpression } from './parsing.ts'
import { CONSTANTS, ExpressionError, type Tree } from './tree.ts'

/** A variable of a question; decimals are texts. */
export type Variable =
  | { name: string; from: string; to: string; step: string }
  | { name: string; values: readonly string[] }
  | { name: string; is: string }

/** Whole numbers from 0 up to 2³², all equally likely. */
export type Random = () => number

/** Variables that were read, and the conditions between them. */
export interface Draws {
  variables: { name: string; source: Source }[]
  conditions: Tree[]
}

/** How a value comes about: one of `count` that are equally likely, or from earlier ones. */
type Source = { count: number; at(index: number): Fraction } | { tree: Tree }

export const MOST_VARIABLES = 20
export const MOST_CONDITIONS = 5
export const MOST_VALUES = 200
const MOST_STEPS = 1_000_000
/** Values of one variable that are kept once they were made. */
const MOST_KNOWN = 1_000
const NAME = /^[a-zA-Z][a-zA-Z0-9_]{0,15}$/

/** Which part isn't right, as the steps to it, and why. */
export class DrawsError extends ExpressionError {
  readonly path: (string | number)[]
  constructor(path: (string | number)[], message: string) {
    super(message)
    this.path = path
  }
}

/** Whether a variable or symbol may be called so. */
export function isName(text: string): boolean {
  const isTaken = isFunctionName(text) || Object.hasOwn(CONSTANTS, text) || /^(?:and|or|not)$/.test(text)
  return NAME.test(text) && !isTaken
}

/** Reads variables and conditions; throws DrawsError. */
export function readDraws(variables: readonly Variable[], conditions: readonly string[]): Draws {
  const known = new Set<string>()
  const at = <T>(path: (string | number)[], read: () => T): T => {
    try {
      return read()
    } catch (error) {
      throw error instanceof ExpressionError ? new DrawsError(path, error.message) : error
    }
  }
  const read = variables.map((variable, index) => {
    const { name } = variable
    if (!isName(name)) throw new DrawsError(['variables', index, 'name'], `'${name}' can't be a name`)
    if (known.has(name)) throw new DrawsError(['variables', index, 'name'], `'${name}' is there twice`)
    const source = at(['variables', index, ...('is' in variable ? ['is'] : [])], () =>
      readSource(variable, known),
    )
    known.add(name)
    return { name, source }
  })
  return {
    variables: read,
    conditions: conditions.map((text, index) =>
      at(['conditions', index], () => requireKnown(parseCondition(text), known)),
    ),
  }
}

/** Throws ExpressionError for a tree that names anything else. */
export function requireKnown(tree: Tree, known: ReadonlySet<string>): Tree {
  for (const name of namesIn(tree))
    if (!known.has(name)) throw new ExpressionError(`has '${name}', which is no variable before it`)
  return tree
}

/** One draw; undefined where a value isn't finite or a condition isn't fulfilled. */
export function drawOnce(draws: Draws, random: Random): Values | undefined {
  const { values, endless } = drawValues(draws, random)
  return endless === undefined && areFulfilled(draws, values) ? values : undefined
}

/** One draw whatever comes out: its values, and the place of the first variable that isn't finite. */
export function drawValues(
  { variables }: Draws,
  random: Random,
): { values: Map<string, Fraction>; endless: number | undefined } {
  const values = new Map<string, Fraction>()
  let endless: number | undefined
  for (const [index, { name, source }] of variables.entries()) {
    const value = 'tree' in source ? evaluate(source.tree, values) : source.at(pick(source.count, random))
    if (value) values.set(name, value)
    else endless ??= index
  }
  return { values, endless }
}

/** Whether all conditions hold; one that names a value which isn't finite doesn't. */
export function areFulfilled({ conditions }: Draws, values: Values): boolean {
  return conditions.every((condition) => holds(condition, values))
}

/** Whether a condition is false by the values that there are: then the draw isn't one, whatever the others are. */
export function isExcluded({ conditions }: Draws, values: Values): boolean {
  return conditions.some(
    (condition) => [...namesIn(condition)].every((name) => values.has(name)) && !holds(condition, values),
  )
}

/** A whole number below `count`, each equally likely. */
export function pick(count: number, random: Random): number {
  const whole = 2 ** 32
  const fair = whole - (whole % count)
  let number = random()
  while (number >= fair) number = random()
  return number % count
}

function readSource(variable: Variable, known: ReadonlySet<string>): Source {
  if ('is' in variable) return { tree: requireKnown(parseExpression(variable.is), known) }
  if ('values' in variable) {
    const values = new Map<string, Fraction>()
    for (const text of variable.values) {
      const value = requireDecimal(text)
      values.set(value.toFraction(), value)
    }
    const distinct = [...values.values()]
    if (distinct.length === 0 || variable.values.length > MOST_VALUES)
      throw new ExpressionError(`has not 1 to ${MOST_VALUES} values`)
    return { count: distinct.length, at: (index) => distinct[index] as Fraction }
  }
  const [from, to, step] = [variable.from, variable.to, variable.step].map(requireDecimal) as [
    Fraction,
    Fraction,
    Fraction,
  ]
  if (step.s <= 0n || step.n === 0n) throw new ExpressionError('has a step that isn’t above 0')
  if (to.lt(from)) throw new ExpressionError('ends before it begins')
  const last = to.sub(from).div(step).floor()
  if (last.n >= MOST_STEPS) throw new ExpressionError(`has more than ${MOST_STEPS} values`)
  const count = Number(last.n) + 1
  // Fractions take long to make; of few values each is made once.
  const made: Fraction[] = []
  return {
    count,
    at(index) {
      const value = made[index] ?? from.add(step.mul(index))
      if (count <= MOST_KNOWN) made[index] = value
      return value
    },
  }
}

function requireDecimal(text: string): Fraction {
  const value = readDecimal(text.trim())
  if (!value) throw new ExpressionError(`has '${text}', which is no decimal number`)
  return value
}
