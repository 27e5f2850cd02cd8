import { Skip } from '../items.ts'
import { toHtml, toPlainText } from '../markdown/from-markdown.ts'
import type { Accepted, Gap } from '../question.ts'
import { toAccepted, toChoiceGap, withWildcardsEscaped } from '../tasks.ts'
import { decodeEntities, htmlToText } from '../texts/rich-text.ts'
import { isForbidden, SPECIAL } from '../xml.ts'
import { inMoodleOrder, inOrder, requireUnhidden } from './moodle-rules.ts'

/**
 * A gap in Moodle's text: `{1:SHORTANSWER:=red#Yes~%50%reddish}`; what is escaped with a backslash is part of an
 * answer. No gap begins within another, so that a file of beginnings alone is read once, not from each of them.
 */
const GAP = /(?<!\\)\{(\d*):([A-Z_]+):((?:\\.|[^\\{}]|\{(?!\d*:))*)\}/gs

const TEXTS = new Set(['SHORTANSWER', 'SA', 'MW'])
const EXACT_TEXTS = new Set(['SHORTANSWER_C', 'SAC', 'MWC'])
const NUMBERS = new Set(['NUMERICAL', 'NM'])
const CHOICE = /^(MULTICHOICE|MC)(_?[VHS]{1,2})?$/

/** The text of a cloze with our marks, its gaps, and what each of them weighs. */
export function readCloze(html: string): { html: string; gaps: Gap[]; weight: number } {
  if (/\[\[\d+\]\]/.test(html)) throw new Skip('its text holds marks of gaps')
  const gaps: Gap[] = []
  const weights: string[] = []
  const marked = html.replace(GAP, (_, weight: string, type: string, answers: string) => {
    weights.push(weight || '1')
    gaps.push(readGap(type, splitAnswers(answers)))
    return `[[${gaps.length}]]`
  })
  if (gaps.length === 0) throw new Skip('it has no gap that can be read')
  if (new Set(weights).size > 1) throw new Skip('its gaps bring different marks')
  return { html: marked, gaps, weight: Number(weights[0]) }
}

/** Answers between tildes, each with its percentage; what follows a hash is feedback. */
function splitAnswers(answers: string): Accepted[] {
  const parts = answers.match(/(?:\\.|&#|[^\\~])+/gs) ?? []
  return parts.map((part) => {
    const [content = ''] = /^(?:\\.|&#|[^\\#])*/s.exec(part) ?? []
    const [head = '', equal, percent] = /^\s*(?:(=)|%(-?\d+(?:[.,]\d*)?)%)/.exec(content) ?? []
    return {
      text: content.slice(head.length).replace(/\\([#~}{\\"=/:])/g, '$1'),
      percent: equal ? '100' : (percent?.replace(',', '.') ?? '0'),
    }
  })
}

function readGap(type: string, answers: Accepted[]): Gap {
  const right = answers.filter(({ percent }) => Number(percent) > 0)
  if (TEXTS.has(type)) {
    const texts = answers.map(({ text, percent }) => ({ text: decodeEntities(text).trim(), percent }))
    return { kind: 'text', accepted: toAccepted(inOrder(texts)) }
  }
  if (EXACT_TEXTS.has(type)) throw new Skip('its answers need exact case')
  if (NUMBERS.has(type)) {
    const [only, ...others] = right
    if (!only || others.length > 0 || Number(only.percent) !== 100)
      throw new Skip('several numbers bring marks')
    const entries = answers.map((answer) => {
      const [key = '', tolerance = '0'] = decodeEntities(answer.text).trim().split(':')
      return { key: key.trim(), tolerance: tolerance.trim(), brings: answer === only }
    })
    requireUnhidden(entries)
    const { key = '', tolerance = '0' } = entries.find(({ brings }) => brings) ?? {}
    return { kind: 'number', key, tolerance }
  }
  if (!CHOICE.test(type))
    throw new Skip(`it has a part of a type that is not known here (${type.slice(0, 40)})`)
  if (right.some(({ percent }) => Number(percent) !== 100))
    throw new Skip('a choice brings only part of the marks')
  return toChoiceGap(
    answers.map(({ text, percent }) => ({ text: htmlToText(text).text, isRight: Number(percent) === 100 })),
  )
}

/**
 * A text with our marks as a cloze. Its marks are the sum of the gaps' weights, which are whole numbers: where they
 * can't be, each gap weighs one.
 */
export function writeCloze(text: string, gaps: readonly Gap[], marks = '1'): string {
  const part = Number(marks) / gaps.length
  const weight = Number.isInteger(part) && part > 0 ? part : 1

  return writeHtml(text, 'p').replace(/\[\[(\d+)\]\]/g, (mark, number: string) => {
    const gap = gaps[Number(number) - 1]
    return gap ? writeGap(gap, weight) : mark
  })
}

function writeGap(gap: Gap, weight: number): string {
  switch (gap.kind) {
    case 'text':
      return `{${weight}:SHORTANSWER:${inMoodleOrder(gap.accepted).map(writeAccepted).join('~')}}`
    case 'number':
      return `{${weight}:NUMERICAL:=${gap.key}:${gap.tolerance}}`
    case 'choice':
      return `{${weight}:MULTICHOICE:${gap.choices.map((choice, index) => `${index === gap.correct ? '=' : ''}${writeHtml(choice, 'span')}`).join('~')}}`
  }
}

function writeAccepted({ text, percent }: Accepted): string {
  return `${percent === '100' ? '=' : `%${percent}%`}${encode(withWildcardsEscaped(text))}`
}

function writeHtml(source: string, element: 'p' | 'span'): string {
  const paragraph = `<${element} style="white-space: pre-wrap">`
  const place = element === 'p' ? 'text' : 'option'
  const text = toPlainText(source, place)
  if (text !== undefined) return `${paragraph}${encode(text)}</${element}>`
  return toHtml(source, { write: encode, paragraph: '<p style="white-space: pre-wrap">' }, place)
}

/** Everything that means something in a cloze or in HTML as an entity; lines as elements. */
function encode(text: string): string {
  return text
    .replace(/[&<>"'~#{}\\=%:/]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(SPECIAL, (character) =>
      character === '\n'
        ? '<br>'
        : isForbidden(character) || character === '\r'
          ? `&#${character.codePointAt(0)};`
          : character,
    )
}
