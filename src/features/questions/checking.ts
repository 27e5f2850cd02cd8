import type { OfferedQuestion, QuestionFields } from '../../../schemas/admin/exams/questions.ts'
import { QUESTION_TYPES, type QuestionType } from '../../../schemas/common.ts'
import { isLonger } from '../../formats/code-points.ts'
import { isDecimal, normaliseKey } from '../exams/answer-key.ts'
import { isImageKey } from '../uploads/keys.ts'

/** Code points of a text or an option (docs/protocol/http.md#input). */
const LONGEST_TEXT = 20_000
const HIGHEST_MARKS = 10_000
const WIDEST_TOLERANCE = 1e15

const TYPES: readonly string[] = QUESTION_TYPES
const TEXTS = ['question_text', 'option_a', 'option_b', 'option_c', 'option_d'] as const
const NUMBERS = [
  { field: 'positive_marks', usual: 4, highest: HIGHEST_MARKS },
  { field: 'negative_marks', usual: 1, highest: HIGHEST_MARKS },
  { field: 'tolerance', usual: 0, highest: WIDEST_TOLERANCE },
] as const
type NumberField = (typeof NUMBERS)[number]['field']

export type CheckedQuestion =
  | { question: QuestionFields }
  /** The field and what is wrong with it, for the person who entered it. */
  | { field: keyof QuestionFields; error: string }

/**
 * Checks a question, wherever it comes from: a form, a list, a CSV, the AI. Texts are trimmed, the key is normalised,
 * missing and empty fields get their defaults. A key must fit its type; a text and a key may be missing.
 * `anyImagePath`: the path is kept without a check.
 */
export function checkQuestion(
  offered: OfferedQuestion,
  { anyImagePath = false }: { anyImagePath?: boolean } = {},
): CheckedQuestion {
  const texts = {} as Record<(typeof TEXTS)[number], string>
  for (const field of TEXTS) {
    const text = textOf(offered[field])
    const error = checkText(text)
    if (error) return { field, error }
    texts[field] = text
  }

  const type = textOf(offered.question_type).toUpperCase() || 'MCQ'
  if (!isQuestionType(type)) return { field: 'question_type', error: 'is not MCQ, MSQ or NUMERIC' }

  const key = normaliseKey(type, String(offered.correct_answer ?? ''))
  if (key === undefined) return { field: 'correct_answer', error: `does not fit a question of type ${type}` }

  const imagePath = textOf(offered.image_path) || null
  const imageError = imagePath === null ? undefined : checkImagePath(imagePath, anyImagePath)
  if (imageError) return { field: 'image_path', error: imageError }

  const numbers = {} as Record<NumberField, number>
  for (const { field, usual } of NUMBERS) {
    const number = readNumber(offered[field], usual)
    const error = checkNumber(field, number)
    if (error) return { field, error }
    numbers[field] = number
  }
  return {
    question: { ...texts, correct_answer: key, question_type: type, image_path: imagePath, ...numbers },
  }
}

export function isQuestionType(text: string): text is QuestionType {
  return TYPES.includes(text)
}

/** What is wrong with marks or a tolerance; undefined where nothing is. */
export function checkNumber(field: NumberField, value: number): string | undefined {
  const highest = NUMBERS.find((each) => each.field === field)?.highest ?? 0
  return value >= 0 && value <= highest ? undefined : `is not a number from 0 to ${highest}`
}

/** A tolerance as exact decimal text; undefined if it is none. */
export function readTolerance(given: number | string): string | undefined {
  const text = String(given).trim()
  return isDecimal(text) && checkNumber('tolerance', Number(text)) === undefined ? text : undefined
}

type Scalar = OfferedQuestion[(typeof TEXTS)[number]]

/** The trimmed text of a field; a number or a boolean is read as its text. */
export function textOf(given: Scalar): string {
  return String(given ?? '').trim()
}

/** NaN for anything but a number. */
function readNumber(given: Scalar, usual: number): number {
  if (typeof given === 'number') return given
  const text = textOf(given)
  if (text === '') return usual
  return isDecimal(text) ? Number(text) : Number.NaN
}

function checkImagePath(path: string, any: boolean): string | undefined {
  if (any) return checkText(path)
  return isImageKey(path) ? undefined : 'is not of the form <SubjectFolder>/<filename>'
}

function checkText(text: string): string | undefined {
  if (text.includes('\0') || !text.isWellFormed()) return 'holds characters that cannot be stored'
  return isLonger(text, LONGEST_TEXT) ? `is longer than ${LONGEST_TEXT} characters` : undefined
}
