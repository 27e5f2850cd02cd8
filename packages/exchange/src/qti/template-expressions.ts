import type { Tree } from '@exam-practice/expressions'
import { Skip } from '../items.ts'
import { parseDecimal, writeDecimal } from '../numbers/decimals.ts'
import { textOf, type XmlElement } from '../xml.ts'
import { elementsOf, isNumeric, listOf, readSource, type Scope, unknown } from './template-sources.ts'

/** What templates of QTI calculate, as expressions that have the same value. */

const operator = (sign: string, left: Tree, right: Tree) =>
  ({ kind: 'operator', operator: sign, left, right }) as Tree
const call = (name: string, ...of: Tree[]) => ({ kind: 'call', name, of }) as Tree
const minus = (of: Tree): Tree => ({ kind: 'minus', of })
const PI: Tree = { kind: 'constant', name: 'pi' }

export function number(text: string): Tree {
  const decimal = parseDecimal(text.trim())
  if (!decimal || text.length > 50) throw new Skip('a number of its variables cannot be read')
  const plain = writeDecimal(decimal)
  return plain.startsWith('-')
    ? minus({ kind: 'number', text: plain.slice(1) })
    : { kind: 'number', text: plain }
}

/** Of these the name is the same here. */
const SAME = new Set([
  'sin',
  'cos',
  'tan',
  'asin',
  'acos',
  'atan',
  'sinh',
  'cosh',
  'tanh',
  'ln',
  'exp',
  'abs',
  'floor',
  'ceil',
])
const ONE = number('1')
const OTHERS: Record<string, (of: Tree) => Tree> = {
  log: (of) => call('log10', of),
  toDegrees: (of) => operator('/', operator('*', of, number('180')), PI),
  toRadians: (of) => operator('/', operator('*', of, PI), number('180')),
  sec: (of) => operator('/', ONE, call('cos', of)),
  csc: (of) => operator('/', ONE, call('sin', of)),
  cot: (of) => operator('/', ONE, call('tan', of)),
  sech: (of) => operator('/', ONE, call('cosh', of)),
  csch: (of) => operator('/', ONE, call('sinh', of)),
  coth: (of) => operator('/', ONE, call('tanh', of)),
  signum: (of) =>
    operator(
      '+',
      call('min', call('max', call('ceil', of), number('0')), ONE),
      call('max', call('min', call('floor', of), number('0')), number('-1')),
    ),
}
const COMPARED: Record<string, string> = { lt: '<', lte: '<=', gt: '>', gte: '>=', match: '==' }
const MOST_OPERANDS = 20
/** More than an expression may have. */
const MOST_SUMMANDS = 200

export function readExpression(element: XmlElement, scope: Scope): Tree {
  const parts = elementsOf(element)
  const [first, second] = parts
  const read = (part: XmlElement) => readExpression(part, scope)
  const all = (sign: string) => {
    if (!first || parts.length > MOST_SUMMANDS) return unknown(element)
    return parts.slice(1).reduce((left, right) => operator(sign, left, read(right)), read(first))
  }
  const one = (make: (of: Tree) => Tree) =>
    first && parts.length === 1 ? make(read(first)) : unknown(element)
  const two = (make: (left: Tree, right: Tree) => Tree) =>
    first && second && parts.length === 2 ? make(read(first), read(second)) : unknown(element)
  const many = (name: string) => {
    const numbers =
      parts.length === 1 && first ? (listOf(first, scope)?.map(number) ?? [read(first)]) : parts.map(read)
    return numbers.length > 0 && numbers.length <= MOST_OPERANDS ? call(name, ...numbers) : unknown(element)
  }
  switch (element.name) {
    case 'baseValue':
      return isNumeric(element) ? number(textOf(element)) : unknown(element)
    case 'variable':
      return scope.read(element.attributes.identifier ?? '')
    case 'mathConstant': {
      const { name } = element.attributes
      return name === 'pi' || name === 'e' ? { kind: 'constant', name } : unknown(element)
    }
    case 'sum':
      return all('+')
    case 'product':
      return first && parts.length === 2 && isMinusOne(first) && second ? minus(read(second)) : all('*')
    case 'subtract':
      return two((left, right) => operator('-', left, right))
    case 'divide':
      return two((left, right) => operator('/', left, right))
    case 'power':
      return two((left, right) =>
        right.kind === 'number' && right.text === '0.5' ? call('sqrt', left) : operator('^', left, right),
      )
    case 'integerDivide':
      return two((left, right) => call('floor', operator('/', left, right)))
    case 'integerModulus':
      return two((left, right) => call('mod', left, right))
    case 'truncate':
      return one((of) =>
        operator(
          '+',
          call('max', call('floor', of), number('0')),
          call('min', call('ceil', of), number('0')),
        ),
      )
    case 'round':
      // Halves up, those below zero too.
      return one((of) => call('floor', operator('+', of, number('0.5'))))
    case 'roundTo':
      return one((of) => roundTo(of, element))
    case 'integerToFloat':
      return one((of) => of)
    case 'min':
    case 'max':
    case 'gcd':
    case 'lcm':
      return many(element.name)
    case 'mathOperator':
      return readFunction(element, parts, read)
    case 'random':
    case 'randomInteger':
      return scope.draw(readSource(element, scope) ?? unknown(element))
    case 'randomFloat':
      throw new Skip('its numbers are drawn without steps')
    default:
      return unknown(element)
  }
}

function isMinusOne(element: XmlElement): boolean {
  return element.name === 'baseValue' && Number(textOf(element)) === -1
}

/** By the digit after the last that stays, so halves are rounded away from zero, as they are here. */
function roundTo(of: Tree, { attributes, ...element }: XmlElement): Tree {
  const { figures = '', roundingMode } = attributes
  if (roundingMode !== 'decimalPlaces' || !/^\d{1,2}$/.test(figures))
    return unknown({ attributes, ...element })
  const scale = operator('^', number('10'), number(figures))
  return Number(figures) === 0
    ? call('round', of)
    : operator('/', call('round', operator('*', of, scale)), scale)
}

function readFunction(
  element: XmlElement,
  parts: readonly XmlElement[],
  read: (part: XmlElement) => Tree,
): Tree {
  const { name = '' } = element.attributes
  const [first, second] = parts
  if (name === 'atan2' && first && second && parts.length === 2) return call(name, read(first), read(second))
  if (!first || parts.length !== 1) return unknown(element)
  // Functions of degrees are exact where their values are.
  const inner = first.name === 'mathOperator' ? first.attributes.name : undefined
  const [innermost, ...more] = elementsOf(first)
  if (innermost && more.length === 0) {
    if (inner === 'toRadians' && /^(sin|cos|tan)$/.test(name)) return call(`${name}d`, read(innermost))
    if (name === 'toDegrees' && /^a(sin|cos|tan)$/.test(inner ?? ''))
      return call(`${inner}d`, read(innermost))
  }
  if (SAME.has(name)) return call(name, read(first))
  const other = Object.hasOwn(OTHERS, name) ? OTHERS[name] : undefined
  return other ? other(read(first)) : unknown({ ...element, name })
}

export function readCondition(element: XmlElement, scope: Scope): Tree {
  const parts = elementsOf(element)
  const [first, second] = parts
  if (element.name === 'and' || element.name === 'or') {
    if (!first || parts.length > MOST_SUMMANDS) return unknown(element)
    return parts
      .slice(1)
      .reduce(
        (left, right) => operator(element.name, left, readCondition(right, scope)),
        readCondition(first, scope),
      )
  }
  if (element.name === 'not' && first) {
    const of = readCondition(first, scope)
    return of.kind === 'operator' && of.operator === '==' ? { ...of, operator: '!=' } : { kind: 'not', of }
  }
  if (!first || !second || parts.length !== 2) return unknown(element)
  const [left, right] = [readExpression(first, scope), readExpression(second, scope)]
  if (element.name === 'equal') return readEqual(element, left, right)
  const sign = COMPARED[element.name]
  return sign ? operator(sign, left, right) : unknown(element)
}

function readEqual(element: XmlElement, left: Tree, right: Tree): Tree {
  const { toleranceMode = 'exact', tolerance = '', includeLowerBound, includeUpperBound } = element.attributes
  if (toleranceMode === 'exact') return operator('==', left, right)
  const [below = '', above = below] = tolerance.trim().split(/\s+/)
  if (
    toleranceMode !== 'absolute' ||
    below !== above ||
    [includeLowerBound, includeUpperBound].includes('false')
  )
    return unknown(element)
  return operator('<=', call('abs', operator('-', left, right)), number(below))
}
