import { FUNCTION_NAMES, type FunctionName, isFunctionName, takes } from './functions.ts'
import { parseNumber, requireShort, visit } from './parsing.ts'
import { CONSTANTS, ExpressionError, type Tree } from './tree.ts'

/** What a typed formula may have in it. */
export interface Vocabulary {
  symbols: readonly string[]
  /** Functions; all of them where it is left out. */
  also?: readonly string[] | undefined
}

/**
 * Reads a formula as people type it, plainly or in LaTeX: `2x`, `\frac{a}{b}`, `\sin^2 x`, `√x`, `|x|`, `0,5`. Products
 * and brackets that it leaves out are put in; what then stands there is an expression. Throws ExpressionError.
 */
export function readTyped(text: string, vocabulary: Vocabulary): Tree {
  requireShort(text)
  return requireAllowed(parseNumber(new Reader(tokensOf(text, vocabulary)).all()), vocabulary.also)
}

/** Throws ExpressionError for a tree that uses other functions, however they were written. */
export function requireAllowed(tree: Tree, also: Vocabulary['also']): Tree {
  visit(tree, (node) => {
    if (also && node.kind === 'call' && !also.includes(node.name))
      throw new ExpressionError(`uses ${node.name}, which isn’t allowed here`)
  })
  return tree
}

type Token =
  | { kind: 'number' | 'name' | 'operator' | 'raised'; text: string }
  | { kind: 'function'; text: FunctionName }
  /** An opening bracket's text is the closing one that belongs to it. */
  | { kind: 'open' | 'close'; text: string }
  | { kind: 'bar' | 'comma' | 'power' | 'root' | 'fraction' | 'binomial'; text: string }

const token = (kind: Exclude<Token['kind'], 'function'>, text = ''): Token => ({ kind, text })

/** Closes bars whose sides are told apart. */
const ABS = '\\rvert'

const COMMANDS = new Map<string, Token>(
  Object.entries({
    ...{ cdot: token('operator', '*'), times: token('operator', '*'), ast: token('operator', '*') },
    ...{ div: token('operator', '/'), pi: token('name', 'pi') },
    ...{ frac: token('fraction'), dfrac: token('fraction'), tfrac: token('fraction') },
    ...{
      sqrt: token('root'),
      binom: token('binomial'),
      dbinom: token('binomial'),
      tbinom: token('binomial'),
    },
    ...{ lvert: token('open', ABS), rvert: token('close', ABS), vert: token('bar') },
  }),
)
const LEFT_BAR = /\\(?:left|[bB]igg?l)\s*(?:\||\\vert(?![a-zA-Z]))/y
const RIGHT_BAR = /\\(?:right|[bB]igg?r)\s*(?:\||\\vert(?![a-zA-Z]))/y
/** Commands that change only how a formula looks. */
const LOOKS = /^(?:left|right|[bB]igg?[lr]?|q?quad|displaystyle)$/
const SIGNS: Record<string, Token | undefined> = {
  ...{ '+': token('operator', '+'), '-': token('operator', '-'), '−': token('operator', '-') },
  ...{ '–': token('operator', '-'), '*': token('operator', '*'), '·': token('operator', '*') },
  ...{ '⋅': token('operator', '*'), '×': token('operator', '*'), '∙': token('operator', '*') },
  ...{ '/': token('operator', '/'), '÷': token('operator', '/'), '∕': token('operator', '/') },
  ...{ '(': token('open', ')'), '[': token('open', ']'), '{': token('open', '}') },
  ...{ ')': token('close', ')'), ']': token('close', ']'), '}': token('close', '}') },
  ...{ '|': token('bar'), ',': token('comma'), '^': token('power'), '√': token('root') },
  π: token('name', 'pi'),
}
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹'
const ALIASES: Record<string, FunctionName | undefined> = {
  ...{ arcsin: 'asin', arccos: 'acos', arctan: 'atan' },
  ...{ log: 'log10', log_10: 'log10', log_2: 'log2' },
  ...{ arcsind: 'asind', arccosd: 'acosd', arctand: 'atand' },
}
const INVERSES: Partial<Record<FunctionName, FunctionName>> = {
  ...{ sin: 'asin', cos: 'acos', tan: 'atan', sind: 'asind', cosd: 'acosd', tand: 'atand' },
}
const EXPONENT = /^[eE][-+−]?\d/
const NUMBER = /\d+(?:\.\d*)?|\.\d+/y
const BLANK = /(?:\s|~|\\[,;:! ])+/y
const RAISED = new RegExp(`⁻?[${SUPERSCRIPTS}]+`, 'uy')

/** The words of a formula. */
function tokensOf(text: string, { symbols }: Vocabulary): Token[] {
  const words = wordsOf(symbols)
  const source = plain(text)
  const tokens: Token[] = []
  for (let at = 0; at < source.length; ) {
    const take = (pattern: RegExp) => {
      pattern.lastIndex = at
      const [found] = pattern.exec(source) ?? []
      at += found?.length ?? 0
      return found
    }
    if (take(BLANK) !== undefined) continue
    const number = take(NUMBER)
    if (number !== undefined) {
      // Scientific notation to some, a product with e to others.
      if (
        EXPONENT.test(source.slice(at, at + 3)) &&
        !symbols.some((each) => each.length > 1 && source.startsWith(each, at))
      )
        throw new ExpressionError(`has '${number}${source.slice(at, at + 2)}…': write 10^… or a · instead`)
      tokens.push(token('number', number))
      continue
    }
    const raised = take(RAISED)
    if (raised !== undefined) {
      const digits = [...raised].map((one) => (one === '⁻' ? '-' : SUPERSCRIPTS.indexOf(one)))
      tokens.push(token('raised', digits.join('')))
      continue
    }
    const sign = source.startsWith('**', at) ? token('power') : SIGNS[source[at] ?? '']
    if (sign) {
      tokens.push(sign)
      at += source.startsWith('**', at) ? 2 : 1
      continue
    }
    if (take(LEFT_BAR) !== undefined) {
      tokens.push(token('open', ABS))
      continue
    }
    if (take(RIGHT_BAR) !== undefined) {
      tokens.push(token('close', ABS))
      continue
    }
    const command = /^\\([a-zA-Z]+)/.exec(source.slice(at, at + 20))?.[1]
    if (command !== undefined && LOOKS.test(command)) {
      at += command.length + 1
      continue
    }
    const known = command === undefined ? undefined : COMMANDS.get(command)
    if (known && command !== undefined) {
      tokens.push(known)
      at += command.length + 1
      continue
    }
    if (command !== undefined) at += 1
    const word = words.find((candidate) => source.startsWith(candidate, at))
    const end = at + (word?.length ?? 0)
    // An index belongs to its letter as a whole: `x_12` isn't x_1 times 2.
    const goesOn = source[end] === '_' || (word?.includes('_') && /\d/.test(source[end] ?? ''))
    if (word === undefined || goesOn) throw new ExpressionError(unknown(source.slice(at)))
    const called = ALIASES[word] ?? word
    if (symbols.includes(word) || !isFunctionName(called)) tokens.push(token('name', word))
    else tokens.push({ kind: 'function', text: called })
    at = end
  }
  return tokens
}

/** Everything that letters can stand for, the longest first. */
function wordsOf(symbols: readonly string[]): string[] {
  const words = new Set([...symbols, ...FUNCTION_NAMES, ...Object.keys(ALIASES), ...Object.keys(CONSTANTS)])
  return [...words].toSorted((one, other) => other.length - one.length)
}

/** Without the marks of a formula, and with indexes in one form: `v_{0}` is `v_0`. */
function plain(text: string): string {
  const inside = /^\s*(?:\$\$([\s\S]*)\$\$|\$([\s\S]*)\$|\\\(([\s\S]*)\\\)|\\\[([\s\S]*)\\\])\s*$/.exec(text)
  const source = inside?.slice(1).find((found) => found !== undefined) ?? text
  const named = source.replace(/\\(?:operatorname|math(?:rm|it)|text)\s*\{\s*([a-zA-Z0-9]+)\s*\}/g, '$1 ')
  // The blank ends the index, so that a digit behind it is a factor.
  const indexed = named.replace(/\\?_\s*\{\s*([a-zA-Z0-9]+(?:\s*,\s*[a-zA-Z0-9]+)*)\s*\}/g, indexOf)
  const raised = indexed.replace(new RegExp(`\\^\\s*\\{\\s*(${RAISED.source})\\s*\\}`, 'gu'), '$1')
  return raised.replace(/(\d)\{,\}(?=\d)/g, '$1.').replace(/\\([{}])/g, '$1')
}

/** `_{x,0}` is `_x_0`: no name has a comma in it. */
function indexOf(_: string, index: string): string {
  return `_${index.replace(/\s*,\s*/g, '_')} `
}

function unknown(rest: string): string {
  const [shown = ''] = /^\\?(?:[a-zA-Z]+(?:_[a-zA-Z0-9]*)?|[\s\S]?)/u.exec(rest) ?? []
  return shown === '' ? 'ends too early' : `has '${shown}', which is none of its symbols`
}

/** Writes a formula out, with each product and bracket, so that the parser can read it. */
class Reader {
  readonly #tokens: Token[]
  #at = 0
  /** Whether a comma separates values, rather than digits. */
  #inList = false

  constructor(tokens: Token[]) {
    this.#tokens = tokens
  }

  all(): string {
    const written = this.#sequence(() => false)
    if (this.#next) throw new ExpressionError('has a bracket that closes none')
    return written
  }

  get #next(): Token | undefined {
    return this.#tokens[this.#at]
  }

  #take(kind: Token['kind']): Token | undefined {
    const next = this.#next
    if (next?.kind !== kind) return undefined
    this.#at += 1
    return next
  }

  /** Operators and factors up to a bracket that closes, or to where `isEnd` says, behind a factor. */
  #sequence(isEnd: (next: Token) => boolean): string {
    let written = ''
    let isBehindFactor = false
    for (let next = this.#next; next && next.kind !== 'close'; next = this.#next) {
      if (isBehindFactor && isEnd(next)) break
      if (next.kind === 'operator') {
        this.#at += 1
        written += next.text
        isBehindFactor = false
      } else {
        if (isBehindFactor) this.#requireApart()
        written += (isBehindFactor ? '*' : '') + this.#factor()
        isBehindFactor = true
      }
    }
    if (!isBehindFactor) throw new ExpressionError('lacks a value')
    return written
  }

  /** Two numbers side by side are one that was typed with a blank, or lack an operator: no product. */
  #requireApart(): void {
    if (this.#next?.kind === 'number' && this.#tokens[this.#at - 1]?.kind === 'number')
      throw new ExpressionError('has two numbers side by side')
  }

  #factor(): string {
    let written = this.#atom()
    for (let exponent = this.#exponent(); exponent !== undefined; exponent = this.#exponent())
      written = `(${written})^(${exponent})`
    return written
  }

  /** What stands behind `^`, or as a superscript. */
  #exponent(): string | undefined {
    const raised = this.#take('raised')
    if (raised) return raised.text
    return this.#take('power') && this.#signed()
  }

  #signed(): string {
    const sign = this.#take('operator')
    if (!sign) return this.#factor()
    if (sign.text !== '-' && sign.text !== '+') throw new ExpressionError('lacks a value')
    return sign.text + this.#signed()
  }

  #atom(): string {
    const next = this.#next
    this.#at += 1
    switch (next?.kind) {
      case 'number':
        return this.#number(next.text)
      case 'name':
        return next.text
      case 'open':
        return `${next.text === ABS ? 'abs' : ''}(${this.#group(next.text)})`
      case 'bar': {
        const inside = this.#nested(() => this.#sequence(({ kind }) => kind === 'bar'))
        if (!this.#take('bar')) throw new ExpressionError('has a bar that nothing closes')
        return `abs(${inside})`
      }
      case 'function':
        return this.#call(next.text)
      case 'root':
        return this.#root()
      case 'fraction':
        return `((${this.#argument()})/(${this.#argument()}))`
      case 'binomial':
        return `binom(${this.#argument()},${this.#argument()})`
    }
    throw new ExpressionError('lacks a value')
  }

  #number(text: string): string {
    const [comma, decimals] = this.#tokens.slice(this.#at, this.#at + 2)
    if (this.#inList || comma?.kind !== 'comma') return text
    if (decimals?.kind !== 'number' || text.includes('.') || decimals.text.includes('.'))
      throw new ExpressionError('has a comma that separates nothing')
    this.#at += 2
    return `${text}.${decimals.text}`
  }

  /** Up to the bracket that belongs to the one that was read. */
  #group(close: string): string {
    const inside = this.#nested(() => this.#sequence(() => false))
    this.#close(close)
    return inside
  }

  #close(close: string): void {
    if (this.#take('close')?.text !== close) throw new ExpressionError(`lacks a ${close}`)
  }

  #nested<T>(read: () => T): T {
    const before = this.#inList
    this.#inList = false
    const result = read()
    this.#inList = before
    return result
  }

  /** What a command of LaTeX takes: a group, or one digit, letter or function. */
  #argument(): string {
    const next = this.#next
    if (next?.kind !== 'number' || next.text.length === 1) return this.#atom()
    this.#tokens[this.#at] = token('number', next.text.slice(1))
    return next.text.slice(0, 1)
  }

  #root(): string {
    const next = this.#next
    const index = next?.kind === 'open' && next.text === ']' ? this.#atom() : '(2)'
    const of = this.#atom()
    if (index === '(2)') return `sqrt(${of})`
    return index === '(3)' ? `cbrt(${of})` : `(${of})^(1/${index})`
  }

  #call(given: FunctionName): string {
    const exponent = this.#exponent()
    const isInverse = exponent === '-1' || exponent === '(-1)'
    const name = isInverse ? (INVERSES[given] ?? given) : given
    const written = `${name}(${this.#values(name)})`
    return exponent === undefined || (isInverse && name !== given) ? written : `(${written})^(${exponent})`
  }

  #values(name: FunctionName): string {
    const [, most] = takes(name)
    const opening = this.#next?.text === ABS ? undefined : this.#take('open')
    if (opening && most === 1) return this.#group(opening.text)
    if (opening) {
      const values = this.#list()
      this.#close(opening.text)
      return values.join(',')
    }
    if (most > 1) throw new ExpressionError(`has ${name} without brackets`)
    return this.#product()
  }

  #list(): string[] {
    const before = this.#inList
    this.#inList = true
    const values = [this.#sequence(({ kind }) => kind === 'comma')]
    while (this.#take('comma')) values.push(this.#sequence(({ kind }) => kind === 'comma'))
    this.#inList = before
    return values
  }

  /** What a function without brackets is of: `2x` in `sin 2x cos x`. */
  #product(): string {
    const sign = this.#take('operator')
    if (sign && sign.text !== '-' && sign.text !== '+') throw new ExpressionError('lacks a value')
    let written = (sign?.text ?? '') + this.#factor()
    for (let next = this.#next; next; next = this.#next) {
      const goesOn = ['number', 'name', 'root', 'fraction', 'binomial'].includes(next.kind)
      const isAfterNumber = next.kind === 'open' && /\d$/.test(written)
      if (!goesOn && !isAfterNumber) break
      this.#requireApart()
      written += `*${this.#factor()}`
    }
    return written
  }
}
