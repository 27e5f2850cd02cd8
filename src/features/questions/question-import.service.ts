import type { Content } from '../../../schemas/common.ts'
import type { Imported, OfferedQuestion } from '../../../schemas/questions.schemas.ts'
import type { Actor } from '../../actor.ts'
import type { Core } from '../../core.ts'
import { type CsvUpload, readCsv } from '../../formats/csv-reading.ts'
import { record as recordChange } from '../audit/audit.service.ts'
import { type DrawTrials, drawTrials } from './draw-trials.ts'
import { type ImportOptions, importRows } from './import-copying.ts'
import { ImportReport } from './import-report.ts'
import { type CheckedQuestion, checkQuestion, describeErrors, type QuestionCheck } from './question-checks.ts'
import { QUESTION_COLUMNS, type QuestionCsvRow, toOffered } from './question-csv.ts'
import { listExamIds } from './question-import.store.ts'
import { toValues } from './question-mapping.ts'
import { findNamable } from './questions.service.ts'
import type { QuestionValues } from './questions.store.ts'

export interface QuestionImport extends ImportOptions {
  /** Whose own exams the rows may go into; undefined: any. */
  teacherId?: number | undefined
  check?: QuestionCheck
}

/**
 * Imports the valid rows of a CSV of questions, in bounded memory and one transaction: an upload that breaks off, is
 * malformed or too large leaves nothing behind. A teacher's rows go into their own exams alone. The same key again
 * imports nothing and answers the same.
 */
export async function importQuestions(
  core: Core,
  actor: Actor,
  upload: CsvUpload,
  { teacherId, check = checkQuestion, ...options }: QuestionImport,
): Promise<Content<Imported>> {
  const report = new ImportReport()
  const into = new Map<number, number>()

  async function* readRows(): AsyncGenerator<QuestionValues> {
    const exams = await listExamIds(core.db, teacherId)
    const images = await findNamable(core.db, teacherId)
    const trials = drawTrials()
    for await (const row of readCsv(upload, QUESTION_COLUMNS)) {
      const read = await readRow(row, exams, trials, (offered) =>
        check(offered, { images, anyImagePath: true }),
      )
      if ('reason' in read) report.skip(row.row, read.reason)
      else {
        report.inserted += 1
        into.set(read.values.examId, (into.get(read.values.examId) ?? 0) + 1)
        yield read.values
      }
    }
  }

  return importRows(core, { actor, examId: undefined }, options, readRows(), async (tx) => {
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

async function readRow(
  row: QuestionCsvRow,
  exams: ReadonlySet<number>,
  trials: DrawTrials,
  check: (offered: OfferedQuestion) => CheckedQuestion,
): Promise<{ values: QuestionValues } | { reason: string }> {
  const { record } = row
  const examId = /^\d{1,10}$/.test(record.exam_id.trim()) ? Number(record.exam_id) : 0
  if (!exams.has(examId)) return { reason: 'exam_id is no exam' }
  if (record.question_text.trim() === '') return { reason: 'question_text is empty' }
  const checked = check(toOffered(row))
  if ('errors' in checked) return { reason: describeErrors(checked.errors) }
  const trial = await trials.try(checked.question)
  return trial && 'errors' in trial
    ? { reason: describeErrors(trial.errors) }
    : { values: toValues(examId, checked.question, trial?.kept) }
}
