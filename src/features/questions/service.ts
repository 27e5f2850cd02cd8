import type {
  BulkMarksBody,
  OfferedQuestion,
  Question,
  QuestionFields,
  QuestionForm,
} from '../../../schemas/admin/exams/questions.ts'
import type { Actor } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/client.ts'
import { requireExam } from '../../db/exams.ts'
import { LOCKS, lockShared } from '../../db/locks.ts'
import { AppError, invalidField } from '../../errors.ts'
import { offsetOf } from '../../paging.ts'
import { listKeysInForce } from '../attempts/grading/service.ts'
import { record } from '../audit/service.ts'
import { questionImageUrl } from '../uploads/addresses.ts'
import { type CheckedQuestion, checkNumber, checkQuestion, isQuestionType, textOf } from './checking.ts'
import * as store from './store.ts'

/** Questions on a page of the administrators' list. */
export const QUESTIONS_PER_PAGE = 50

/** One page in the order of their making, of one exam or of all, and how many there are. */
export async function listQuestions(core: Core, examId: number | undefined, page: number) {
  const [rows, total] = await Promise.all([
    store.listQuestions(core.db, examId, QUESTIONS_PER_PAGE, offsetOf(page, QUESTIONS_PER_PAGE)),
    store.countQuestions(core.db, examId),
  ])
  return { questions: await presentAll(core, rows), total }
}

export async function getQuestion(core: Core, id: number): Promise<Question> {
  const row = await store.findQuestion(core.db, id)
  const [question] = row ? await presentAll(core, [row]) : []
  if (!question) throw new AppError('not_found')
  return question
}

/** Adds a question; answers its id. */
export async function addQuestion(
  core: Core,
  actor: Actor,
  examId: number,
  offered: OfferedQuestion,
): Promise<number> {
  const question = accept(checkQuestion(offered))
  return core.db.transaction(async (tx) => {
    const [id] = (await store.insertQuestions(tx, [toValues(examId, question)])) as [number]
    const summary = `Added to exam ${examId}`
    await record(tx, actor, { action: 'question.create', subject: ['question', id], summary })
    return id
  })
}

/** Changes the given fields, before or after any regrade of the exam; the result is checked like a new question. */
export async function changeQuestion(
  core: Core,
  actor: Actor,
  id: number,
  changes: QuestionForm,
): Promise<void> {
  const { exam_id, ...fields } = changes
  if (Object.keys(changes).length === 0) throw new AppError('nothing_to_update')
  await core.db.transaction(async (tx) => {
    const found = await store.findQuestion(tx, id)
    if (found) await lockShared(tx, LOCKS.examGrading(found.examId))
    const current = await store.findQuestionForUpdate(tx, id)
    if (!current) throw new AppError('not_found')
    // The path of an image that came with an import was never checked: it stays until an edit sets another one.
    const anyImagePath = fields.image_path === undefined
    const [shown = current] = await withKeysInForce(tx, [current])
    const question = accept(checkQuestion({ ...toFields(shown), ...fields }, { anyImagePath }))
    const values = toValues(exam_id ?? current.examId, question)
    // A regrade stays what it is, above the question's own key, until an edit changes what is shown.
    const key = keepsKey(values, shown) ? keyOf(current) : { keyVersion: current.keyVersion + 1 }
    await store.updateQuestion(tx, id, { ...values, ...key })
    const summary = `Changed: ${Object.keys(changes).join(', ')}`
    await record(tx, actor, { action: 'question.change', subject: ['question', id], summary })
  })
}

export async function deleteQuestion(core: Core, actor: Actor, id: number): Promise<void> {
  if ((await deleteQuestions(core, actor, [id])) === 0) throw new AppError('not_found')
}

/** Answers how many were deleted; unknown ids are ignored. */
export async function deleteQuestions(core: Core, actor: Actor, ids: number[]): Promise<number> {
  return core.db.transaction(async (tx) => {
    const deleted = await store.deleteQuestions(tx, ids)
    const changes = deleted.map(({ id, examId }) => ({
      action: 'question.delete' as const,
      subject: ['question', id] as const,
      summary: `Deleted from exam ${examId}`,
    }))
    await record(tx, actor, ...changes)
    return deleted.length
  })
}

export interface BulkAdded {
  added: number
  /** Why single entries were left out. */
  errors: string[]
}

/** Adds the valid entries. Entries without a text are ignored, other invalid ones are named. */
export async function addQuestions(
  core: Core,
  actor: Actor,
  examId: number,
  offered: OfferedQuestion[],
): Promise<BulkAdded> {
  await requireExam(core.db, examId)
  const rows: store.QuestionValues[] = []
  const errors: string[] = []
  for (const [index, each] of offered.entries()) {
    if (textOf(each.question_text) === '') continue
    const checked = checkQuestion(each)
    if ('question' in checked) rows.push(toValues(examId, checked.question))
    else errors.push(`Question ${index + 1}: ${checked.field} ${checked.error}`)
  }
  await core.db.transaction(async (tx) => {
    await store.insertQuestions(tx, rows)
    if (rows.length === 0) return
    const summary = `${rows.length} questions were added`
    await record(tx, actor, { action: 'question.create', subject: ['exam', examId], summary })
  })
  return { added: rows.length, errors }
}

/** Sets the given marks of all questions of a type in an exam; answers how many they are. */
export async function changeMarks(core: Core, actor: Actor, input: BulkMarksBody): Promise<number> {
  const type = input.question_type.toUpperCase()
  if (!isQuestionType(type)) throw invalidField('/question_type', 'is not MCQ, MSQ or NUMERIC')
  const marks: store.Marks = {}
  for (const [field, column] of MARKS) {
    const value = input[field]
    if (value === undefined) continue
    const error = checkNumber(field, value)
    if (error) throw invalidField(`/${field}`, error)
    marks[column] = value
  }
  if (Object.keys(marks).length === 0) throw new AppError('nothing_to_update')
  await requireExam(core.db, input.exam_id)
  return core.db.transaction(async (tx) => {
    await lockShared(tx, LOCKS.examGrading(input.exam_id))
    const ids = await store.lockQuestionsOfType(tx, input.exam_id, type)
    // A tolerance belongs to the key, so this ends regrades' keys: they become the questions' own.
    if (marks.tolerance !== undefined)
      for (const { questionId, ...key } of await listKeysInForce(tx, ids))
        await store.updateQuestion(tx, questionId, key)
    await store.updateMarks(tx, ids, marks)
    const updated = ids.length
    const summary = `Changed ${Object.keys(marks).join(', ')} of ${updated} questions of type ${type}`
    if (updated > 0)
      await record(tx, actor, { action: 'question.change', subject: ['exam', input.exam_id], summary })
    return updated
  })
}

const MARKS = [
  ['positive_marks', 'positiveMarks'],
  ['negative_marks', 'negativeMarks'],
  ['tolerance', 'tolerance'],
] as const

function accept(checked: CheckedQuestion): QuestionFields {
  if ('question' in checked) return checked.question
  throw invalidField(`/${checked.field}`, checked.error)
}

/** A question as columns of the table. */
export function toValues(examId: number, question: QuestionFields): store.QuestionValues {
  return {
    examId,
    questionText: question.question_text,
    optionA: question.option_a,
    optionB: question.option_b,
    optionC: question.option_c,
    optionD: question.option_d,
    correctAnswer: question.correct_answer,
    questionType: question.question_type,
    imagePath: question.image_path,
    positiveMarks: question.positive_marks,
    negativeMarks: question.negative_marks,
    tolerance: question.tolerance,
  }
}

export function toFields(row: store.QuestionRow): QuestionFields {
  return {
    question_text: row.questionText,
    option_a: row.optionA,
    option_b: row.optionB,
    option_c: row.optionC,
    option_d: row.optionD,
    correct_answer: row.correctAnswer,
    question_type: row.questionType,
    image_path: row.imagePath,
    positive_marks: row.positiveMarks,
    negative_marks: row.negativeMarks,
    tolerance: row.tolerance,
  }
}

/**
 * Questions with the keys that would grade a new paper: a regrade's key while it is in force, else the question's
 * own.
 */
export async function withKeysInForce(db: Executor, rows: store.QuestionRow[]): Promise<store.QuestionRow[]> {
  const keys = await listKeysInForce(
    db,
    rows.map(({ id }) => id),
  )
  const inForce = new Map(keys.map(({ questionId, ...key }) => [questionId, key]))
  return rows.map((row) => ({ ...row, ...inForce.get(row.id) }))
}

function keyOf({ questionType, correctAnswer, tolerance }: store.QuestionRow) {
  return { questionType, correctAnswer, tolerance }
}

/** Whether the same answers are right, in the same exam: a regrade is one exam's. */
function keepsKey(values: store.QuestionValues, shown: store.QuestionRow): boolean {
  return (
    values.examId === shown.examId &&
    values.questionType === shown.questionType &&
    values.correctAnswer === shown.correctAnswer &&
    values.tolerance === shown.tolerance
  )
}

async function presentAll(core: Core, rows: store.QuestionRow[]): Promise<Question[]> {
  return (await withKeysInForce(core.db, rows)).map((row) => ({
    id: row.id,
    exam_id: row.examId,
    ...toFields(row),
    image_url: questionImageUrl(core, row.imagePath),
  }))
}
