import { stringify } from 'csv-stringify/sync'
import type { OfferedQuestion } from '../../schemas/questions.schemas.ts'
import { COLUMNS } from '../features/questions/question-csv.ts'
import { markFormula } from '../formats/csv-cells.ts'

/** A CSV that the import takes back unchanged, and that a spreadsheet can open without running what stands in it. */
export function toCsv(questions: readonly (OfferedQuestion & { exam_id: number })[]): string {
  return stringify([...questions], { header: true, columns: [...COLUMNS], cast: { string: markFormula } })
}
