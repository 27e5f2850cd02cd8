import { MOST_VALUES, type Tree } from '@exam-practice/expressions'
import { Skip } from '../items.ts'
import { digitsAt, parseDecimal, writeDecimal } from '../numbers/decimals.ts'
import { textOf, type XmlElement } from '../xml.ts'

/** What templates of QTI draw. */

/** Numbers of which one is drawn. */
export type Source = { from: string; to: string; step: string } | { values: string[] }

/** What names stand for where an expression is read. */
export interface Scope {
  /** The value of a variable. */
  read(identifier: string): Tree
  /** The numbers of one that holds several. */
  list(identifier: string): string[]
  /** A variable that is drawn from a source. */
  draw(source: Source): Tree
}

const NO_EQUIVALENT = 'its numbers are calculated by something that has no equivalent here'

export function elementsOf(element: XmlElement): XmlElement[] {
  return element.children.filter((child) => typeof child !== 'string')
}

export function unknown(element: XmlElement): never {
  throw new Skip(`${NO_EQUIVALENT} (${element.name.slice(0, 40)})`)
}

export function isNumeric({ attributes }: XmlElement): boolean {
  return /^(integer|float)$/.test(attributes.baseType ?? '')
}

/** The numbers of a container; undefined for a single value. */
export function listOf(element: XmlElement, scope: Scope): string[] | undefined {
  if (element.name === 'variable') {
    const list = scope.list(element.attributes.identifier ?? '')
    return list.length > 0 ? list : undefined
  }
  if (element.name !== 'multiple' && element.name !== 'ordered') return undefined
  return elementsOf(element).map((each) => {
    if (each.name !== 'baseValue' || !isNumeric(each)) throw new Skip('its variables are no numbers')
    return textOf(each).trim()
  })
}

/** What is drawn, also where it is moved or stretched by a number; undefined for what isn't drawn. */
export function readSource(element: XmlElement, scope: Scope): Source | undefined {
  const parts = elementsOf(element)
  const [first, second] = parts
  switch (element.name) {
    case 'random': {
      const values = first && listOf(first, scope)
      if (!values) return unknown(element)
      if (values.length === 0 || values.length > MOST_VALUES)
        throw new Skip('a variable of it has too many values')
      const written = values.map((value) => decimalOf(value))
      if (new Set(written).size < values.length)
        throw new Skip('some of its numbers are drawn more often than others')
      return { values: written }
    }
    case 'randomInteger': {
      const { min = '0', max = '', step = '1' } = element.attributes
      if (![min, max, step].every((each) => /^[-+]?\d{1,15}$/.test(each.trim())))
        throw new Skip('the ends of its range are drawn, too')
      return { from: decimalOf(min), to: decimalOf(max), step: decimalOf(step) }
    }
    case 'integerToFloat':
      return first && readSource(first, scope)
    case 'roundTo':
      return first?.name === 'randomFloat' ? readRounded(element, first) : undefined
    case 'sum':
    case 'product': {
      if (!first || !second || parts.length !== 2) return undefined
      const [constant, drawn] = first.name === 'baseValue' ? [first, second] : [second, first]
      if (constant.name !== 'baseValue' || !isNumeric(constant)) return undefined
      const range = readSource(drawn, scope)
      if (!range || !('step' in range)) return undefined
      const by = decimalOf(textOf(constant))
      if (element.name === 'sum')
        return { from: add(range.from, by), to: add(range.to, by), step: range.step }
      const [from, to, step] = [range.from, range.to, range.step].map((each) => multiply(each, by)) as [
        string,
        string,
        string,
      ]
      return Number(by) > 0 ? { from, to, step } : undefined
    }
    default:
      return undefined
  }
}

/** Numbers with so many decimals: those at the ends are drawn half as often as the others. */
function readRounded({ attributes, ...element }: XmlElement, { attributes: range }: XmlElement): Source {
  const { figures = '', roundingMode } = attributes
  if (roundingMode !== 'decimalPlaces' || !/^\d{1,2}$/.test(figures))
    return unknown({ attributes, ...element })
  const scale = Number(figures)
  const ends = [range.min ?? '0', range.max ?? ''].map(decimalOf) as [string, string]
  if (ends.some((end) => (parseDecimal(end)?.scale ?? 0) > scale)) return unknown({ attributes, ...element })
  return { from: ends[0], to: ends[1], step: writeDecimal({ digits: 1n, scale }) }
}

function decimalOf(text: string): string {
  const decimal = parseDecimal(text.trim())
  if (!decimal || text.length > 50) throw new Skip('a number of its variables cannot be read')
  return writeDecimal(decimal)
}

const readBoth = (one: string, other: string) => {
  const [left, right] = [parseDecimal(one), parseDecimal(other)]
  if (!left || !right) throw new Skip('a number of its variables cannot be read')
  return { left, right }
}

function add(one: string, other: string): string {
  const { left, right } = readBoth(one, other)
  const scale = Math.max(left.scale, right.scale)
  return writeDecimal({ digits: digitsAt(left, scale) + digitsAt(right, scale), scale })
}

function multiply(one: string, other: string): string {
  const { left, right } = readBoth(one, other)
  return writeDecimal({ digits: left.digits * right.digits, scale: left.scale + right.scale })
}
