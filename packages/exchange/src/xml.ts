import { Parser } from 'htmlparser2'
import { SaxesParser } from 'saxes'
import { unreadable } from './file-error.ts'

export interface XmlElement {
  /** Without its prefix. */
  name: string
  attributes: Record<string, string>
  children: (XmlElement | string)[]
}

/** Characters that are parsed before the elements found in them are passed on. */
const CHUNK = 64 * 1024
/** More than any question needs; anything beyond is an attack. */
const DEEPEST = 200
const MOST_ATTRIBUTES = 200
const MOST_IN_AN_ELEMENT = 50_000
const MOST_OUTSIDE = 200_000
/**
 * Most characters of one question's source: enough for images that are too large, so that these are named rather than
 * refused.
 */
const LONGEST_ELEMENT = 14 * 1024 * 1024
const MOST_ENTITIES = 1_000_000
/** The document's own element stands before this. */
const LATEST_ROOT = 1024 * 1024
/** Processor time in microseconds: several times what the largest harmless file needs. */
const MOST_MICROSECONDS = 15_000_000

/**
 * The elements with these names, each one complete, wherever they are in the document; `seen` is called for all
 * others. Only the element that is being read is in memory. Names have no prefixes. A document's own entities are
 * refused, so nothing grows and nothing is fetched; HTML's are known, since many tools write them. Throws if the
 * document is not well-formed, or an attack.
 */
export function* readElements(
  text: string,
  names: ReadonlySet<string>,
  seen: (name: string, attributes: Record<string, string>) => void = () => {},
): Generator<XmlElement> {
  const found: XmlElement[] = []
  const open: XmlElement[] = []
  let depth = 0
  let inside = 0
  let outside = 0
  let attributes = 0
  let openedAt = 0
  const countInside = () => {
    inside += 1
    if (inside > MOST_IN_AN_ELEMENT) throw unreadable('A question of the XML is too large')
  }
  // The parser is slow at each. Those in CDATA aren't entities, but telling them apart would take as long.
  if (hasMore(text, '&', MOST_ENTITIES)) throw unreadable('The XML holds too many entities')
  const begun = process.threadCpuUsage()
  const parser = new SaxesParser()
  parser.ENTITIES = HTML_ENTITIES
  parser.on('error', (error) => {
    throw unreadable(`The XML is malformed: ${error.message.slice(0, 200)}`)
  })
  parser.on('doctype', (doctype) => {
    if (/<!\s*(ENTITY|ATTLIST|ELEMENT)|\[/i.test(doctype))
      throw unreadable('The XML declares entities of its own')
  })
  parser.on('opentagstart', () => {
    attributes = 0
  })
  parser.on('attribute', () => {
    attributes += 1
    if (attributes > MOST_ATTRIBUTES) throw unreadable('An element of the XML has too many attributes')
    if (open.length > 0) countInside()
  })
  parser.on('opentag', (tag) => {
    depth += 1
    if (depth > DEEPEST) throw unreadable('The XML is nested too deeply')
    const name = withoutPrefix(tag.name)
    const parent = open.at(-1)
    if (!parent && !names.has(name)) {
      outside += 1
      if (outside > MOST_OUTSIDE) throw unreadable('The XML holds too much besides questions')
      seen(name, tag.attributes as Record<string, string>)
      return
    }
    countInside()
    const element = { name, attributes: tag.attributes as Record<string, string>, children: [] }
    if (parent) parent.children.push(element)
    else openedAt = parser.position
    open.push(element)
  })
  const addText = (chunk: string) => {
    open.at(-1)?.children.push(chunk)
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    depth -= 1
    const element = open.pop()
    if (!element || open.length > 0) return
    inside = 0
    found.push(element)
  })
  for (let start = 0; start < text.length; start += CHUNK) {
    parser.write(text.slice(start, start + CHUNK))
    yield* found.splice(0)
    // A text is passed on when it ends, however long it is.
    if (open.length > 0 && parser.position - openedAt > LONGEST_ELEMENT)
      throw unreadable('A question of the XML is too large')
    const { user, system } = process.threadCpuUsage(begun)
    if (user + system > MOST_MICROSECONDS) throw unreadable('The XML takes too long to read')
  }
  parser.close()
  yield* found
}

function hasMore(text: string, character: string, most: number): boolean {
  let count = 0
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1))
    if (++count > most) return true
  return false
}

const htmlEntities = new Map<string, string>()

/** Characters by their names in HTML, such as `nbsp`; undefined for any other name, which ends the reading. */
const HTML_ENTITIES = new Proxy<Record<string, string>>(
  {},
  {
    get: (_, name) => {
      const known = htmlEntities.get(String(name))
      if (known !== undefined) return known
      let text = ''
      const parser = new Parser({ ontext: (chunk) => (text += chunk) })
      parser.end(`&${String(name)};`)
      // The parser leaves unknown names as they are, with their semicolon.
      if (text.endsWith(';') && name !== 'semi') return undefined
      htmlEntities.set(String(name), text)
      return text
    },
  },
)

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** The name of the document's first element; '' where there is none. */
export function rootName(text: string): string {
  let name = ''
  const parser = new SaxesParser()
  parser.on('opentagstart', (tag) => {
    name ||= withoutPrefix(tag.name)
  })
  try {
    for (let start = 0; start < Math.min(text.length, LATEST_ROOT) && name === ''; start += CHUNK)
      parser.write(text.slice(start, start + CHUNK))
  } catch {
    // The reader of the whole document reports what is wrong.
  }
  return name
}

export function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  return (element?.children ?? []).filter(
    (child): child is XmlElement => typeof child !== 'string' && child.name === name,
  )
}

export function childOf(element: XmlElement | undefined, ...path: string[]): XmlElement | undefined {
  return path.reduce<XmlElement | undefined>((parent, name) => childrenOf(parent, name)[0], element)
}

/** Every element of these names, or of any, below this one, in order, however deep; those inside a found one too. */
export function* descendants(element: XmlElement | undefined, ...names: string[]): Generator<XmlElement> {
  for (const child of element?.children ?? []) {
    if (typeof child === 'string') continue
    if (names.length === 0 || names.includes(child.name)) yield child
    yield* descendants(child, ...names)
  }
}

/** All text below an element. */
export function textOf(element: XmlElement | undefined): string {
  return (element?.children ?? [])
    .map((child) => (typeof child === 'string' ? child : textOf(child)))
    .join('')
}

/** Escapes a text for an element or an attribute in double quotes. Characters that XML can't contain become U+FFFD. */
export function escapeXml(text: string): string {
  return text.replace(
    SPECIAL,
    (character) => NAMES[character] ?? (isForbidden(character) ? '\ufffd' : character),
  )
}

/** Characters that need care in markup. */
export const SPECIAL = /[&<>"\p{Cc}\ufffe\uffff]/gu

/** XML 1.0 has no way to write these. */
export function isForbidden(character: string): boolean {
  return character < ' ' || character > '\ufffd'
}

const NAMES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
  '\n': '&#10;',
  '\t': '&#9;',
}
