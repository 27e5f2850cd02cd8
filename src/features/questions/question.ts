import type { OfferedQuestion, QuestionFields, QuestionType } from '../../../schemas/questions.ts'
import { isDecimal, normaliseKey } from '../exams/answer-key.ts'
import { isImageKey } from '../uploads/keys.ts'

/** Code points of a text or an option (contract §1). */
const LONGEST_TEXT = 20_000
const HIGHEST_MARKS = 10_000
const WIDEST_TOLERANCE = 1e15

const TYPES: readonly string[] = ['MCQ', 'MSQ', 'NUMERIC'] satisfies QuestionType[]
const TEXTS = ['question_text', 'option_a', 'option_b', 'option_c', 'option_d'] as const
const NUMBERS = [
  { field: 'positive_marks', usual: 4, highest: HIGHEST_MARKS },
  { field: 'negative_marks', usual: 1, highest: HIGHEST_MARKS },
  { field: 'tolerance', usual: 0, highest: WIDEST_TOLERANCE },
] as const
type NumberField = (typeof NUMBERS)[number]['field']

export type CheckedQuestion =
  | { question: QuestionFields }
  /** What is wrong with which field, for the person who offered it. */
  | { field: keyof QuestionFields; error: string }

/**
 * The one check of a question, wherever it comes from: a form, a list, a CSV, the AI. Texts are trimmed, the
 * key normalised, and what is missing or empty takes the specification's defaults. A key must fit its type;
 * a question without a text or without a key is fine.
 */
export function checkQuestion(offered: OfferedQuestion): CheckedQuestion {
  const texts = {} as Record<(typeof TEXTS)[number], string>
  for (const field of TEXTS) {
    const text = (offered[field] ?? '').trim()
    const error = checkText(text)
    if (error) return { field, error }
    texts[field] = text
  }

  const type = (offered.question_type ?? '').trim().toUpperCase() || 'MCQ'
  if (!isQuestionType(type)) return { field: 'question_type', error: 'is not MCQ, MSQ or NUMERIC' }

  const key = normaliseKey(type, String(offered.correct_answer ?? ''))
  if (key === undefined) return { field: 'correct_answer', error: `does not fit a question of type ${type}` }

  const imagePath = (offered.image_path ?? '').trim() || null
  if (imagePath !== null && !isImageKey(imagePath))
    return { field: 'image_path', error: 'is not of the form <SubjectFolder>/<filename>' }

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

/** NaN for anything but a number. */
function readNumber(given: number | string | null | undefined, usual: number): number {
  if (typeof given === 'number') return given
  const text = (given ?? '').trim()
  if (text === '') return usual
  return isDecimal(text) ? Number(text) : Number.NaN
}

function checkText(text: string): string | undefined {
  if (text.includes('\0') || !text.isWellFormed()) return 'holds characters that cannot be stored'
  // Code points are at most code units: counting them is needed for the longest texts only.
  if (text.length > LONGEST_TEXT && [...text].length > LONGEST_TEXT)
    return `is longer than ${LONGEST_TEXT} characters`
  return undefined
}
