import { and, eq } from 'drizzle-orm'
import { examPapers } from '../../db/tables/attempts.tables.ts'
import { exams } from '../../db/tables/exams.tables.ts'

/** Whether a row of `exam_papers` is that of the exam's questions as they are now. */
export const isCurrentPaper = and(
  eq(examPapers.examId, exams.id),
  eq(examPapers.version, exams.paperVersion),
  eq(examPapers.msqScoring, exams.msqScoring),
)
