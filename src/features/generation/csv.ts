import { stringify } from 'csv-stringify/sync'
import type { GeneratedQuestion } from '../../../schemas/generation.ts'
import { COLUMNS } from '../questions/csv.ts'

/** A CSV that the import takes back unchanged: nothing is put in front of what looks like a formula. */
export function toCsv(questions: readonly Omit<GeneratedQuestion, 'id'>[]): string {
  return stringify([...questions], { header: true, columns: [...COLUMNS] })
}
