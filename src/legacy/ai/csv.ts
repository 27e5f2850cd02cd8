import { stringify } from 'csv-stringify/sync'
import type { OfferedQuestion } from '../../../schemas/admin/exams/questions.ts'
import { COLUMNS } from '../../features/questions/import/csv.ts'
import { markFormula } from '../../formats/csv-cells.ts'

/** A CSV that the import takes back unchanged, and that a spreadsheet can open without running what stands in it. */
export function toCsv(questions: readonly (OfferedQuestion & { exam_id: number })[]): string {
  return stringify([...questions], { header: true, columns: [...COLUMNS], cast: { string: markFormula } })
}
