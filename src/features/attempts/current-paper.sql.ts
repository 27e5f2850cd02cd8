import { and, eq, sql } from 'drizzle-orm'
import { examPapers } from '../../db/tables/attempts.tables.ts'
import { exams } from '../../db/tables/exams.tables.ts'

/** Whether a row of `exam_papers` is that of the exam's questions as they are now. */
export const isCurrentPaper = and(
  eq(examPapers.examId, exams.id),
  eq(examPapers.version, exams.paperVersion),
  eq(examPapers.msqScoring, exams.msqScoring),
  // One that the previous version has stored meanwhile lacks what is newer.
  sql`(${examPapers.newerQuestions} is not null) = ${exams.isNewer}`,
)
