import { list } from '../../format.ts'
import { t } from '../../texts.ts'

export interface AcceptedText {
  text: string
  /** What it brings of the marks. */
  percent: string
}

/** An accepted text as it is stored: `text`, or `%50%text` for a share of the marks. */
export function readAccepted(line: string): AcceptedText {
  const [, percent, text] = /^%([^%]*)%(.*)$/s.exec(line) ?? []
  return { text: text ?? line, percent: percent ?? '100' }
}

export function writeAccepted({ text, percent }: AcceptedText): string {
  return percent === '100' && !text.startsWith('%') ? text : `%${percent}%${text}`
}

/** The accepted texts of a key that has one a line. */
export function listAccepted(key: string): AcceptedText[] {
  return key
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(readAccepted)
}

/** Accepted texts in words, with what they bring where that isn't all. */
export function describeAccepted(accepted: readonly AcceptedText[]): string {
  return list(accepted.map(({ text, percent }) => (percent === '100' ? text : `${text} (${percent} %)`)))
}

/** The text that brings most, of equals the first; null without any. */
export function bestAccepted(accepted: readonly AcceptedText[]): string | null {
  const most = Math.max(...accepted.map(({ percent }) => Number(percent)))
  return accepted.find(({ percent }) => Number(percent) === most)?.text ?? null
}

/** What is wrong with accepted texts: those of a question, or of the gap of a number. */
export function findWrongAccepted(lines: readonly string[], gap?: number): string[] {
  return lines.map(readAccepted).flatMap(({ text, percent }, index) => {
    const number = index + 1
    if (text.trim() === '')
      return gap === undefined
        ? [t('Accepted text {number} is empty.', { number })]
        : [t('Gap {gap}, accepted text {number} is empty.', { gap, number })]
    const share = /^\d*\.?\d+$/.test(percent) ? Number(percent) : 0
    if (share > 0 && share <= 100) return []
    return gap === undefined
      ? [t('The percentage of accepted text {number} must be above 0 and at most 100.', { number })]
      : [
          t('The percentage of gap {gap}, accepted text {number} must be above 0 and at most 100.', {
            gap,
            number,
          }),
        ]
  })
}
