export type QuestionType = 'MCQ' | 'MSQ' | 'NUMERIC'

/** A decimal number as a student or teacher may write it; exponents included. */
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/

/**
 * A key as it is stored (contract §4): MCQ `B`, MSQ `A,C` in alphabetical order, NUMERIC a decimal string;
 * '' for none yet. MSQ may come as `A,C`, `AC` or `["A","C"]`, letters in any case. undefined where the
 * key doesn't fit its type.
 */
export function normaliseKey(type: QuestionType, key: string): string | undefined {
  const given = key.trim()
  if (given === '') return ''
  if (type === 'NUMERIC') return DECIMAL.test(given) ? given : undefined
  const letters = readLetters(given)
  if (!letters || (type === 'MCQ' && letters.length !== 1)) return undefined
  return letters.join(',')
}

/** The distinct letters in order, or undefined for anything but A to D. */
function readLetters(text: string): string[] | undefined {
  const compact = text.toUpperCase().replace(/[[\]"'\s]/g, '')
  if (!/^[A-D](,?[A-D])*$/.test(compact)) return undefined
  return [...new Set(compact.replaceAll(',', ''))].sort()
}
