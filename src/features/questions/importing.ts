import type { Imported } from '../../../schemas/questions.ts'
import type { Core } from '../../core.ts'
import { type CsvRecord, type CsvUpload, readCsv } from './csv.ts'
import { copyQuestions } from './import-store.ts'
import { checkQuestion } from './question.ts'
import { toValues } from './service.ts'
import type { QuestionValues } from './store.ts'

/** Skipped rows whose reason is told; a file can have millions. */
const MOST_DETAILS = 1_000

/**
 * Imports the valid rows of a CSV of questions as it arrives, in bounded memory and one transaction: an upload
 * that breaks off, is malformed or too large leaves nothing behind.
 */
export async function importQuestions(core: Core, upload: CsvUpload): Promise<Imported> {
  let inserted = 0
  const skipped: number[] = []
  const details: string[] = []

  async function* readRows(exams: ReadonlySet<number>): AsyncGenerator<QuestionValues> {
    for await (const { row, record } of readCsv(upload)) {
      const read = readRow(record, exams)
      if ('reason' in read) {
        skipped.push(row)
        if (details.length < MOST_DETAILS) details.push(`Row ${row}: ${read.reason}`)
      } else {
        inserted += 1
        yield read.values
      }
    }
  }

  await copyQuestions(core.db, readRows)
  return {
    success: true,
    message: `Imported ${inserted} questions, skipped ${skipped.length} rows`,
    inserted,
    skipped: skipped.length,
    errors: skipped.length > 0 ? skipped.map((row) => `Row ${row}: skipped`) : null,
    details: details.length > 0 ? details : null,
  }
}

function readRow(
  record: CsvRecord | undefined,
  exams: ReadonlySet<number>,
): { values: QuestionValues } | { reason: string } {
  if (!record) return { reason: 'has more fields than the header' }
  const examId = /^\d{1,10}$/.test(record.exam_id.trim()) ? Number(record.exam_id) : 0
  if (!exams.has(examId)) return { reason: 'exam_id is no exam' }
  if (record.question_text.trim() === '') return { reason: 'question_text is empty' }
  const checked = checkQuestion(record)
  return 'question' in checked
    ? { values: toValues(examId, checked.question) }
    : { reason: `${checked.field} ${checked.error}` }
}
