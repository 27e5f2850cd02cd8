import { stringify } from 'csv-stringify/sync'
import type { OfferedQuestion } from '../../../schemas/questions.ts'
import { COLUMNS } from '../questions/csv.ts'

/** A CSV that the import takes back unchanged: nothing is put in front of what looks like a formula. */
export function toCsv(questions: readonly (OfferedQuestion & { exam_id: number })[]): string {
  return stringify([...questions], { header: true, columns: [...COLUMNS] })
}
