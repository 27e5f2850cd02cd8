import type { Executor } from '../../db/database-client.ts'
import type { StoredQuestion } from '../../db/tables/attempts.tables.ts'
import * as store from './explanations.store.ts'
import { listQuestionsById, type QuestionRow } from './questions.store.ts'

/**
 * The explanations of a paper's questions, by question id (docs/protocol/questions.md#explanations): today's while a
 * question's texts and key are those of the paper, else the last one before they changed.
 */
export async function findExplanations(
  db: Executor,
  questions: readonly StoredQuestion[],
): Promise<ReadonlyMap<number, string>> {
  const old = questions.filter(({ content_version }) => content_version === undefined)
  const rows = await listQuestionsById(
    db,
    old.map(({ id }) => id),
  )
  const current = new Map(rows.map((row) => [row.id, row]))
  return store.listExplanations(
    db,
    questions.map((question) => ({
      id: question.id,
      version: question.content_version ?? guessVersion(question, current.get(question.id)),
    })),
  )
}

/** Papers from before questions had explanations don't tell the version: it is today's where nothing has changed. */
function guessVersion(question: StoredQuestion, current: QuestionRow | undefined): number {
  if (current === undefined) return 0
  const isSame =
    question.question_text === current.questionText &&
    question.option_a === current.optionA &&
    question.option_b === current.optionB &&
    question.option_c === current.optionC &&
    question.option_d === current.optionD &&
    question.question_type === current.questionType &&
    question.correct_answer === current.correctAnswer &&
    Number(question.tolerance) === current.tolerance
  return isSame ? current.contentVersion : NO_VERSION
}

/** No question has it. */
const NO_VERSION = -1
