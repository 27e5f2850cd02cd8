import { LRUCache } from 'lru-cache'
import type { PaperQuestion } from '../../../../schemas/exams/attempts.ts'
import type { Core } from '../../../core.ts'
import type { Executor } from '../../../db/client.ts'
import type { StoredQuestion } from '../../../db/tables/exams/attempts.ts'
import type { Regrade } from '../../../db/tables/exams/corrections.ts'
import { AppError } from '../../../errors.ts'
import { perNode } from '../../../per-node.ts'
import { expiryOf, questionImageUrl } from '../../uploads/addresses.ts'
import { type GradedQuestion, overlay, PREVIEWED } from '../grading/regraded-questions.ts'
import { AnswerKey } from '../scoring.ts'
import type { AttemptRow } from '../store.ts'
import * as store from './store.ts'

/** Papers that a node keeps in memory; the one that was used least recently makes room. */
const KEPT = 200

/** A question as students get it. This type has no key; the image's address is added later. */
export type PublicQuestion = Omit<PaperQuestion, 'image_url'>

export interface Paper {
  id: number
  questions: PublicQuestion[]
  types: ReadonlyMap<number, StoredQuestion['question_type']>
  /** How the regrades in force, oldest first, let it be graded. */
  gradedBy(inForce: readonly Regrade[]): Grading
}

export interface Grading {
  /** Grades answers; the key can't be read from it. */
  key: AnswerKey
  /** The questions with their keys in readable form, for released results and administrators only. */
  questions: GradedQuestion[]
}

/** Gradings that are kept for one paper: the one in force, and those for previews and undos. */
const GRADINGS_KEPT = 4
/** Characters of papers that are kept as JSON texts. */
const MOST_WRITTEN = 32 * 1024 * 1024

const papersOf = perNode(() => new LRUCache<number, Paper>({ max: KEPT }))
const writtenBy = perNode(
  () => new LRUCache<string, string>({ maxSize: MOST_WRITTEN, sizeCalculation: ({ length }) => length }),
)

/** Whether this node holds the paper already. */
export function holdsPaper(core: Core, id: number): boolean {
  return papersOf(core).has(id)
}

/**
 * A paper, from memory if this node has it. A paper never changes, so nothing has to be invalidated: the database is
 * asked each time which paper the exam's next attempt gets (`Standing.paperId`). 404 if its exam is gone.
 */
export async function getPaper(core: Core, db: Executor, id: number): Promise<Paper> {
  const papers = papersOf(core)
  const known = papers.get(id)
  if (known) return known
  const paper = await loadPaper(db, id)
  papers.set(id, paper)
  return paper
}

/** The paper that an attempt was started with; attempts that an administrator added have none. */
export function paperOf(
  core: Core,
  db: Executor,
  { id, paperId }: Pick<AttemptRow, 'id' | 'paperId'>,
): Promise<Paper> {
  if (paperId === null) throw new Error(`attempt ${id} has no paper`)
  return getPaper(core, db, paperId)
}

async function loadPaper(db: Executor, id: number): Promise<Paper> {
  const row = await store.findPaper(db, id)
  if (!row) throw new AppError('not_found')
  return compilePaper(row)
}

/**
 * The questions as a JSON text, which all students share while the addresses of images stay the same: writing it anew
 * would take most of their request.
 */
export function writeQuestions(core: Core, { id, questions }: Paper): string {
  const written = writtenBy(core)
  const name = `${id} ${expiryOf(core)}`
  const known = written.get(name)
  if (known !== undefined) return known
  const shown = questions.map((question) => ({
    ...question,
    image_url: questionImageUrl(core, question.image_path),
  }))
  const text = JSON.stringify(shown satisfies PaperQuestion[])
  written.set(name, text)
  return text
}

/** Stores the paper of the exam's questions as they are now; its id. 404 where the exam is gone. */
export async function insertCurrentPaper(db: Executor, examId: number): Promise<number> {
  const id = await store.insertCurrentPaper(db, examId)
  if (id === undefined) throw new AppError('not_found')
  return id
}

function compilePaper({ id, examId, msqScoring, questions }: store.PaperRow): Paper {
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
    gradedBy: rememberGradings((inForce) => {
      const graded = overlay(questions, inForce)
      return { key: new AnswerKey(graded, msqScoring), questions: graded }
    }),
  }
}

/**
 * A regrade never changes, so the ids of the regrades name the grading. A preview has no id of its own and is not
 * kept.
 */
function rememberGradings(grade: (inForce: readonly Regrade[]) => Grading): Paper['gradedBy'] {
  const kept = new LRUCache<string, Grading>({ max: GRADINGS_KEPT })
  return (inForce) => {
    const ids = inForce.map(({ id }) => id)
    if (ids.includes(PREVIEWED)) return grade(inForce)
    const name = ids.join()
    const grading = kept.get(name) ?? grade(inForce)
    kept.set(name, grading)
    return grading
  }
}
