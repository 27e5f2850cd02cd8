import type { Accepted, ExportedItem, Gap, Image, Item, Question, Task } from '@exam-practice/exchange'
import type { Values } from '@exam-practice/expressions'
import type { QuestionType } from '../../../../schemas/common.ts'
import type { Gap as OwnGap, Parts } from '../../../../schemas/parts.schemas.ts'
import type { OfferedQuestion, QuestionFields } from '../../../../schemas/questions.schemas.ts'
import { type Drawable, draw, toVariable } from '../kinds/concrete.ts'
import { gapsOf } from '../kinds/gaps.ts'
import { MOST_MORE_OPTIONS, optionsOf } from '../kinds/letters.ts'
import { pairsOf } from '../kinds/matching.ts'
import { itemsOf } from '../kinds/ordering.ts'
import { LONGEST_IMAGE_ALT } from '../question-checks.ts'
import { toTags } from '../question-tags.ts'

/** A question to be exported. */
export interface ExportedQuestion extends QuestionFields {
  id: number
  exam_id: number
  /** A draw of its variables that is known to be one. */
  kept: Record<string, string> | null
}

/** An item of a file; `checkQuestion` decides whether it becomes a question. */
export type ExchangeItem = {
  /** Its name in messages to the person who sent the file: `Question 3 (Pendulum)`, `Row 5`. */
  label: string
} & (
  | {
      question: OfferedQuestion
      image?: Image
      /** `image_path` is kept without a check. */
      anyImagePath?: true
      /** What the file says of it that isn't carried over. */
      lost?: readonly string[]
    }
  | { reason: string }
  /** It asks nothing: no question, and no failure. */
  | { note: string }
)

const OPTIONS = ['option_a', 'option_b', 'option_c', 'option_d'] as const
const EXACT_CASE = 'its answers need exact case'
const FIXED = 'that some of its options stay at their places is not carried over'
const MOST_OPTIONS = OPTIONS.length + MOST_MORE_OPTIONS

/** A question of a file as somebody would offer it here, or the reason why it can't be. */
function toOffered(question: Question): OfferedQuestion | { reason: string } {
  const asked = toAsked(question)
  if ('reason' in asked) return asked
  const { text, explanation, tags, marks, variables = [], conditions = [] } = question
  return {
    ...asked,
    question_text: text,
    explanation,
    tags: toTags(tags),
    variables: variables.map((each) => ('values' in each ? { ...each, values: [...each.values] } : each)),
    conditions: [...conditions],
    ...(marks === undefined ? {} : { positive_marks: marks }),
  }
}

function toAsked(question: Question): OfferedQuestion | { reason: string } {
  switch (question.kind) {
    case 'choice': {
      const { multiple, options } = question
      if (options.length > MOST_OPTIONS) return { reason: `it has more than ${MOST_OPTIONS} options` }
      const key = options.flatMap(({ isRight }, index) => (isRight ? [letterOf(index)] : []))
      return {
        question_type: multiple ? 'MSQ' : 'MCQ',
        ...Object.fromEntries(OPTIONS.map((field, index) => [field, options[index]?.text ?? ''])),
        more_options: options.slice(OPTIONS.length).map(({ text }) => text),
        correct_answer: key.join(','),
      }
    }
    case 'number':
      return { question_type: 'NUMERIC', correct_answer: question.key, tolerance: question.tolerance }
    case 'text':
      if (question.exactCase) return { reason: EXACT_CASE }
      return { question_type: 'SHORT', correct_answer: question.accepted.map(toLine).join('\n') }
    case 'matching': {
      const { pairs, distractors } = question
      return { question_type: 'MATCHING', parts: { pairs, distractors } satisfies Parts }
    }
    case 'ordering':
      return { question_type: 'ORDERING', parts: { items: question.items } satisfies Parts }
    case 'gaps':
      if (question.gaps.some((gap) => gap.kind === 'text' && gap.exactCase)) return { reason: EXACT_CASE }
      return { question_type: 'GAPS', parts: { gaps: question.gaps.map(toOwnGap) } satisfies Parts }
  }
}

function letterOf(index: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + index)
}

function toOwnGap(gap: Gap): OwnGap {
  switch (gap.kind) {
    case 'text':
      return { kind: gap.kind, accepted: gap.accepted.map(toLine) }
    case 'number':
      return { kind: gap.kind, key: toNumber(gap.key), tolerance: toNumber(gap.tolerance) }
    case 'choice':
      return gap
  }
}

/** A decimal as a number where that is the same, else as its text. */
function toNumber(text: string): number | string {
  return String(Number(text)) === text ? Number(text) : text
}

/** `%50%text`, or the text alone if it brings everything. */
function toLine({ text, percent }: Accepted): string {
  return percent === '100' && !text.startsWith('%') ? text : `%${percent}%${text}`
}

function fromLine(line: string): Accepted {
  const [, percent = '100', text = line] = /^%([^%]*)%(.*)$/s.exec(line) ?? []
  return { text, percent }
}

/** What a file says, as it can be checked. */
export function toExchangeItem(item: Item): ExchangeItem {
  if (!('question' in item)) return item
  const { label, question, lost = [], ...others } = item
  const offered = toOffered(question)
  if ('reason' in offered) return { label, ...offered }
  const { alt = '' } = ('image' in others && others.image) || {}
  const image_alt = [...alt].slice(0, LONGEST_IMAGE_ALT).join('')
  const all = [...lost, ...(isPartlyFixed(question) ? [FIXED] : [])]
  return { label, question: { ...offered, image_alt }, ...others, ...(all.length > 0 ? { lost: all } : {}) }
}

function isPartlyFixed(question: Question): boolean {
  return question.kind === 'choice' && question.options.some(({ isFixed }) => isFixed)
}

/** A question of ours as other tools know it; undefined where they have none of its kind. */
export function toExported(question: ExportedQuestion): Omit<ExportedItem, 'readImage'> | undefined {
  const { id, question_type: type, question_text: text, explanation, tags, positive_marks } = question
  const { variables, conditions } = question
  const task = TASKS[type]?.(question)
  const asked = { text, explanation, tags, marks: String(positive_marks) }
  return (
    task && {
      id: String(id),
      name: `${type} ${id}`,
      question: { ...task, ...asked, variables: variables.map(toVariable), conditions },
      draws: () => drawSome(question),
    }
  )
}

/** Draws that are written where a format has no other way. */
const DRAWS = 50

function drawSome({ kept, variables, conditions, tolerance, ...question }: ExportedQuestion): Values[] {
  const draws = { variables, conditions, kept: kept ?? {} }
  const drawable: Drawable = { ...question, tolerance: String(tolerance), draws }
  return Array.from({ length: DRAWS }, (_, index) => draw(drawable, String(index + 1))?.values ?? new Map())
}

const TASKS: Record<QuestionType, ((question: ExportedQuestion) => Task) | undefined> = {
  MCQ: (question) => ({ kind: 'choice', multiple: false, options: listOptions(question) }),
  MSQ: (question) => ({ kind: 'choice', multiple: true, options: listOptions(question) }),
  NUMERIC: ({ correct_answer, tolerance }) => ({
    kind: 'number',
    key: correct_answer,
    tolerance: String(tolerance),
  }),
  SHORT: ({ correct_answer }) => ({ kind: 'text', accepted: linesOf(correct_answer).map(fromLine) }),
  MATCHING: (question) => ({ kind: 'matching', ...pairsOf(question) }),
  ORDERING: (question) => ({ kind: 'ordering', items: itemsOf(question) }),
  GAPS: (question) => ({ kind: 'gaps', gaps: gapsOf(question).map(fromOwnGap) }),
  FORMULA: undefined,
}

function linesOf(key: string): string[] {
  return key === '' ? [] : key.split('\n')
}

/** The options of a question: up to the last one that has a text or is in the key. */
function listOptions(question: ExportedQuestion): { text: string; isRight: boolean }[] {
  const key = question.correct_answer === '' ? [] : question.correct_answer.split(',')
  const all = optionsOf(question).map(({ letter, text }) => ({ text, isRight: key.includes(letter) }))
  const last = all.findLastIndex(({ text, isRight }) => text !== '' || isRight)
  // At least two, or it is no choice.
  return all.slice(0, Math.max(last + 1, 2))
}

function fromOwnGap(gap: OwnGap): Gap {
  switch (gap.kind) {
    case 'text':
      return { kind: gap.kind, accepted: gap.accepted.map(fromLine) }
    case 'number':
      return { kind: gap.kind, key: String(gap.key), tolerance: String(gap.tolerance) }
    case 'choice':
      return gap
  }
}
