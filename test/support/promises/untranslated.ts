import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'

/** The parts of a page that are used here. Declared, since tests are checked without the types of browsers. */
interface Node {
  data: string
  parentElement: Element | null
}
interface Element {
  closest(selector: string): Element | null
  getAttribute(name: string): string | null
}
interface Markup {
  title: string
  body: Element
  createTreeWalker(root: Element, what: number): { nextNode(): Node | null }
  querySelectorAll(selector: string): Iterable<Element>
}

/**
 * What is the same in all languages: languages in themselves, formats, places of the program, the service's own words.
 */
const AS_IT_IS =
  '[translate=no], noscript, script, style, code, kbd, select[name=language], svg, .katex, body [lang=en]'
/** Addresses of the tests' people, options, names of formats, and what stands for a value of a question. */
const NAMES =
  /\S+@example\.org|\{@.*?@\}|\b[A-Z]\b|Exam Practice|CSV|GIFT|Aiken|Moodle XML|QTI( [\d.]+)?|HTTPS?/g
/** Letters that the pseudo-language replaces. */
const PLAIN = /[ACDEGILNORSTUYZacdegilnorstuyz]/
/** What Intl says in English: months, days, halves of the day, units. */
const BY_INTL =
  /\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|AM|PM|am|pm|at|secs?|mins?|hrs?|days?|bytes?|kB|MB)\b/g

/** All texts of the page as it is now, seen and unseen, with those that name or describe something. */
export async function readTexts(page: Page): Promise<string[]> {
  return page.evaluate((AS_IT_IS) => {
    const { document } = globalThis as unknown as { document: Markup }
    const found = [document.title]
    const walker = document.createTreeWalker(document.body, 4)
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      if (!node.parentElement?.closest(AS_IT_IS)) found.push(node.data)
    for (const attribute of ['aria-label', 'placeholder', 'title', 'alt'])
      for (const element of document.querySelectorAll(`[${attribute}]`))
        if (!element.closest(AS_IT_IS)) found.push(element.getAttribute(attribute) ?? '')
    return found.map((text) => text.trim()).filter(Boolean)
  }, AS_IT_IS)
}

/**
 * Those texts of a page in the pseudo-language that no catalogue knows. `values`: what people wrote, by itself or
 * within.
 */
export function findHardCoded(texts: readonly string[], values: readonly string[]): string[] {
  return texts.filter((text) => {
    const left = without(text, values).replaceAll(BY_INTL, '')
    return PLAIN.test(left)
  })
}

/** Those texts of an Arabic page that have a Latin word which no translation has. */
export async function findLatin(texts: readonly string[], values: readonly string[]): Promise<string[]> {
  const catalogue: Record<string, string> = JSON.parse(
    await readFile(new URL('../../../languages/ar.json', import.meta.url), 'utf8'),
  )
  const known = new Set(Object.values(catalogue).flatMap((translation) => wordsOf(translation)))
  return texts.filter((text) => wordsOf(without(text, values)).some((word) => !known.has(word)))
}

function wordsOf(text: string): string[] {
  return text.match(/[A-Za-z]{2,}/g) ?? []
}

function without(text: string, values: readonly string[]): string {
  let left = text.replaceAll(NAMES, '')
  for (const value of values) left = left.replaceAll(value, '')
  return left
}
