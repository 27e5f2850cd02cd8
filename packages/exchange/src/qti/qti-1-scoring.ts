import { Skip } from '../items.ts'
import { parseDecimal } from '../numbers/decimals.ts'
import { checkSize } from '../scoring/deciding.ts'
import type { Condition, Expression, Rule, Scoring } from '../scoring/model.ts'
import { childOf, childrenOf, descendants, textOf, type XmlElement } from '../xml.ts'

/** A response with what can be given. */
export interface Asked {
  id: string
  kind: 'choice' | 'order' | 'text' | 'number'
  /** Its choices, or for Brightspace the blank's own name. */
  labels: readonly string[]
}

/** Brightspace counts what is right and what is wrong. */
const COUNTERS = ['D2L_Correct', 'D2L_Incorrect']
const STOPS = 'what its scoring means depends on whether it goes on after a condition, which it does not say'

/**
 * What the response processing of an item says; undefined: nothing brings marks. There are two of them where a condition
 * doesn't say whether the rules go on after it: 1.2 says that they don't, and most tools mean that they do.
 */
export function readScorings(item: XmlElement, asked: readonly Asked[]): [Scoring, ...Scoring[]] | undefined {
  const conditions = [...descendants(item, 'respcondition')]
  for (const processing of descendants(item, 'resprocessing')) checkSize(processing)
  const names = new Set(conditions.flatMap((each) => childrenOf(each, 'setvar').map(variableOf)))
  const score = nameOfScore(names)
  if (score === undefined) return undefined
  const reader = new ScoringReader(item, asked, score)
  if (!conditions.some((each) => childrenOf(each, 'setvar').some((set) => reader.isGain(set))))
    return undefined
  const going = reader.read(conditions, false)
  const isOpen = conditions.some(
    ({ attributes, children }) =>
      attributes.continue === undefined &&
      children.some(
        (child) =>
          typeof child !== 'string' &&
          child.name === 'setvar' &&
          /^set$/i.test(child.attributes.action ?? 'Set'),
      ),
  )
  return isOpen && conditions.length > 1 && score[0] !== COUNTERS[0]
    ? [going, reader.read(conditions, true)]
    : [going]
}

/** What both scorings decide; throws `Skip` if that differs. */
export function decideAll<T>([first, second]: [Scoring, ...Scoring[]], decide: (scoring: Scoring) => T): T {
  const decided = decide(first)
  if (!second) return decided
  let other: T
  try {
    other = decide(second)
  } catch (error) {
    throw error instanceof Skip ? new Skip(STOPS) : error
  }
  if (JSON.stringify(other) !== JSON.stringify(decided)) throw new Skip(STOPS)
  return decided
}

function variableOf({ attributes }: XmlElement): string {
  // The second is Blackboard's.
  return attributes.varname ?? attributes.variablename ?? 'SCORE'
}

function nameOfScore(names: ReadonlySet<string>): string[] | undefined {
  if (COUNTERS.some((each) => names.has(each))) return COUNTERS
  const scores = [...names].filter((name) => /score/i.test(name))
  const [only, ...others] = scores.length > 0 ? scores : [...names]
  if (others.length > 0) throw new Skip('its scoring has several scores')
  return only === undefined ? undefined : [only]
}

class ScoringReader {
  readonly #item: XmlElement
  readonly #asked: ReadonlyMap<string, Asked>
  readonly #score: readonly string[]
  /** What Blackboard calls `SCORE.max`. */
  readonly #most: number

  constructor(item: XmlElement, asked: readonly Asked[], score: readonly string[]) {
    this.#item = item
    const own = asked.map((each) => [each.id, each] as const)
    const blanks = asked.filter(({ kind }) => kind === 'text' || kind === 'number')
    this.#asked = new Map([
      ...blanks.flatMap((each) => each.labels.map((label) => [label, each] as const)),
      ...own,
    ])
    this.#score = score
    const values = [...descendants(item, 'setvar')].filter((each) => this.#isScore(each)).map(textOf)
    const isPlain = values.every((each) => isMost(each) || Number(each) === 0)
    this.#most = isPlain ? 1 : Number([...descendants(item, 'decvar')][0]?.attributes.maxvalue)
  }

  isGain(set: XmlElement): boolean {
    return this.#isScore(set) && this.#amount(set) > 0
  }

  read(conditions: readonly XmlElement[], stopsUnlessSaid: boolean): Scoring {
    const rules: Rule[] = []
    const before: Condition[] = []
    for (const each of conditions) {
      const variables = childOf(each, 'conditionvar')
      const sets = childrenOf(each, 'setvar').filter((set) => this.#isScore(set))
      const isOther = variables && [...descendants(variables)].some(({ name }) => name === 'other')
      // What sets no score may be anything; it counts for what is neither of all before.
      if (sets.length === 0) continue
      const when: Condition = variables ? this.#all(variables, before) : { test: 'always' }
      const stops = /^no$/i.test(each.attributes.continue ?? (stopsUnlessSaid ? 'No' : 'Yes'))
      rules.push({
        do: 'first',
        of: [{ when, rules: [...sets.map((set) => this.#set(set)), ...(stops ? [END] : [])] }],
      })
      if (!isOther) before.push(when)
    }
    // Nothing comes after the last.
    const last = rules.at(-1)
    if (last?.do === 'first')
      rules[rules.length - 1] = {
        do: 'first',
        of: last.of.map(({ when, rules: inner }) => ({
          when,
          rules: inner.filter(({ do: what }) => what !== 'end'),
        })),
      }
    const [score = '', costs] = this.#score
    const points: Expression =
      costs === undefined
        ? { value: 'outcome', outcome: score }
        : {
            value: 'difference',
            of: [
              { value: 'outcome', outcome: score },
              { value: 'outcome', outcome: costs },
            ],
          }
    return {
      outcomes: new Map(this.#score.map((name) => [name, this.#before(name)])),
      rules,
      points,
      knowsNull: false,
    }
  }

  #isScore(set: XmlElement): boolean {
    return this.#score.includes(variableOf(set))
  }

  #before(name: string): number {
    const declared = [...descendants(this.#item, 'decvar')].find(
      (each) => (each.attributes.varname ?? 'SCORE') === name,
    )
    const value = Number(declared?.attributes.defaultval ?? 0)
    return Number.isFinite(value) ? value : 0
  }

  #amount(set: XmlElement): number {
    const text = textOf(set).trim()
    // Brightspace adds one without saying so.
    const value = isMost(text) ? this.#most : text === '' && this.#score === COUNTERS ? 1 : Number(text)
    if (!Number.isFinite(value)) throw new Skip('its marks cannot be read')
    return value
  }

  #set(set: XmlElement): Rule {
    const outcome = variableOf(set)
    const own: Expression = { value: 'outcome', outcome }
    const number: Expression = { value: 'number', number: this.#amount(set) }
    const to = (): Expression => {
      switch ((set.attributes.action ?? 'Set').toLowerCase()) {
        case 'set':
          return number
        case 'add':
          return { value: 'sum', of: [own, number] }
        case 'subtract':
          return { value: 'difference', of: [own, number] }
        case 'multiply':
          return { value: 'product', of: [own, number] }
        default:
          throw new Skip('its marks cannot be read')
      }
    }
    return { do: 'set', outcome, to: to() }
  }

  #all(element: XmlElement, before: readonly Condition[]): Condition {
    const places = new Map<string, number>()
    const rank = (equal: XmlElement, id: string): number => {
      const place = places.get(id) ?? 0
      places.set(id, place + 1)
      return equal.attributes.index === undefined ? place : Number(equal.attributes.index)
    }
    // Numbers of places begin with 0 or 1.
    const indices = [...descendants(element, 'varequal')].flatMap(({ attributes: { index } }) =>
      index === undefined ? [] : [Number(index)],
    )
    const first = indices.length > 0 ? Math.min(...indices) : 0
    const read = (each: XmlElement): Condition => {
      const parts = each.children.filter((child) => typeof child !== 'string')
      switch (each.name) {
        case 'conditionvar':
        case 'and':
          return { test: 'all', of: parts.map(read) }
        case 'or':
          return { test: 'any', of: parts.map(read) }
        case 'not':
          return { test: 'not', of: { test: 'all', of: parts.map(read) } }
        case 'other':
          return { test: 'not', of: { test: 'any', of: [...before] } }
        case 'unanswered': {
          const asked = this.#find(each)
          return asked ? { test: 'empty', response: asked.id } : { test: 'never' }
        }
      }
      const asked = this.#find(each)
      const text = textOf(each).trim()
      const by = ({ varequal: '=', varlt: '<', varlte: '<=', vargt: '>', vargte: '>=' } as const)[each.name]
      if (by === undefined)
        throw new Skip(`its scoring has a rule that is not known here (${each.name.slice(0, 40)})`)
      // Blackboard names its options as if they were responses.
      if (!asked) return { test: 'never' }
      const response = asked.id
      if (asked.kind === 'number') {
        const value = parseDecimal(text)
        if (!value) throw new Skip('a number of its scoring cannot be read')
        return { test: 'number', response, by, value }
      }
      if (by !== '=') throw new Skip('its answers are compared as numbers')
      switch (asked.kind) {
        case 'text':
          return {
            test: 'text',
            response,
            value: text,
            exactCase: /^yes$/i.test(each.attributes.case ?? 'No'),
          }
        case 'order':
          return { test: 'at', response, index: rank(each, response) - first, value: text }
        case 'choice':
          return { test: 'chosen', response, value: text }
      }
    }
    const condition = read(element)
    const isOrder = [...this.#asked.values()].some(({ kind }) => kind === 'order')
    if (isOrder && [...descendants(element, 'or', 'not')].length > 0)
      throw new Skip('it has several right orders')
    return condition
  }

  #find({ attributes: { respident } }: XmlElement): Asked | undefined {
    if (respident !== undefined) return this.#asked.get(respident)
    const all = new Set(this.#asked.values())
    return all.size === 1 ? [...all][0] : undefined
  }
}

const END: Rule = { do: 'end' }

function isMost(text: string): boolean {
  return /^score\.max$/i.test(text.trim())
}
