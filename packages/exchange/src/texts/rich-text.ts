import { Parser } from 'htmlparser2'
import { unreadable } from '../file-error.ts'
import { Skip } from '../items.ts'
import { isForbidden, SPECIAL, type XmlElement } from '../xml.ts'
import { decodeAddress } from './addresses.ts'
import { toLatex } from './mathml.ts'

/** Formatted text in the form of our questions: plain text with LaTeX, and the addresses of its images. */
export interface PlainText {
  text: string
  images: string[]
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
const WITHOUT_TEXT = new Set(['script', 'style', 'head', 'template', 'noscript'])
const MEDIA = new Set(['audio', 'video', 'iframe', 'embed', 'applet', 'canvas', 'svg', 'object'])

/** What the name of an image ends with. */
const IMAGE = /\.(png|jpe?g|gif|webp)$/i

/** Reads HTML as tolerantly as browsers do. Throws `Skip` for media other than images. */
export function htmlToText(html: string): PlainText {
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
export function elementsToText(nodes: (XmlElement | string)[]): PlainText {
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
  /** The open elements of `<math>`, or of a superscript or subscript. */
  #math: XmlElement[] = []
  #script: { mark: string; start: number } | undefined
  #latexScript = false

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
      this.#latexScript = true
      this.#add('$')
      return
    }
    if (WITHOUT_TEXT.has(name)) this.#silent += 1
    if (MEDIA.has(name) && !this.#isImage(name, attributes)) throw new Skip(`its text holds media (${name})`)
    if (name === 'br') this.#breakLine()
    else if (BLOCKS.has(name)) this.#startLine()
    if (name === 'ol') this.#lists.push(1)
    else if (name === 'ul') this.#lists.push(undefined)
    else if (name === 'li') this.#add(this.#nextBullet())
    else if (name === 'td' || name === 'th') this.#startCell()
    else if (name === 'sup' || name === 'sub')
      this.#script ??= { mark: name === 'sup' ? '^' : '_', start: this.#startScript() }
    if (name === 'pre' || /white-space\s*:\s*(pre|break-spaces)/i.test(attributes.style ?? ''))
      this.#preformatted.push(this.#depth)
    if (name === 'img' || name === 'object') this.#addImage(attributes)
  }

  close(name: string): void {
    const depth = this.#depth
    this.#depth -= 1
    const math = this.#math.pop()
    if (math) {
      if (this.#math.length === 0) this.#add(`$${toLatex(math)}$`)
      return
    }
    if (name === 'script' && this.#latexScript) {
      this.#latexScript = false
      this.#append('$')
      return
    }
    if (WITHOUT_TEXT.has(name)) this.#silent -= 1
    if (this.#preformatted.at(-1) === depth) this.#preformatted.pop()
    if (name === 'ol' || name === 'ul') this.#lists.pop()
    if (name === 'sup' || name === 'sub') this.#endScript()
    if (BLOCKS.has(name)) this.#startLine()
  }

  text(text: string): void {
    const math = this.#math.at(-1)
    if (math) math.children.push(text)
    else if (this.#silent > 0) return
    else if (this.#preformatted.length > 0 || this.#latexScript) {
      this.#flushBlank()
      this.#append(text)
    } else {
      const collapsed = text.replace(/\s+/g, ' ')
      if (collapsed.startsWith(' ')) this.#markBlank()
      this.#add(collapsed.trim())
      if (collapsed.endsWith(' ')) this.#markBlank()
    }
  }

  finish(): PlainText {
    return { text: this.#text.trim(), images: this.#images }
  }

  #add(text: string): void {
    if (text === '' || this.#silent > 0) return
    this.#flushBlank()
    this.#append(text)
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

  #nextBullet(): string {
    const number = this.#lists.at(-1)
    if (number === undefined) return '- '
    this.#lists[this.#lists.length - 1] = number + 1
    return `${number}. `
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
    const isFormula = /[$\\]/.test(inner)
    this.#text = this.#text.slice(0, start)
    this.#append(isFormula ? inner : `$${mark}{${inner}}$`)
  }

  #isImage(name: string, { type = '', data = '' }: Record<string, string>): boolean {
    return name === 'object' && (type.startsWith('image/') || IMAGE.test(data))
  }

  #addImage(attributes: Record<string, string>): void {
    const { src, data } = attributes
    const formula = formulaOf(attributes)
    if (formula !== undefined) {
      this.#add(`$${formula}$`)
      return
    }
    const address = src ?? data ?? ''
    if (address === '') throw new Skip('it has an image without a file')
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

/** HTML that shows a text as it is: its lines, and its blanks where styles are kept. */
export function textToHtml(text: string): string {
  const escaped = text.replace(
    SPECIAL,
    (character) =>
      NAMES[character] ?? (isForbidden(character) ? `&#${character.codePointAt(0)};` : character),
  )
  return `<p style="white-space: pre-wrap">${escaped}</p>`
}

const NAMES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '\t',
  '\n': '<br>',
}
