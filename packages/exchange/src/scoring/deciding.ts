import { Skip } from '../items.ts'
import { type Decimal, digitsAt, parseDecimal, writeDecimal } from '../numbers/decimals.ts'
import type { Accepted, NumberEntry, TextEntry } from '../question.ts'
import { descendants, type XmlElement } from '../xml.ts'
import {
  type Condition,
  partsOf,
  partsOfCondition,
  partsOfExpression,
  type ResponseMap,
  type Rule,
  responsesOf,
  type Scoring,
  type Space,
} from './model.ts'
import { EPSILON, type Given, order, pointsOf, type Range } from './points.ts'

/**
 * Which key means what a scoring says, or a `Skip` that says why none does. Each function looks at one response, as if
 * no other was given.
 */

/** A key, and what it brings. */
export interface Decided<Key> {
  key: Key
  best: number
  /** What the file says, and the key can't. */
  lost: string[]
}

/** Elements of rules, and values of a response, that are looked at: more than any question has. */
const MOST_ELEMENTS = 5_000
const MOST_VALUES = 300

/** Throws `Skip` for rules that would take long to look at. */
export function checkSize(rules: XmlElement): void {
  let count = 0
  for (const _ of descendants(rules)) if (++count > MOST_ELEMENTS) throw new Skip(TOO_COMPLICATED)
}

function checkCount(values: readonly unknown[]): void {
  if (values.length > MOST_VALUES) throw new Skip(TOO_COMPLICATED)
}

const TOO_COMPLICATED = 'its scoring is too complicated to be understood'

/** Partly answered responses that are looked at before a scoring counts as too complicated. */
const MOST_TRIED = 20_000

const NOTHING_RIGHT = 'no answer brings marks by its scoring'
const SEVERAL = 'it has several right answers'

/** The one right choice. */
export function decideOne(
  scoring: Scoring,
  { response, ids }: Extract<Space, { kind: 'one' }>,
): Decided<string> {
  checkNothing(scoring)
  const scored = ids.map((id) => ({ id, points: exactPoints(scoring, response, { kind: 'one', value: id }) }))
  const [best, ...others] = scored.filter(({ points }) => points > EPSILON)
  if (!best) throw new Skip(NOTHING_RIGHT)
  if (others.length > 0) throw new Skip('more than one option brings marks, but only one can be chosen')
  const costs = scored.some(({ points }) => points < -EPSILON)
  return { key: best.id, best: best.points, lost: costs ? [WRONG_COSTS] : [] }
}

const WRONG_COSTS = 'what wrong choices cost is not carried over'

/** The right choices, all of which have to be chosen. */
export function decideSome(scoring: Scoring, space: Extract<Space, { kind: 'some' }>): Decided<string[]> {
  const { response, ids, most } = space
  checkCount(ids)
  checkNothing(scoring)
  const { best, sets } = findBest(scoring, space)
  const [only, ...others] = sets
  if (!only || best <= EPSILON) throw new Skip(NOTHING_RIGHT)
  const lost: string[] = []
  const alone = new Map(
    ids.map((id) => [
      id,
      exactPoints(scoring, response, { kind: 'some', chosen: new Set([id]), open: new Set() }),
    ]),
  )
  const isExact = others.length === 0 && only.open.length === 0
  const key = isExact ? only.chosen : ids.filter((id) => (alone.get(id) ?? 0) > EPSILON)
  // What is scored option by option may leave it open whether more are chosen.
  if (!isExact) {
    const sum = key.reduce((total, id) => total + (alone.get(id) ?? 0), 0)
    if (!isAdditive(scoring) || Math.abs(sum - best) > EPSILON)
      throw new Skip(key.length > 0 && isAdditive(scoring) ? FEWER_ASKED : SEVERAL)
    lost.push(WRONG_COSTS)
  }
  if (key.length > most) throw new Skip(FEWER_ASKED)
  const shares = key.map((id) => alone.get(id) ?? 0)
  if (key.length > 1 && shares.some((share) => Math.abs(share - (shares[0] ?? 0)) > EPSILON * best))
    throw new Skip('its right options bring different parts of the marks')
  if (ids.some((id) => !key.includes(id) && (alone.get(id) ?? 0) > EPSILON))
    throw new Skip('options bring marks that are not right together with the others')
  if (lost.length === 0 && [...alone.values()].some((points) => points < -EPSILON)) lost.push(WRONG_COSTS)
  return { key, best, lost }
}

const FEWER_ASKED = 'fewer options are asked for than are right'

/** The right order of all items. */
export function decideOrder(scoring: Scoring, space: Extract<Space, { kind: 'order' }>): Decided<string[]> {
  checkCount(space.ids)
  checkNothing(scoring)
  const { best, sets } = findBest(scoring, space)
  const [only, ...others] = sets
  if (!only || best <= EPSILON) throw new Skip('its right order does not have each of its items once')
  if (others.length > 0 || only.open.length > 0) throw new Skip('it has several right orders')
  return { key: only.chosen, best, lost: [] }
}

interface BestSet {
  chosen: string[]
  /** May be chosen as well. */
  open: string[]
}

/** The responses that bring most. */
function findBest(
  scoring: Scoring,
  space: Extract<Space, { kind: 'some' | 'order' }>,
): { best: number; sets: BestSet[] } {
  let best = Number.NEGATIVE_INFINITY
  let sets: BestSet[] = []
  let tried = 0
  const rangeOf = (given: Given): Range => {
    tried += 1
    if (tried > MOST_TRIED) throw new Skip(TOO_COMPLICATED)
    return pointsOf(scoring, new Map([[space.response, given]]))
  }
  const found = (points: number, set: BestSet) => {
    if (points < best - EPSILON) return
    if (points > best + EPSILON) sets = []
    best = Math.max(best, points)
    // Two are enough to know that there are several.
    if (sets.length < 2) sets.push(set)
  }
  const toGiven = (chosen: readonly string[], open: readonly string[]): Given =>
    space.kind === 'order'
      ? { kind: 'order', first: chosen, open: new Set(open) }
      : { kind: 'some', chosen: new Set(chosen), open: new Set(open) }
  const steps = (chosen: string[], open: string[]): BestSet[] => {
    const [next = '', ...rest] = open
    if (space.kind === 'order')
      return open.map((id) => ({ chosen: [...chosen, id], open: open.filter((each) => each !== id) }))
    const taken = [...chosen, next]
    return [
      { chosen: taken, open: taken.length >= space.most ? [] : rest },
      { chosen, open: rest },
    ]
  }
  const visit = (set: BestSet, { low, high }: Range) => {
    const { chosen, open } = set
    if (high < best - EPSILON) return
    const least = space.kind === 'order' ? 0 : Math.max(1, space.least)
    if (chosen.length + open.length < least) return
    if (open.length === 0 || (high - low < EPSILON && chosen.length >= least)) return found(low, set)
    const next = steps(chosen, open).map((each) => ({
      each,
      range: rangeOf(toGiven(each.chosen, each.open)),
    }))
    // The most promising first: what it brings rules out most of the others.
    next.sort((one, other) => other.range.high - one.range.high || other.range.low - one.range.low)
    for (const { each, range } of next) visit(each, range)
  }
  const open = space.kind === 'order' ? [...space.ids] : byInfluence(space, (given) => rangeOf(given))
  visit({ chosen: [], open }, rangeOf(toGiven([], open)))
  return { best, sets }
}

/** First those without which most is lost: what is left open in the end then needs no look at each. */
function byInfluence({ ids }: Extract<Space, { kind: 'some' }>, rangeOf: (given: Given) => Range): string[] {
  const without = new Map(
    ids.map((id) => [
      id,
      rangeOf({ kind: 'some', chosen: new Set(), open: new Set(ids.filter((each) => each !== id)) }).high,
    ]),
  )
  return ids.toSorted((one, other) => (without.get(one) ?? 0) - (without.get(other) ?? 0))
}

/** The accepted texts, with what each of them brings. */
export function decideText(scoring: Scoring, response: string): Decided<TextEntry> {
  checkNothing(scoring)
  const mentioned = textsOf(scoring, response)
  checkCount(mentioned)
  const pointsFor = (text: string) => exactPoints(scoring, response, { kind: 'one', value: text })
  if (pointsFor(`${mentioned.join('')}\0`) > EPSILON) throw new Skip('texts bring marks that are not named')
  const right = mentioned
    .map((text) => ({ text, points: pointsFor(text) }))
    .filter(({ points }) => points > EPSILON)
  const best = Math.max(...right.map(({ points }) => points))
  if (right.length === 0) throw new Skip(NOTHING_RIGHT)
  const isKnown = new Set(mentioned)
  const exactCase = !mentioned.every((text) =>
    casesOf(text).every((each) => Math.abs(pointsFor(each) - pointsFor(text)) < EPSILON),
  )
  // In other cases than those that are named, nothing may bring marks then.
  if (
    exactCase &&
    mentioned.some((text) => casesOf(text).some((each) => !isKnown.has(each) && pointsFor(each) > EPSILON))
  )
    throw new Skip('only some of its answers need exact case')
  const once = new Map<string, Accepted>()
  const full = best / shareOfBest(scoring, response)
  for (const { text, points } of right) {
    const name = exactCase ? text : text.toLowerCase()
    if (!once.has(name)) once.set(name, { text, percent: percentOf(points, full) })
  }
  return {
    key: { kind: 'text', accepted: [...once.values()], ...(exactCase ? { exactCase } : {}) },
    best: full,
    lost: [],
  }
}

function textsOf(scoring: Scoring, response: string): string[] {
  const texts = new Set<string>()
  for (const part of partsOf(scoring)) {
    if (!('response' in part) || part.response !== response) continue
    if ('entries' in part) for (const { key } of part.entries) texts.add(key)
    else if (part.test === 'text') texts.add(part.value)
    else if (part.test === 'exactly') for (const value of part.values) texts.add(value)
  }
  return [...texts]
}

/** More digits than thirds are written with, and fewer than adding them leaves. */
const PERCENT_DIGITS = 9

function percentOf(points: number, full: number): string {
  return String(Number(((points / full) * 100).toFixed(PERCENT_DIGITS)))
}

/** A text in other cases than its own. */
function casesOf(text: string): string[] {
  const swapped = [...text].map((each) =>
    each === each.toLowerCase() ? each.toUpperCase() : each.toLowerCase(),
  )
  // Capitals of ß or ŉ are other letters.
  return [text.toLowerCase(), text.toUpperCase(), swapped.join('')].filter(
    (each) => each !== text && each.toLowerCase() === text.toLowerCase(),
  )
}

/** What the best text brings of what the bound of a map says is all. */
function shareOfBest(scoring: Scoring, response: string): number {
  const maps = [...partsOf(scoring)].filter(
    (part): part is ResponseMap => 'entries' in part && part.response === response,
  )
  const [map] = maps
  if (!map || !Number.isFinite(map.most)) return 1
  const best = Math.max(...map.entries.map(({ points }) => points))
  return best > 0 && best < map.most ? best / map.most : 1
}

/** The one range of numbers that brings marks; `written` are numbers and distances as the file writes them. */
export function decideNumber(
  scoring: Scoring,
  response: string,
  written: readonly string[],
): Decided<NumberEntry> {
  checkNothing(scoring)
  const ends = endsOf(scoring, response)
  checkCount(ends)
  const pointsAt = (value: Decimal) => exactPoints(scoring, response, { kind: 'number', value })
  // The ends, and a number between each two of them and beyond the outer ones.
  const places = [move(ends[0], -1n), ...ends.flatMap((end, index) => [end, between(end, ends[index + 1])])]
  const scored = places.map((value, index) => ({ value, isEnd: index % 2 === 1, points: pointsAt(value) }))
  const best = Math.max(...scored.map(({ points }) => points))
  if (ends.length === 0 || best <= EPSILON) throw new Skip(NOTHING_RIGHT)
  const first = scored.findIndex(({ points }) => points > EPSILON)
  const last = scored.findLastIndex(({ points }) => points > EPSILON)
  if (scored.slice(first, last + 1).some(({ points }) => Math.abs(points - best) > EPSILON))
    throw new Skip('several numbers bring marks')
  const [low, high] = [scored[first], scored[last]]
  if (!low || !high || first === 0 || last === scored.length - 1)
    throw new Skip('its range of numbers has no end')
  if (!low.isEnd || !high.isEnd) throw new Skip('the ends of its range are not part of it')
  const scale = Math.max(low.value.scale, high.value.scale) + 1
  const [from, to] = [digitsAt(low.value, scale), digitsAt(high.value, scale)]
  const key = { digits: (from + to) / 2n, scale }
  const inside = scored.slice(first + 1, last).filter(({ isEnd }) => isEnd)
  if (inside.some(({ value }) => order(value, key) !== 0 && isNamed(scoring, response, value)))
    throw new Skip('its answer is not in the middle of its range')
  const asWritten = (value: Decimal) =>
    written.find((text) => {
      const decimal = parseDecimal(text)
      return decimal !== undefined && order(decimal, value) === 0
    }) ?? writeDecimal(value)
  return {
    key: { kind: 'number', key: asWritten(key), tolerance: asWritten({ digits: (to - from) / 2n, scale }) },
    best,
    lost: [],
  }
}

/** Every number with which one is compared, in order, each once. */
function endsOf(scoring: Scoring, response: string): Decimal[] {
  const numbers: Decimal[] = []
  for (const part of partsOf(scoring)) {
    if (!('response' in part) || part.response !== response) continue
    if ('entries' in part)
      for (const { key } of part.entries) {
        const value = parseDecimal(key.trim())
        if (value) numbers.push(value)
      }
    else if (part.test === 'number') numbers.push(part.value)
  }
  return numbers
    .sort(order)
    .filter((each, index, all) => index === 0 || order(each, all[index - 1] as Decimal) !== 0)
}

/** Whether an answer is that number, and not only an end of a range. */
function isNamed(scoring: Scoring, response: string, value: Decimal): boolean {
  return [...partsOf(scoring)].some(
    (part) =>
      'test' in part &&
      part.test === 'number' &&
      part.response === response &&
      part.by === '=' &&
      order(part.value, value) === 0,
  )
}

function move(value: Decimal | undefined, by: bigint): Decimal {
  return value
    ? { digits: value.digits + by * 10n ** BigInt(value.scale), scale: value.scale }
    : { digits: 0n, scale: 0 }
}

function between(one: Decimal, other: Decimal | undefined): Decimal {
  if (!other) return move(one, 1n)
  const scale = Math.max(one.scale, other.scale) + 1
  return { digits: (digitsAt(one, scale) + digitsAt(other, scale)) / 2n, scale }
}

/** Throws `Skip` unless each of several responses brings its points whatever the others are. */
export function checkApart(scoring: Scoring, responses: readonly string[]): void {
  if (responses.length > 1 && !areApart(scoring)) throw new Skip('its gaps bring marks only together')
}

/**
 * Whether points are only ever added, each time by what depends on one response. An outcome that is set is such a part
 * where nothing but one response decides it.
 */
function areApart({ rules, points }: Scoring): boolean {
  const sets = [...setsOf(rules, [])]
  const dependencies = new Map<string, Set<string>>()
  const dependOn = (outcome: string, seen: ReadonlySet<string> = new Set()): Set<string> => {
    const known = dependencies.get(outcome)
    if (known) return known
    if (seen.has(outcome)) return new Set()
    const inner = new Set([...seen, outcome])
    const found = new Set<string>()
    for (const { to, conditions } of sets.filter((each) => each.outcome === outcome)) {
      for (const each of responsesOf(partsOfExpression(to))) found.add(each)
      for (const condition of conditions)
        for (const each of responsesOf(partsOfCondition(condition))) found.add(each)
      for (const name of outcomesOf(to, conditions)) for (const each of dependOn(name, inner)) found.add(each)
    }
    if (seen.size === 0) dependencies.set(outcome, found)
    return found
  }
  const dependenciesOf = (expression: Scoring['points']): Set<string> => {
    const all = responsesOf(partsOfExpression(expression))
    for (const name of outcomesOf(expression, [])) for (const each of dependOn(name)) all.add(each)
    return all
  }
  const isFixed = (expression: Scoring['points']) => dependenciesOf(expression).size === 0
  const isSum = (expression: Scoring['points'], seen: ReadonlySet<string>): boolean => {
    switch (expression.value) {
      case 'number':
      case 'map':
        // A bound holds for all that it adds, which is one response.
        return true
      case 'name':
        return false
      case 'outcome':
        return isSummed(expression.outcome, seen)
      case 'sum':
        return expression.of.every((each) => isSum(each, seen))
      case 'difference':
        return expression.of.every((each) => isSum(each, seen))
      case 'product':
        return (
          expression.of.filter((each) => !isFixed(each)).length <= 1 &&
          expression.of.every((each) => isSum(each, seen))
        )
      case 'quotient':
        return isFixed(expression.of[1]) && isSum(expression.of[0], seen)
      default:
        return dependenciesOf(expression).size <= 1
    }
  }
  const isSummed = (outcome: string, seen: ReadonlySet<string>): boolean => {
    if (seen.has(outcome) || dependOn(outcome).size <= 1) return true
    const inner = new Set([...seen, outcome])
    const own = sets.filter((each) => each.outcome === outcome)
    return own.every(({ to, conditions }, index) => {
      const decided = new Set(conditions.flatMap((each) => [...responsesOf(partsOfCondition(each))]))
      for (const condition of conditions)
        for (const name of outcomesOf({ value: 'number', number: 0 }, [condition]))
          for (const each of dependOn(name)) decided.add(each)
      if (conditions.length === 0) {
        // What was there before has to be part of the sum, or there was nothing.
        return (index === 0 || adds(to, outcome)) && isSum(to, inner)
      }
      if (!adds(to, outcome)) return false
      for (const each of responsesOf(partsOfExpression(to))) decided.add(each)
      for (const name of outcomesOf(to, []))
        if (name !== outcome) for (const each of dependOn(name)) decided.add(each)
      return decided.size <= 1 && isSum(to, inner)
    })
  }
  return !hasEnd(rules) && isSum(points, new Set())
}

interface SetRule {
  outcome: string
  to: Scoring['points']
  /** All that decides whether it happens. */
  conditions: Condition[]
}

function* setsOf(rules: readonly Rule[], around: readonly Condition[]): Generator<SetRule> {
  for (const rule of rules)
    if (rule.do === 'set') yield { outcome: rule.outcome, to: rule.to, conditions: [...around] }
    else if (rule.do === 'first') {
      const before = [...around]
      for (const { when, rules: inner } of rule.of) {
        before.push(when)
        yield* setsOf(inner, before)
      }
    }
}

function* outcomesOf(expression: Scoring['points'], conditions: readonly Condition[]): Generator<string> {
  if (expression.value === 'outcome') yield expression.outcome
  else if ('of' in expression) for (const each of expression.of) yield* outcomesOf(each, [])
  for (const condition of conditions)
    for (const part of partsOfCondition(condition)) {
      if (!('test' in part)) continue
      if (part.test === 'outcome') yield part.outcome
      if (part.test === 'points') {
        yield* outcomesOf(part.left, [])
        yield* outcomesOf(part.right, [])
      }
    }
}

function hasEnd(rules: readonly Rule[]): boolean {
  return rules.some(
    (rule) => rule.do === 'end' || (rule.do === 'first' && rule.of.some((branch) => hasEnd(branch.rules))),
  )
}

/** Whether an outcome becomes itself and something more. */
function adds(to: Scoring['points'], outcome: string): boolean {
  if (to.value !== 'sum' && to.value !== 'difference') return false
  const [first, ...others] =
    to.value === 'sum' ? to.of.toSorted((one) => (isOutcome(one, outcome) ? -1 : 1)) : to.of
  return (
    first !== undefined &&
    isOutcome(first, outcome) &&
    others.every((each) => ![...outcomesOf(each, [])].includes(outcome))
  )
}

const isOutcome = (expression: Scoring['points'], outcome: string) =>
  expression.value === 'outcome' && expression.outcome === outcome

/** Whether each option brings its own points, whatever else is chosen. */
function isAdditive({ rules, points }: Scoring): boolean {
  const sets = [...setsOf(rules, [])]
  const isOwn = (expression: Scoring['points']): boolean =>
    expression.value === 'number' ||
    expression.value === 'map' ||
    expression.value === 'outcome' ||
    ('of' in expression &&
      expression.value !== 'minimum' &&
      expression.value !== 'maximum' &&
      expression.of.every(isOwn))
  return (
    !hasEnd(rules) &&
    isOwn(points) &&
    sets.every(({ outcome, to, conditions }, index) => {
      if (!isOwn(to)) return false
      const [condition, ...others] = conditions
      if (condition === undefined)
        return adds(to, outcome) || sets.findIndex((each) => each.outcome === outcome) === index
      const isOption =
        condition.test === 'chosen' ||
        (condition.test === 'all' && condition.of.length === 1 && condition.of[0]?.test === 'chosen')
      return others.length === 0 && isOption && adds(to, outcome)
    })
  )
}

/** Whoever gives no answer gets no points here. */
function checkNothing(scoring: Scoring): void {
  if (pointsOf(scoring, new Map()).high > EPSILON) throw new Skip('no answer at all brings marks')
}

function exactPoints(scoring: Scoring, response: string, given: Given): number {
  return pointsOf(scoring, new Map([[response, given]])).low
}
