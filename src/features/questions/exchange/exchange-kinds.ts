import type { Gap, GapsParts, MatchingParts, OrderingParts } from '../../../../schemas/parts.schemas.ts'
import type { OfferedQuestion } from '../../../../schemas/questions.schemas.ts'
import { parseDecimal, writeDecimal } from '../../../formats/decimals.ts'
import { Skip } from './exchange-item.ts'

/** A text that a file accepts, with the percentage of the marks that it brings. */
export interface AcceptedText {
  text: string
  /** Decimal text; what is not above 0 isn't accepted. */
  percent: string
}

/** Digits of a percentage that a file wrote as a part, such as 0.33333. */
const PERCENT_DIGITS = 5

/** The lines of accepted texts in our form (`%50%text`). */
export function toAccepted(texts: readonly AcceptedText[]): string[] {
  return texts.flatMap(({ text, percent }) => {
    const share = parseDecimal(percent.trim())
    if (!share) throw new Skip('the marks of an answer cannot be read')
    if (share.digits <= 0n) return []
    const line = text.replace(/[\r\n]+/g, ' ').trim()
    if (line === '') return []
    const written = writeDecimal(share)
    return written === '100' && !line.startsWith('%') ? [line] : [`%${written}%${line}`]
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

export function toShort(text: string, accepted: readonly AcceptedText[]): OfferedQuestion {
  return { question_type: 'SHORT', question_text: text, correct_answer: toAccepted(accepted).join('\n') }
}

export function toMatching(
  text: string,
  pairs: MatchingParts['pairs'],
  distractors: string[],
): OfferedQuestion {
  return { question_type: 'MATCHING', question_text: text, parts: { pairs, distractors } }
}

export function toOrdering(text: string, items: OrderingParts['items']): OfferedQuestion {
  return { question_type: 'ORDERING', question_text: text, parts: { items } }
}

/** `text` holds `[[1]]` … for them. */
export function toGaps(text: string, gaps: GapsParts['gaps']): OfferedQuestion {
  if (gaps.some((gap) => gap.kind === 'choice' && gap.choices.length < 2))
    throw new Skip('there is only one choice for one of its gaps')
  return { question_type: 'GAPS', question_text: text, parts: { gaps } }
}

/** A gap of a choice; throws `Skip` if not just one is right. */
export function toChoiceGap(choices: readonly { text: string; isRight: boolean }[]): Gap {
  const right = choices.filter(({ isRight }) => isRight)
  if (right.length !== 1) throw new Skip('not just one choice is right for one of its gaps')
  return {
    kind: 'choice',
    choices: choices.map(({ text }) => text),
    correct: choices.findIndex(({ isRight }) => isRight),
  }
}

/** A decimal as a number where that is the same, else as its text. */
export function toNumber(text: string): number | string {
  const trimmed = text.trim()
  return String(Number(trimmed)) === trimmed ? Number(trimmed) : trimmed
}

/** Several texts, each in paragraphs of its own. */
export function joinTexts(texts: readonly string[]): string {
  return [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))].join('\n\n')
}
