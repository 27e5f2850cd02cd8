import type { PaperQuestion } from '../../../schemas/attempts.schemas.ts'
import type { StoredQuestion } from '../../db/tables/attempts.tables.ts'
import type { Regrade } from '../../db/tables/corrections.tables.ts'
import type { MsqScoring } from '../questions/kinds/kind.ts'
import type { GradedQuestion } from './regraded-questions.ts'
import type { AnswerKey } from './scoring.ts'

/** Marks questions that had variables, for what doesn't know such; it is in no answer. */
export const HAS_VARIABLES = Symbol('has variables')

/**
 * A question as all students get it. This type has no key; the image's address, and what is each attempt's own, is
 * added later.
 */
export type PublicQuestion = Omit<PaperQuestion, 'image_url' | 'option_order' | 'parts'> & {
  [HAS_VARIABLES]?: true
}

/**
 * An exam's paper, whose questions never have variables: as it is kept, they have the values of no attempt, and `of`
 * makes it that of an attempt, with the values that are drawn from its seed.
 */
export interface Paper {
  id: number
  /** Names it among its draws. */
  name: string
  /** Whether attempts have papers of their own. */
  hasVariables: boolean
  /** With the values of a seed; without variables it is itself. */
  of(seed: string): Paper
  /** As `of`, of one question alone where that has variables. */
  single(questionId: number, seed: string): Paper
  /** What grades answers of attempts, by their seeds: as `of(seed).gradedBy(inForce)`, without making texts but of keys. */
  gradingsBy(inForce: readonly Regrade[]): (seed: string | null) => Grading
  /** The values that a question has in this paper, as they are shown to teachers; undefined without variables. */
  valuesOf(questionId: number): Record<string, string> | undefined
  /** A question's text with the values of no attempt; undefined without variables. */
  discussedText(questionId: number): string | undefined
  /** A text that belongs to a question, as its explanation, with the question's values. */
  fill(questionId: number, text: string): string
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
