import { type Decimal, digitsAt, parseDecimal } from '../numbers/decimals.ts'
import type { Comparison, Condition, Expression, ResponseMap, Rule, Scoring } from './model.ts'

/** A response, or what is known of it: what is open may be chosen or not. */
export type Given =
  | { kind: 'nothing' }
  | { kind: 'one'; value: string }
  | { kind: 'number'; value: Decimal }
  | { kind: 'some'; chosen: ReadonlySet<string>; open: ReadonlySet<string> }
  /** The first of an order, and what follows in an unknown order. */
  | { kind: 'order'; first: readonly string[]; open: ReadonlySet<string> }

/** Points between these. */
export interface Range {
  low: number
  high: number
}

/** Outcomes of conditions as a set: what is open may make several of them possible. */
const TRUE = 1
const FALSE = 2
const NULL = 4

type Outcome = Range | { names: ReadonlySet<string | undefined> }
type Outcomes = Map<string, Outcome>

/** Equal but for what adding thirds leaves. */
export const EPSILON = 1e-6

/** The points that responses bring; responses without an entry weren't given. */
export function pointsOf(scoring: Scoring, given: ReadonlyMap<string, Given>): Range {
  const outcomes: Outcomes = new Map(
    [...scoring.outcomes].map(([name, value]) => [
      name,
      typeof value === 'number' ? exact(value) : { names: new Set([value]) },
    ]),
  )
  const run = new Run(scoring, given)
  const after = run.rules(scoring.rules, outcomes)
  return run.range(scoring.points, after)
}

class Run {
  readonly #given: ReadonlyMap<string, Given>
  readonly #noResponse: number
  /** Whether the rules have ended: FALSE, TRUE, or both where that is open. */
  #ended = FALSE

  constructor({ knowsNull }: Scoring, given: ReadonlyMap<string, Given>) {
    this.#given = given
    this.#noResponse = knowsNull ? NULL : FALSE
  }

  rules(rules: readonly Rule[], before: Outcomes): Outcomes {
    let outcomes = before
    for (const rule of rules) {
      if (this.#ended === TRUE) break
      const mayHaveEnded = this.#ended
      const next = this.#rule(rule, outcomes)
      if (mayHaveEnded === (TRUE | FALSE)) {
        outcomes = join(outcomes, next)
        this.#ended |= TRUE
      } else outcomes = next
    }
    return outcomes
  }

  #rule(rule: Rule, outcomes: Outcomes): Outcomes {
    switch (rule.do) {
      case 'end':
        this.#ended = TRUE
        return outcomes
      case 'set':
        return new Map(outcomes).set(rule.outcome, this.#value(rule.to, outcomes))
      case 'first':
        return this.#first(rule.of, outcomes)
    }
  }

  #first(branches: Extract<Rule, { do: 'first' }>['of'], outcomes: Outcomes): Outcomes {
    const before = this.#ended
    let ended = 0
    let joined: Outcomes | undefined
    for (const branch of branches) {
      const truth = this.#truth(branch.when, outcomes)
      if ((truth & TRUE) === 0) continue
      this.#ended = before
      const after = this.rules(branch.rules, outcomes)
      joined = joined ? join(joined, after) : after
      ended |= this.#ended
      if (truth !== TRUE) continue
      this.#ended = ended
      return joined
    }
    this.#ended = before | ended
    return joined ? join(joined, outcomes) : outcomes
  }

  #value(expression: Expression, outcomes: Outcomes): Outcome {
    if (expression.value === 'name') return { names: new Set([expression.name]) }
    if (expression.value === 'outcome') return outcomes.get(expression.outcome) ?? exact(0)
    return this.range(expression, outcomes)
  }

  range(expression: Expression, outcomes: Outcomes): Range {
    switch (expression.value) {
      case 'number':
        return exact(expression.number)
      case 'name':
        return exact(0)
      case 'outcome': {
        const found = outcomes.get(expression.outcome)
        return found && 'low' in found ? found : exact(0)
      }
      case 'map':
        return this.#map(expression)
    }
    const ranges = expression.of.map((each) => this.range(each, outcomes))
    const [one = exact(0), other = exact(0)] = ranges
    const pick = (choose: (...values: number[]) => number): Range => ({
      low: choose(...ranges.map(({ low }) => low)),
      high: choose(...ranges.map(({ high }) => high)),
    })
    switch (expression.value) {
      case 'sum':
        return pick((...values) => values.reduce((total, value) => total + value, 0))
      case 'product':
        return ranges.reduce(multiply, exact(1))
      case 'minimum':
        return pick(Math.min)
      case 'maximum':
        return pick(Math.max)
      case 'difference':
        return { low: one.low - other.high, high: one.high - other.low }
      case 'quotient':
        // Only constants divide.
        return multiply(one, exact(1 / other.low))
    }
  }

  #map({ response, entries, otherwise, least, most }: ResponseMap): Range {
    const given = this.#given.get(response)
    const bringsOf = (value: string) =>
      entries.find(({ key, exactCase }) => isSameText(key, value, exactCase))?.points ?? otherwise
    const within = (points: number) => Math.min(most, Math.max(least, points))
    if (given?.kind === 'one') return exact(within(bringsOf(given.value)))
    if (given?.kind === 'number') {
      const { value } = given
      const isSame = (key: string) => {
        const decimal = parseDecimal(key.trim())
        return decimal !== undefined && order(decimal, value) === 0
      }
      return exact(within(entries.find(({ key }) => isSame(key))?.points ?? otherwise))
    }
    if (given?.kind !== 'some' && given?.kind !== 'order') return exact(0)
    const chosen = given.kind === 'some' ? [...given.chosen] : given.first
    const sum = chosen.reduce((total, value) => total + bringsOf(value), 0)
    const open = [...given.open].map(bringsOf)
    return {
      low: within(open.reduce((total, points) => total + Math.min(0, points), sum)),
      high: within(open.reduce((total, points) => total + Math.max(0, points), sum)),
    }
  }

  #truth(condition: Condition, outcomes: Outcomes): number {
    switch (condition.test) {
      case 'always':
        return TRUE
      case 'never':
        return FALSE
      case 'unknown':
        return NULL
      case 'not':
        return negate(this.#truth(condition.of, outcomes))
      case 'all':
        return condition.of.reduce((truth, each) => both(truth, this.#truth(each, outcomes)), TRUE)
      case 'any':
        return negate(
          condition.of.reduce((truth, each) => both(truth, negate(this.#truth(each, outcomes))), TRUE),
        )
      case 'outcome': {
        const found = outcomes.get(condition.outcome)
        if (!found || !('names' in found)) return NULL
        return among(
          [...found.names].map((name) => (name === undefined ? NULL : truthOf(name === condition.value))),
        )
      }
      case 'points':
        return compareRanges(
          this.range(condition.left, outcomes),
          condition.by,
          this.range(condition.right, outcomes),
        )
      case 'empty': {
        const given = this.#given.get(condition.response)
        if (!given || given.kind === 'nothing') return TRUE
        // A choice of nothing is never asked for as an open one.
        return FALSE
      }
    }
    const given = this.#given.get(condition.response)
    if (!given || given.kind === 'nothing') return this.#noResponse
    switch (condition.test) {
      case 'chosen':
        if (given.kind === 'one') return truthOf(given.value === condition.value)
        if (given.kind === 'number') return FALSE
        if ((given.kind === 'some' ? given.chosen : new Set(given.first)).has(condition.value)) return TRUE
        return given.open.has(condition.value) ? TRUE | FALSE : FALSE
      case 'exactly':
        return isExactly(given, condition.values)
      case 'at': {
        if (given.kind !== 'order') return FALSE
        const own = given.first[condition.index]
        if (own !== undefined) return truthOf(own === condition.value)
        const isLeft =
          given.open.has(condition.value) && condition.index < given.first.length + given.open.size
        return isLeft ? TRUE | FALSE : FALSE
      }
      case 'text':
        return truthOf(given.kind === 'one' && isSameText(given.value, condition.value, condition.exactCase))
      case 'number':
        return truthOf(given.kind === 'number' && compare(order(given.value, condition.value), condition.by))
    }
  }
}

function isExactly(given: Exclude<Given, { kind: 'nothing' }>, values: readonly string[]): number {
  switch (given.kind) {
    case 'number':
      return FALSE
    case 'one':
      return truthOf(values.length === 1 && values[0] === given.value)
    case 'some': {
      const { chosen, open } = given
      const wanted = new Set(values)
      if ([...chosen].some((each) => !wanted.has(each))) return FALSE
      if ([...wanted].some((each) => !chosen.has(each) && !open.has(each))) return FALSE
      return open.size === 0 ? TRUE : TRUE | FALSE
    }
    case 'order': {
      const { first, open } = given
      if (values.length !== first.length + open.size) return FALSE
      if (first.some((each, index) => each !== values[index])) return FALSE
      if (values.slice(first.length).some((each) => !open.has(each))) return FALSE
      return open.size === 0 ? TRUE : TRUE | FALSE
    }
  }
}

export function isSameText(one: string, other: string, exactCase: boolean): boolean {
  return exactCase ? one === other : one.toLowerCase() === other.toLowerCase()
}

/** Below 0 if the first is less, above 0 if it is more. */
export function order(one: Decimal, other: Decimal): number {
  const scale = Math.max(one.scale, other.scale)
  const [first, second] = [digitsAt(one, scale), digitsAt(other, scale)]
  return first < second ? -1 : first > second ? 1 : 0
}

function compare(sign: number, by: Comparison): boolean {
  switch (by) {
    case '=':
      return sign === 0
    case '<':
      return sign < 0
    case '<=':
      return sign <= 0
    case '>':
      return sign > 0
    case '>=':
      return sign >= 0
  }
}

function compareRanges(left: Range, by: Comparison, right: Range): number {
  const signs = new Set([
    signOf(left.low - right.high),
    signOf(left.high - right.low),
    ...(left.low <= right.high && right.low <= left.high ? [0] : []),
  ])
  return among([...signs].map((sign) => truthOf(compare(sign, by))))
}

function signOf(difference: number): number {
  return Math.abs(difference) < EPSILON ? 0 : Math.sign(difference)
}

const exact = (value: number): Range => ({ low: value, high: value })
const truthOf = (holds: boolean) => (holds ? TRUE : FALSE)
const among = (truths: readonly number[]) => truths.reduce((all, truth) => all | truth, 0)

function negate(truth: number): number {
  return (truth & NULL) | (truth & TRUE ? FALSE : 0) | (truth & FALSE ? TRUE : 0)
}

/** False if one of them is, else unknown if one of them is. */
function both(one: number, other: number): number {
  let truth = 0
  if (one & FALSE || other & FALSE) truth |= FALSE
  if (one & TRUE && other & TRUE) truth |= TRUE
  if ((one & NULL && other & (TRUE | NULL)) || (other & NULL && one & (TRUE | NULL))) truth |= NULL
  return truth
}

function multiply(one: Range, other: Range): Range {
  const ends = [one.low * other.low, one.low * other.high, one.high * other.low, one.high * other.high]
  return { low: Math.min(...ends), high: Math.max(...ends) }
}

function join(one: Outcomes, other: Outcomes): Outcomes {
  const joined: Outcomes = new Map(one)
  for (const [name, theirs] of other) {
    const ours = one.get(name)
    if (ours === theirs) continue
    if (ours && 'low' in ours && 'low' in theirs)
      joined.set(name, { low: Math.min(ours.low, theirs.low), high: Math.max(ours.high, theirs.high) })
    else joined.set(name, { names: new Set([...namesOf(ours), ...namesOf(theirs)]) })
  }
  return joined
}

function namesOf(outcome: Outcome | undefined): Iterable<string | undefined> {
  return outcome && 'names' in outcome ? outcome.names : [undefined]
}
