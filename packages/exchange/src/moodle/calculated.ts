import type { Variable } from '@exam-practice/expressions'
import { Skip } from '../items.ts'
import type { NumberEntry } from '../question.ts'
import { type Dataset, isTable, readDataset, requireNumber, toVariables } from '../variables/datasets.ts'
import { type Language, one, rounded, same, translate, truncated, two } from '../variables/formulas.ts'
import { Marks, mapTexts } from '../variables/marks.ts'
import { toNames } from '../variables/names.ts'
import { childOf, childrenOf, textOf, type XmlElement } from '../xml.ts'

export function isCalculated(type: string): boolean {
  return /^calculated(simple|multi)?$/.test(type)
}

/** Moodle's formulas are PHP's. */
const FUNCTIONS: Language['functions'] = {
  ...same('abs acos asin atan ceil cos cosh exp floor log10 sin sinh sqrt tan tanh'),
  ...same('atan2', 2),
  ...same('max min', 2, 20),
  acosh: one((of) => `ln(${of} + sqrt((${of})^2 - 1))`),
  asinh: one((of) => `ln(${of} + sqrt((${of})^2 + 1))`),
  atanh: one((of) => `(ln((1 + (${of}))/(1 - (${of})))/2)`),
  deg2rad: one((of) => `((${of})*pi/180)`),
  fmod: two((of, by) => `((${of}) - (${by})*${truncated(`(${of})/(${by})`)})`),
  log: (of, base, ...more) =>
    of === undefined || more.length > 0
      ? undefined
      : base === undefined
        ? `ln(${of})`
        : `(ln(${of})/ln(${base}))`,
  pi: (...of) => (of.length === 0 ? 'pi' : undefined),
  pow: two((of, exponent) => `((${of})^(${exponent}))`),
  rad2deg: one((of) => `((${of})*180/pi)`),
  round: rounded,
}
/** A formula in a text, with the names in it. */
const FORMULA = /\{=([^{}]*(?:\{[^{}]+\}[^{}]*)*)\}/g
const BRACES = /\{([^{}]+)\}/g
/** What holds no text of the question. */
const UNMARKED = new Set(['name', 'tags', 'dataset_definitions', 'units'])

/** The variables of a calculated question, with what its texts, keys and tolerances are by them. */
export class Calculated {
  readonly variables: Variable[]
  readonly #marks = new Marks<string>()
  readonly #names: Map<string, string>
  /** How each of them is shown, which is as its values are written. */
  readonly #shown: Map<string, string>
  readonly #language: Language

  constructor(element: XmlElement) {
    const used = new Set([...textOf(element).matchAll(BRACES)].map(([, name = '']) => name))
    const definitions = childrenOf(childOf(element, 'dataset_definitions'), 'dataset_definition')
      .filter((definition) => used.has(readName(definition)))
      .map(readDefinition)
    if (definitions.length === 0) throw new Skip('the values of its variables are not in the file')
    const shared = definitions.some(({ isShared }) => isShared)
    if (shared && !/^0?$/.test(textOf(childOf(element, 'synchronize')).trim()))
      throw new Skip('its numbers are the same as those of other questions')
    this.#names = toNames(definitions.map(({ name }) => name))
    this.variables = toVariables(definitions, this.#names)
    this.#shown = new Map(definitions.map((each) => [each.name, formatOf(each)]))
    this.#language = {
      functions: FUNCTIONS,
      words: (token) => {
        if (/^[-+*/]$/.test(token)) return token
        if (token === '**') return '^'
        if (token.startsWith('{')) return this.#names.get(token.slice(1, -1))
        // With a zero before it, it would be octal.
        return /^(?:\d|\.\d)/.test(token) && !/^0\d/.test(token) ? token : undefined
      },
    }
  }

  /** The question with marks for values in its texts; of a number any key stands for its formulas. */
  withMarks(element: XmlElement, isNumber: boolean): XmlElement {
    const marked = (node: XmlElement, format: string): XmlElement => ({
      ...node,
      children: node.children.map((child) => {
        if (typeof child === 'string' || UNMARKED.has(child.name)) return child
        if (child.name === 'answer') return marked(child, formatOfAnswer(child))
        if (child.name !== 'text') return marked(child, format)
        const text = textOf(child)
        const isFormula = isNumber && node.name === 'answer'
        return {
          ...child,
          children: [isFormula ? text.replace(/^(?!\s*\*\s*$).*$/s, '0') : this.#mark(text, format)],
        }
      }),
    })
    return marked(element, '')
  }

  withoutMarks<T>(question: T): T {
    return mapTexts(question, (text) => this.#marks.replace(text, (place) => place))
  }

  /** A formula has the decimals or digits of its answer. */
  #mark(html: string, format: string): string {
    if (html.includes('{@')) throw new Skip('its text has {@, which stands for a value here')
    return html
      .replace(FORMULA, (_, formula: string) =>
        this.#marks.mark(`{@${translate(formula, this.#language)}${format}@}`),
      )
      .replace(BRACES, (braces, their: string) => {
        const name = this.#names.get(their)
        return name === undefined ? braces : this.#marks.mark(`{@${name}${this.#shown.get(their) ?? ''}@}`)
      })
  }

  /** The key of an answer and how far one may be from it. */
  readAnswer(answer: XmlElement): Omit<NumberEntry, 'kind'> {
    const formula = translate(textOf(childOf(answer, 'text')), this.#language)
    const key = `{@${formula}${formatOfAnswer(answer)}@}`
    const tolerance = requireNumber(textOf(childOf(answer, 'tolerance')) || '0', 'tolerance').replace('-', '')
    switch (textOf(childOf(answer, 'tolerancetype')).trim()) {
      case '':
      case '1':
      case 'relative':
        return { key, tolerance: Number(tolerance) === 0 ? '0' : `{@abs(${formula})*${tolerance}@}` }
      case '2':
      case 'nominal':
        return { key, tolerance }
      default:
        if (Number(tolerance) === 0) return { key, tolerance }
        throw new Skip('its tolerance is a factor: it reaches further above than below')
    }
  }
}

/** Decimals or significant digits that an answer's formulas are shown with. */
function formatOfAnswer(answer: XmlElement): string {
  const length = textOf(childOf(answer, 'correctanswerlength')).trim()
  if (!/^\d{1,2}$/.test(length)) return ''
  const isSignificant = textOf(childOf(answer, 'correctanswerformat')).trim() === '2'
  return isSignificant ? (Number(length) > 0 ? `; ${Number(length)}s` : '') : `; ${Number(length)}`
}

type Definition = Dataset & { isShared: boolean }

function readName(definition: XmlElement): string {
  return textOf(childOf(definition, 'name')).trim()
}

function readDefinition(definition: XmlElement): Definition {
  const value = (name: string) => textOf(childOf(definition, name)).trim()
  const distribution = value('distribution')
  if (!/^(uniform)?$/.test(distribution))
    throw new Skip(`its numbers are not drawn evenly (${distribution.slice(0, 40)})`)
  return {
    ...readDataset({
      name: readName(definition),
      from: value('minimum'),
      to: value('maximum'),
      decimals: value('decimals'),
      values: childrenOf(childOf(definition, 'dataset_items'), 'dataset_item').map((item) =>
        textOf(childOf(item, 'value')),
      ),
    }),
    isShared: value('status') === 'shared',
  }
}

/** Drawn values have all of their decimals, zeros too. */
function formatOf(dataset: Dataset): string {
  const written = isTable(dataset) ? decimalsOf(dataset.values) : dataset.decimals
  return written === undefined || written === 0 ? '' : `; ${written}`
}

/** The decimals that all of them are written with; undefined where they differ. */
function decimalsOf(values: readonly string[]): number | undefined {
  const [first, ...others] = new Set(
    values.map((value) => (/^-?\d+(\.\d+)?$/.test(value) ? (value.split('.')[1]?.length ?? 0) : -1)),
  )
  return others.length > 0 || first === undefined || first < 0 || first > 15 ? undefined : first
}
