import type { Decimal } from '../numbers/decimals.ts'

/**
 * How a file scores an item, as it says it: rules over responses that give points. Formats are read into this, and
 * `tasks-of-scoring.ts` decides which of our questions means the same.
 */
export interface Scoring {
  /** Outcomes with what they are before the rules run: numbers, or names. */
  outcomes: ReadonlyMap<string, number | string | undefined>
  rules: readonly Rule[]
  /** What an item brings. */
  points: Expression
  /** Whether a condition on a response that wasn't given is unknown, as its negation is then, rather than false. */
  knowsNull: boolean
}

export type Rule =
  | { do: 'set'; outcome: string; to: Expression }
  /** The first branch whose condition holds. */
  | { do: 'first'; of: readonly Branch[] }
  /** Ends all rules. */
  | { do: 'end' }

export interface Branch {
  when: Condition
  rules: readonly Rule[]
}

export type Condition =
  | { test: 'always' | 'never' | 'unknown' }
  | { test: 'all' | 'any'; of: readonly Condition[] }
  | { test: 'not'; of: Condition }
  /** Nothing was given. */
  | { test: 'empty'; response: string }
  /** The value is the choice, or one of them. */
  | { test: 'chosen'; response: string; value: string }
  /** These are all that was chosen; in their order where the response has one. */
  | { test: 'exactly'; response: string; values: readonly string[] }
  /** Of an order, from 0. */
  | { test: 'at'; response: string; index: number; value: string }
  | { test: 'text'; response: string; value: string; exactCase: boolean }
  | { test: 'number'; response: string; by: Comparison; value: Decimal }
  | { test: 'outcome'; outcome: string; value: string }
  | { test: 'points'; left: Expression; by: Comparison; right: Expression }

export type Comparison = '=' | '<' | '<=' | '>' | '>='

export type Expression =
  | { value: 'number'; number: number }
  | { value: 'name'; name: string }
  | { value: 'outcome'; outcome: string }
  | ({ value: 'map' } & ResponseMap)
  | { value: 'sum' | 'product' | 'minimum' | 'maximum'; of: readonly Expression[] }
  | { value: 'difference' | 'quotient'; of: readonly [Expression, Expression] }

/** What each value of a response brings; of several values their sum, within the bounds. */
export interface ResponseMap {
  response: string
  entries: readonly { key: string; points: number; exactCase: boolean }[]
  /** What other values bring. */
  otherwise: number
  least: number
  most: number
}

/** Everything that a response can be. */
export type Space =
  | { response: string; kind: 'one'; ids: readonly string[] }
  | { response: string; kind: 'some'; ids: readonly string[]; least: number; most: number }
  | { response: string; kind: 'order'; ids: readonly string[] }
  | { response: string; kind: 'text' }
  | { response: string; kind: 'number' }

/** All conditions and maps in the rules. */
export function* partsOf(scoring: Scoring): Generator<Condition | ResponseMap> {
  yield* partsOfExpression(scoring.points)
  yield* partsOfRules(scoring.rules)
}

export function* partsOfRules(rules: readonly Rule[]): Generator<Condition | ResponseMap> {
  for (const rule of rules)
    if (rule.do === 'set') yield* partsOfExpression(rule.to)
    else if (rule.do === 'first')
      for (const { when, rules } of rule.of) {
        yield* partsOfCondition(when)
        yield* partsOfRules(rules)
      }
}

export function* partsOfCondition(condition: Condition): Generator<Condition | ResponseMap> {
  yield condition
  if (condition.test === 'all' || condition.test === 'any')
    for (const each of condition.of) yield* partsOfCondition(each)
  else if (condition.test === 'not') yield* partsOfCondition(condition.of)
  else if (condition.test === 'points') {
    yield* partsOfExpression(condition.left)
    yield* partsOfExpression(condition.right)
  }
}

export function* partsOfExpression(expression: Expression): Generator<Condition | ResponseMap> {
  if (expression.value === 'map') yield expression
  else if ('of' in expression) for (const each of expression.of) yield* partsOfExpression(each)
}

/** The responses on which any of these depend. */
export function responsesOf(parts: Iterable<Condition | ResponseMap>): Set<string> {
  const names = new Set<string>()
  for (const part of parts) if ('response' in part) names.add(part.response)
  return names
}
