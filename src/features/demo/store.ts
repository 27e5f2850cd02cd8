import type { Executor } from '../../db/client.ts'
import { exams, questions } from '../../db/tables/exams.ts'

export type DemoQuestion = Omit<typeof questions.$inferInsert, 'id' | 'examId'>

export async function insertExamWithQuestions(
  tx: Executor,
  exam: typeof exams.$inferInsert,
  itsQuestions: DemoQuestion[],
): Promise<number> {
  const [row] = await tx.insert(exams).values(exam).returning({ id: exams.id })
  const examId = (row as { id: number }).id
  await tx.insert(questions).values(itsQuestions.map((question) => ({ ...question, examId })))
  return examId
}
