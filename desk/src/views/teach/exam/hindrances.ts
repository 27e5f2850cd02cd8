import { ask, client, readAllPages } from '../../../client.ts'
import { lacksKey } from '../../../components/questions/kind.ts'
import { plural } from '../../../format.ts'
import { findProblems } from '../questions/problems.ts'

export interface Hindrances {
  /** Why the exam can't go out. */
  blocking: string[]
  /** What one should know before. */
  doubtful: string[]
}

/** What speaks against publishing an exam. */
export async function findHindrances(examId: number): Promise<Hindrances> {
  const pages = await readAllPages((page) =>
    ask(client.GET('/api/v01/admin/questions', { params: { query: { exam_id: examId, page } } })),
  )
  const questions = pages.flatMap((page) => page.questions)
  if (questions.length === 0) return { blocking: ['The exam has no questions.'], doubtful: [] }
  const found = questions.map(findProblems)
  const wrong = found.flatMap((each, index) => each.wrong.map((text) => `Question ${index + 1}: ${text}`))
  const withoutKey = questions.filter(lacksKey).length
  return {
    blocking: wrong,
    doubtful:
      withoutKey > 0
        ? [`${plural(withoutKey, 'question')} ${withoutKey === 1 ? 'has' : 'have'} no correct answer.`]
        : [],
  }
}
