import { type Decimal, parseDecimal } from '@exam-practice/exchange/decimals'
import { isLonger } from '../../../formats/code-points.ts'

/** Code points of an accepted text, and of a given one. */
export const LONGEST_ACCEPTED = 200
/** Texts that one question or gap accepts. */
export const MOST_ACCEPTED = 50

/** What a percentage of an accepted text may look like. */
const SHARE = /^(?:\d{1,3}(?:\.\d{1,10})?|\.\d{1,10})$/
const HUNDRED: Decimal = { digits: 100n, scale: 0 }

/** An accepted text, normalised, with the percentage of the marks that it brings. */
export interface GradedText {
  text: string
  share: Decimal
}

/** A trimmed text that can be stored; undefined for anything else. */
export function readText(given: unknown, longest: number): string | undefined {
  if (typeof given !== 'string') return undefined
  const text = given.trim()
  return text.includes('\0') || !text.isWellFormed() || isLonger(text, longest) ? undefined : text
}

/** So that two texts are the same if they differ only in case, in blanks or in how their letters are composed. */
export function normalise(text: string): string {
  return text
    .normalize('NFC')
    .split(/\p{White_Space}+/u)
    .filter((word) => word !== '')
    .join(' ')
    .toLowerCase()
}

/** Reads `text` or `%50%text`; a string says what is wrong. */
export function readAccepted(line: string): GradedText | string {
  const [, percent, rest] = /^%([^%]*)%(.*)$/s.exec(line) ?? []
  if (line.startsWith('%') && percent === undefined) return 'begins with % but holds no share'
  const share = percent === undefined ? HUNDRED : SHARE.test(percent) ? parseDecimal(percent) : undefined
  if (!share || share.digits <= 0n || share.digits > 100n * 10n ** BigInt(share.scale))
    return `has the share ${percent}, which must be above 0 and at most 100`
  const written = (rest ?? line).trim()
  if (isLonger(written, LONGEST_ACCEPTED)) return `is longer than ${LONGEST_ACCEPTED} characters`
  const text = normalise(written)
  return text === '' ? 'has no text' : { text, share }
}

/** The text that a line accepts, as it was written. */
function writtenText(line: string): string {
  return line.replace(/^%[^%]*%/, '').trim()
}

/** Grades texts by what is accepted: shares are whole numbers of `denominator`. */
export function compileTexts(lines: readonly string[]): {
  denominator: bigint
  shareOf(answer: string): bigint
} {
  const accepted = lines.map(readAccepted).filter((each): each is GradedText => typeof each !== 'string')
  const scale = Math.max(0, ...accepted.map(({ share }) => share.scale))
  const shares = new Map<string, bigint>()
  for (const { text, share } of accepted) {
    const units = share.digits * 10n ** BigInt(scale - share.scale)
    if (units > (shares.get(text) ?? 0n)) shares.set(text, units)
  }
  return {
    denominator: 100n * 10n ** BigInt(scale),
    shareOf: (answer) => shares.get(normalise(answer)) ?? 0n,
  }
}

/** The accepted text that brings most, as it was written; of equals the first. */
export function bestText(lines: readonly string[]): string | undefined {
  const { shareOf } = compileTexts(lines)
  let best: string | undefined
  for (const text of lines.map(writtenText))
    if (best === undefined || shareOf(text) > shareOf(best)) best = text
  return best
}

/** A filled text as it is shown, and as it is typed where its values brought a minus sign. */
export function alsoTyped(filled: string, template: string): string[] {
  const isSigned = filled.includes('−') && !template.includes('−')
  return isSigned ? [filled, filled.replaceAll('−', '-')] : [filled]
}

/** How many texts were written: those of which `alsoTyped` has made two count once. */
export function countWritten(lines: readonly string[]): number {
  const isTyped = (line: string, index: number) => {
    const before = lines[index - 1] ?? ''
    return before.includes('−') && before.replaceAll('−', '-') === line
  }
  return lines.filter((line, index) => !isTyped(line, index)).length
}
