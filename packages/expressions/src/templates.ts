import type Fraction from 'fraction.js'
import { evaluate, type Values } from './evaluating.ts'
import { parseExpression } from './parsing.ts'
import { ExpressionError, type Tree } from './tree.ts'
import { type Format, toLatexNumber, toText, write } from './writing.ts'

/** Nothing is begun twice, so that a text with many beginnings and no end is read in one go. */
const PLACE = /\{@((?:[^@;{]|\{(?!@)|@(?!\}))*)(?:;([^@{]*))?@\}/g
const FORMAT = /^\s*(\d{1,2})(s?)\s*$/
const MOST_DECIMALS = 15

/** A text with places for values. */
export interface Template {
  pieces: (string | Place)[]
}

export interface Place {
  tree: Tree
  format: Format | undefined
  /** Whether it stands inside a formula, between dollars or `\(` and `\)`. */
  inFormula: boolean
}

/** Reads `{@expression@}`, `{@expression; 2@}` and `{@expression; 3s@}`; throws ExpressionError. */
export function parseTemplate(text: string): Template {
  const pieces: (string | Place)[] = []
  const formulas = findFormulas(text)
  let end = 0
  for (const match of text.matchAll(PLACE)) {
    const [whole, expression = '', format] = match
    pieces.push(text.slice(end, match.index))
    const inFormula = formulas.some(([from, to]) => from <= match.index && match.index < to)
    pieces.push({ tree: readPlace(whole, expression), format: readFormat(whole, format), inFormula })
    end = match.index + whole.length
  }
  pieces.push(text.slice(end))
  return { pieces }
}

/** Whether a text has places for values. */
export function hasPlaces({ pieces }: Template): boolean {
  return pieces.length > 1
}

/** The expression of a text that is one place and nothing else; undefined for others. */
export function onlyPlace({ pieces }: Template): Place | undefined {
  const [before, place, after] = pieces
  return pieces.length === 3 && before === '' && after === '' && typeof place === 'object' ? place : undefined
}

/** The finished text; undefined where a value isn't finite. */
export function fill({ pieces }: Template, values: Values): string | undefined {
  let text = ''
  for (const [index, piece] of pieces.entries()) {
    if (typeof piece === 'string') text += piece
    else {
      const value = evaluate(piece.tree, values)
      if (!value) return undefined
      const next = pieces[index + 1]
      text += shown(value, piece, text, typeof next === 'string' ? next : '')
    }
  }
  return text
}

/** Where LaTeX takes but the next sign unless it stands in braces. */
const TAKES_GROUP = /(?:[\^_]|\\(?:[dt]?frac|[dt]?binom|sqrt)(?:\{[^{}]*\}|\[[^[\]]*\])?)$/

function shown(value: Fraction, { format, inFormula }: Place, before: string, after: string): string {
  const written = write(value, format)
  if (!inFormula) return toText(written)
  const text = toLatexNumber(written)
  if (TAKES_GROUP.test(before)) return `{${text}}`
  const isPower = written.exponent !== 0 && /^\s*\^/.test(after)
  return (written.isNegative && isOperand(before, after)) || isPower ? `(${text})` : text
}

/** Whether a sign there would be taken for an operator, or for a part of what is raised. */
function isOperand(before: string, after: string): boolean {
  return /[-+*/·×÷−:\p{L}\d)\]}]\s*$/u.test(before) || /^\s*\^/.test(after)
}

function readPlace(whole: string, expression: string): Tree {
  try {
    return parseExpression(expression)
  } catch (error) {
    if (error instanceof ExpressionError) throw new ExpressionError(`${whole} ${error.message}`)
    throw error
  }
}

function readFormat(whole: string, format: string | undefined): Format | undefined {
  if (format === undefined) return undefined
  const [, digits, significant] = FORMAT.exec(format) ?? []
  const count = Number(digits)
  if (digits === undefined || count > MOST_DECIMALS || (significant && count === 0))
    throw new ExpressionError(
      `${whole} asks for neither 0 to 15 decimals (2) nor 1 to 15 significant digits (3s)`,
    )
  return significant ? { significant: count } : { decimals: count }
}

const DELIMITERS = [
  ['$$', '$$'],
  ['\\[', '\\]'],
  ['\\(', '\\)'],
  ['$', '$'],
] as const

/** From and to of each formula in a text, by the rules by which texts are drawn. */
function findFormulas(text: string): [number, number][] {
  const found: [number, number][] = []
  for (let at = 0; at < text.length; ) {
    const end = formulaEnd(text, at)
    if (end !== undefined) found.push([at, end])
    // A backslash takes what stands behind it along.
    at = end ?? at + (text[at] === '\\' ? 2 : 1)
  }
  return found
}

function formulaEnd(text: string, at: number): number | undefined {
  const [open, close] = DELIMITERS.find(([opening]) => text.startsWith(opening, at)) ?? []
  if (open === undefined) return undefined
  const end = text.indexOf(close, at + open.length)
  const source = text.slice(at + open.length, end)
  if (end === -1 || source.trim() === '') return undefined
  // A dollar before a blank, or before an amount of money, is plain text.
  const isPlain = open === '$' && (/^\s|\s$|[\n`]/.test(source) || /\d/.test(text[end + 1] ?? ''))
  return isPlain ? undefined : end + close.length
}
