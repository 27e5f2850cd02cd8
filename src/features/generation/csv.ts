import { stringify } from 'csv-stringify/sync'
import type { GeneratedQuestion } from '../../../schemas/generation.ts'

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
export function toCsv(questions: readonly Omit<GeneratedQuestion, 'id'>[]): string {
  return stringify([...questions], { header: true, columns: [...COLUMNS] })
}
