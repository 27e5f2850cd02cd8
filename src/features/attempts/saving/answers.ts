import { MAX_INT, type QuestionType } from '../../../../schemas/common.ts'
import type { AnswersInput, Rejected } from '../../../../schemas/exams/attempts.ts'
import type { Answers } from '../../../db/tables/exams/attempts.ts'
import { isLonger } from '../../../formats/code-points.ts'
import type { Paper } from '../papers/service.ts'

/** Answers to merge into an attempt's; null clears one. */
export type AnswerChanges = Record<string, string | string[] | null>

export interface Changes {
  answers: AnswerChanges
  /** undefined: stays as it is. */
  markedForReview: number[] | undefined
}

/** Code points of a NUMERIC answer, which is kept as it was typed (docs/protocol/exams.md#saving). */
const LONGEST_NUMBER = 100
const LETTER = /^[A-D]$/
const QUESTION_ID = /^[1-9]\d{0,9}$/

/** A client's answers as they are stored, and those that are left out because they don't fit. */
export function readChanges(paper: Paper, input: AnswersInput): { changes: Changes; rejected: Rejected } {
  const answers: AnswerChanges = {}
  const rejected: NonNullable<Rejected> = []
  for (const [key, given] of Object.entries(input.answers ?? {})) {
    const id = QUESTION_ID.test(key) ? Number(key) : undefined
    const type = id === undefined ? undefined : paper.types.get(id)
    const answer = type && readAnswer(type, given)
    if (answer !== undefined) answers[key] = answer
    else
      rejected.push({
        question_id: toId(id),
        message: type
          ? `This is no answer to a question of type ${type}`
          : 'There is no such question in this exam',
      })
  }
  const marked = input.markedForReview && new Set<number>()
  for (const id of input.markedForReview ?? [])
    if (typeof id === 'number' && paper.types.has(id)) marked?.add(id)
    else
      rejected.push({
        question_id: toId(id),
        message: 'There is no such question in this exam to mark for review',
      })
  return {
    changes: { answers, markedForReview: marked && [...marked] },
    rejected: rejected.length > 0 ? rejected : null,
  }
}

function toId(given: unknown): number | null {
  return Number.isInteger(given) && Math.abs(given as number) <= MAX_INT ? (given as number) : null
}

/** The same as the database does in `SAVE_ANSWERS` (store.ts). */
export function mergeAnswers(stored: Answers, changes: AnswerChanges): Answers {
  return Object.fromEntries(
    Object.entries({ ...stored, ...changes }).filter(
      (entry): entry is [string, string | string[]] => entry[1] !== null,
    ),
  )
}

/** undefined if it is no answer to a question of this type. '' and [] are blank answers to every type. */
function readAnswer(type: QuestionType, given: unknown): string | string[] | null | undefined {
  if (given === null || given === '') return given
  if (Array.isArray(given) && (type === 'MSQ' || given.length === 0)) return readLetters(given)
  // A number as such is taken as its text.
  const text = (type === 'NUMERIC' && typeof given === 'number' ? String(given) : given) as unknown
  if (typeof text !== 'string' || type === 'MSQ') return undefined
  return type === 'NUMERIC' ? readNumber(text.trim()) : readLetter(text, true)
}

/** Kept as typed, even if it is only half a number: grading decides whether it is one. */
function readNumber(text: string): string | undefined {
  const isStorable = !text.includes('\0') && text.isWellFormed()
  return isStorable && !isLonger(text, LONGEST_NUMBER) ? text : undefined
}

/** Each once, in order. */
function readLetters(given: unknown[]): string[] | undefined {
  const letters = new Set(given.map((letter) => readLetter(letter)))
  return letters.has(undefined) ? undefined : ([...letters].sort() as string[])
}

function readLetter(given: unknown, mayBeBlank = false): string | undefined {
  if (typeof given !== 'string') return undefined
  const letter = given.trim().toUpperCase()
  return LETTER.test(letter) || (mayBeBlank && letter === '') ? letter : undefined
}
