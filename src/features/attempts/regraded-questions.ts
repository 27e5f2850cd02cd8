import { ExpressionError, namesIn } from '@exam-practice/expressions'
import type { StoredQuestion } from '../../db/tables/attempts.tables.ts'
import type { Regrade } from '../../db/tables/corrections.tables.ts'
import { templateOf } from '../questions/kinds/concrete.ts'
import { kindOf } from '../questions/kinds/kinds.ts'
import type { KeyedQuestion } from './scoring.ts'

/** The id of a regrade that is not stored. */
export const PREVIEWED = 0

/** A question of a paper with what grades it. */
export interface GradedQuestion extends KeyedQuestion {
  /** Whether a regrade has changed how it is graded. */
  regraded: boolean
}

/**
 * A paper's questions as they are graded with the regrades in force, given oldest first. The paper itself never
 * changes. If several regrades concern a question, the newest decides; the key is that of the newest regrade with a
 * new key, even if another regrade decides.
 */
export function overlay(questions: readonly StoredQuestion[], inForce: readonly Regrade[]): GradedQuestion[] {
  const byQuestion = Map.groupBy(inForce, ({ questionId }) => questionId)
  return questions.map((question) => {
    const reaching = (byQuestion.get(question.id) ?? []).filter((regrade) => reaches(regrade, question))
    const decisive = reaching.at(-1)
    const newKey = reaching.findLast(({ action }) => action === 'new_key')
    return {
      ...question,
      correct_answer: newKey?.correctAnswer ?? question.correct_answer,
      parts: newKey?.parts ?? question.parts,
      tolerance: newKey?.toleranceIs ?? newKey?.tolerance ?? question.tolerance,
      ruling: decisive === undefined || decisive.action === 'new_key' ? 'by_key' : decisive.action,
      regraded: decisive !== undefined,
    }
  })
}

/** Whether a question has all variables of a regrade's key: earlier forms of it may have other ones, or none. */
function hasVariablesOf({ correctAnswer, parts, toleranceIs }: Regrade, { draws }: StoredQuestion): boolean {
  const texts = [correctAnswer ?? '', toleranceIs ?? '', JSON.stringify(parts)]
  if (!texts.some((text) => text.includes('{@'))) return true
  const known = new Set(draws?.variables.map(({ name }) => name))
  try {
    return texts.every((text) =>
      templateOf(text).pieces.every(
        (piece) => typeof piece === 'string' || [...namesIn(piece.tree)].every((name) => known.has(name)),
      ),
    )
  } catch (error) {
    // Of a question without variables: plain text.
    if (error instanceof ExpressionError) return true
    throw error
  }
}

/**
 * Whether a regrade applies to a question as a paper has it. One with a new key applies to papers in which the question
 * has the same type and its key was not changed later; if answers name choices, these must be the same too.
 */
function reaches(regrade: Regrade, question: StoredQuestion): boolean {
  if (regrade.action !== 'new_key') return true
  if (regrade.questionType !== question.question_type) return false
  if (question.key_version > regrade.keyVersion) return false
  if (question.key_version < regrade.keyVersion && !hasVariablesOf(regrade, question)) return false
  const { parts } = regrade
  return parts === null || kindOf(question.question_type).isSameTask(question, { ...question, parts })
}
