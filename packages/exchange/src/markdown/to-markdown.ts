import { formulaAt } from './dialect.ts'
import { isDrawnAsItReads, markdown, read, withoutHiddenBlanks } from './from-markdown.ts'

/** What a part of a text is, from its first character to before `end`. */
export interface Mark {
  /** `pre` are lines of code, `bullet` is the mark of a list's item. */
  kind: 'em' | 'strong' | 'code' | 'pre' | 'bullet'
  start: number
  end: number
}

/** Longer texts aren't read again: they are no question's. */
const LONGEST = 20_000

/**
 * A text as CommonMark that is drawn as the text reads. Formulas stay formulas, the marks of gaps (`[[1]]`) stay as
 * they are; and so does the whole text where it is drawn as it reads already, so that most have no backslash. Marks
 * that CommonMark can't express at their place, as emphasis that ends within punctuation, are left out.
 */
export function toMarkdown(given: string, marks: readonly Mark[] = []): string {
  const text = given.replace(/\r\n?/g, '\n')
  if (text.length > LONGEST) return escapeAll(text)
  // The gaps within code wouldn't be drawn.
  const sound = marks.filter(
    ({ kind, start, end }) =>
      (kind !== 'code' && kind !== 'pre') || !/\[\[\d+\]\]/.test(text.slice(start, end)),
  )
  for (const kinds of ['em strong code pre bullet', 'code pre bullet', 'bullet']) {
    const kept = sound.filter(({ kind }) => kinds.includes(kind))
    if (kept.length === 0) break
    const marked = new Escaping(text, kept).write()
    if (squash(read(marked).text) === squash(text)) return marked
  }
  return escapePlain(text)
}

const plainBlanks = (text: string) => text.replaceAll('\t', '    ').replaceAll('\u00a0', ' ')
const squash = (text: string) => text.replace(/\s+/g, ' ').trim()

function escapePlain(text: string): string {
  const wanted = plainBlanks(withoutHiddenBlanks(text))
  const isSame = (source: string, formulas: readonly string[]) => {
    const reading = read(source)
    return (
      reading.isPlain &&
      plainBlanks(reading.text) === wanted &&
      formulas.join('\n') === reading.formulas.join('\n')
    )
  }
  const formulas = findFormulas(text).map(({ start, end }) => text.slice(start, end))
  if (isDrawnAsItReads(text) || isSame(text, formulas)) return text
  const escaped = new Escaping(text, []).write()
  if (isSame(escaped, formulas)) return escaped
  // A formula with lines that would begin a list: a line's end is a blank to LaTeX, except after a comment.
  if (!formulas.some((formula) => formula.includes('%'))) {
    const inLines = new Escaping(joinLines(text), []).write()
    if (squash(read(inLines).text) === squash(text)) return inLines
  }
  return escapeAll(text)
}

interface Range {
  start: number
  end: number
}

function findFormulas(text: string, opaque: readonly Range[] = []): Range[] {
  const found: Range[] = []
  for (let place = 0; place < text.length; ) {
    const inside = opaque.find(({ start, end }) => start <= place && place < end)
    const formula = inside ? undefined : formulaAt(text, place)
    const crosses = formula && opaque.some(({ start, end }) => start < formula.end && place < end)
    if (formula && !crosses) found.push({ start: place, end: formula.end })
    place = inside?.end ?? (formula && !crosses ? formula.end : place + 1)
  }
  return found
}

function joinLines(text: string): string {
  let joined = ''
  let last = 0
  for (const { start, end } of findFormulas(text)) {
    joined += text.slice(last, start) + text.slice(start, end).replace(/\s*\n\s*/g, ' ')
    last = end
  }
  return joined + text.slice(last)
}

/** Writes a text with backslashes where CommonMark would read a mark. */
class Escaping {
  readonly #text: string
  /** What stands as it is, by its beginning. */
  readonly #raw = new Map<number, { end: number; written: string }>()
  readonly #opened = new Map<number, string>()
  readonly #closed = new Map<number, string>()

  constructor(text: string, marks: readonly Mark[]) {
    this.#text = text
    const code = marks.filter(({ kind }) => kind !== 'em' && kind !== 'strong')
    for (const mark of code) this.#raw.set(mark.start, { end: mark.end, written: this.#writeRaw(mark) })
    const formulas = findFormulas(text, code)
    for (const { start, end } of formulas) this.#raw.set(start, { end, written: text.slice(start, end) })
    if (text.includes('://') || text.includes('mailto:'))
      for (const { index, lastIndex } of markdown.linkify.match(text) ?? [])
        if (!formulas.some(({ start, end }) => start < lastIndex && index < end) && !this.#raw.has(index))
          this.#raw.set(index, { end: lastIndex, written: text.slice(index, lastIndex) })
    const emphases = marks
      .filter(({ kind }) => kind === 'em' || kind === 'strong')
      .toSorted((one, other) => one.end - one.start - (other.end - other.start))
    for (const { kind, start, end } of emphases) this.#emphasise(kind === 'em' ? '*' : '**', start, end)
  }

  #writeRaw({ kind, start, end }: Mark): string {
    const inner = this.#text.slice(start, end)
    if (kind === 'bullet') return inner
    const longest = Math.max(0, ...[...inner.matchAll(/`+/g)].map(([run]) => run.length))
    if (kind === 'pre') {
      const fence = '`'.repeat(Math.max(3, longest + 1))
      const before = start === 0 || this.#text[start - 1] === '\n' ? '' : '\n'
      const after = end === this.#text.length || this.#text[end] === '\n' ? '' : '\n'
      return `${before}${fence}\n${inner.replace(/^\n|\n$/g, '')}\n${fence}${after}`
    }
    const line = inner.replace(/\s*\n\s*/g, ' ')
    const fence = '`'.repeat(longest + 1)
    const needsBlanks = /^`|`$|^ .* $/.test(line)
    return needsBlanks ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`
  }

  /** Emphasis goes from a character that is none blank to one that is none, in each line by itself. */
  #emphasise(mark: string, start: number, end: number): void {
    for (const { 0: line, index } of this.#text.slice(start, end).matchAll(/[^\n]+/g)) {
      const bullet = this.#raw.get(start + index)
      const begun = bullet && /^([-]|\d+\.) $/.test(bullet.written) ? bullet.written.length : 0
      const inner = line.slice(begun).trim()
      if (inner === '') continue
      const from = start + index + line.indexOf(inner, begun)
      const to = from + inner.length
      this.#opened.set(from, mark + (this.#opened.get(from) ?? ''))
      this.#closed.set(to, (this.#closed.get(to) ?? '') + mark)
    }
  }

  write(): string {
    const text = this.#text
    let written = ''
    let isLineStart = true
    let place = 0
    while (place < text.length) {
      written += this.#marksAt(place)
      const raw = this.#raw.get(place)
      if (raw) {
        written += raw.written
        place = raw.end
        isLineStart = text[place - 1] === '\n'
      } else if (isLineStart) {
        const begun = beginLine(text, place)
        written += begun.written
        place = begun.end
        isLineStart = false
      } else {
        const next = writeCharacter(text, place)
        written += next.written
        isLineStart = text[place] === '\n'
        place = next.end
      }
    }
    return written + this.#marksAt(place)
  }

  #marksAt(place: number): string {
    return (this.#closed.get(place) ?? '') + (this.#opened.get(place) ?? '')
  }
}

interface Written {
  written: string
  /** Where the text goes on. */
  end: number
}

const BLANKS = /[ \t]*/y
const NUMBER = /(\d{1,9})[.)](?=\s|$)/y
/** The marks of headings, quotations, lists, lines, tables, and what makes a heading of the line before. */
const BLOCK = /#{1,6}(?=\s|$)|>|[-+](?=[ \t\n]|$)|[-=][-= \t]*(?=\n|$)|[-:][-:| \t]*(?=\n|$)/y

function matchAt(pattern: RegExp, text: string, place: number): RegExpExecArray | null {
  pattern.lastIndex = place
  return pattern.exec(text)
}

/** The blanks of a line's beginning, which would be lost, and what would begin a list or another block. */
function beginLine(text: string, place: number): Written {
  const blanks = matchAt(BLANKS, text, place)?.[0] ?? ''
  const start = place + blanks.length
  // A line of blanks is an empty one.
  if (start === text.length || text[start] === '\n') return { written: '', end: start }
  const indent = blanks.replaceAll('\t', '    ').replaceAll(' ', '&nbsp;')
  const [, number] = matchAt(NUMBER, text, start) ?? []
  if (number !== undefined) {
    const end = start + number.length
    return { written: `${indent}${number}\\${text[end]}`, end: end + 1 }
  }
  if (matchAt(BLOCK, text, start)) return { written: `${indent}\\${text[start]}`, end: start + 1 }
  return { written: indent, end: start }
}

const GAP = /\[\[\d+\]\]/y

function writeCharacter(text: string, place: number): Written {
  const character = text.charAt(place)
  const next = text.charAt(place + 1)
  const end = place + 1
  switch (character) {
    case '*':
    case '_':
    case '`':
    case '|':
    case '$':
      return { written: `\\${character}`, end }
    case '\\':
      return { written: /[!-/:-@[-`{-~\n]/.test(next) || next === '' ? '\\\\' : '\\', end }
    case '&':
      return { written: /[#\w]/.test(next) ? '\\&' : '&', end }
    case '<':
      return { written: /[a-z]/i.test(next) ? '\\<' : '<', end }
    case '~':
      return { written: next === '~' || text[place - 1] === '~' ? '\\~' : '~', end }
    case '[': {
      const [gap] = matchAt(GAP, text, place) ?? []
      // With a backslash it would begin a formula.
      if (gap === undefined) return { written: '&#91;', end }
      const after = place + gap.length
      return text[after] === '(' ? { written: `${gap}&#40;`, end: after + 1 } : { written: gap, end: after }
    }
  }
  // Blanks other than plain ones are lost at the ends of a paragraph.
  if (/[^\S\n\t ]/.test(character) && (atEdge(text, place - 1) || atEdge(text, end)))
    return { written: entityOf(character), end }
  return { written: character, end }
}

/** A plain blank, where it counts, as one that doesn't break. */
function entityOf(character: string): string {
  if (character === '\t') return '&nbsp;'.repeat(4)
  return /[ \u00a0]/.test(character) ? '&nbsp;' : `&#${character.charCodeAt(0)};`
}

function atEdge(text: string, place: number): boolean {
  return place < 0 || place >= text.length || /\s/.test(text.charAt(place))
}

/** Nothing of it means anything but itself. */
function escapeAll(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const inner = line.replace(/[ \t]+$/, '')
      const start = inner.length - inner.trimStart().length
      return [...inner]
        .map((character, index) => {
          if (
            /[()[\]]/.test(character) ||
            (/\s/.test(character) && (index < start || /[^\t ]/.test(character)))
          )
            return entityOf(character)
          return /[!-/:-@\\^-`{-~]/.test(character) ? `\\${character}` : character
        })
        .join('')
        .replace(/&#91;&#91;(\d+)&#93;&#93;/g, '[[$1]]')
    })
    .join('\n')
}
