import { evaluate, parseExpression, readDecimal, type Variable } from '@exam-practice/expressions'
import { Skip } from '../items.ts'
import { parseDecimal } from '../numbers/decimals.ts'
import type { NumberEntry } from '../question.ts'
import { readDataset, requireNumber, toVariables } from '../variables/datasets.ts'
import { checked, type Language, one, same, translate, two } from '../variables/formulas.ts'
import { Marks, mapTexts } from '../variables/marks.ts'
import { toNames } from '../variables/names.ts'
import { childOf, childrenOf, descendants, textOf, type XmlElement } from '../xml.ts'

/** The formulas of Canvas. */
const FUNCTIONS: Language['functions'] = {
  ...same('abs acos asin atan ceil cos floor ln sin sqrt tan'),
  ...same('max min', 1, 20),
  comb: two((of, taken) => `binom(${of}, ${taken})`),
  cosec: one((of) => `(1/sin(${of}))`),
  cotan: one((of) => `(1/tan(${of}))`),
  deg_to_rad: one((of) => `((${of})*pi/180)`),
  e: (of, ...more) => (more.length > 0 ? undefined : of === undefined ? 'e' : `exp(${of})`),
  fact: one((of) => `factorial(${of})`),
  log: (of, base, ...more) =>
    of === undefined || more.length > 0
      ? undefined
      : base === undefined
        ? `log10(${of})`
        : `(ln(${of})/ln(${base}))`,
  mean: (...of) => (of.length > 0 ? `((${of.join(' + ')})/${of.length})` : undefined),
  perm: two((of, taken) => `(factorial(${of})/factorial((${of}) - (${taken})))`),
  pi: (...of) => (of.length === 0 ? 'pi' : undefined),
  rad_to_deg: one((of) => `((${of})*180/pi)`),
  // Halves up, those below zero too.
  round: one((of) => `floor(${of} + 0.5)`),
  sec: one((of) => `(1/cos(${of}))`),
  sum: (...of) => (of.length > 0 ? `(${of.join(' + ')})` : undefined),
}
const OPERATORS = /^[-+*/^]$/
const UNREADABLE = 'a formula of it cannot be read'
/** How far the answers in the file may be from the formula's, as a part of them. */
const ROUNDING = 1e-6

/** A sign belongs to the number or the name behind it, and powers are read from the left. */
function rewrite(tokens: readonly string[]): string[] {
  const written: string[] = []
  /** The last operator of each open bracket. */
  const last = ['']
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as string
    const before = tokens[index - 1]
    const isSign =
      /^[-+]$/.test(token) && (before === undefined || OPERATORS.test(before) || /^[(,]$/.test(before))
    const next = tokens[index + 1] ?? ''
    if (isSign) {
      if (token === '+' || !/^[\p{L}\d.]/u.test(next) || tokens[index + 2] === '(') throw new Skip(UNREADABLE)
      written.push('(', '-', next, ')')
      index += 1
      continue
    }
    if (token === '(') last.push('')
    else if (token === ')') last.pop()
    else if (token === ',') last[last.length - 1] = ''
    else if (OPERATORS.test(token)) {
      if (token === '^' && last.at(-1) === '^')
        throw new Skip('a formula of it has a power of a power without brackets')
      last[last.length - 1] = token
    }
    written.push(token)
  }
  return written
}

/** A calculated question of Canvas, with what its texts and its key are by its variables. */
export class CanvasCalculated {
  readonly variables: Variable[]
  readonly task: NumberEntry
  readonly #marks = new Marks<string>()
  readonly #names: Map<string, string>

  /** `calculated` is the element that holds all of it. */
  constructor(calculated: XmlElement) {
    if (textOf(childOf(calculated, 'unit_required')).trim() === 'true')
      throw new Skip('its answer needs a unit')
    const sets = childrenOf(childOf(calculated, 'var_sets'), 'var_set')
    const datasets = childrenOf(childOf(calculated, 'vars'), 'var').map((each) => {
      const { name = '', scale = '0' } = each.attributes
      const [from, to] = ['min', 'max'].map((end) => textOf(childOf(each, end))) as [string, string]
      const values = sets.flatMap((set) => valueIn(set, name) ?? [])
      return readDataset({ name, from, to, decimals: scale, values })
    })
    const formulas = childrenOf(childOf(calculated, 'formulas'), 'formula').map((each) => textOf(each).trim())
    const assigned = formulas.flatMap((formula) => ASSIGNED.exec(formula)?.[1] ?? [])
    this.#names = toNames([...datasets.map(({ name }) => name), ...assigned])
    if (this.#names.size < datasets.length + assigned.length)
      throw new Skip('a variable of it is there twice')
    const steps = this.#readSteps(formulas)
    const key = checked(steps.key)
    const answers = sets.map((set) => textOf(childOf(set, 'answer')).trim())
    const decimals = decimalsOf(childOf(calculated, 'formulas')?.attributes.decimal_places, answers)
    this.variables = [...toVariables(datasets, this.#names), ...steps.variables]
    const rounded =
      decimals === undefined
        ? key
        : decimals === 0
          ? `round(${key})`
          : `round((${key})*10^${decimals})/10^${decimals}`
    checked(rounded)
    this.#checkAnswers(sets, answers, steps.variables, key, decimals)
    this.task = {
      kind: 'number',
      key: `{@${rounded}${decimals === undefined ? '' : `; ${decimals}`}@}`,
      tolerance: readTolerance(childOf(calculated, 'answer_tolerance'), rounded),
    }
  }

  /** Formulas that give a name to a value, and the last one, which is the answer. */
  #readSteps(formulas: readonly string[]): { variables: { name: string; is: string }[]; key: string } {
    const language: Language = {
      functions: FUNCTIONS,
      rewrite,
      words: (token) => {
        if (OPERATORS.test(token) || token === 'pi' || token === 'e') return token
        return this.#names.get(token) ?? (/^\d*\.?\d+$/.test(token) ? token : undefined)
      },
    }
    const variables: { name: string; is: string }[] = []
    let key = ''
    for (const formula of formulas) {
      const [, their, expression = formula] = ASSIGNED.exec(formula) ?? []
      key = translate(expression, language)
      const name = their === undefined ? undefined : this.#names.get(their)
      if (name === undefined) continue
      variables.push({ name, is: key })
      key = name
    }
    return { variables, key }
  }

  /** What is graded in Canvas are the answers of the file: the formula has to give them. */
  #checkAnswers(
    sets: readonly XmlElement[],
    answers: readonly string[],
    variables: readonly { name: string; is: string }[],
    key: string,
    decimals: number | undefined,
  ): void {
    const [tree, steps] = [
      parseExpression(key),
      variables.map(({ name, is }) => ({ name, tree: parseExpression(is) })),
    ]
    const allowed = decimals === undefined ? 0 : 10 ** -decimals
    for (const [index, set] of sets.entries()) {
      const values = new Map(
        [...this.#names].flatMap(([their, name]) => {
          const value = readDecimal(valueIn(set, their)?.trim() ?? '')
          return value ? [[name, value] as const] : []
        }),
      )
      for (const step of steps) {
        const value = evaluate(step.tree, values)
        if (value) values.set(step.name, value)
      }
      const value = evaluate(tree, values)
      const answer = Number(answers[index] || Number.NaN)
      if (!value || !(Math.abs(value.valueOf() - answer) <= allowed + ROUNDING * Math.abs(answer)))
        throw new Skip('its formula does not give the answers that are in the file')
    }
  }

  /** The item with marks for values in its texts. */
  withMarks(item: XmlElement): XmlElement {
    const marked = (element: XmlElement): XmlElement => ({
      ...element,
      children: element.children.map((child) =>
        typeof child === 'string'
          ? this.#mark(child)
          : child.name === 'itemproc_extension'
            ? child
            : marked(child),
      ),
    })
    return marked(item)
  }

  #mark(text: string): string {
    if (text.includes('{@')) throw new Skip('its text has {@, which stands for a value here')
    return text.replace(/\[([^[\]]+)\]/g, (brackets, their: string) => {
      const name = this.#names.get(their)
      return name === undefined ? brackets : this.#marks.mark(`{@${name}@}`)
    })
  }

  withoutMarks<T>(question: T): T {
    return mapTexts(question, (text) => this.#marks.replace(text, (place) => place))
  }
}

/** `name = expression`. */
const ASSIGNED = /^\s*([a-zA-Z][\w.]*)\s*=\s*([^=].*)$/s

function valueIn(set: XmlElement, name: string): string | undefined {
  const found = childrenOf(set, 'var').find(({ attributes }) => attributes.name === name)
  return found && textOf(found)
}

/** The decimals to which answers are rounded: as it is said, else as they are written; undefined without any. */
function decimalsOf(said: string | undefined, answers: readonly string[]): number | undefined {
  if (said !== undefined && /^\d{1,2}$/.test(said)) return Number(said)
  const written = answers.map((answer) => parseDecimal(answer)?.scale ?? 0)
  return written.length === 0 ? undefined : Math.max(...written)
}

/** As it is, or a part of the key in per cent. */
function readTolerance(element: XmlElement | undefined, key: string): string {
  const text = textOf(element).trim()
  const tolerance = requireNumber(text.replace(/%$/, '') || '0', 'tolerance').replace('-', '')
  const isPart = text.endsWith('%') || element?.attributes.type === 'percent'
  return isPart && Number(tolerance) !== 0 ? `{@abs(${key})*${tolerance}/100@}` : tolerance
}

/** Where Canvas keeps it; undefined for other questions. */
export function calculatedOf(item: XmlElement): XmlElement | undefined {
  return [...descendants(item, 'calculated')].find((each) => childOf(each, 'formulas', 'formula'))
}
