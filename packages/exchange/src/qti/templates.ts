import {
  evaluate,
  fill,
  onlyPlace,
  parseTemplate,
  readDecimal,
  toDecimal,
  toPlainNumber,
  write,
} from '@exam-practice/expressions'
import { type Draft, Skip } from '../items.ts'
import type { NumberEntry, Question } from '../question.ts'
import { Marks, mapTexts } from '../variables/marks.ts'
import { childrenOf, descendants, textOf, type XmlElement } from '../xml.ts'
import { Expanding } from './expanding.ts'
import { readTemplateRules, type TemplateRules } from './template-rules.ts'

/** A value in a text or a key. */
interface Shown {
  variable: string
  /** As it stands behind an expression. */
  format: string
  /** What part of its size it is, for tolerances. */
  share?: string
}

/**
 * An item whose numbers are drawn. It is read twice as if it had numbers of its own, with marks for those in its texts:
 * where key or tolerance follow a variable, that is what they are.
 */
export function readWithVariables(item: XmlElement, read: (item: XmlElement) => Draft): Draft {
  if ([...descendants(item)].some(isConditional)) throw new Skip('its text depends on its numbers')
  const sampling = new Sampling(item, readTemplateRules(item))
  const [first, second] = [sampling.sample(7_000_003, 1_013), sampling.sample(9_000_011, 1_511)]
  const [one, other] = [read(first.item), read(second.item)]
  const merged = sampling.merge(one.question, other.question, [first.numbers, second.numbers])
  return { ...one, question: sampling.finish(merged) }
}

function isConditional({ name, attributes }: XmlElement): boolean {
  return attributes.templateIdentifier !== undefined || /^template(Block|Inline)$/.test(name)
}

type Numbers = ReadonlyMap<string, string>

class Sampling {
  readonly #item: XmlElement
  readonly #rules: TemplateRules
  readonly #inFormulas: ReadonlySet<string>
  readonly #marks = new Marks<Shown>()
  readonly #known = new Map<string, string>()

  constructor(item: XmlElement, rules: TemplateRules) {
    this.#item = item
    this.#rules = rules
    const declarations = childrenOf(item, 'templateDeclaration').map(({ attributes }) => attributes)
    this.#inFormulas = new Set(
      declarations.filter((each) => each.mathVariable === 'true').map(({ identifier = '' }) => identifier),
    )
  }

  /** The item with a number for each of its variables. */
  sample(first: number, step: number): { item: XmlElement; numbers: Numbers } {
    const variables = [...this.#rules.definitions.keys()]
    const numbers = new Map(variables.map((each, index) => [each, String(first + step * index)]))
    const replaced = (element: XmlElement, inRules: boolean): XmlElement => ({
      name: element.name,
      attributes: withTolerance(element.attributes, numbers),
      children: element.children.flatMap((child): (XmlElement | string)[] => {
        if (typeof child === 'string') return [child]
        if (child.name === 'templateDeclaration' || child.name === 'templateProcessing') return []
        if (child.name === 'responseDeclaration') return [this.#withCorrect(child, numbers)]
        const { identifier = '' } = child.attributes
        const number = numbers.get(identifier)
        if (child.name === 'variable' && inRules && number !== undefined)
          return [{ ...make('baseValue', number), attributes: { baseType: 'float' } }]
        if (child.name === 'printedVariable' && number !== undefined)
          return [this.#mark({ variable: identifier, format: readFormat(child) })]
        const name = child.name === 'mi' ? textOf(child).trim() : ''
        if (this.#inFormulas.has(name) && numbers.has(name))
          return [make('mn', this.#mark({ variable: name, format: '' }))]
        return [replaced(child, inRules || child.name === 'responseProcessing')]
      }),
    })
    return { item: replaced(this.#item, false), numbers }
  }

  /** The same for the same, each time. */
  #mark(shown: Shown): string {
    const name = JSON.stringify(shown)
    const mark = this.#known.get(name) ?? this.#marks.mark(shown)
    this.#known.set(name, mark)
    return mark
  }

  #withCorrect(declaration: XmlElement, numbers: Numbers): XmlElement {
    const correct = this.#rules.correct.get(declaration.attributes.identifier ?? '')
    if (!correct) return declaration
    const values = 'values' in correct ? correct.values : [numbers.get(correct.variable) ?? '']
    const right = { ...make('correctResponse'), children: values.map((value) => make('value', value)) }
    const others = declaration.children.filter(
      (child) => typeof child === 'string' || child.name !== 'correctResponse',
    )
    return { ...declaration, children: [right, ...others] }
  }

  /** What both times have in common, with marks where keys follow the numbers. */
  merge<T>(one: T, other: T, numbers: [Numbers, Numbers]): T {
    if (one === other) return one
    const depends = () => new Skip('its scoring depends on its numbers in a way that has no equivalent here')
    if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) throw depends()
    if ('tolerance' in one && 'tolerance' in other) {
      const [first, second] = [one, other] as unknown as [NumberEntry, NumberEntry]
      return { ...one, ...this.#mergeNumbers(first, second, numbers) }
    }
    const [names, others] = [Object.keys(one), Object.keys(other)]
    if (names.join('\n') !== others.join('\n')) throw depends()
    const merged = names.map((name) => {
      const [value, another] = [
        one[name as keyof T & keyof typeof one],
        other[name as keyof T & keyof typeof other],
      ]
      return [name, this.merge<unknown>(value, another, numbers)] as const
    })
    return (Array.isArray(one) ? merged.map(([, value]) => value) : Object.fromEntries(merged)) as T
  }

  #mergeNumbers(one: NumberEntry, other: NumberEntry, numbers: [Numbers, Numbers]) {
    const follow = (first: string, second: string): string | undefined => {
      if (first === second) return first
      const variable = [...numbers[0].keys()].find(
        (each) => isSame(numbers[0].get(each), first) && isSame(numbers[1].get(each), second),
      )
      return variable === undefined ? undefined : this.#mark({ variable, format: '' })
    }
    const key = follow(one.key, other.key)
    const variable = [...numbers[0].keys()].find((each) => isSame(numbers[0].get(each), one.key))
    const share = shareOf(one)
    const tolerance =
      follow(one.tolerance, other.tolerance) ??
      (variable !== undefined && share !== undefined && share === shareOf(other)
        ? this.#mark({ variable, format: '', share })
        : undefined)
    if (key === undefined || tolerance === undefined)
      throw new Skip('its scoring depends on its numbers in a way that has no equivalent here')
    return { key, tolerance }
  }

  /** The question with expressions for its marks, and the variables that are in them. */
  finish(question: Question): Question {
    const shown = new Set<string>()
    mapTexts(question, (text) => {
      if (text.includes('{@')) throw new Skip('its text has {@, which stands for a value here')
      return this.#marks.replace(text, ({ variable }) => {
        shown.add(variable)
        return ''
      })
    })
    const { definitions, conditions } = this.#rules
    const expanding = new Expanding(definitions, conditions, shown)
    const { variables } = expanding
    const write = ({ variable, format, share }: Shown): string => {
      const text = expanding.write(variable)
      return share === undefined ? `{@${text}${format}@}` : `{@abs(${text})*${share}@}`
    }
    const finished = (text: string) => {
      const written = this.#marks.replace(text, write)
      return variables.length > 0 || written === text ? written : withConstants(written)
    }
    return {
      ...mapTexts(question, finished),
      variables,
      conditions: variables.length > 0 ? expanding.writeConditions(conditions) : [],
    }
  }
}

const make = (name: string, text?: string): XmlElement => ({
  name,
  attributes: {},
  children: text === undefined ? [] : [text],
})

/** Without variables there are no places: a text has their values, and so has a key. */
function withConstants(text: string): string {
  const template = parseTemplate(text)
  const only = onlyPlace(template)
  const value = only && evaluate(only.tree, new Map())
  const written = value
    ? only.format
      ? toPlainNumber(write(value, only.format))
      : (toDecimal(value) ?? toPlainNumber(write(value, { significant: 15 })))
    : fill(template, new Map())
  if (written === undefined) throw new Skip('a number of it is not finite')
  return written
}

/** A tolerance may be a variable, too. */
function withTolerance(attributes: XmlElement['attributes'], numbers: Numbers): XmlElement['attributes'] {
  const { tolerance } = attributes
  if (tolerance === undefined) return attributes
  return { ...attributes, tolerance: tolerance.replace(/\S+/g, (word) => numbers.get(word) ?? word) }
}

/** How a value is printed, in C's way; throws `Skip` for what isn't a number of decimals or digits. */
function readFormat({ attributes }: XmlElement): string {
  const { format = '', base = '10', index, field } = attributes
  if (base !== '10' || index !== undefined || field !== undefined)
    throw new Skip('its numbers are shown in a form that there is not here')
  if (format === '') return ''
  if (/^%[di]$/.test(format)) return '; 0'
  const [, decimals] = /^%\.(\d{1,2})f$/i.exec(format) ?? []
  if (decimals !== undefined) return `; ${Number(decimals)}`
  const [, digits] = /^%#\.(\d{1,2})g$/i.exec(format) ?? []
  if (digits !== undefined) return `; ${Number(digits)}s`
  throw new Skip(`its numbers are shown in a form that there is not here (${format.slice(0, 40)})`)
}

function isSame(one: string | undefined, other: string): boolean {
  const [left, right] = [one, other].map((each) => (each === undefined ? undefined : readDecimal(each)))
  return left !== undefined && right !== undefined && left.equals(right)
}

/** A tolerance as a part of its key; undefined where it is no decimal. */
function shareOf({ key, tolerance }: NumberEntry): string | undefined {
  const [size, allowed] = [readDecimal(key), readDecimal(tolerance)]
  return size && allowed && size.n !== 0n ? toDecimal(allowed.div(size.abs())) : undefined
}
