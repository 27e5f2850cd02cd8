import type { AnswersInput } from '../../../schemas/attempts.ts'
import type { FieldError } from '../../../schemas/common.ts'
import type { Answers } from '../../db/tables/attempts.ts'
import type { Paper } from './papers.ts'

/** Answers that are to be merged into an attempt's: null clears. */
export type AnswerChanges = Record<string, string | string[] | null>

export interface Changes {
  answers: AnswerChanges
  /** undefined: stays as it is. */
  markedForReview: number[] | undefined
}

/** A number while it is being typed: every prefix of one, and what is left of one after its digits were erased. */
const NUMBER_AS_TYPED = /^[+-]?\d*\.?\d*(?:[eE][+-]?\d{0,3})?$/
const LETTER = /^[A-D]$/

/** A client's answers in the form in which they are stored, and what is wrong with them: then nothing may be. */
export function readChanges(paper: Paper, input: AnswersInput): { changes: Changes; errors: FieldError[] } {
  const answers: AnswerChanges = {}
  const errors: FieldError[] = []
  for (const [id, given] of Object.entries(input.answers ?? {})) {
    const type = paper.types.get(Number(id))
    const answer = type && readAnswer(type, given)
    if (answer !== undefined) answers[id] = answer
    else
      errors.push({
        path: `/answers/${id}`,
        message: type ? `is no answer to a question of type ${type}` : 'is no question of this exam',
      })
  }
  const markedForReview = input.markedForReview && [...new Set(input.markedForReview)]
  for (const id of markedForReview ?? [])
    if (!paper.types.has(id))
      errors.push({ path: '/markedForReview', message: `${id} is no question of this exam` })
  return { changes: { answers, markedForReview }, errors }
}

/** As the database merges them (saving-store.ts `SAVE_ANSWERS`). */
export function mergeAnswers(stored: Answers, changes: AnswerChanges): Answers {
  return Object.fromEntries(
    Object.entries({ ...stored, ...changes }).filter(
      (entry): entry is [string, string | string[]] => entry[1] !== null,
    ),
  )
}

/** undefined where it is no answer to a question of this type. '' and [] are blank answers to any. */
function readAnswer(
  type: 'MCQ' | 'MSQ' | 'NUMERIC',
  given: string | string[] | null,
): string | string[] | null | undefined {
  if (given === null || given.length === 0) return given
  if (type === 'MSQ') return Array.isArray(given) ? readLetters(given) : undefined
  if (Array.isArray(given)) return undefined
  const text = given.trim()
  if (type === 'NUMERIC') return NUMBER_AS_TYPED.test(text) ? text : undefined
  const letter = text.toUpperCase()
  return letter === '' || LETTER.test(letter) ? letter : undefined
}

/** Each once, in order. */
function readLetters(given: string[]): string[] | undefined {
  const letters = new Set(given.map((letter) => letter.trim().toUpperCase()))
  return [...letters].every((letter) => LETTER.test(letter)) ? [...letters].sort() : undefined
}
