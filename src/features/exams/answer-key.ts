import type { QuestionType } from '../../../schemas/common.ts'
import { parseDecimal } from '../../formats/decimals.ts'

/** Longer than any sensible number, short enough to calculate exactly. */
const LONGEST_NUMBER = 50

/**
 * A key as it is stored (docs/protocol/http.md#questions): MCQ `B`, MSQ `A,C` in alphabetical order, NUMERIC
 * a decimal string; '' for none yet. MSQ may come as `A,C`, `AC` or `["A","C"]`, letters in any case.
 * undefined where the key doesn't fit its type.
 */
export function normaliseKey(type: QuestionType, key: string): string | undefined {
  const given = key.trim()
  if (given === '') return ''
  if (type === 'NUMERIC') return isDecimal(given) ? given : undefined
  const letters = readLetters(given)
  if (!letters || (type === 'MCQ' && letters.length !== 1)) return undefined
  return [...new Set(letters)].sort().join(',')
}

/** Whether a text is one whole, finite decimal number. */
export function isDecimal(text: string): boolean {
  return text.length <= LONGEST_NUMBER && parseDecimal(text) !== undefined && Number.isFinite(Number(text))
}

/** The letters of `A,C`, `AC` or `["A","C"]`; undefined for anything else. */
function readLetters(text: string): string[] | undefined {
  const [, list] = /^\[(.*)\]$/s.exec(text) ?? []
  const letters = (list === undefined ? text : list.replace(/["']/g, '')).toUpperCase().replace(/\s/g, '')
  return /^[A-D](,?[A-D])*$/.test(letters) ? letters.replaceAll(',', '').split('') : undefined
}
