import type { Tree } from '@exam-practice/expressions'
import { parseDecimal, writeDecimal } from '../numbers/decimals.ts'

/** An expression in the operators of QTI 2.1, with the type of its value there. */
export interface Written {
  xml: string
  type: NumberType
}

export type NumberType = 'integer' | 'float'

/** Integers of QTI have 32 bits. */
const LARGEST = 2n ** 31n - 1n
const LONGEST = 50_000
const COMPARED: Record<string, string> = { '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' }
const FUNCTIONS: Record<string, string> = {
  ...Object.fromEntries(
    'sin cos tan asin acos atan atan2 sinh cosh tanh ln exp abs floor ceil'
      .split(' ')
      .map((name) => [name, name]),
  ),
  log10: 'log',
}

/** Writes expressions of variables whose types it knows. */
export class Operators {
  readonly #types: ReadonlyMap<string, { identifier: string; type: NumberType }>

  constructor(types: ReadonlyMap<string, { identifier: string; type: NumberType }>) {
    this.#types = types
  }

  /** undefined where QTI has no operator for it. */
  write(tree: Tree): Written | undefined {
    const written = this.#write(tree)
    return written && written.xml.length <= LONGEST ? written : undefined
  }

  #write(tree: Tree): Written | undefined {
    switch (tree.kind) {
      case 'number':
        return writeNumber(tree.text)
      case 'constant':
        return { xml: `<mathConstant name="${tree.name}"/>`, type: 'float' }
      case 'name': {
        const known = this.#types.get(tree.name)
        return known && { xml: `<variable identifier="${known.identifier}"/>`, type: known.type }
      }
      case 'minus':
        return tree.of.kind === 'number'
          ? writeNumber(`-${tree.of.text}`)
          : this.#many('product', [{ kind: 'minus', of: { kind: 'number', text: '1' } }, tree.of])
      case 'call':
        return this.#call(tree.name, tree.of)
      case 'operator':
        switch (tree.operator) {
          case '+':
            return this.#many('sum', [tree.left, tree.right])
          case '*':
            return this.#many('product', [tree.left, tree.right])
          case '-':
            return this.#many('subtract', [tree.left, tree.right])
          case '/':
            return this.#many('divide', [tree.left, tree.right], 'float')
          case '^':
            return this.#many('power', [tree.left, tree.right], 'float')
        }
    }
    return undefined
  }

  /** Of floats, or of integers where all of them are. */
  #many(name: string, of: readonly Tree[], type?: NumberType): Written | undefined {
    const parts = this.#all(of)
    const isInteger = parts?.every((each) => each.type === 'integer')
    return parts && { xml: element(name, parts), type: type ?? (isInteger ? 'integer' : 'float') }
  }

  #all(of: readonly Tree[]): Written[] | undefined {
    const parts = of.map((each) => this.#write(each))
    return parts.every((each) => each !== undefined) ? parts : undefined
  }

  #call(name: string, of: readonly Tree[]): Written | undefined {
    const parts = this.#all(of)
    const [first] = parts ?? []
    if (!parts || !first) return undefined
    const areIntegers = parts.every(({ type }) => type === 'integer')
    const math = (called: string, inner = parts): Written => ({
      xml: `<mathOperator name="${called}">${inner.map(({ xml }) => xml).join('')}</mathOperator>`,
      type: called === 'floor' || called === 'ceil' ? 'integer' : 'float',
    })
    switch (name) {
      case 'sqrt':
        return { xml: element('power', [first, { xml: base('float', '0.5'), type: 'float' }]), type: 'float' }
      case 'round':
        return {
          xml: `<roundTo roundingMode="decimalPlaces" figures="0">${first.xml}</roundTo>`,
          type: 'float',
        }
      case 'min':
      case 'max':
        return { xml: element(name, parts), type: areIntegers ? 'integer' : 'float' }
      case 'gcd':
      case 'lcm':
        return areIntegers ? { xml: element(name, parts), type: 'integer' } : undefined
      case 'mod':
        return areIntegers ? { xml: element('integerModulus', parts), type: 'integer' } : undefined
      case 'sind':
      case 'cosd':
      case 'tand':
        return math(name.slice(0, -1), [math('toRadians')])
      case 'asind':
      case 'acosd':
      case 'atand':
        return math('toDegrees', [math(name.slice(0, -1))])
    }
    const called = FUNCTIONS[name]
    return called === undefined ? undefined : math(called)
  }

  /** A condition; undefined where QTI has no operator for it. */
  writeCondition(tree: Tree): string | undefined {
    if (tree.kind === 'not') {
      const of = this.writeCondition(tree.of)
      return of && `<not>${of}</not>`
    }
    if (tree.kind !== 'operator') return undefined
    const { operator, left, right } = tree
    if (operator === 'and' || operator === 'or') {
      const sides = [left, right].map((side) => this.writeCondition(side))
      return sides.every((side) => side !== undefined)
        ? `<${operator}>${sides.join('')}</${operator}>`
        : undefined
    }
    const sides = this.#all([left, right])
    if (!sides) return undefined
    const compared = COMPARED[operator]
    if (compared) return element(compared, sides)
    const equal = `<equal toleranceMode="exact">${sides.map(({ xml }) => xml).join('')}</equal>`
    return operator === '!=' ? `<not>${equal}</not>` : equal
  }
}

function element(name: string, parts: readonly Written[]): string {
  return `<${name}>${parts.map(({ xml }) => xml).join('')}</${name}>`
}

function base(type: NumberType, value: string): string {
  return `<baseValue baseType="${type}">${value}</baseValue>`
}

export function writeNumber(text: string): Written | undefined {
  const decimal = parseDecimal(text)
  if (!decimal) return undefined
  const plain = writeDecimal(decimal)
  const type = isInteger(plain) ? 'integer' : 'float'
  return { xml: base(type, plain), type }
}

export function isInteger(text: string): boolean {
  const decimal = parseDecimal(text)
  const shortest = decimal && parseDecimal(writeDecimal(decimal))
  return shortest?.scale === 0 && shortest.digits <= LARGEST && shortest.digits >= -LARGEST
}

/** As what floats are set to. */
export function toFloat({ xml, type }: Written): string {
  return type === 'float' ? xml : `<integerToFloat>${xml}</integerToFloat>`
}
