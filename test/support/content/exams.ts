import type postgres from 'postgres'

export interface QuestionFields {
  question_text?: string
  question_type?: 'MCQ' | 'MSQ' | 'NUMERIC' | 'SHORT'
  correct_answer?: string
  image_path?: string | null
  positive_marks?: number | string
  negative_marks?: number | string
  tolerance?: number | string
}

export interface ExamFields {
  name?: string
  description?: string
  category_id?: number | null
  duration_minutes?: number | null
  max_attempts?: number | null
  result_mode?: 'instant' | 'on_release'
  results_released?: boolean
  published?: boolean
  opens_at?: Date | null
  closes_at?: Date | null
  lock_help?: boolean
  pass_percentage?: number
  msq_scoring?: 'all_or_nothing' | 'partial'
  questions?: QuestionFields[]
}

/** Inserts an exam with its questions; answers their ids. */
export async function createExam(
  sql: postgres.Sql,
  { questions = [{}], ...given }: ExamFields = {},
): Promise<{ examId: number; questionIds: number[] }> {
  const exam = { name: 'An exam', published: true, ...given }
  const [row] = await sql<{ id: number }[]>`insert into exams ${sql(exam)} returning id`
  const examId = row?.id ?? 0
  const questionIds: number[] = []
  for (const question of questions) questionIds.push(await addQuestion(sql, examId, question))
  return { examId, questionIds }
}

export async function addQuestion(
  sql: postgres.Sql,
  examId: number,
  given: QuestionFields = {},
): Promise<number> {
  const question = { exam_id: examId, question_text: 'Which one?', correct_answer: 'A', ...given }
  const [row] = await sql<{ id: number }[]>`insert into questions ${sql(question)} returning id`
  return row?.id ?? 0
}

/** 40 MCQ, 10 MSQ and 15 NUMERIC questions, like a real paper. */
export function longPaper(): QuestionFields[] {
  return Array.from({ length: 65 }, (_, index): QuestionFields => {
    const question_text = `Question ${index + 1}: let $x_{${index}} = \\frac{${index}}{2}$. ${'Consider. '.repeat(20)}`
    if (index < 40) return { question_text, correct_answer: 'ABCD'.charAt(index % 4) }
    if (index < 50) return { question_text, question_type: 'MSQ', correct_answer: 'A,C', negative_marks: 2 }
    return { question_text, question_type: 'NUMERIC', correct_answer: String(index * 1.5), tolerance: 0.01 }
  })
}
