import type { OfferedQuestion } from '../../../schemas/questions.ts'
import type { Core } from '../../core.ts'
import { findExam } from '../exams/editing.ts'
import { addQuestions, type BulkAdded } from '../questions/service.ts'

/**
 * The older generation's save: adds the valid questions to the exams that they name. 404, and nothing is
 * added, where there is no such exam.
 */
export async function saveQuestions(
  core: Core,
  questions: readonly (OfferedQuestion & { exam_id: number })[],
): Promise<BulkAdded> {
  const byExam = Map.groupBy(questions, ({ exam_id }) => exam_id)
  await Promise.all([...byExam.keys()].map((examId) => findExam(core, examId)))
  const saved: BulkAdded = { added: 0, errors: [] }
  for (const [examId, offered] of byExam) {
    const { added, errors } = await addQuestions(core, examId, offered)
    saved.added += added
    saved.errors.push(...errors.map((error) => `Exam ${examId}: ${error}`))
  }
  return saved
}
