import type { Executor } from '../../db/database-client.ts'
import { only } from '../../db/query.ts'
import { accommodations } from '../../db/tables/accommodations.tables.ts'
import { exams, questions } from '../../db/tables/exams.tables.ts'

export type DemoQuestion = Omit<typeof questions.$inferInsert, 'id' | 'examId'>

export async function insertExamWithQuestions(
  tx: Executor,
  exam: typeof exams.$inferInsert,
  itsQuestions: DemoQuestion[],
): Promise<number> {
  const examId = only(await tx.insert(exams).values(exam).returning({ id: exams.id })).id
  await tx.insert(questions).values(itsQuestions.map((question) => ({ ...question, examId })))
  return examId
}

export async function insertAccommodation(
  tx: Executor,
  accommodation: typeof accommodations.$inferInsert,
): Promise<void> {
  await tx.insert(accommodations).values(accommodation)
}
