import {
  evaluate,
  fill,
  namesIn,
  type Place,
  readDecimal,
  type Template,
  type Tree,
  toDecimal,
  toPlainNumber,
  type Values,
  type Variable,
  write,
} from '@exam-practice/expressions'
import { parseDecimal } from '../numbers/decimals.ts'
import type { NumberEntry, Question } from '../question.ts'
import { Marks } from '../variables/marks.ts'
import { placeOf, templateOf } from '../variables/places.ts'
import { escapeXml } from '../xml.ts'

/** Whether Moodle has a calculated question for it. */
export function canBeCalculated(question: Question): boolean {
  if (question.kind === 'choice') return !question.multiple
  return question.kind === 'number' && question.key !== '' && toleranceOf(question) !== undefined
}

type Value = NonNullable<ReturnType<typeof evaluate>>

/** Decimals that Moodle's form offers. */
const MOST_DECIMALS = 9
const FULL: Parameters<typeof write>[1] = { significant: 15 }
/** Characters of a tolerance: a longer one ends the import of the whole file. */
const LONGEST_TOLERANCE = 20
/** Up to here a shown value has its zeros and no exponent. */
const LARGEST_EXPONENT = 15

/** A tolerance as Moodle has it: as it is, or as a part of the key; undefined for others. */
function toleranceOf({ key, tolerance }: NumberEntry): { type: 1 | 2; tolerance: string } | undefined {
  const place = placeOf(tolerance)
  if (!place) return parseDecimal(tolerance) && { type: 2, tolerance: shortened(tolerance) }
  if (namesIn(place.tree).size === 0) {
    const value = evaluate(place.tree, new Map())
    return value && { type: 2, tolerance: shortened(exactly(value)) }
  }
  const keyTree = placeOf(key)?.tree
  if (!keyTree) return undefined
  const size = JSON.stringify({ kind: 'call', name: 'abs', of: [keyTree] } satisfies Tree)
  const of = (number: string): Value | undefined => {
    const tree = replaced(place.tree, size, { kind: 'number', text: number })
    return namesIn(tree).size === 0 ? evaluate(tree, new Map()) : undefined
  }
  const [part, double] = [of('1'), of('2')]
  return part && double?.equals(part.mul(2)) ? { type: 1, tolerance: shortened(exactly(part)) } : undefined
}

function replaced(tree: Tree, wanted: string, by: Tree): Tree {
  if (JSON.stringify(tree) === wanted) return by
  if (tree.kind === 'operator')
    return { ...tree, left: replaced(tree.left, wanted, by), right: replaced(tree.right, wanted, by) }
  return tree.kind === 'minus' ? { ...tree, of: replaced(tree.of, wanted, by) } : tree
}

/** A value without exponent where it is a decimal, else by 15 digits. */
function exactly(value: Value): string {
  return toDecimal(value) ?? toPlainNumber(write(value, FULL))
}

function shortened(tolerance: string): string {
  const value = tolerance.length > LONGEST_TOLERANCE && readDecimal(tolerance)
  return value ? toPlainNumber(write(value, { significant: 12 })) : tolerance
}

/** As it is shown here, but for the power of ten, which Moodle would show as `6.42e9`. */
function shown(value: Value, format?: Place['format']): string {
  const number = toPlainNumber(write(value, format))
  const [coefficient = '', exponent] = number.split('e')
  if (exponent === undefined || Math.abs(Number(exponent)) > LARGEST_EXPONENT) return number
  const decimals = (coefficient.split('.')[1]?.length ?? 0) - Number(exponent)
  return Number(number).toFixed(Math.max(0, decimals))
}

/**
 * Writes a question for Moodle, which draws one of the values that are listed for each name. What stands in a text is a
 * name of its own if it is more than a variable, so that it is shown as it is here.
 */
export class CalculatedWriter {
  readonly #draws: readonly Values[]
  readonly #variables: readonly Variable[]
  /** The values of each name. */
  readonly #datasets = new Map<string, string[]>()

  constructor({ variables = [] }: Question, draws: readonly Values[]) {
    this.#variables = variables
    this.#draws = draws
  }

  /** Names in braces stand for values; its own braces become entities, which Moodle doesn't look into. */
  writeText(text: string, toHtml: (text: string) => string): string {
    const template = templateOf(text)
    const marks = new Marks<string>()
    const marked = template?.pieces
      .map((piece, index) =>
        typeof piece === 'string' ? piece : marks.mark(this.#writePlace(template, piece, index)),
      )
      .join('')
    return marks.replace(toHtml(marked ?? text).replaceAll('{', '&#123;'), (written) => written)
  }

  #writePlace({ pieces }: Template, place: Place, index: number): string {
    const items = this.#itemsOf(place.tree, (value) => shown(value, place.format))
    const name = this.#nameOf(place.tree.kind === 'name' && !place.format ? place.tree.name : 'v', items)
    if (!place.inFormula) return `{${name}}`
    // Where a negative value needs brackets in a formula, any has them.
    const [before, after] = [pieces[index - 1], pieces[index + 1]].map((piece) =>
      typeof piece === 'string' ? piece : '',
    ) as [string, string]
    const left = before === '' && index > 1 ? '0' : before
    const drawn = this.#draws.map((values) => fill({ pieces: [left, place, after] }, values)?.[left.length])
    if (drawn.includes('(')) return `({${name}})`
    return drawn.includes('{') ? `{{${name}}}` : `{${name}}`
  }

  writeAnswer(entry: NumberEntry): string {
    const { type, tolerance } = toleranceOf(entry) ?? { type: 2, tolerance: '0' }
    const place = placeOf(entry.key)
    const formula = place ? this.#writeFormula(place.tree) : entry.key
    return `    <answer fraction="100"><text>${escapeXml(formula)}</text><tolerance>${tolerance}</tolerance><tolerancetype>${type}</tolerancetype>${this.#writeFormat(place)}</answer>\n`
  }

  /** How the key is shown. */
  #writeFormat(place: Place | undefined): string {
    const { format, tree } = place ?? {}
    const shown = tree ? this.#itemsOf(tree, (value) => toPlainNumber(write(value))) : []
    const decimals = Math.max(0, ...shown.map((text) => text.replace(/e.*/, '').split('.')[1]?.length ?? 0))
    const [kind, length] =
      format && 'significant' in format
        ? [2, format.significant]
        : [1, Math.min(format?.decimals ?? decimals, MOST_DECIMALS)]
    return `<correctanswerformat>${kind}</correctanswerformat><correctanswerlength>${length}</correctanswerlength>`
  }

  /** By its variables where that gives the same in Moodle, else by a list of its values. */
  #writeFormula(tree: Tree): string {
    const whole = toPhp(tree, (name) => {
      const items = this.#itemsOf({ kind: 'name', name }, exactly)
      return `{${this.#nameOf(name, items)}}`
    })
    return whole ?? `{${this.#nameOf('key', this.#itemsOf(tree, exactly))}}`
  }

  #itemsOf(tree: Tree, toItem: (value: Value) => string): string[] {
    return this.#draws.flatMap((values) => {
      const value = evaluate(tree, values)
      return value ? [toItem(value)] : []
    })
  }

  /** The same name for the same values. */
  #nameOf(wanted: string, items: string[]): string {
    let name = wanted
    for (let number = 2; ; number++) {
      const known = this.#datasets.get(name)
      if (!known) break
      if (known.join() === items.join()) return name
      name = `${wanted}${number}`
    }
    this.#datasets.set(name, items)
    return name
  }

  /** What the names that were written stand for. */
  writeDatasets(): string {
    const definitions = [...this.#datasets].map(([name, items]) => this.#writeDataset(name, items))
    return `    <dataset_definitions>\n${definitions.join('')}    </dataset_definitions>\n`
  }

  #writeDataset(name: string, items: readonly string[]): string {
    const { from, to, decimals } = this.#rangeOf(name, items)
    const text = (element: string, value: string) => `<${element}><text>${value}</text></${element}>`
    const values = items
      .map(
        (item, index) => `<dataset_item><number>${index + 1}</number><value>${item}</value></dataset_item>`,
      )
      .join('')
    return `      <dataset_definition>${text('status', 'private')}${text('name', name)}<type>calculated</type>${text('distribution', 'uniform')}${text('minimum', from)}${text('maximum', to)}${text('decimals', String(decimals))}<itemcount>${items.length}</itemcount><dataset_items>${values}</dataset_items><number_of_items>${items.length}</number_of_items></dataset_definition>\n`
  }

  /** The range of a variable from which Moodle can draw others, or that of its values. */
  #rangeOf(name: string, items: readonly string[]): { from: string; to: string; decimals: number } {
    const variable = this.#variables.find((each) => each.name === name)
    if (variable && 'step' in variable) {
      const decimals = variable.step === '1' ? 0 : (/^0?\.(0*1)$/.exec(variable.step)?.[1]?.length ?? -1)
      const fits = [variable.from, variable.to].every((each) => decimalsOf(each) <= decimals)
      if (fits && decimals <= MOST_DECIMALS) return { from: variable.from, to: variable.to, decimals }
    }
    const sorted = items.toSorted((one, other) => Number(one) - Number(other))
    const decimals = Math.min(MOST_DECIMALS, Math.max(0, ...items.map(decimalsOf)))
    return { from: sorted[0] ?? '0', to: sorted.at(-1) ?? '0', decimals }
  }
}

function decimalsOf(number: string): number {
  return parseDecimal(number)?.scale ?? Number.POSITIVE_INFINITY
}

/** Functions that give the same in PHP; those that round wouldn't at their steps, since PHP's numbers aren't exact. */
const PHP: Record<string, string> = {
  ...Object.fromEntries(
    'abs acos asin atan atan2 cos cosh exp log10 sin sinh sqrt tan tanh'
      .split(' ')
      .map((name) => [name, name]),
  ),
  ln: 'log',
}

/** undefined where Moodle has no such formula. */
function toPhp(tree: Tree, toName: (name: string) => string): string | undefined {
  const all = (trees: readonly Tree[]) => {
    const written = trees.map((each) => toPhp(each, toName))
    return written.every((each) => each !== undefined) ? written : undefined
  }
  switch (tree.kind) {
    case 'number':
      // With a zero before it, it would be octal.
      return tree.text.replace(/^0+(?=\d)/, '')
    case 'constant':
      return tree.name === 'pi' ? 'pi()' : 'exp(1)'
    case 'name':
      return toName(tree.name)
    case 'minus': {
      const of = toPhp(tree.of, toName)
      return of && `(-${of})`
    }
    case 'call': {
      const name = PHP[tree.name]
      const of = name === undefined ? undefined : all(tree.of)
      return of && `${name}(${of.join(', ')})`
    }
    case 'operator': {
      if (!/^[-+*/^]$/.test(tree.operator)) return undefined
      const sides = all([tree.left, tree.right])
      if (!sides) return undefined
      return tree.operator === '^' ? `pow(${sides.join(', ')})` : `(${sides.join(` ${tree.operator} `)})`
    }
    case 'not':
      return undefined
  }
}
