import type { TestService } from './service.ts'

/** An exam with that many questions, straight into the database. */
export async function createQuestions(
  { sql }: TestService,
  count = 1,
): Promise<{ examId: number; questionIds: number[] }> {
  const [exam] = await sql`insert into exams (name) values ('An exam') returning id`
  const examId: number = exam?.id
  const rows = await sql`
    insert into questions (exam_id, question_text)
    select ${examId}, 'Question ' || n from generate_series(1, ${count}::int) n returning id`
  return { examId, questionIds: rows.map(({ id }) => id) }
}
