import { Skip } from '../items.ts'
import { type Decimal, digitsAt, parseDecimal } from '../numbers/decimals.ts'
import { checkSize } from '../scoring/deciding.ts'
import {
  type Comparison,
  type Condition,
  type Expression,
  partsOf,
  type ResponseMap,
  type Rule,
  responsesOf,
  type Scoring,
} from '../scoring/model.ts'
import { childOf, childrenOf, descendants, textOf, type XmlElement } from '../xml.ts'

const UNKNOWN: Record<string, string> = {
  equalRounded: 'its answers are compared after rounding',
  fieldValue: 'its answers have several fields',
  lookupOutcomeValue: 'its marks are looked up in a table',
  mapResponsePoint: 'it asks for points of a picture',
  patternMatch: 'its answers are patterns',
  substring: 'its answers may be parts of longer ones',
}

/**
 * What the response processing of an item says, whatever its key says besides; without processing, what its key says.
 * undefined: it has no key. `isMapCaseSensitive` is what entries are that don't say it: true in 2, false in 3.
 */
export function readScoring(item: XmlElement, isMapCaseSensitive: boolean): Scoring | undefined {
  const isDeclared = childrenOf(item, 'responseDeclaration').some(
    (declaration) =>
      correctValues(declaration).length > 0 ||
      [...descendants(declaration, 'mapEntry')].some(({ attributes }) => Number(attributes.mappedValue) > 0),
  )
  const processing = childOf(item, 'responseProcessing')
  if (!isDeclared && !setsIn(processing ? [processing] : []).some(isScore)) return undefined
  if (processing) checkSize(processing)
  const scoring = new ScoringReader(item, isMapCaseSensitive).read()
  return isDeclared || responsesOf(partsOf(scoring)).size > 0 ? scoring : undefined
}

function isScore({ attributes: { identifier = '' } }: XmlElement): boolean {
  return /score/i.test(identifier)
}

/** What says of an interaction which answers are right. */
export function declarationOf(item: XmlElement, interaction: XmlElement): XmlElement | undefined {
  return childrenOf(item, 'responseDeclaration').find(
    ({ attributes }) => attributes.identifier === interaction.attributes.responseIdentifier,
  )
}

export function correctValues(declaration: XmlElement | undefined): string[] {
  return childrenOf(childOf(declaration, 'correctResponse'), 'value').map((value) =>
    toValue(declaration, textOf(value)),
  )
}

export function isNumeric(declaration: XmlElement | undefined): boolean {
  return /^(float|integer)$/.test(declaration?.attributes.baseType ?? '')
}

/** Pairs have one blank. */
function toValue(declaration: XmlElement | undefined, written: string): string {
  const text = written.trim()
  return /pair$/i.test(declaration?.attributes.baseType ?? '') ? text.replace(/\s+/g, ' ') : text
}

/** What a condition compares. */
type Operand =
  | { is: 'response'; declaration: XmlElement }
  | { is: 'values'; values: string[] }
  /** A value of an order. */
  | { is: 'place'; declaration: XmlElement; index: number }
  | { is: 'points'; expression: Expression }
  /** An outcome whose values are names. */
  | { is: 'outcome'; outcome: string }
  | { is: 'null' }

const FLIPPED: Record<Comparison, Comparison> = { '=': '=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' }
const COMPARISONS: Record<string, Comparison> = { lt: '<', lte: '<=', gt: '>', gte: '>=' }
const SUMS = { sum: 'sum', product: 'product', min: 'minimum', max: 'maximum' } as const

class ScoringReader {
  readonly #declarations: Map<string, XmlElement>
  readonly #outcomes: Map<string, XmlElement>
  readonly #processing: XmlElement | undefined
  readonly #isMapCaseSensitive: boolean
  /** What 0 is read as: an item may be worth nothing, and has a key nevertheless. */
  readonly #zero: number

  constructor(item: XmlElement, isMapCaseSensitive: boolean) {
    this.#declarations = byIdentifier(childrenOf(item, 'responseDeclaration'))
    this.#outcomes = byIdentifier(childrenOf(item, 'outcomeDeclaration'))
    this.#processing = childOf(item, 'responseProcessing')
    this.#isMapCaseSensitive = isMapCaseSensitive
    this.#zero = Number(this.#outcomes.get('SCORE')?.attributes.normalMaximum) === 0 ? 1 : 0
  }

  read(): Scoring {
    const own = this.#processing?.children.filter((child) => typeof child !== 'string') ?? []
    if (own.length === 0) {
      const template = this.#processing?.attributes.template ?? this.#processing?.attributes.templateLocation
      return template === undefined ? this.#byKey() : this.#byTemplate(template)
    }
    const score = this.#nameOfScore(own)
    const relevant = findRelevant(own, score)
    const outcomes = new Map([...relevant].map((name) => [name, this.#before(name)]))
    return {
      outcomes,
      rules: this.#rules(own, relevant),
      points: { value: 'outcome', outcome: score },
      knowsNull: true,
    }
  }

  /** Each response that is as its key says brings its part; case isn't asked for where nothing asks for it. */
  #byKey(): Scoring {
    const parts = [...this.#declarations.values()].map((declaration): Expression | Rule => {
      const values = correctValues(declaration)
      const outcome = nameOf(declaration)
      if (values.length > 0)
        return branch(this.#isExactly(declaration, values, false), [
          { do: 'set', outcome, to: { value: 'number', number: 1 } },
        ])
      return childOf(declaration, 'mapping')
        ? { do: 'set', outcome, to: { value: 'map', ...this.#map(declaration, false) } }
        : { do: 'first', of: [] }
    })
    const names = [...this.#declarations.keys()]
    return {
      outcomes: new Map(names.map((name) => [name, 0])),
      rules: parts.filter((part): part is Rule => 'do' in part),
      points: { value: 'sum', of: names.map((outcome) => ({ value: 'outcome', outcome })) },
      knowsNull: true,
    }
  }

  #byTemplate(address: string): Scoring {
    const [, kind] = /(?:^|[/_:])(match|map_response)(?:_correct|_basic)?(?:\.xml)?$/i.exec(address) ?? []
    const named = this.#declarations.get('RESPONSE')
    const declaration =
      named ?? (this.#declarations.size === 1 ? [...this.#declarations.values()][0] : undefined)
    if (kind === undefined || !declaration) throw new Skip('the rules of its scoring are not in the file')
    const values = correctValues(declaration)
    const points: Expression = { value: 'outcome', outcome: 'SCORE' }
    const rule: Rule = /map/i.test(kind)
      ? { do: 'set', outcome: 'SCORE', to: { value: 'map', ...this.#map(declaration) } }
      : branch(values.length === 0 ? { test: 'unknown' } : this.#isExactly(declaration, values, true), [
          { do: 'set', outcome: 'SCORE', to: { value: 'number', number: 1 } },
        ])
    return { outcomes: new Map([['SCORE', 0]]), rules: [rule], points, knowsNull: true }
  }

  #nameOfScore(rules: readonly XmlElement[]): string {
    const set = new Set(setsIn(rules).map(({ attributes }) => attributes.identifier ?? ''))
    if (set.has('SCORE')) return 'SCORE'
    const [only, ...others] = [...set].filter((name) => /score/i.test(name))
    if (only === undefined || others.length > 0) throw new Skip('its scoring sets no score')
    return only
  }

  /** What an outcome is before the rules run. */
  #before(name: string): number | string | undefined {
    const outcome = this.#outcomes.get(name)
    const text = textOf(childOf(outcome, 'defaultValue', 'value')).trim()
    if (isNumeric(outcome)) return text === '' ? 0 : Number(text)
    return text === '' ? undefined : text
  }

  #rules(elements: readonly XmlElement[], relevant: ReadonlySet<string>): Rule[] {
    return elements.flatMap((element): Rule[] => {
      switch (element.name) {
        case 'responseCondition': {
          const branches = elementsOf(element)
          // What decides no points may be anything.
          if (!matters(branches, relevant)) return []
          return [
            {
              do: 'first',
              of: branches.map((each) => {
                const [condition, ...rules] = elementsOf(each)
                if (each.name === 'responseElse')
                  return { when: { test: 'always' }, rules: this.#rules(elementsOf(each), relevant) }
                if (!condition) throw new Skip('its scoring cannot be read')
                return { when: this.#condition(condition), rules: this.#rules(rules, relevant) }
              }),
            },
          ]
        }
        case 'responseProcessingFragment':
          return this.#rules(elementsOf(element), relevant)
        case 'exitResponse':
          return [{ do: 'end' }]
        case 'setOutcomeValue':
          return this.#set(element, relevant)
        case 'lookupOutcomeValue':
          return relevant.has(element.attributes.identifier ?? '') ? unknown(element) : []
        default:
          return unknown(element)
      }
    })
  }

  #set(element: XmlElement, relevant: ReadonlySet<string>): Rule[] {
    const outcome = element.attributes.identifier ?? ''
    const [given] = elementsOf(element)
    if (!relevant.has(outcome)) return []
    if (!given) throw new Skip('its scoring cannot be read')
    if (this.#outcomes.get(outcome)?.attributes.baseType === 'boolean') {
      const name = (truth: string): Rule => ({ do: 'set', outcome, to: { value: 'name', name: truth } })
      const when = this.#condition(given)
      return [
        {
          do: 'first',
          of: [
            { when, rules: [name('true')] },
            { when: { test: 'always' }, rules: [name('false')] },
          ],
        },
      ]
    }
    return [{ do: 'set', outcome, to: this.#expression(given) }]
  }

  #condition(element: XmlElement): Condition {
    const parts = elementsOf(element)
    switch (element.name) {
      case 'and':
        return { test: 'all', of: parts.map((each) => this.#condition(each)) }
      case 'or':
        return { test: 'any', of: parts.map((each) => this.#condition(each)) }
      case 'not': {
        const [only] = parts
        return only ? { test: 'not', of: this.#condition(only) } : unknown(element)
      }
      case 'baseValue':
        return { test: textOf(element).trim() === 'true' ? 'always' : 'never' }
      case 'variable':
        return { test: 'outcome', outcome: this.#outcomeOf(element), value: 'true' }
      case 'isNull': {
        const [only] = parts
        const operand = only && this.#operand(only)
        if (operand?.is === 'response') return { test: 'empty', response: nameOf(operand.declaration) }
        return operand?.is === 'null' ? { test: 'always' } : unknown(element)
      }
    }
    const [first, second] = parts
    if (!first || !second || parts.length > 2) return unknown(element)
    const one = this.#operand(first)
    const other = this.#operand(second)
    if (one.is === 'null' || other.is === 'null') return { test: 'unknown' }
    switch (element.name) {
      case 'match':
        return this.#match(one, other) ?? unknown(element)
      case 'stringMatch': {
        if (element.attributes.substring === 'true') throw new Skip(String(UNKNOWN.substring))
        const exactCase = element.attributes.caseSensitive !== 'false'
        return this.#match(one, other, exactCase) ?? unknown(element)
      }
      case 'equal':
        return this.#equal(element, one, other) ?? unknown(element)
      case 'member': {
        if (one.is === 'values' && other.is === 'response' && one.values.length === 1)
          return this.#has(other.declaration, one.values)
        if (one.is === 'response' && other.is === 'values')
          return {
            test: 'any',
            of: other.values.map((value) => this.#isExactly(one.declaration, [value], true)),
          }
        return unknown(element)
      }
      case 'contains':
        return one.is === 'response' &&
          other.is === 'values' &&
          one.declaration.attributes.cardinality === 'multiple'
          ? this.#has(one.declaration, other.values)
          : unknown(element)
    }
    const by = COMPARISONS[element.name]
    if (by === undefined) return unknown(element)
    return this.#compare(one, by, other) ?? this.#compare(other, FLIPPED[by], one) ?? unknown(element)
  }

  #match(one: Operand, other: Operand, exactCase = true): Condition | undefined {
    if (one.is === 'values' && other.is !== 'values') return this.#match(other, one, exactCase)
    if (other.is !== 'values') return undefined
    const [value = '', ...more] = other.values
    switch (one.is) {
      case 'response':
        return this.#isExactly(one.declaration, other.values, exactCase)
      case 'place':
        return more.length > 0
          ? undefined
          : {
              test: 'at',
              response: nameOf(one.declaration),
              index: one.index,
              value: toValue(one.declaration, value),
            }
      case 'outcome':
        return more.length > 0 ? undefined : { test: 'outcome', outcome: one.outcome, value }
      case 'points':
        return this.#compare(one, '=', other)
      case 'values':
        return { test: isSameList(one.values, other.values) ? 'always' : 'never' }
    }
    return undefined
  }

  #has(declaration: XmlElement, values: readonly string[]): Condition {
    const of = values.map(
      (value): Condition => ({
        test: 'chosen',
        response: nameOf(declaration),
        value: toValue(declaration, value),
      }),
    )
    return { test: 'all', of }
  }

  #isExactly(declaration: XmlElement, written: readonly string[], exactCase: boolean): Condition {
    const response = nameOf(declaration)
    const { cardinality, baseType = '' } = declaration.attributes
    const values = written.map((value) => toValue(declaration, value))
    const [value = '', ...more] = values
    const isSingle = cardinality !== 'multiple' && cardinality !== 'ordered'
    if (isSingle && more.length > 0) return { test: 'never' }
    if (isSingle && isNumeric(declaration))
      return { test: 'number', response, by: '=', value: toDecimal(value) }
    if (isSingle && baseType === 'string') return { test: 'text', response, value, exactCase }
    if (/^(identifier|directedPair|boolean)$/.test(baseType)) return { test: 'exactly', response, values }
    throw new Skip(
      `its answers are of a kind that is not known here (${`${cardinality} ${baseType}`.slice(0, 40)})`,
    )
  }

  #compare(one: Operand, by: Comparison, other: Operand): Condition | undefined {
    if (
      one.is === 'response' &&
      other.is === 'values' &&
      isNumeric(one.declaration) &&
      other.values.length === 1
    )
      return {
        test: 'number',
        response: nameOf(one.declaration),
        by,
        value: toDecimal(other.values[0] ?? ''),
      }
    const [left, right] = [toPoints(one), toPoints(other)]
    return left && right ? { test: 'points', left, by, right } : undefined
  }

  #equal(element: XmlElement, one: Operand, other: Operand): Condition | undefined {
    const { toleranceMode = 'exact', tolerance = '0' } = element.attributes
    const isIn = (name: string) => element.attributes[name] !== 'false'
    const [below = '0', above = below] = tolerance.trim().split(/\s+/)
    const isFirst = one.is === 'response'
    const response = isFirst ? one : other
    const key = isFirst ? other : one
    if (response.is !== 'response' || key.is !== 'values' || !isNumeric(response.declaration))
      return toleranceMode === 'exact' ? this.#compare(one, '=', other) : undefined
    const middle = toDecimal(key.values[0] ?? '')
    const bound = (by: Comparison, value: Decimal): Condition => ({
      test: 'number',
      response: nameOf(response.declaration),
      by,
      value,
    })
    if (key.values.length !== 1) return undefined
    if (toleranceMode === 'exact') return bound('=', middle)
    let [down, up] = [toDecimal(below), toDecimal(above)]
    if (toleranceMode === 'relative') {
      // A part of the first of the two, which then has to be the key.
      if (isFirst) throw new Skip('its tolerance is a part of the answer')
      const size = { digits: middle.digits < 0n ? -middle.digits : middle.digits, scale: middle.scale + 2 }
      ;[down, up] = [multiply(size, down), multiply(size, up)]
      if (middle.digits < 0n) [down, up] = [up, down]
    } else if (isFirst) [down, up] = [up, down]
    const [includesLow, includesHigh] = [isIn('includeLowerBound'), isIn('includeUpperBound')]
    const [low, high] = isFirst ? [includesHigh, includesLow] : [includesLow, includesHigh]
    const named: Condition = bound('=', middle)
    const inside: Condition = {
      test: 'all',
      of: [
        bound(low ? '>=' : '>', subtract(middle, down)),
        bound(high ? '<=' : '<', subtract(middle, negative(up))),
      ],
    }
    // The key itself is named, so that a range of which it isn't the middle is told from others.
    return low && high ? { test: 'any', of: [named, inside] } : inside
  }

  #operand(element: XmlElement): Operand {
    const { identifier = '' } = element.attributes
    const declaration = this.#declarations.get(identifier)
    switch (element.name) {
      case 'variable': {
        if (declaration) return { is: 'response', declaration }
        const outcome = this.#outcomes.get(identifier)
        if (!outcome) return unknown(element)
        return isNumeric(outcome)
          ? { is: 'points', expression: { value: 'outcome', outcome: identifier } }
          : { is: 'outcome', outcome: identifier }
      }
      case 'correct': {
        const values = correctValues(declaration)
        return values.length === 0 ? { is: 'null' } : { is: 'values', values }
      }
      case 'baseValue':
        return { is: 'values', values: [textOf(element).trim()] }
      case 'null':
        return { is: 'null' }
      case 'multiple':
      case 'ordered': {
        const parts = elementsOf(element).map((each) => this.#operand(each))
        if (parts.some(({ is }) => is !== 'values')) return unknown(element)
        return { is: 'values', values: parts.flatMap((each) => (each.is === 'values' ? each.values : [])) }
      }
      case 'index': {
        const [of] = elementsOf(element)
        const inner = of && this.#operand(of)
        const index = Number(element.attributes.n) - 1
        return inner?.is === 'response' &&
          Number.isInteger(index) &&
          inner.declaration.attributes.cardinality === 'ordered'
          ? { is: 'place', declaration: inner.declaration, index }
          : unknown(element)
      }
      default:
        return { is: 'points', expression: this.#expression(element) }
    }
  }

  #expression(element: XmlElement): Expression {
    const parts = elementsOf(element)
    switch (element.name) {
      case 'baseValue': {
        const text = textOf(element).trim()
        return /^(float|integer)$/.test(element.attributes.baseType ?? '')
          ? { value: 'number', number: toPointsValue(text) || this.#zero }
          : { value: 'name', name: text }
      }
      case 'variable':
        return { value: 'outcome', outcome: this.#outcomeOf(element) }
      case 'mapResponse': {
        const declaration = this.#declarations.get(element.attributes.identifier ?? '')
        return declaration ? { value: 'map', ...this.#map(declaration) } : unknown(element)
      }
      case 'sum':
      case 'product':
      case 'min':
      case 'max':
        return { value: SUMS[element.name], of: parts.map((each) => this.#expression(each)) }
      case 'subtract':
      case 'divide': {
        const [one, other] = parts.map((each) => this.#expression(each))
        if (!one || !other || parts.length > 2) return unknown(element)
        if (element.name === 'subtract') return { value: 'difference', of: [one, other] }
        return other.value === 'number' && other.number !== 0
          ? { value: 'quotient', of: [one, other] }
          : unknown(element)
      }
      case 'integerToFloat':
        return parts[0] ? this.#expression(parts[0]) : unknown(element)
      default:
        return unknown(element)
    }
  }

  #outcomeOf(element: XmlElement): string {
    const { identifier = '' } = element.attributes
    if (!this.#outcomes.has(identifier)) unknown(element)
    return identifier
  }

  #map(declaration: XmlElement, isCaseSensitive = this.#isMapCaseSensitive): ResponseMap {
    const mapping = childOf(declaration, 'mapping')
    if (!mapping) throw new Skip('its scoring uses a mapping that is not in the file')
    const { defaultValue = '0', lowerBound, upperBound } = mapping.attributes
    const isText = declaration.attributes.baseType === 'string'
    return {
      response: nameOf(declaration),
      entries: childrenOf(mapping, 'mapEntry').map(({ attributes }) => ({
        key: toValue(declaration, attributes.mapKey ?? ''),
        points: toPointsValue(attributes.mappedValue ?? ''),
        exactCase: !isText || (attributes.caseSensitive ?? String(isCaseSensitive)) === 'true',
      })),
      otherwise: toPointsValue(defaultValue),
      least: lowerBound === undefined ? Number.NEGATIVE_INFINITY : toPointsValue(lowerBound),
      most: upperBound === undefined ? Number.POSITIVE_INFINITY : toPointsValue(upperBound),
    }
  }
}

function unknown(element: XmlElement): never {
  throw new Skip(
    UNKNOWN[element.name] ?? `its scoring has a rule that is not known here (${element.name.slice(0, 40)})`,
  )
}

function byIdentifier(elements: readonly XmlElement[]): Map<string, XmlElement> {
  return new Map(elements.map((each) => [nameOf(each), each]))
}

const nameOf = ({ attributes }: XmlElement) => attributes.identifier ?? ''

function elementsOf(element: XmlElement): XmlElement[] {
  return element.children.filter((child) => typeof child !== 'string')
}

const branch = (when: Condition, rules: Rule[]): Rule => ({ do: 'first', of: [{ when, rules }] })

function setsIn(elements: readonly XmlElement[]): XmlElement[] {
  return elements.flatMap((each) => [
    ...(each.name === 'setOutcomeValue' ? [each] : []),
    ...descendants(each, 'setOutcomeValue'),
  ])
}

/** The score, and every outcome that has a part in deciding it. */
function findRelevant(rules: readonly XmlElement[], score: string): Set<string> {
  const relevant = new Set([score])
  for (let size = 0; size < relevant.size; ) {
    size = relevant.size
    for (const rule of rules) {
      const isCondition = rule.name !== 'setOutcomeValue'
      const sets = setsIn([rule]).filter(({ attributes }) => relevant.has(attributes.identifier ?? ''))
      if (sets.length === 0 && [...descendants(rule, 'exitResponse')].length === 0) continue
      for (const each of isCondition ? [rule] : sets)
        for (const { attributes } of descendants(each, 'variable')) relevant.add(attributes.identifier ?? '')
    }
  }
  return relevant
}

function matters(branches: readonly XmlElement[], relevant: ReadonlySet<string>): boolean {
  return (
    setsIn(branches).some(({ attributes }) => relevant.has(attributes.identifier ?? '')) ||
    branches.some((each) => [...descendants(each, 'exitResponse', 'lookupOutcomeValue')].length > 0)
  )
}

function toPoints(operand: Operand): Expression | undefined {
  if (operand.is === 'points') return operand.expression
  if (operand.is !== 'values' || operand.values.length !== 1) return undefined
  return { value: 'number', number: toPointsValue(operand.values[0] ?? '') }
}

function toPointsValue(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) throw new Skip('its marks cannot be read')
  return value
}

function toDecimal(text: string): Decimal {
  const decimal = parseDecimal(text.trim())
  if (!decimal) throw new Skip('a number of its scoring cannot be read')
  return decimal
}

function subtract(one: Decimal, other: Decimal): Decimal {
  const scale = Math.max(one.scale, other.scale)
  return { digits: digitsAt(one, scale) - digitsAt(other, scale), scale }
}

function negative({ digits, scale }: Decimal): Decimal {
  return { digits: -digits, scale }
}

function multiply(one: Decimal, other: Decimal): Decimal {
  return { digits: one.digits * other.digits, scale: one.scale + other.scale }
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index])
}
