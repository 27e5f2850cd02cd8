import { readFileSync } from 'node:fs'
import {
  isPluralElement,
  isTagElement,
  type MessageFormatElement,
  parse,
  TYPE,
} from '@formatjs/icu-messageformat-parser'
import { IntlMessageFormat } from 'intl-messageformat'
import type { Language } from '../../schemas/languages.ts'

/** English with accents, longer and in brackets: it shows what no catalogue has, and what has no room to grow. */
export const PSEUDO = 'en-XA'
export type ShownLanguage = Language | typeof PSEUDO

export type Values = Record<string, string | number>

/** Says a text in a language. It is given in English, as an ICU message, which is its key in the catalogues. */
export interface Say {
  (message: string, values?: Values): string
  language: ShownLanguage
  direction: 'ltr' | 'rtl'
}

/** Marks a text that is said elsewhere, so that it is in the catalogues. */
export function text(message: string): string {
  return message
}

const speakers = new Map<ShownLanguage, Say>()

export function sayIn(language: ShownLanguage): Say {
  const say = speakers.get(language) ?? speaker(language)
  speakers.set(language, say)
  return say
}

function speaker(language: ShownLanguage): Say {
  const translate = translatorTo(language)
  const formats = new Map<string, IntlMessageFormat>()
  const say = (message: string, values?: Values): string => {
    const format = formats.get(message) ?? new IntlMessageFormat(translate(message), localeOf(language))
    formats.set(message, format)
    return String(format.format(values))
  }
  return Object.assign(say, { language, direction: language === 'ar' ? ('rtl' as const) : ('ltr' as const) })
}

/** The locale by which numbers are written: with the digits that exams and their fields have. */
function localeOf(language: ShownLanguage): string {
  return `${language === PSEUDO ? 'en' : language}-u-nu-latn`
}

/** Translates messages as far as the catalogue of the language has them. */
export function translatorTo(language: ShownLanguage): (message: string) => MessageFormatElement[] {
  if (language === PSEUDO) return pseudo
  if (language === 'en') return (message) => parse(message)
  const file = new URL(`../../languages/${language}.json`, import.meta.url)
  const texts: Record<string, string> = JSON.parse(readFileSync(file, 'utf8'))
  return (message) => parse(texts[message] || message)
}

const ACCENTED: Record<string, string> = Object.fromEntries(
  [...'AaCcDdEeGgIiLlNnOoRrSsTtUuYyZz'].map((letter, at) => [
    letter,
    [...'ÅåÇçÐðÉéĜĝÎîĻļÑñÖöŔŕŠšŢţÛûÝýŽž'][at] ?? letter,
  ]),
)

/** A message in the pseudo-language; names of its values and tags stay. */
function pseudo(message: string): MessageFormatElement[] {
  const parts = accent(parse(message))
  // In pieces no longer than long words: lines break between them.
  const grown = '~'.repeat(Math.ceil(message.length / 4)).replaceAll(/~{8}(?=~)/g, '$& ')
  const bracket = (value: string): MessageFormatElement => ({ type: TYPE.literal, value })
  return [bracket('['), ...parts, bracket(`${grown}]`)]
}

function accent(parts: MessageFormatElement[]): MessageFormatElement[] {
  return parts.map((part) => {
    if (part.type === TYPE.literal)
      return { ...part, value: part.value.replaceAll(/[a-z]/gi, (letter) => ACCENTED[letter] ?? letter) }
    if (isTagElement(part)) return { ...part, children: accent(part.children) }
    if (isPluralElement(part) || part.type === TYPE.select) {
      const options = Object.entries(part.options).map(([name, { value }]) => [
        name,
        { value: accent(value) },
      ])
      return { ...part, options: Object.fromEntries(options) }
    }
    return part
  })
}
