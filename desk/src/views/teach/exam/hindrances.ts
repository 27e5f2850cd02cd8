import { ask, client, readAllPages } from '../../../client.ts'
import { lacksKey } from '../../../components/questions/kind.ts'
import { readDraft } from '../../../drafts.ts'
import { t } from '../../../texts.ts'
import { findProblems } from '../questions/problems.ts'
import { settingsDraft } from './settings.tsx'

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
  if (questions.length === 0) return { blocking: [t('The exam has no questions.')], doubtful: [] }
  const found = questions.map(findProblems)
  const wrong = found.flatMap((each, index) =>
    each.wrong.map((text) => t('Question {number}: {problem}', { number: index + 1, problem: text })),
  )
  const withoutKey = questions.filter(lacksKey).length
  return {
    blocking: wrong,
    doubtful: [
      ...(withoutKey > 0
        ? [
            t(
              '{count, plural, one {# question has no correct answer.} other {# questions have no correct answer.}}',
              { count: withoutKey },
            ),
          ]
        : []),
      ...(readDraft(settingsDraft(examId)) ? [t('Changes in Settings are not saved.')] : []),
    ],
  }
}
