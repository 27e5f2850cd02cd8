import { ExpressionError, parseCondition, parseExpression } from '@exam-practice/expressions'
import { Skip } from '../items.ts'

/** What other tools write differently. */
export interface Language {
  /** Tokens that stand for something else, as `**` for `^`; undefined for one that has no equivalent. */
  words: (token: string) => string | undefined
  /** Other tokens for these, where signs and powers are read differently; throws `Skip`. */
  rewrite?: (tokens: readonly string[]) => string[]
  /** What a function is here, by what it takes; undefined where that has no equivalent. */
  functions: Readonly<Record<string, (...of: string[]) => string | undefined>>
}

/** Longer ones aren't looked at: an expression has at most 500 characters. */
const LONGEST = 2_000
const TOKEN =
  /\s*(\{[^{}]*\}|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|\p{L}[\p{L}\p{N}_.]*|\*\*|[-+*/^(),]|[^\s])/giuy
const UNREADABLE = 'a formula of it cannot be read'

/** A formula of another tool as an expression; throws `Skip` where it means nothing, or something else, here. */
export function translate(formula: string, { words, functions, rewrite }: Language): string {
  if (formula.length > LONGEST) throw new Skip('a formula of it is too long')
  const open: { name: string; of: string[] }[] = [{ name: '', of: [''] }]
  const add = (text: string) => {
    const of = open.at(-1)?.of
    if (of) of[of.length - 1] += text
  }
  const read = [...formula.trimEnd().matchAll(TOKEN)].map(([, token = '']) => token)
  const tokens = rewrite?.(read) ?? read
  for (const [index, token] of tokens.entries()) {
    if (/^\p{L}/u.test(token) && tokens[index + 1] === '(') continue
    if (token === '(') {
      const before = tokens[index - 1] ?? ''
      open.push({ name: /^\p{L}/u.test(before) ? before : '', of: [''] })
    } else if (token === ')') {
      const closed = open.pop()
      if (!closed || open.length === 0) throw new Skip(UNREADABLE)
      add(call(closed, functions))
    } else if (token === ',') open.at(-1)?.of.push('')
    else {
      const word = words(token)
      if (word === undefined)
        throw new Skip(`a formula of it has ${token.slice(0, 40)}, which has no equivalent here`)
      add(word)
    }
  }
  const [whole] = open
  if (open.length !== 1 || whole?.of.length !== 1) throw new Skip(UNREADABLE)
  return checked(whole.of[0] ?? '')
}

function call({ name, of }: { name: string; of: string[] }, functions: Language['functions']): string {
  if (name === '') {
    if (of.length !== 1) throw new Skip(UNREADABLE)
    return `(${of[0]})`
  }
  const called = Object.hasOwn(functions, name.toLowerCase()) ? functions[name.toLowerCase()] : undefined
  const text = called?.(...(of.length === 1 && of[0] === '' ? [] : of))
  if (text === undefined)
    throw new Skip(`a formula of it has the function ${name.slice(0, 40)}, which has no equivalent here`)
  // What is written twice grows, and would be too long in the end.
  if (text.length > LONGEST) throw new Skip('a formula of it is too long')
  return text
}

/** The condition. Throws `Skip` for what is none. */
export function checkedCondition(text: string): string {
  try {
    parseCondition(text)
    return text
  } catch (error) {
    if (error instanceof ExpressionError) throw new Skip(`a condition of it ${error.message}`)
    throw error
  }
}

/** The expression, without brackets around all of it. Throws `Skip` for what is none. */
export function checked(text: string): string {
  try {
    parseExpression(text)
    const inner = /^\((.*)\)$/s.exec(text.trim())?.[1]
    return inner !== undefined && isBalanced(inner) ? checked(inner) : text.trim()
  } catch (error) {
    if (error instanceof ExpressionError) throw new Skip(`a formula of it ${error.message}`)
    throw error
  }
}

function isBalanced(text: string): boolean {
  let depth = 0
  for (const character of text) {
    depth += character === '(' ? 1 : character === ')' ? -1 : 0
    if (depth < 0) return false
  }
  return depth === 0
}

/** Functions that take so many values and are called the same here. */
export function same(names: string, least = 1, most = least): Language['functions'] {
  return Object.fromEntries(
    names
      .split(' ')
      .map((name) => [
        name,
        (...of: string[]) =>
          of.length >= least && of.length <= most ? `${name}(${of.join(', ')})` : undefined,
      ]),
  )
}

/** A function of one value, written otherwise. */
export function one(write: (of: string) => string) {
  return (...[of, ...more]: string[]) => (of === undefined || more.length > 0 ? undefined : write(of))
}

/** A function of two values, written otherwise. */
export function two(write: (one: string, other: string) => string) {
  return (...[first, second, ...more]: string[]) =>
    first === undefined || second === undefined || more.length > 0 ? undefined : write(first, second)
}

/** Rounded to so many decimals, half away from zero. */
export function rounded(of: string | undefined, decimals = '0', ...more: string[]): string | undefined {
  if (of === undefined || more.length > 0 || !/^\s*\d{1,2}\s*$/.test(decimals)) return undefined
  const scale = `10^${Number(decimals)}`
  return Number(decimals) === 0 ? `round(${of})` : `(round((${of})*${scale})/${scale})`
}

/** Without its decimals. */
export const truncated = (of: string) => `(max(floor(${of}), 0) + min(ceil(${of}), 0))`
