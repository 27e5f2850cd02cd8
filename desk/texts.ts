/**
 * The texts of the desk: where they stand in its sources, and how what was built once becomes a desk in each language.
 * Texts are put in while it is built, so that a browser loads one language, and of it what the shown views say.
 */
import path from 'node:path'
import { isPluralElement, type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser'
import { type ESTree, type Plugin, parseSync, Visitor } from 'vite'
import { CATALOGUE } from '../src/errors.ts'
import type { Part } from './src/text-part.ts'

/** Stands around each text in what Vite has built; no variable is renamed to it. */
const MARK = '__TEXT__'
/** The module with the texts of failures, and where it seems to be: what is in `src` is named by the catalogues too. */
const FAILURES = 'virtual:failures'
const FAILURES_PLACE = path.join(import.meta.dirname, 'src/failures.js')
/** A text of the page itself. */
const IN_PAGE = /\{\{(.+?)\}\}/g
/** Attributes and properties of components that people read. */
const READ = new Set([
  'all',
  'alt',
  'aria-label',
  'button',
  'caption',
  'confirm',
  'givenName',
  'hint',
  'label',
  'lead',
  'legend',
  'placeholder',
  'promise',
  'title',
])
/** Elements whose content is the same in all languages, as is what has `translate="no"`. */
const AS_IT_IS = new Set(['code', 'kbd'])

interface Place {
  start: number
  end: number
  message: string
  /** What goes around the text there. */
  around?: [before: string, after: string]
}

export interface Found {
  places: Place[]
  /** What is said in a way that can't be translated. */
  faults: string[]
}

/** The beginning of a sentence: in a string that neither JSX nor `t` shows it would stay English. */
const SENTENCE = /^\p{Lu}.*\p{L} \p{Ll}/u
const BEGINNING = /^\p{Lu}\p{Ll}+ /u

/** The texts of a source: what JSX shows by itself, and what `t` says. */
export function findTexts(file: string, code: string): Found {
  const places: Place[] = []
  const faults: string[] = []
  const looked = new Set<number>()
  const blame = ({ start }: { start: number }, why: string): void => {
    faults.push(`${file}:${code.slice(0, start).split('\n').length}: ${why}`)
  }

  /** A text that is shown as it stands, or one of several by a condition. */
  function show(node: ESTree.Expression | ESTree.JSXEmptyExpression): void {
    switch (node.type) {
      case 'ConditionalExpression':
        show(node.consequent)
        show(node.alternate)
        return
      case 'LogicalExpression':
        show(node.left)
        show(node.right)
        return
      case 'TemplateLiteral':
        looked.add(node.start)
        if (node.quasis.some(({ value }) => isSaid(value.raw))) blame(node, 'say it by t, with values')
        return
      case 'Literal':
        if (typeof node.value === 'string' && isSaid(node.value)) add(node, node.value)
    }
  }

  function add(node: ESTree.Node, message: string, around?: [string, string]): void {
    try {
      parse(message)
      if (message !== message.trim()) blame(node, 'say the whole sentence by t')
      else places.push({ start: node.start, end: node.end, message, ...(around && { around }) })
      looked.add(node.start)
    } catch (error) {
      blame(node, `is no ICU message: ${(error as Error).message}`)
    }
  }

  function showAll(children: ESTree.JSXChild[]): void {
    const others = children.filter((child) => child.type !== 'JSXText' && !isPicture(child))
    for (const child of children) {
      if (child.type === 'JSXExpressionContainer') show(child.expression)
      if (child.type !== 'JSXText' || !isSaid(child.value)) continue
      if (others.length > 0) blame(child, 'say the whole sentence by t')
      else {
        const [, before = '', words = '', after = ''] = /^(\s*)(.*?)(\s*)$/s.exec(child.value) ?? []
        const space = (blank: string) => (blank === '' || blank.includes('\n') ? '' : '{" "}')
        add(child, words.replaceAll(/\s*\n\s*/g, ' '), [`${space(before)}{`, `}${space(after)}`])
      }
    }
  }

  new Visitor({
    CallExpression({ callee, arguments: [first] }) {
      if (callee.type !== 'Identifier' || callee.name !== 't' || !first) return
      if (first.type === 'Literal' && typeof first.value === 'string') add(first, first.value)
      else blame(first, 't takes a text as it stands')
    },
    JSXElement({ openingElement, children }) {
      if (!isAsItIs(openingElement)) showAll(children)
    },
    JSXFragment({ children }) {
      showAll(children)
    },
    JSXAttribute({ name, value }) {
      if (name.type !== 'JSXIdentifier' || !READ.has(name.name)) return
      if (value?.type === 'Literal' && typeof value.value === 'string' && isSaid(value.value))
        add(value, value.value, ['{', '}'])
      if (value?.type === 'JSXExpressionContainer') show(value.expression)
    },
    Literal(node) {
      if (typeof node.value === 'string' && SENTENCE.test(node.value) && !looked.has(node.start))
        blame(node, 'say it by t')
    },
    TemplateLiteral(node) {
      if (BEGINNING.test(node.quasis[0]?.value.raw ?? '') && !looked.has(node.start))
        blame(node, 'say it by t, with values')
    },
  }).visit(parseSync(file, code).program)
  return { places, faults }
}

function isSaid(text: string): boolean {
  return /\p{L}/u.test(text)
}

/** An element without a content of its own, such as an icon. */
function isPicture(child: ESTree.JSXChild): boolean {
  return child.type === 'JSXElement' && child.children.length === 0
}

function isAsItIs({ name, attributes }: ESTree.JSXOpeningElement): boolean {
  if (name.type === 'JSXIdentifier' && AS_IT_IS.has(name.name)) return true
  return attributes.some((each) => each.type === 'JSXAttribute' && each.name.name === 'translate')
}

/** The texts of the page itself. */
export function findPageTexts(html: string): string[] {
  return [...html.matchAll(IN_PAGE)].map(([, message = '']) => message)
}

/** The page in a language. */
export function sayPage(html: string, say: (message: string) => string): string {
  return html.replaceAll(IN_PAGE, (_, message: string) => say(message))
}

/** Marks the texts, for `sayScript`; while the desk is developed it is said in English at once. */
export function texts(): Plugin {
  let isServing = false
  return {
    name: 'texts',
    enforce: 'pre',
    configResolved({ command }) {
      isServing = command === 'serve'
    },
    resolveId: (id) => (id === FAILURES ? FAILURES_PLACE : undefined),
    load: (id) => (id === FAILURES_PLACE ? writeFailures(isServing) : undefined),
    transform: {
      filter: { id: /\/desk\/src\/.+\.tsx?$/ },
      handler(code, id) {
        const said = findTexts(id, code).places.map(
          ({ start, end, message, around: [before, after] = ['', ''] }) => {
            const text = mark(message, isServing)
            return { start, end, text: before + text + after }
          },
        )
        return { code: replace(code, said), map: null }
      },
    },
    transformIndexHtml: (html) => (isServing ? sayPage(html, (message) => message) : html),
  }
}

function mark(message: string, isServing: boolean): string {
  return isServing ? compile(parse(message)) : `${MARK}(${JSON.stringify(message)})`
}

/** A module with the text of each code of the service's failures. */
function writeFailures(isServing: boolean): string {
  const entries = Object.entries(CATALOGUE).map(
    ([code, [, message]]) => `${code}: ${mark(message, isServing)}`,
  )
  return `export default { ${entries.join(', ')} }`
}

/** Where texts stand in a built script. */
export function findMarks(code: string): Place[] {
  const places: Place[] = []
  if (code.includes(MARK))
    new Visitor({
      CallExpression({ start, end, callee, arguments: [first] }) {
        if (callee.type !== 'Identifier' || callee.name !== MARK) return
        // Whether it is the one or the other is up to whatever makes the script small.
        if (first?.type === 'Literal') places.push({ start, end, message: String(first.value) })
        if (first?.type === 'TemplateLiteral')
          places.push({ start, end, message: first.quasis[0]?.value.cooked ?? '' })
      },
    }).visit(parseSync('built.js', code).program)
  return places
}

/** A built script in a language. */
export function sayScript(
  code: string,
  marks: Place[],
  translate: (message: string) => MessageFormatElement[],
): string {
  return replace(
    code,
    marks.map(({ start, end, message }) => ({ start, end, text: compile(translate(message)) })),
  )
}

function replace(code: string, places: { start: number; end: number; text: string }[]): string {
  let done = 0
  const pieces = places
    .sort((one, other) => one.start - other.start)
    .flatMap(({ start, end, text }) => {
      const before = code.slice(done, start)
      done = end
      return [before, text]
    })
  return pieces.join('') + code.slice(done)
}

/** What `t` takes, as JavaScript. */
function compile(message: MessageFormatElement[]): string {
  const parts = message.map(partOf)
  const isPlain = parts.every((part) => typeof part === 'string')
  return JSON.stringify(isPlain ? parts.join('') : parts)
}

function partOf(element: MessageFormatElement): Part {
  if (element.type === TYPE.literal) return element.value
  if (element.type === TYPE.pound) return 0
  if (element.type === TYPE.argument) return [element.value]
  if (element.type === TYPE.tag) return [element.value, element.children.map(partOf)]
  if (isPluralElement(element) || element.type === TYPE.select) {
    const options = Object.entries(element.options).map(([name, { value }]) => [name, value.map(partOf)])
    return [element.value, Object.fromEntries(options)]
  }
  throw new Error('texts have values, plurals, selections and tags only')
}
