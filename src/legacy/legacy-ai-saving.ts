import type { OfferedQuestion } from '../../schemas/questions.schemas.ts'
import type { Actor } from '../actor.ts'
import type { Core } from '../core.ts'
import { getExam } from '../features/exams/exams.service.ts'
import { addQuestions, type BulkAdded } from '../features/questions/questions.service.ts'
import { checkOlder } from './older-kinds.ts'

/**
 * The older generation's save: adds the valid questions to the exams that they name. If one of these exams does not
 * exist, 404 and nothing is added.
 */
export async function saveQuestions(
  core: Core,
  actor: Actor,
  questions: readonly (OfferedQuestion & { exam_id: number })[],
): Promise<BulkAdded> {
  const byExam = Map.groupBy(questions, ({ exam_id }) => exam_id)
  await Promise.all([...byExam.keys()].map((examId) => getExam(core, examId)))
  const saved: BulkAdded = { added: 0, errors: [] }
  for (const [examId, offered] of byExam) {
    const { added, errors } = await addQuestions(core, actor, examId, offered, { check: checkOlder })
    saved.added += added
    saved.errors.push(...errors.map((error) => `Exam ${examId}: ${error}`))
  }
  return saved
}
