import type { Imported } from '../../../../schemas/admin/exams/questions.ts'
import type { Content } from '../../../../schemas/common.ts'
import type { Actor } from '../../../actor.ts'
import type { Core } from '../../../core.ts'
import { record as recordChange } from '../../audit/service.ts'
import { checkQuestion } from '../checking.ts'
import { toValues } from '../service.ts'
import type { QuestionValues } from '../store.ts'
import { type ImportOptions, importRows } from './copying.ts'
import { type CsvRecord, type CsvUpload, readCsv, toOffered } from './csv.ts'
import { ImportReport } from './report.ts'
import { listExamIds } from './store.ts'

/**
 * Imports the valid rows of a CSV of questions, in bounded memory and one transaction: an upload that breaks off, is
 * malformed or too large leaves nothing behind. The same key again imports nothing and answers the same.
 */
export async function importQuestions(
  core: Core,
  actor: Actor,
  upload: CsvUpload,
  options: ImportOptions,
): Promise<Content<Imported>> {
  const report = new ImportReport()
  const into = new Map<number, number>()

  async function* readRows(): AsyncGenerator<QuestionValues> {
    const exams = await listExamIds(core.db)
    for await (const { row, record } of readCsv(upload)) {
      const read = readRow(record, exams)
      if ('reason' in read) report.skip(row, read.reason)
      else {
        report.inserted += 1
        into.set(read.values.examId, (into.get(read.values.examId) ?? 0) + 1)
        yield read.values
      }
    }
  }

  return importRows(core, options, readRows(), async (tx) => {
    await recordChange(
      tx,
      actor,
      ...[...into].map(([examId, count]) => ({
        action: 'question.import' as const,
        subject: ['exam', examId] as const,
        summary: `${count} questions were imported (csv)`,
      })),
    )
    return report.toAnswer('rows')
  })
}

function readRow(
  record: CsvRecord,
  exams: ReadonlySet<number>,
): { values: QuestionValues } | { reason: string } {
  const examId = /^\d{1,10}$/.test(record.exam_id.trim()) ? Number(record.exam_id) : 0
  if (!exams.has(examId)) return { reason: 'exam_id is no exam' }
  if (record.question_text.trim() === '') return { reason: 'question_text is empty' }
  const checked = checkQuestion(toOffered(record), { anyImagePath: true })
  return 'question' in checked
    ? { values: toValues(examId, checked.question) }
    : { reason: `${checked.field} ${checked.error}` }
}
