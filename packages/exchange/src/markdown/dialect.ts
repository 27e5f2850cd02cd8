import MarkdownIt, { type StateBlock, type StateInline } from 'markdown-it'

/**
 * Reads what the texts of questions are: CommonMark with tables, strikethrough and formulas. A line break is one, as
 * people type them; indented lines are no code, and tags are text.
 */
export function createMarkdown() {
  const markdown = new MarkdownIt({ html: false, breaks: true, linkify: true }).disable('code')
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false })
  markdown.inline.ruler.before('escape', 'formula', readFormula)
  markdown.block.ruler.before('fence', 'formula_block', readFormulaBlock, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  })
  return markdown
}

const DELIMITERS = [
  ['$$', '$$', true],
  ['\\[', '\\]', true],
  ['\\(', '\\)', false],
  ['$', '$', false],
] as const

export interface Formula {
  source: string
  isBlock: boolean
  /** Where it ends, with its delimiter. */
  end: number
}

/** The formula that begins at a place; a dollar before a space, or an amount of money, is plain text. */
export function formulaAt(text: string, place: number, last = text.length): Formula | undefined {
  const found = DELIMITERS.find(([open]) => text.startsWith(open, place))
  if (!found) return undefined
  const [open, close, isBlock] = found
  const end = text.indexOf(close, place + open.length)
  if (end === -1 || end > last) return undefined
  const source = text.slice(place + open.length, end)
  if (source.trim() === '') return undefined
  if (open === '$' && (/^\s|\s$|[\n`]/.test(source) || /\d/.test(text[end + 1] ?? ''))) return undefined
  return { source, isBlock, end: end + close.length }
}

/** A formula within a paragraph. */
function readFormula(state: StateInline, isSilent: boolean): boolean {
  const formula = formulaAt(state.src, state.pos, state.posMax)
  if (!formula) return false
  if (!isSilent) {
    const token = state.push('formula', '', 0)
    token.content = formula.source
    token.block = formula.isBlock
    token.markup = state.src.slice(state.pos, formula.end)
  }
  state.pos = formula.end
  return true
}

/** A formula that begins a line and may have empty lines, and lines that would begin a list. */
function readFormulaBlock(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0)
  const found = DELIMITERS.find(([open, , isBlock]) => isBlock && state.src.startsWith(open, start))
  if (!found) return false
  const [open, close] = found
  const end = state.src.indexOf(close, start + open.length)
  if (end === -1 || end >= (state.eMarks[endLine - 1] ?? 0)) return false
  let last = startLine
  while ((state.eMarks[last] ?? 0) < end + close.length) last += 1
  // Text after it makes it a part of a paragraph.
  if (state.src.slice(end + close.length, state.eMarks[last]).trim() !== '') return false
  const source = state.src.slice(start + open.length, end)
  if (source.trim() === '') return false
  if (isSilent) return true
  const token = state.push('formula', '', 0)
  token.content = source
  token.block = true
  token.markup = state.src.slice(start, end + close.length)
  token.map = [startLine, last + 1]
  state.line = last + 1
  return true
}
