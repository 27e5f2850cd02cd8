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
  /** What it stands beside, which decides how it is written inside a formula. */
  beside: Neighbours
}

interface Neighbours {
  /** Whether its braces are those of a group. */
  isGroup: boolean
  /** Whether a command is directly before it, which would take the braces as its own. */
  isBehindCommand: boolean
  /** Whether a sign there would be taken for an operator. */
  isBehindOperand: boolean
  /** Whether it is raised to a power. */
  isRaised: boolean
}

/** Reads `{@expression@}`, `{@expression; 2@}` and `{@expression; 3s@}`; throws ExpressionError. */
export function parseTemplate(text: string): Template {
  const pieces: (string | Place)[] = []
  const formulas = findFormulas(text)
  let end = 0
  // What is before a place, with a digit for each value.
  let before = ''
  for (const match of text.matchAll(PLACE)) {
    const [whole, expression = '', format] = match
    const piece = text.slice(end, match.index)
    end = match.index + whole.length
    before = (before + piece).slice(-FARTHEST)
    const inFormula = formulas.some(([from, to]) => from <= match.index && match.index < to)
    const beside = neighbours(before, text.slice(end, end + FARTHEST))
    const tree = readPlace(whole, expression)
    pieces.push(piece, { tree, format: readFormat(whole, format), inFormula, beside })
    before += beside.isGroup ? '{0}' : '0'
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
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece
    else {
      const value = evaluate(piece.tree, values)
      if (!value) return undefined
      text += shown(value, piece)
    }
  }
  return text
}

function shown(value: Fraction, { format, inFormula, beside }: Place): string {
  const written = write(value, format)
  if (!inFormula) return toText(written)
  const text = toLatexNumber(written)
  const { isGroup, isBehindCommand, isBehindOperand, isRaised } = beside
  if (isGroup) return `{${text}}`
  const isAmbiguous = written.isNegative && (isBehindOperand || isRaised)
  if (isAmbiguous || (written.exponent !== 0 && isRaised)) return `(${text})`
  return isBehindCommand ? `{${text}}` : text
}

/** Characters around a place that say how its value is written. */
const FARTHEST = 1_000

/** How many groups a command takes. */
const TAKES = new Map<string, number>([
  ...named('frac dfrac tfrac cfrac binom dbinom tbinom overset underset stackrel textcolor colorbox', 2),
  ...named(
    'sqrt boxed fbox vec hat bar dot ddot tilde acute grave breve check widehat widetilde mathring',
    1,
  ),
  ...named(
    'overline underline overrightarrow overleftarrow overbrace underbrace operatorname smash color',
    1,
  ),
  ...named('text textrm textbf textit textsf texttt textnormal mbox mathrm mathbf mathit mathsf mathtt', 1),
  ...named('mathbb mathcal mathfrak mathscr mathnormal bm boldsymbol pmb cancel bcancel xcancel', 1),
  ...named('phantom hphantom vphantom', 1),
])
const COMMAND = /(?<!\\)(?:\\\\)*\\([a-zA-Z]+)$/
/** What stands between factors without being one. */
const SPACE = /(?:\s|~|\\[,;:!> ])+$/
/** Behind it a number is a factor, or a part of a sum. */
const OPERAND = /(?:[-+*/·⋅∙×÷−:!'\p{L}\d)\]}]|\\right\s*[|.])$/u

function named(commands: string, takes: number): [string, number][] {
  return commands.split(' ').map((command) => [command, takes])
}

function neighbours(before: string, after: string): Neighbours {
  return {
    isGroup: isGroup(before),
    isBehindCommand: COMMAND.test(before),
    isBehindOperand: OPERAND.test(before.replace(SPACE, '')),
    isRaised: /^\s*\^/.test(after),
  }
}

/** Whether what follows is the argument of a command, or stands above or below the line. */
function isGroup(before: string): boolean {
  let rest = before.trimEnd()
  if (/(?:^|[^\\])[\^_]$/.test(rest)) return true
  for (let taken = 0; taken < 2; taken++) {
    // An option, as the 3 of a third root, is none of the groups.
    if (rest.endsWith(']')) rest = rest.slice(0, groupStart(rest, '[', ']') ?? 0)
    const most = TAKES.get(COMMAND.exec(rest)?.[1] ?? '')
    if (most !== undefined) return taken < most
    const start = argumentStart(rest)
    if (start === undefined) return false
    rest = rest.slice(0, start).trimEnd()
  }
  return false
}

/** Where the last argument begins: a group, a command, or a single sign. */
function argumentStart(text: string): number | undefined {
  if (text.endsWith('}')) return groupStart(text, '{', '}')
  const command = COMMAND.exec(text)
  if (command) return text.length - (command[1]?.length ?? 0) - 1
  return /[\p{L}\d]$/u.test(text) ? text.length - 1 : undefined
}

function groupStart(text: string, open: string, close: string): number | undefined {
  let depth = 0
  for (let at = text.length - 1; at >= 0; at--) {
    if (text[at - 1] === '\\') continue
    if (text[at] === close) depth += 1
    if (text[at] === open) depth -= 1
    if (depth === 0) return at
  }
  return undefined
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
