import { Parser } from 'htmlparser2'
import { unreadable } from '../file-error.ts'
import { Skip } from '../items.ts'
import { type Place, toHtml, toPlainText } from '../markdown/from-markdown.ts'
import { type Mark, toMarkdown } from '../markdown/to-markdown.ts'
import { isForbidden, SPECIAL, type XmlElement } from '../xml.ts'
import { decodeAddress } from './addresses.ts'
import { toLatex } from './mathml.ts'

/** Formatted text in the form of our questions: CommonMark with LaTeX, and the addresses of its images. */
export interface RichText {
  text: string
  images: string[]
  /** What the first of them shows, where the text says it. */
  alt?: string
}

/** Characters of one text, including embedded pictures. */
const LONGEST_HTML = 8 * 1024 * 1024
/** Characters of what is made of it. */
const LONGEST_TEXT = 100_000
/** Browsers nest HTML up to 512 levels. */
const DEEPEST = 500

/** Elements that begin and end a line. */
const BLOCKS = new Set(
  'address article aside blockquote caption center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody tfoot thead tr ul'.split(
    ' ',
  ),
)
/** Elements whose text is emphasised, or code. */
const MARKED: Record<string, Mark['kind']> = {
  em: 'em',
  i: 'em',
  strong: 'strong',
  b: 'strong',
  code: 'code',
  tt: 'code',
  kbd: 'code',
  samp: 'code',
}
const WITHOUT_TEXT = new Set(['script', 'style', 'head', 'template', 'noscript'])
const MEDIA = new Set(['audio', 'video', 'iframe', 'embed', 'applet', 'canvas', 'svg', 'object'])

/** What the name of an image ends with. */
const IMAGE = /\.(png|jpe?g|gif|webp)$/i

/** Reads HTML as tolerantly as browsers do. Throws `Skip` for media other than images. */
export function htmlToText(html: string): RichText {
  if (html.length > LONGEST_HTML) throw new Skip('its text is too long')
  const writer = new TextWriter()
  const parser = new Parser(
    {
      onopentag: (name, attributes) => writer.open(name, attributes),
      ontext: (text) => writer.text(text),
      onclosetag: (name) => writer.close(name),
    },
    { decodeEntities: true },
  )
  parser.end(html)
  return writer.finish()
}

/** The characters of an HTML text as they are, its blanks too; markup is left out. */
export function decodeEntities(html: string): string {
  let text = ''
  const parser = new Parser({ ontext: (chunk) => (text += chunk) }, { decodeEntities: true })
  parser.end(html)
  return text
}

/** The text of parsed elements, made as that of HTML. */
export function elementsToText(nodes: (XmlElement | string)[]): RichText {
  const writer = new TextWriter()
  const walk = (node: XmlElement | string) => {
    if (typeof node === 'string') return writer.text(node)
    writer.open(node.name.toLowerCase(), node.attributes)
    for (const child of node.children) walk(child)
    writer.close(node.name.toLowerCase())
  }
  for (const node of nodes) walk(node)
  return writer.finish()
}

class TextWriter {
  readonly #images: string[] = []
  #alt = ''
  readonly #lists: (number | undefined)[] = []
  /** The depths of the open elements in which blanks count. */
  readonly #preformatted: number[] = []
  #text = ''
  /**
   * Whether the text so far ends with a line break. Kept as a field, because reading the text would join all of its
   * parts each time.
   */
  #atLineStart = true
  #depth = 0
  #silent = 0
  /** A blank that is only written if something follows it. */
  #blank = false
  /** Likewise an empty line, without which a text would go on with the list before it. */
  #gap = false
  /** Likewise the mark of an item of a list. */
  #bullet = ''
  #marks: Mark[] = []
  /** The open elements that are marked. */
  readonly #marked: { depth: number; kind: Mark['kind']; start: number }[] = []
  /** The open elements of `<math>`, or of a superscript or subscript. */
  #math: XmlElement[] = []
  #script: { mark: string; start: number } | undefined
  /** What ends the formula of an open `<script>`; '' for none. */
  #latexScript = ''

  open(name: string, attributes: Record<string, string>): void {
    this.#depth += 1
    if (this.#depth > DEEPEST) throw unreadable('The text of a question is nested too deeply')
    if (name === 'math' || this.#math.length > 0) {
      const element = { name, attributes, children: [] }
      this.#math.at(-1)?.children.push(element)
      this.#math.push(element)
      return
    }
    if (name === 'script' && attributes.type?.startsWith('math/tex')) {
      this.#latexScript = attributes.type.includes('display') ? '\\]' : '\\)'
      this.#add(this.#latexScript === '\\]' ? '\\[' : '\\(')
      return
    }
    if (WITHOUT_TEXT.has(name)) this.#silent += 1
    if (MEDIA.has(name) && !this.#isImage(name, attributes)) throw new Skip(`its text holds media (${name})`)
    if (name === 'br') this.#breakLine()
    else if (BLOCKS.has(name)) this.#startLine()
    if (name === 'ol') this.#lists.push(1)
    else if (name === 'ul') this.#lists.push(undefined)
    else if (name === 'li') this.#addBullet()
    else if (name === 'td' || name === 'th') this.#startCell()
    else if (name === 'sup' || name === 'sub')
      this.#script ??= { mark: name === 'sup' ? '^' : '_', start: this.#startScript() }
    const kind = name === 'pre' && attributes.class !== PLAIN ? 'pre' : MARKED[name]
    if (kind) this.#openMark(kind)
    if (name === 'pre' || /white-space\s*:\s*(pre|break-spaces)/i.test(attributes.style ?? ''))
      this.#preformatted.push(this.#depth)
    if (name === 'img' || name === 'object') this.#addImage(attributes)
  }

  close(name: string): void {
    const depth = this.#depth
    this.#depth -= 1
    const math = this.#math.pop()
    if (math) {
      if (this.#math.length === 0) this.#addFormula(toLatex(math))
      return
    }
    if (name === 'script' && this.#latexScript !== '') {
      this.#append(this.#latexScript)
      this.#latexScript = ''
      return
    }
    if (WITHOUT_TEXT.has(name)) this.#silent -= 1
    if (this.#preformatted.at(-1) === depth) this.#preformatted.pop()
    this.#closeMark(depth)
    if (name === 'ol' || name === 'ul') {
      this.#lists.pop()
      this.#gap ||= this.#lists.length === 0
    }
    if (name === 'sup' || name === 'sub') this.#endScript()
    if (name === 'li') this.#bullet = ''
    if (BLOCKS.has(name)) this.#startLine()
  }

  text(text: string): void {
    const math = this.#math.at(-1)
    if (math) math.children.push(text)
    else if (this.#silent > 0) return
    else if (this.#preformatted.length > 0 || this.#latexScript !== '') {
      this.#flushBlank()
      this.#append(text.replace(/\r\n?/g, '\n'))
    } else {
      const collapsed = text.replace(/\s+/g, ' ')
      if (collapsed.startsWith(' ')) this.#markBlank()
      this.#add(collapsed.trim())
      if (collapsed.endsWith(' ')) this.#markBlank()
    }
  }

  finish(): RichText {
    const text = this.#text.trim()
    const offset = this.#text.length - this.#text.trimStart().length
    const marks = this.#marks.map(({ kind, start, end }) => ({
      kind,
      start: Math.max(start - offset, 0),
      end: Math.min(end - offset, text.length),
    }))
    return {
      text: toMarkdown(
        text,
        marks.filter(({ start, end }) => start < end),
      ),
      images: this.#images,
      ...(this.#alt === '' ? {} : { alt: this.#alt }),
    }
  }

  #add(text: string): void {
    if (text === '' || this.#silent > 0) return
    this.#flushBlank()
    this.#append(text)
  }

  #addFormula(latex: string): void {
    if (latex.trim() !== '') this.#add(`\\(${latex}\\)`)
  }

  #openMark(kind: Mark['kind']): void {
    this.#flushBlank()
    this.#marked.push({ depth: this.#depth, kind, start: this.#text.length })
  }

  #closeMark(depth: number): void {
    const open = this.#marked.at(-1)
    if (open?.depth !== depth) return
    this.#marked.pop()
    const end = this.#text.length
    // Within code nothing else is marked, and within a script nothing at all.
    if (this.#script || this.#marked.some(({ kind }) => kind === 'code' || kind === 'pre')) return
    if (open.kind === 'code' || open.kind === 'pre')
      this.#marks = this.#marks.filter((mark) => mark.start < open.start)
    if (this.#text.slice(open.start, end).trim() !== '')
      this.#marks.push({ kind: open.kind, start: open.start, end })
  }

  #append(text: string): void {
    if (text === '') return
    if (this.#text.length + text.length > LONGEST_TEXT) throw new Skip('its text is too long')
    this.#text += text
    this.#atLineStart = text.endsWith('\n')
  }

  #markBlank(): void {
    this.#blank ||= !this.#atLineStart
  }

  #flushBlank(): void {
    if (this.#gap && this.#text !== '') this.#append('\n')
    this.#gap = false
    if (this.#bullet !== '') {
      const start = this.#text.length
      this.#append(this.#bullet)
      this.#marks.push({ kind: 'bullet', start, end: this.#text.length })
      this.#bullet = ''
    }
    if (this.#blank) this.#append(' ')
    this.#blank = false
  }

  #breakLine(): void {
    this.#blank = false
    this.#append('\n')
  }

  #startLine(): void {
    this.#blank = false
    if (!this.#atLineStart) this.#append('\n')
  }

  #startCell(): void {
    this.#blank = false
    if (!this.#atLineStart) this.#append(' | ')
  }

  #addBullet(): void {
    if (this.#silent > 0) return
    this.#gap = false
    const number = this.#lists.at(-1)
    if (number !== undefined) this.#lists[this.#lists.length - 1] = number + 1
    this.#bullet = number === undefined ? '- ' : `${number}. `
  }

  #startScript(): number {
    this.#flushBlank()
    return this.#text.length
  }

  /** 10<sup>3</sup> is not 103. */
  #endScript(): void {
    if (!this.#script) return
    const { mark, start } = this.#script
    this.#script = undefined
    const inner = this.#text.slice(start).trim()
    if (inner === '') return
    this.#text = this.#text.slice(0, start)
    this.#marks = this.#marks.filter(({ end }) => end <= start)
    this.#append(`\\(${mark}{${scriptToLatex(inner)}}\\)`)
  }

  #isImage(name: string, { type = '', data = '' }: Record<string, string>): boolean {
    return name === 'object' && (type.startsWith('image/') || IMAGE.test(data))
  }

  #addImage(attributes: Record<string, string>): void {
    const { src, data } = attributes
    const formula = formulaOf(attributes)
    if (formula !== undefined) {
      this.#addFormula(formula)
      return
    }
    const address = src ?? data ?? ''
    if (address === '') throw new Skip('it has an image without a file')
    if (this.#images.length === 0) this.#alt = (attributes.alt ?? '').trim()
    this.#images.push(address)
  }
}

/** The LaTeX that a picture shows, as the common editors store it. */
function formulaOf(attributes: Record<string, string>): string | undefined {
  const { alt = '', class: kind = '' } = attributes
  const equation = attributes['data-equation-content'] ?? attributes['data-latex']
  if (equation) return decodeAddress(equation)
  if (alt.startsWith('LaTeX: ')) return alt.slice('LaTeX: '.length)
  return /\btexrender\b/.test(kind) && alt !== '' ? withoutDollars(alt) : undefined
}

function withoutDollars(text: string): string {
  let start = 0
  let end = text.length
  while (text[start] === '$') start += 1
  while (end > start && text[end - 1] === '$') end -= 1
  return text.slice(start, end)
}

/** What is raised or lowered, as LaTeX: a formula as it is, words upright. */
function scriptToLatex(text: string): string {
  const [, formula] = /^\\\((.*)\\\)$/s.exec(text) ?? /^\$([^$]*)\$$/.exec(text) ?? []
  if (formula !== undefined) return formula
  const escaped = text
    .replace(/\s+/g, ' ')
    .replace(/\\|[{}$%&#_^~]/g, (character) => LATEX[character] ?? `\\${character}`)
  return /^[\p{L}]?[\d\s+\-−–=,.*/()]*$/u.test(text) ? escaped : `\\text{${escaped}}`
}

const LATEX: Record<string, string> = {
  '\\': '\\textbackslash{}',
  '^': '\\textasciicircum{}',
  '~': '\\textasciitilde{}',
}

/** The class of preformatted text that is no code, as we write it. */
export const PLAIN = 'plain'

/** A text of ours as HTML: as it is, its lines and blanks where styles are kept, or with the elements of its marks. */
export function textToHtml(source: string, place: Place = 'text'): string {
  const paragraph = '<p style="white-space: pre-wrap">'
  const text = toPlainText(source, place)
  if (text !== undefined) return `${paragraph}${escapeHtml(text)}</p>`
  return toHtml(source, { write: escapeHtml, paragraph }, place)
}

function escapeHtml(text: string): string {
  return text.replace(
    SPECIAL,
    (character) =>
      NAMES[character] ?? (isForbidden(character) ? `&#${character.codePointAt(0)};` : character),
  )
}

const NAMES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '\t',
  '\n': '<br>',
}
