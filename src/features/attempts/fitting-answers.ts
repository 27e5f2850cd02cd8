import type { AnswersInput, Rejected } from '../../../schemas/attempts.schemas.ts'
import { MAX_INT } from '../../../schemas/common.ts'
import type { Answers, StoredAnswer } from '../../db/tables/attempts.tables.ts'
import { kindOf } from '../questions/kinds/kinds.ts'
import type { Paper } from './paper.ts'
import { givenBy, type Sitting, seedOf } from './sitting.ts'

/** Answers to merge into an attempt's; null clears one. */
export type AnswerChanges = Record<string, StoredAnswer | null>

export interface Changes {
  answers: AnswerChanges
  /** undefined: stays as it is. */
  markedForReview: number[] | undefined
}

const QUESTION_ID = /^[1-9]\d{0,9}$/

/** A client's answers as they are stored, and those that are left out, or count as none, because they don't fit. */
export function readChanges(
  paper: Paper,
  sitting: Sitting,
  input: AnswersInput,
): { changes: Changes; rejected: Rejected } {
  const answers: AnswerChanges = {}
  const rejected: NonNullable<Rejected> = []
  const isGiven = givenBy(sitting)
  const find = (id: number | undefined) => (id !== undefined && isGiven(id) ? paper.find(id) : undefined)
  for (const [key, given] of Object.entries(input.answers ?? {})) {
    const id = QUESTION_ID.test(key) ? Number(key) : undefined
    const task = find(id)
    const answer =
      task && readAnswer(given, () => kindOf(task.question_type).readAnswer(task, given, seedOf(sitting)))
    if (answer !== undefined) answers[key] = answer
    // What can't be read is kept as well: its student goes on from there.
    const unread = task && answer ? kindOf(task.question_type).whyUnreadable?.(task, answer) : undefined
    if (unread !== undefined) rejected.push({ question_id: toId(id), message: unread })
    if (answer === undefined)
      rejected.push({
        question_id: toId(id),
        message: task
          ? `This is no answer to this question of type ${task.question_type}`
          : 'There is no such question in this exam',
      })
  }
  const marked = input.markedForReview && new Set<number>()
  for (const id of input.markedForReview ?? [])
    if (typeof id === 'number' && find(id)) marked?.add(id)
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

/** Merges changes into stored answers, as `SAVE_ANSWERS` (saving.store.ts) does in the database. */
export function mergeAnswers(stored: Answers, changes: AnswerChanges): Answers {
  return Object.fromEntries(
    Object.entries({ ...stored, ...changes }).filter(
      (entry): entry is [string, StoredAnswer] => entry[1] !== null,
    ),
  )
}

/** '' and [] are blank answers to questions of every kind. */
function readAnswer(given: unknown, read: () => StoredAnswer | undefined): StoredAnswer | null | undefined {
  if (given === null || given === '') return given
  return Array.isArray(given) && given.length === 0 ? [] : read()
}
