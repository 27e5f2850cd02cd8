import type { PaperQuestion } from '../../../schemas/attempts.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/client.ts'
import type { StoredQuestion } from '../../db/tables/attempts.ts'
import { AppError } from '../../errors.ts'
import * as examStore from './exam-store.ts'
import { AnswerKey } from './scoring.ts'
import type * as store from './store.ts'

/** Papers that a node keeps in memory; the one that was asked for least recently makes room. */
const KEPT = 200

/** What students get of a paper: a type without a key. Its image still wants an address. */
export type PublicQuestion = Omit<PaperQuestion, 'image_url'>

export interface Paper {
  id: number
  questions: PublicQuestion[]
  types: ReadonlyMap<number, StoredQuestion['question_type']>
  /** Grades, and can't be read. */
  key: AnswerKey
  /** The key as text, for reviews of released results only (results.ts). */
  solutions: { correctAnswer: string; tolerance: number }[]
}

const caches = new WeakMap<Core, Map<number, Paper>>()

/** Whether this node holds the paper already. */
export function holdsPaper(core: Core, id: number): boolean {
  return caches.get(core)?.has(id) ?? false
}

/**
 * A paper, from memory where this node has it; 404 if its exam is gone. A paper never changes, so nothing has to be invalidated:
 * which one an exam's next attempt gets is asked of the database each time (`Standing.paperId`).
 */
export async function getPaper(core: Core, db: Executor, id: number): Promise<Paper> {
  const papers = caches.get(core) ?? new Map<number, Paper>()
  caches.set(core, papers)
  const paper = papers.get(id) ?? (await loadPaper(db, id))
  papers.delete(id)
  papers.set(id, paper)
  const [oldest] = papers.keys()
  if (papers.size > KEPT && oldest !== undefined) papers.delete(oldest)
  return paper
}

/** The paper that an attempt was started with; manual ones have none. */
export function paperOf(
  core: Core,
  db: Executor,
  { id, paperId }: Pick<store.AttemptRow, 'id' | 'paperId'>,
): Promise<Paper> {
  if (paperId === null) throw new Error(`attempt ${id} has no paper`)
  return getPaper(core, db, paperId)
}

async function loadPaper(db: Executor, id: number): Promise<Paper> {
  const row = await examStore.findPaper(db, id)
  if (!row) throw new AppError('not_found')
  return compilePaper(row)
}

/** Stores the paper of the exam's questions as they are now; its id. 404 where the exam is gone. */
export async function insertCurrentPaper(db: Executor, examId: number): Promise<number> {
  const id = await examStore.insertCurrentPaper(db, examId)
  if (id === undefined) throw new AppError('not_found')
  return id
}

function compilePaper({ id, examId, msqScoring, questions }: examStore.PaperRow): Paper {
  return {
    id,
    questions: questions.map((question) => ({
      id: question.id,
      exam_id: examId,
      question_text: question.question_text,
      option_a: question.option_a,
      option_b: question.option_b,
      option_c: question.option_c,
      option_d: question.option_d,
      question_type: question.question_type,
      image_path: question.image_path,
      positive_marks: Number(question.positive_marks),
      negative_marks: Number(question.negative_marks),
    })),
    types: new Map(questions.map((question) => [question.id, question.question_type])),
    key: new AnswerKey(questions, msqScoring),
    solutions: questions.map((question) => ({
      correctAnswer: question.correct_answer,
      tolerance: Number(question.tolerance),
    })),
  }
}
