import type { PaperQuestion } from '../../../schemas/attempts.schemas.ts'
import type { StoredQuestion } from '../../db/tables/attempts.tables.ts'
import type { Regrade } from '../../db/tables/corrections.tables.ts'
import type { MsqScoring } from '../questions/kinds/kind.ts'
import type { GradedQuestion } from './regraded-questions.ts'
import type { AnswerKey } from './scoring.ts'

/**
 * A question as all students get it. This type has no key; the image's address, and what is each attempt's own, is
 * added later.
 */
export type PublicQuestion = Omit<PaperQuestion, 'image_url' | 'option_order' | 'parts'>

export interface Paper {
  id: number
  questions: PublicQuestion[]
  /**
   * The questions with their keys, in the same order: for their kinds to work with, never for an answer to a student.
   */
  tasks: readonly StoredQuestion[]
  find(questionId: number): StoredQuestion | undefined
  placeOf(questionId: number): number | undefined
  msqScoring: MsqScoring
  /** Whether some of its questions have choices with ids, which differ between attempts. */
  hasOwnIds: boolean
  /** How the regrades in force, oldest first, let it be graded. */
  gradedBy(inForce: readonly Regrade[]): Grading
}

export interface Grading {
  /** Grades answers; the key can't be read from it. */
  key: AnswerKey
  /** The questions with their keys in readable form, for released results and administrators only. */
  questions: GradedQuestion[]
}
