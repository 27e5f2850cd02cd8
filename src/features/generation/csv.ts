import { stringify } from 'csv-stringify/sync'
import type { OfferedQuestion } from '../../../schemas/questions.ts'

/** The import's columns, in its order (specification: Import CSV). */
const COLUMNS = [
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

/** A CSV that the import takes back unchanged. */
export function toCsv(questions: readonly (OfferedQuestion & { exam_id: number })[]): string {
  return stringify([...questions], { header: true, columns: [...COLUMNS] })
}
