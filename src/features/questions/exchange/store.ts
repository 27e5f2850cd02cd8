import { and, asc, eq, gt } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { questions } from '../../../db/tables/exams/exams.ts'

/** The questions of an exam in the order of their ids, from the one after `lastId` on. */
export async function listQuestionsAfter(db: Executor, examId: number, lastId: number, limit: number) {
  return db
    .select({
      id: questions.id,
      exam_id: questions.examId,
      question_text: questions.questionText,
      option_a: questions.optionA,
      option_b: questions.optionB,
      option_c: questions.optionC,
      option_d: questions.optionD,
      correct_answer: questions.correctAnswer,
      question_type: questions.questionType,
      image_path: questions.imagePath,
      positive_marks: questions.positiveMarks,
      negative_marks: questions.negativeMarks,
      tolerance: questions.tolerance,
    })
    .from(questions)
    .where(and(eq(questions.examId, examId), gt(questions.id, lastId)))
    .orderBy(asc(questions.id))
    .limit(limit)
}
