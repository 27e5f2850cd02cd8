import path from 'node:path'

const MOST_CHARACTERS = 200
/** A longer one is a part of the name. */
const LONGEST_EXTENSION = 20

/** Characters that no name shows: controls, line ends, lone surrogates, and marks that turn the direction of text. */
const HIDDEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu

/** The name of a file as people see it, without folders; a long one is cut before its extension. */
export function toFileName(given: string): string {
  const name = (given.split(/[/\\]/).at(-1) ?? '').replace(HIDDEN, '').trim()
  if (/^\.*$/.test(name)) return 'file'
  const characters = [...name]
  if (characters.length <= MOST_CHARACTERS) return name
  const extension = [...path.extname(name)]
  const kept = extension.length > LONGEST_EXTENSION ? [] : extension
  return [...characters.slice(0, MOST_CHARACTERS - kept.length), ...kept].join('')
}
