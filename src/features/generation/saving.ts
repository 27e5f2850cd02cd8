import type { OfferedQuestion } from '../../../schemas/questions.ts'
import type { Core } from '../../core.ts'
import { addQuestions } from '../questions/service.ts'

/** The older generation's save: adds questions to the exams that they name; how many were valid. 404. */
export async function saveQuestions(
  core: Core,
  questions: readonly (OfferedQuestion & { exam_id: number })[],
): Promise<number> {
  let count = 0
  for (const [examId, offered] of Map.groupBy(questions, ({ exam_id }) => exam_id))
    count += (await addQuestions(core, examId, offered)).added
  return count
}
