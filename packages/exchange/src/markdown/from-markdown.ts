import type { Token } from 'markdown-it'
import { createMarkdown } from './dialect.ts'

export const markdown = createMarkdown()

/** What may be drawn as something else; `\u00a0` and its like are lost where a paragraph ends. */
const MARKS = /[\\$*_`~#>[\]|<&\n\t]|^\s*([-+]|\d+[.)])|:\/\/|mailto:|^\s|\s$|[^\S ]/

/** Whether a look at its characters is enough to know it. */
export function isDrawnAsItReads(text: string): boolean {
  return !MARKS.test(text)
}

/** What somebody reads of a text. */
export interface Reading {
  text: string
  /** As they are written, with their delimiters. */
  formulas: string[]
  /** Whether it is lines and paragraphs of text and formulas alone. */
  isPlain: boolean
}

/** Where a text is drawn: in an option of a single line nothing begins a list, a heading or another block. */
export type Place = 'text' | 'option'

const isLine = (source: string, place: Place) => place === 'option' && !source.includes('\n')

/** What somebody reads of a text that is drawn. */
export function read(source: string, place: Place = 'text'): Reading {
  const reading: Reading = { text: '', formulas: [], isPlain: true }
  const blocks: string[] = []
  const bullets: string[] = []
  for (const token of isLine(source, place) ? markdown.parseInline(source, {}) : markdown.parse(source, {})) {
    const bullet = () => bullets.splice(0).join('')
    switch (token.type) {
      case 'inline':
        blocks.push(bullet() + readInline(token.children ?? [], reading))
        break
      case 'formula':
        reading.formulas.push(token.markup)
        blocks.push(bullet() + token.markup)
        break
      case 'fence':
        reading.isPlain = false
        blocks.push(bullet() + token.content.replace(/\n$/, ''))
        break
      case 'list_item_open':
        reading.isPlain = false
        bullets.push(`${token.info}${token.info === '' ? '-' : token.markup} `)
        break
      case 'list_item_close':
        bullets.length = 0
        break
      default:
        if (token.type !== 'paragraph_open' && token.type !== 'paragraph_close') reading.isPlain = false
    }
  }
  reading.text = blocks.join('\n\n')
  return reading
}

function readInline(tokens: readonly Token[], reading: Reading): string {
  return tokens
    .map((token) => {
      switch (token.type) {
        case 'text':
          return token.content
        case 'softbreak':
        case 'hardbreak':
          return '\n'
        case 'formula':
          reading.formulas.push(token.markup)
          return token.markup
        case 'link_open':
        case 'link_close':
          if (token.markup !== 'linkify') reading.isPlain = false
          return ''
      }
      reading.isPlain = false
      return token.content
    })
    .join('')
}

/** One kind of line ends, none of the blanks that never show, and one blank line for many. */
export function withoutHiddenBlanks(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replaceAll('\0', '\ufffd')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\n+$/g, '')
}

/** A text without marks of CommonMark as it reads; undefined where it has some, such as emphasis or a list. */
export function toPlainText(source: string, place: Place = 'text'): string | undefined {
  if (isDrawnAsItReads(source)) return source
  const { text, isPlain } = read(source, place)
  // Marks alone, as an empty heading: better shown than lost.
  if (text.trim() === '') return source
  if (!isPlain) return undefined
  if (text === withoutHiddenBlanks(source)) return source
  // Blanks that begin a line are written as ones that don't break.
  return text.replace(/^\u00a0+/gm, (blanks) => ' '.repeat(blanks.length))
}

/** A text as it reads, without its marks: for places that hold no marks. */
export function withoutMarks(source: string, place: Place = 'text'): string {
  return toPlainText(source, place) ?? read(source, place).text
}

const ELEMENTS: Record<string, string> = {
  bullet_list: 'ul',
  list_item: 'li',
  blockquote: 'blockquote',
  table: 'table',
  thead: 'thead',
  tbody: 'tbody',
  tr: 'tr',
  th: 'th',
  td: 'td',
  em: 'em',
  strong: 'strong',
}

/**
 * A text with marks as HTML, which is XML too. `write` escapes text, `paragraph` opens a paragraph.
 */
export function toHtml(
  source: string,
  { write, paragraph }: { write: (text: string) => string; paragraph: string },
  place: Place,
): string {
  const draw = (tokens: readonly Token[]): string => tokens.map(drawToken).join('')
  const drawToken = (token: Token): string => {
    const { type, nesting, content, markup } = token
    switch (type) {
      case 'inline':
        return draw(token.children ?? [])
      case 'text':
        return write(content)
      case 'softbreak':
      case 'hardbreak':
        return '<br/>'
      case 'formula':
        return token.map ? `${paragraph}${write(markup)}</p>` : write(markup)
      case 'code_inline':
        return `<code>${write(content)}</code>`
      case 'fence':
        return `<pre><code>${write(content.replace(/\n$/, ''))}</code></pre>`
      case 'hr':
        return '<hr/>'
      case 'image':
        return write(content)
      case 'paragraph_open':
        return token.hidden ? '' : paragraph
      case 'paragraph_close':
        return token.hidden ? '' : '</p>'
      case 'heading_open':
        return `${paragraph}<strong>`
      case 'heading_close':
        return '</strong></p>'
      case 'ordered_list_open':
        return '<ol>'
      case 'ordered_list_close':
        return '</ol>'
      case 'link_open': {
        const href = String(token.attrGet('href') ?? '')
        return markup === 'linkify' || !/^https?:\/\//i.test(href) ? '' : `<a href="${write(href)}">`
      }
      case 'link_close':
        return ''
    }
    const element = ELEMENTS[type.replace(/_(open|close)$/, '')]
    if (element === undefined) return write(content)
    return nesting === 1 ? `<${element}>` : `</${element}>`
  }
  return isLine(source, place)
    ? `${paragraph}${draw(markdown.parseInline(source, {}))}</p>`
    : draw(markdown.parse(source, {}))
}
