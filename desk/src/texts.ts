import { type ComponentChildren, createElement, Fragment, type VNode } from 'preact'
import type { Part } from './text-part.ts'

type Value = string | number | VNode | ((inner: ComponentChildren) => VNode)

const { lang } = document.documentElement

/** What dates and numbers are written by: the person's own region, and the digits that exams and their fields have. */
export const LOCALE = new Intl.Locale(
  navigator.languages.find((each) => each.split('-')[0] === lang.slice(0, 2)) ?? lang,
  { numberingSystem: 'latn', calendar: 'gregory' },
)
/** Whether what comes next is on the left. */
export const isMirrored = document.documentElement.dir === 'rtl'
/** What doesn't run from left to right, or changes where others run. */
const OTHER_DIRECTION =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
const plurals = new Intl.PluralRules(LOCALE)

/**
 * Says a text in the language of the page. It is given in English, as an ICU message; what JSX shows as it stands needs
 * no `t` (CONTRIBUTING.md#texts). Values are words or elements; for `<b>…</b>` within the text, what makes an element
 * of it.
 */
export function t(message: string, values?: Record<string, string | number>): string
export function t(message: string, values: Record<string, Value>): ComponentChildren
export function t(message: string | Part[], values: Record<string, Value> = {}): ComponentChildren {
  if (typeof message === 'string') return message
  const said = say(message, values, 0)
  return said.some((each) => typeof each === 'object')
    ? createElement(Fragment, null, ...said)
    : said.join('')
}

/** Keeps a word's direction from what stands around it. */
function isolate(word: string): string {
  return isMirrored || OTHER_DIRECTION.test(word) ? `\u2068${word}\u2069` : word
}

function say(parts: Part[], values: Record<string, Value>, count: number): ComponentChildren[] {
  return parts.flatMap((part): ComponentChildren[] => {
    if (typeof part === 'string') return [part]
    if (part === 0) return [count.toLocaleString(LOCALE)]
    const [name, inner] = part
    const value = values[name]
    if (typeof value === 'function') return [value(say(inner as Part[], values, count))]
    if (!inner) return [typeof value === 'string' ? isolate(value) : value]
    const options = inner as Record<string, Part[]>
    const category = typeof value === 'number' ? plurals.select(value) : String(value)
    const chosen = options[`=${value}`] ?? options[category] ?? options.other ?? []
    return say(chosen, values, Number(value))
  })
}
