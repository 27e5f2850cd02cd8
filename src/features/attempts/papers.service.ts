import { LRUCache } from 'lru-cache'
import type { PaperQuestion } from '../../../schemas/attempts.schemas.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import type { StoredQuestion } from '../../db/tables/attempts.tables.ts'
import type { Regrade } from '../../db/tables/corrections.tables.ts'
import { AppError } from '../../errors.ts'
import { perNode } from '../../per-node.ts'
import {
  concreteOf,
  type Drawable,
  draw,
  hasDrawnKey,
  keyOf,
  NO_ATTEMPT,
  showValues,
} from '../questions/kinds/concrete.ts'
import { expiryOf, questionImageUrl } from '../uploads/upload-addresses.ts'
import type { AttemptRow } from './attempts.store.ts'
import { HAS_VARIABLES, type Paper } from './paper.ts'
import * as store from './papers.store.ts'
import { overlay, PREVIEWED } from './regraded-questions.ts'
import { AnswerKey } from './scoring.ts'
import { isNatural, placesOf, type Sitting, showOwn } from './sitting.ts'

/** Papers that a node keeps in memory, and their characters; the one that was used least recently makes room. */
const KEPT = 200
const MOST_HELD = 128 * 1024 * 1024

/** Gradings that are kept for one paper: the one in force, and those for previews and undos. */
const GRADINGS_KEPT = 4
/** Characters of papers of single attempts. */
const MOST_DRAWN = 64 * 1024 * 1024
/** Characters of the rest of a question. */
const FIELDS = 500
/** Characters of papers that are kept as JSON texts. */
const MOST_WRITTEN = 32 * 1024 * 1024

const papersOf = perNode(
  () =>
    new LRUCache<number, Paper>({
      max: KEPT,
      maxSize: MOST_HELD,
      sizeCalculation: ({ tasks }) => JSON.stringify(tasks, withoutExact).length,
    }),
)
/** Papers of attempts at exams with variables. */
const drawnBy = perNode(
  () =>
    new LRUCache<string, Paper>({
      maxSize: MOST_DRAWN,
      // About: to write all of it would take as long as to make it.
      sizeCalculation: ({ tasks }) => tasks.reduce((sum, task) => sum + charactersOf(task), 1),
    }),
)
const writtenBy = perNode(
  () =>
    new LRUCache<string, WrittenPaper>({
      maxSize: MOST_WRITTEN,
      sizeCalculation: ({ whole, pieces }) =>
        pieces.reduce((sum, { length }) => sum + length, whole.length + 1),
    }),
)

function charactersOf({
  question_text,
  option_a,
  option_b,
  option_c,
  option_d,
  more_options,
  parts,
}: StoredQuestion) {
  const options = [option_a, option_b, option_c, option_d, ...more_options]
  const rest = parts === null ? 0 : JSON.stringify(parts, withoutExact).length
  return options.reduce((sum, { length }) => sum + length, question_text.length + rest + FIELDS)
}

/** Exact values, which are no JSON. */
const withoutExact = (name: string, value: unknown) => (name === 'exact' ? undefined : value)

/** A paper's questions as JSON texts. */
interface WrittenPaper {
  /** For attempts that have nothing of their own. */
  whole: string
  /** Each question without its end, which is the attempt's own. */
  pieces: string[]
}

/** Whether this node holds the paper already. */
export function holdsPaper(core: Core, id: number): boolean {
  return papersOf(core).has(id)
}

/**
 * A paper, from memory if this node has it. A paper never changes, so nothing has to be invalidated: the database is
 * asked each time which paper the exam's next attempt gets (`CandidateStanding.paperId`). 404 if its exam is gone.
 */
export async function getPaper(core: Core, db: Executor, id: number): Promise<Paper> {
  const paper = await findPaper(core, db, id)
  if (!paper) throw new AppError('not_found')
  return paper
}

/** A paper, from memory if this node has it; undefined if its exam is gone. */
export async function findPaper(core: Core, db: Executor, id: number): Promise<Paper | undefined> {
  const papers = papersOf(core)
  const known = papers.get(id)
  if (known) return known
  const row = await store.findPaper(db, id)
  if (!row) return undefined
  const paper = compilePaper(row)
  papers.set(id, paper)
  return paper
}

/** The paper of an exam's questions as they are now. 404 if the exam is gone. */
export async function currentPaperOf(core: Core, db: Executor, examId: number): Promise<Paper> {
  return getPaper(
    core,
    db,
    (await store.findCurrentPaper(db, examId)) ?? (await insertCurrentPaper(db, examId)),
  )
}

/** The paper that an attempt was started with; attempts that an administrator added have none. */
export async function paperOf(
  core: Core,
  db: Executor,
  { id, paperId, seed }: Pick<AttemptRow, 'id' | 'paperId' | 'seed'>,
): Promise<Paper> {
  if (paperId === null) throw new Error(`attempt ${id} has no paper`)
  return drawnPaper(core, await getPaper(core, db, paperId), seed)
}

/** A paper with the values of an attempt, made once on this node while the attempt is read. */
export function drawnPaper(core: Core, paper: Paper, seed: string | null): Paper {
  if (!paper.hasVariables || seed === null) return paper
  const drawn = drawnBy(core)
  const name = `${paper.id} ${seed}`
  const known = drawn.get(name)
  if (known) return known
  const fresh = paper.of(seed)
  drawn.set(name, fresh)
  return fresh
}

/**
 * An attempt's questions as a JSON text. Students share it, or at least its pieces, while the addresses of images stay
 * the same: writing it anew would take most of their request.
 */
export function writeQuestions(
  core: Core,
  paper: Paper,
  sitting: Sitting,
  corrected: ReadonlyMap<number, string>,
): string {
  const { whole, pieces } = writePaper(core, paper)
  if (isNatural(sitting) && !paper.hasOwnIds && corrected.size === 0) return whole
  const written = placesOf(paper, sitting).map(
    (place) => `${pieces[place]}${writeOwn(paper.tasks[place] as StoredQuestion, sitting, corrected)}`,
  )
  return `[${written.join()}]`
}

/** An answer as a JSON text: its fields, and the questions, which are written already. */
export function withQuestions(questions: string, fields: object): string {
  return `${JSON.stringify(fields).slice(0, -1)},"questions":${questions}}`
}

/** For what shows a paper as it was made. */
export const NONE_CORRECTED: ReadonlyMap<number, string> = new Map()

const NATURAL: Sitting = { seed: null, shuffle: null, drawn: null }

function writePaper(core: Core, paper: Paper): WrittenPaper {
  const written = writtenBy(core)
  const name = `${paper.name} ${expiryOf(core)}`
  const known = written.get(name)
  if (known !== undefined) return known
  const pieces = paper.questions.map(({ more_options, image_alt, ...question }) => {
    const shown: Omit<PaperQuestion, 'more_options' | 'image_alt' | 'option_order' | 'parts'> = {
      ...question,
      image_url: questionImageUrl(core, question.image_path),
    }
    return JSON.stringify(shown).slice(0, -1)
  })
  const whole = paper.hasOwnIds
    ? ''
    : `[${pieces.map((piece, place) => piece + writeOwn(paper.tasks[place] as StoredQuestion, NATURAL, NONE_CORRECTED)).join()}]`
  const fresh = { whole, pieces }
  written.set(name, fresh)
  return fresh
}

/** The end of a question's object: what may be the attempt's own. */
function writeOwn(task: StoredQuestion, sitting: Sitting, corrected: ReadonlyMap<number, string>): string {
  const { id, more_options } = task
  const image_alt = corrected.get(id) ?? task.image_alt ?? ''
  return `,${JSON.stringify({ image_alt, more_options, ...showOwn(task, sitting) }).slice(1)}`
}

/** Stores the paper of the exam's questions as they are now; its id. 404 where the exam is gone. */
export async function insertCurrentPaper(db: Executor, examId: number): Promise<number> {
  const id = await store.insertCurrentPaper(db, examId)
  if (id === undefined) throw new AppError('not_found')
  return id
}

function compilePaper(row: store.PaperRow, seed = NO_ATTEMPT): Paper {
  const { id, examId, msqScoring, questions: written } = row
  const places = new Map(written.map(({ id }, place) => [id, place]))
  const fillings = written.map((task) => draw(task, seed))
  const hasVariables = fillings.some((filling) => filling !== undefined)
  const withValues = <Q extends Drawable>(question: Q, place: number): Q => {
    const filling = fillings[place]
    return filling ? concreteOf(question, filling) : question
  }
  const tasks = hasVariables ? written.map(withValues) : written
  const paper: Paper = {
    id,
    name: hasVariables ? `${id} ${seed}` : String(id),
    hasVariables,
    of: (another) => (hasVariables && another !== seed ? compilePaper(row, another) : paper),
    single(questionId, another) {
      const task = written[places.get(questionId) ?? -1]
      return task?.draws ? compilePaper({ ...row, questions: [task] }, another) : paper
    },
    gradingsBy(inForce) {
      if (!hasVariables) {
        const grading = paper.gradedBy(inForce)
        return () => grading
      }
      const graded = overlay(written, inForce)
      const isDrawn = graded.map(hasDrawnKey)
      return (another) => {
        // The values are drawn for the question as the paper has it, whatever key a regrade has given it since.
        const questions = graded.map((question, place) => {
          if (!isDrawn[place]) return question
          const filling = draw(written[place] as StoredQuestion, another ?? NO_ATTEMPT)
          return filling ? keyOf(question, filling) : question
        })
        return { key: new AnswerKey(questions, msqScoring), questions }
      }
    },
    valuesOf(questionId) {
      const filling = fillings[places.get(questionId) ?? -1]
      return filling && showValues(filling.values)
    },
    discussedText(questionId) {
      const task = written[places.get(questionId) ?? -1]
      return task && draw(task, NO_ATTEMPT)?.text(task.question_text)
    },
    fill: (questionId, text) => fillings[places.get(questionId) ?? -1]?.text(text) ?? text,
    tasks,
    questions: tasks.map((task, place) => ({
      id: task.id,
      exam_id: examId,
      question_text: task.question_text,
      option_a: task.option_a,
      option_b: task.option_b,
      option_c: task.option_c,
      option_d: task.option_d,
      more_options: task.more_options,
      question_type: task.question_type,
      image_path: task.image_path,
      image_alt: task.image_alt ?? '',
      positive_marks: Number(task.positive_marks),
      negative_marks: Number(task.negative_marks),
      ...(fillings[place] ? { [HAS_VARIABLES]: true as const } : {}),
    })),
    find: (questionId) => tasks[places.get(questionId) ?? -1],
    placeOf: (questionId) => places.get(questionId),
    msqScoring,
    hasOwnIds: tasks.some(({ parts }) => parts !== null),
    gradedBy: rememberGradings((inForce) => {
      const graded = overlay(written, inForce).map(withValues)
      return { key: new AnswerKey(graded, msqScoring), questions: graded }
    }),
  }
  return paper
}

/**
 * A regrade never changes, so the ids of the regrades name the grading. A preview has no id of its own and is not
 * kept.
 */
function rememberGradings<T extends object>(
  grade: (inForce: readonly Regrade[]) => T,
): (inForce: readonly Regrade[]) => T {
  const kept = new LRUCache<string, T>({ max: GRADINGS_KEPT })
  return (inForce) => {
    const ids = inForce.map(({ id }) => id)
    if (ids.includes(PREVIEWED)) return grade(inForce)
    const name = ids.join()
    const grading = kept.get(name) ?? grade(inForce)
    kept.set(name, grading)
    return grading
  }
}
