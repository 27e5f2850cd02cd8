import { Skip } from './items.ts'
import { parseDecimal, writeDecimal } from './numbers/decimals.ts'
import type { Accepted, Choice, ChoiceGap, Gap, Gaps } from './question.ts'

export interface ScoredOption {
  text: string
  /** The part of the full marks that choosing it brings: 1 all of them, below 0 a loss. */
  share: number
}

/** Some tools write thirds with three digits only. */
const ROUNDING = 0.01

/** Throws `Skip` if the marks have no equivalent here. */
export function toChoice(options: readonly ScoredOption[], multiple: boolean): Choice {
  if (options.length === 0) throw new Skip('it has no options')
  const right = options.filter(({ share }) => share > 0)
  const [first] = right
  if (!multiple) {
    if (right.length > 1) throw new Skip('more than one option brings marks, but only one can be chosen')
    if (first && Math.abs(first.share - 1) > ROUNDING)
      throw new Skip('its right option brings only part of the marks')
  } else if (first) {
    if (right.some(({ share }) => Math.abs(share - first.share) > ROUNDING))
      throw new Skip('its right options bring different parts of the marks')
    const sum = right.reduce((total, { share }) => total + share, 0)
    if (Math.abs(sum - 1) > ROUNDING) throw new Skip('its right options do not bring the full marks together')
  }
  return {
    kind: 'choice',
    multiple,
    options: options.map(({ text, share }) => ({ text, isRight: share > 0 })),
  }
}

export function toTrueFalse(isTrue: boolean): Choice {
  const options = [true, false].map((truth) => ({
    text: truth ? 'True' : 'False',
    isRight: truth === isTrue,
  }))
  return { kind: 'choice', multiple: false, options }
}

/** Digits of a percentage that a file wrote as a part, such as 0.33333. */
const PERCENT_DIGITS = 5

/** Those that bring marks, each on one line. */
export function toAccepted(texts: readonly Accepted[]): Accepted[] {
  return texts.flatMap(({ text, percent }) => {
    const share = parseDecimal(percent.trim())
    if (!share) throw new Skip('the marks of an answer cannot be read')
    const line = text.replace(/[\r\n]+/g, ' ').trim()
    return share.digits <= 0n || line === '' ? [] : [{ text: line, percent: writeDecimal(share) }]
  })
}

/** The percentage of a part of the whole, such as 1 of 2; of 1 without rounding. */
export function percentOf(part: string, whole: number): string {
  const decimal = parseDecimal(part)
  if (!decimal || !(whole > 0)) throw new Skip('the marks of an answer cannot be read')
  if (whole === 1) return writeDecimal({ ...decimal, digits: decimal.digits * 100n })
  return String(Number(((Number(part) / whole) * 100).toFixed(PERCENT_DIGITS)))
}

/** The text of a pattern in which `*` stands for anything; such a pattern has no equivalent here. */
export function withoutWildcards(pattern: string): string {
  if (/(^|[^\\])\*/.test(pattern)) throw new Skip('its answers have wildcards')
  return pattern.replaceAll('\\*', '*')
}

export const withWildcardsEscaped = (text: string) => text.replaceAll('*', '\\*')

export function toGaps(gaps: Gap[]): Gaps {
  if (gaps.some((gap) => gap.kind === 'choice' && gap.choices.length < 2))
    throw new Skip('there is only one choice for one of its gaps')
  return { kind: 'gaps', gaps }
}

/** Throws `Skip` if not just one choice is right. */
export function toChoiceGap(choices: readonly { text: string; isRight: boolean }[]): ChoiceGap {
  const right = choices.filter(({ isRight }) => isRight)
  if (right.length !== 1) throw new Skip('not just one choice is right for one of its gaps')
  return {
    kind: 'choice',
    choices: choices.map(({ text }) => text),
    correct: choices.findIndex(({ isRight }) => isRight),
  }
}
