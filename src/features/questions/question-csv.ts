import type { OfferedQuestion } from '../../../schemas/questions.schemas.ts'
import type { CsvColumns, ReadRow } from '../../formats/csv-reading.ts'
import { isDecimal } from './kinds/numbers.ts'

/**
 * Columns that a file of questions must have, in any order; others are ignored
 * (docs/protocol/http.md#questions).
 */
export const COLUMNS = [
  'exam_id',
  'question_text',
  'option_a',
  'option_b',
  'option_c',
  'option_d',
  'correct_answer',
  'question_type',
  'image_path',
  'positive_marks',
  'negative_marks',
  'tolerance',
] as const
/** Columns that a file may lack, as those from before them do; lists and `parts` are JSON. */
export const LATER_COLUMNS = [
  'explanation',
  'tags',
  'more_options',
  'parts',
  'image_alt',
  'variables',
  'conditions',
] as const
type QuestionColumn = (typeof COLUMNS)[number] | (typeof LATER_COLUMNS)[number]
export const QUESTION_COLUMNS: CsvColumns<QuestionColumn> = { required: COLUMNS, optional: LATER_COLUMNS }

/** The type whose key is texts, which may look like numbers. */
const TEXT_KEY = /^\s*short\s*$/i

export type QuestionCsvRow = ReadRow<QuestionColumn>

/** The question in a row. Negative marks may be written with or without a minus. */
export function toOffered({ record, decimalComma }: QuestionCsvRow): OfferedQuestion {
  const { exam_id: _, ...row } = record
  const toPoint = (text: string) => (decimalComma && !text.includes('.') ? text.replace(',', '.') : text)
  const key = toPoint(row.correct_answer.trim())
  return {
    ...row,
    // The commas of `A,C`, and of a text that SHORT accepts, stay.
    correct_answer: isDecimal(key) && !TEXT_KEY.test(row.question_type) ? key : row.correct_answer,
    positive_marks: toPoint(row.positive_marks),
    negative_marks: toPoint(row.negative_marks).trim().replace(/^[-−]/, ''),
    tolerance: row.tolerance.includes('{@') ? row.tolerance : toPoint(row.tolerance),
  }
}
