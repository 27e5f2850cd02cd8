import { isDeepStrictEqual } from 'node:util'
import type { QuestionType } from '../../../schemas/common.ts'
import type {
  BulkMarksBody,
  CopyBody,
  OfferedQuestion,
  Question,
  QuestionFields,
  QuestionForm,
  QuestionsQuery,
  WasQuestion,
} from '../../../schemas/questions.schemas.ts'
import type { Actor } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { keepExam, requireExam } from '../../db/exam-rows.ts'
import { LOCKS, lockShared } from '../../db/locks.ts'
import { UNORDERED } from '../../db/tables/exams.tables.ts'
import { AppError, invalidField, invalidFields } from '../../errors.ts'
import { slicesOf } from '../../formats/slices.ts'
import { offsetOf } from '../../paging.ts'
import { breaks } from '../../scheduling/breaks.ts'
import { requireUnchanged } from '../../unchanged.ts'
import { listKeysInForce } from '../attempts/grading-lock.service.ts'
import { record } from '../audit/audit.service.ts'
import { describeChanged } from '../audit/audit-words.ts'
import { requireOneVersion } from '../nodes/nodes.service.ts'
import { questionImageUrl } from '../uploads/upload-addresses.ts'
import type { DrawTrial } from './draw-trial.ts'
import { drawTrials, tryQuestion } from './draw-trials.ts'
import {
  type CheckedQuestion,
  checkNumber,
  checkQuestion,
  describeErrors,
  isQuestionType,
  type QuestionCheck,
  type QuestionFieldError,
  textOf,
} from './question-checks.ts'
import { toFields, toValues } from './question-mapping.ts'
import { foldTag } from './question-tags.ts'
import * as store from './questions.store.ts'

/** Questions on a page of the administrators' list. */
export const QUESTIONS_PER_PAGE = 50
/** Questions that are in memory while they are copied. */
const COPIED_AT_ONCE = 200
/** The most that an exam which is taken may have: others wait while its paper is made and read. */
const ROOM = { most: 10_000, bytes: 16 * 1024 * 1024 }
/** Different tags of an exam's questions: forecasts, lists and rules of draws name them all. */
const MOST_TAGS = 1_000
/** Tags that are looked for one by one among an exam's questions: those of one question at least. */
const ASKED_AT_MOST = 20

interface Offering {
  check?: QuestionCheck
  /** The teacher who asks, for exams of their own: they name no images of other exams. */
  teacherId?: number | undefined
}

/** The images that somebody may name; undefined for administrators, who may name all. */
export async function findNamable(
  db: Executor,
  teacherId: number | undefined,
): Promise<ReadonlySet<string> | undefined> {
  return teacherId === undefined ? undefined : store.listOwnImages(db, teacherId)
}

/** 409 `too_many` if one of these exams is too large to be taken. */
export async function requireExamSize(db: Executor, examIds: readonly number[]): Promise<void> {
  if (await store.isAnyLarger(db, examIds, ROOM))
    throw new AppError('too_many', { message: 'An exam has at most 10,000 questions and 16 MiB of texts' })
}

/** `requireExamSize` of those that are published, behind a change that holds their rows: drafts may be larger. */
export async function requirePublishedExamSize(tx: Executor, examIds: readonly number[]): Promise<void> {
  await requireExamSize(tx, await store.listPublished(tx, examIds))
}

/**
 * 409 `too_many` if one of these exams has too many different tags and this transaction brought one, behind the change
 * that did, which holds the exams' rows: an exam from before this bound still takes every other change.
 */
export async function requireFewTags(tx: Executor, examIds: readonly number[]): Promise<void> {
  if (examIds.length > 0 && (await store.hasAnyMoreTags(tx, examIds, MOST_TAGS)))
    throw new AppError('too_many', {
      message: `The questions of an exam have at most ${MOST_TAGS} different tags`,
    })
}

/**
 * `requireFewTags` of an exam whose questions were given these tags, which doesn't go through all tags of the exam
 * where these are few and it has them already.
 */
async function requireFewTagsWith(tx: Executor, examId: number, keys: ReadonlySet<string>): Promise<void> {
  if (keys.size === 0) return
  if (keys.size > ASKED_AT_MOST || (await store.isAnyNewTag(tx, examId, [...keys])))
    await requireFewTags(tx, [examId])
}

/** Types that the first release doesn't know. */
const NEW_TYPES: ReadonlySet<QuestionType> = new Set(['FORMULA'])

/** What makes up a question's kind. */
export type KnownKind = Pick<store.QuestionValues, 'questionType' | 'variables'>

/** 409 `nodes_differ` for types, or variables, that a node which is still there may not know. */
export async function requireKnownKinds(tx: Executor, questions: readonly KnownKind[]): Promise<void> {
  const isNew = ({ questionType, variables = [] }: KnownKind) =>
    variables.length > 0 || (questionType !== undefined && NEW_TYPES.has(questionType))
  if (questions.some(isNew)) await requireOneVersion(tx)
}

/** One page, each exam's in their order, of one exam or of all, and how many there are. */
export async function listQuestions(core: Core, { exam_id: examId, tag, page }: QuestionsQuery) {
  const filter = { examId, tagKey: tag === undefined ? undefined : foldTag(tag) }
  const [rows, total] = await Promise.all([
    store.listQuestions(core.db, filter, QUESTIONS_PER_PAGE, offsetOf(page, QUESTIONS_PER_PAGE)),
    store.countQuestions(core.db, filter),
  ])
  return { questions: await toQuestions(core, rows), total }
}

export async function getQuestion(core: Core, id: number): Promise<Question> {
  const row = await store.findQuestion(core.db, id)
  const [question] = row ? await toQuestions(core, [row]) : []
  if (!question) throw new AppError('not_found')
  return question
}

/** Adds a question; answers its id. */
export async function addQuestion(
  core: Core,
  actor: Actor,
  examId: number,
  offered: OfferedQuestion,
  { check = checkQuestion, teacherId }: Offering = {},
): Promise<number> {
  const images = await findNamable(core.db, teacherId)
  const question = accept(check(offered, { images }))
  const kept = keptOf(await tryQuestion(question))
  return core.db.transaction(async (tx) => {
    const values = toValues(examId, question, kept)
    const [id] = (await store.insertQuestions(tx, [values])) as [number]
    await requirePublishedExamSize(tx, [examId])
    await requireFewTagsWith(tx, examId, new Set(values.tagKeys))
    await requireKnownKinds(tx, [values])
    const summary = `Added to exam ${examId}`
    await record(tx, actor, { action: 'question.create', subject: ['question', id], summary })
    return id
  })
}

/** Fields of which an empty input says nothing: what was there stays. */
const NEVER_EMPTY = new Set(['question_type', 'positive_marks', 'negative_marks', 'tolerance'])

/**
 * Changes the given fields, before or after any regrade of the exam; the result is checked like a new question. 409
 * `changed` if a field is no longer as `was` says.
 */
export async function changeQuestion(
  core: Core,
  actor: Actor,
  id: number,
  changes: QuestionForm,
  { check = checkQuestion, teacherId, was }: Offering & { was?: WasQuestion | undefined } = {},
): Promise<void> {
  const given = Object.entries(changes).filter(([name, value]) => value !== '' || !NEVER_EMPTY.has(name))
  const { exam_id, ...fields }: QuestionForm = Object.fromEntries(given)
  if (given.length === 0) throw new AppError('nothing_to_update')
  // Draws are tried before the transaction, which waits for nothing; again where the question has changed meanwhile.
  for (let tries = 0; tries < MOST_TRIALS; tries++) {
    const before = await store.findQuestion(core.db, id)
    const [shown] = before ? await withKeysInForce(core.db, [before]) : []
    const expected = shown && check({ ...toFields(shown), ...fields }, { anyImagePath: true })
    const tried = expected && 'question' in expected ? await tryDrawn(expected.question) : undefined
    if (await storeChange(tried)) return
  }
  throw new AppError('changed')

  async function storeChange(tried: TriedQuestion | undefined): Promise<boolean> {
    return core.db.transaction(async (tx) => {
      const found = await store.findQuestion(tx, id)
      if (found) await lockShared(tx, LOCKS.examGrading(found.examId))
      const current = await store.findQuestionForUpdate(tx, id)
      if (!current) throw new AppError('not_found')
      // The path of an image that came with an import was never checked: it stays until an edit sets another one.
      const anyImagePath = fields.image_path === undefined || fields.image_path === current.imagePath
      const images = anyImagePath ? undefined : await findNamable(tx, teacherId)
      const [shown = current] = await withKeysInForce(tx, [current])
      const stored = { exam_id: current.examId, ...toFields(shown) }
      const checked = check({ ...stored, ...fields }, { anyImagePath, images })
      const wanted = Object.entries('question' in checked ? { exam_id, ...checked.question } : {})
      const isGiven = new Set(given.map(([name]) => name))
      // Before what is wrong with it, which may be what somebody else has changed alone, such as the type.
      requireUnchanged(stored, was, Object.fromEntries(wanted.filter(([name]) => isGiven.has(name))))
      const question = accept(checked)
      const isTried = question.variables.length === 0 || (tried && isSameDrawn(tried.question, question))
      if (!isTried) return false
      const values = toValues(exam_id ?? current.examId, question, tried ? keptOf(tried.trial) : null)
      // A regrade stays what it is, above the question's own key, until an edit changes what is shown.
      const key = keepsKey(values, shown) ? keyOf(current) : { keyVersion: current.keyVersion + 1 }
      if (values.examId !== current.examId) await store.lockExams(tx, [current.examId, values.examId])
      const place = values.examId === current.examId ? {} : { placeInExam: UNORDERED }
      await store.updateQuestion(tx, id, { ...values, ...key, ...place })
      await requirePublishedExamSize(tx, [values.examId])
      const known = new Set(values.examId === current.examId ? current.tagKeys : [])
      const brought = new Set(values.tagKeys?.filter((key) => !known.has(key)))
      await requireFewTagsWith(tx, values.examId, brought)
      await requireKnownKinds(tx, [values])
      const summary = describeChanged(given.map(([name]) => name))
      await record(tx, actor, { action: 'question.change', subject: ['question', id], summary })
      return true
    })
  }
}

/** How often a change that meets others is tried. */
const MOST_TRIALS = 5

interface TriedQuestion {
  question: QuestionFields
  trial: DrawTrial | undefined
}

async function tryDrawn(question: QuestionFields): Promise<TriedQuestion> {
  return { question, trial: await tryQuestion(question) }
}

/** Whether the draws of one are those of the other. */
function isSameDrawn(one: QuestionFields, other: QuestionFields): boolean {
  const { tags: _, image_path: _path, positive_marks: _plus, negative_marks: _minus, ...drawn } = one
  return isDeepStrictEqual({ ...other, ...drawn }, other)
}

/** The draw that is kept of a question; 400 where something is wrong with its draws. */
export function keptOf(trial: DrawTrial | undefined): store.QuestionRow['keptDraw'] {
  if (trial && 'errors' in trial) return refuse(trial.errors)
  return trial?.kept ?? null
}

/**
 * Puts an exam's questions into this order, which must name each of them once: 409 `order_changed` with the stored
 * order where others were added or removed meanwhile. Of two orders at once the later one stays.
 */
export async function orderQuestions(
  core: Core,
  actor: Actor,
  examId: number,
  ids: readonly number[],
): Promise<void> {
  await requireExam(core.db, examId)
  await core.db.transaction(async (tx) => {
    const stored = await store.lockOrder(tx, examId)
    const wanted = new Set(ids)
    if (ids.length !== stored.length || stored.some((id) => !wanted.has(id)))
      throw new AppError('order_changed', { details: { ids: stored } })
    if ((await store.orderQuestions(tx, ids)) === 0) return
    // Older nodes would make papers in the order of ids, which all nodes share.
    await requireOneVersion(tx)
    const summary = 'The order of its questions was changed'
    await record(tx, actor, { action: 'question.change', subject: ['exam', examId], summary })
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
  { check = checkQuestion, teacherId }: Offering = {},
): Promise<BulkAdded> {
  await requireExam(core.db, examId)
  const images = await findNamable(core.db, teacherId)
  const rows: store.QuestionValues[] = []
  const errors: string[] = []
  const takeBreak = breaks()
  const trials = drawTrials()
  for (const [index, each] of offered.entries()) {
    await takeBreak()
    if (textOf(each.question_text) === '') continue
    const checked = check(each, { images })
    const trial = 'question' in checked ? await trials.try(checked.question) : checked
    if ('question' in checked && !(trial && 'errors' in trial))
      rows.push(toValues(examId, checked.question, keptOf(trial as DrawTrial | undefined)))
    else
      errors.push(`Question ${index + 1}: ${describeErrors(trial && 'errors' in trial ? trial.errors : [])}`)
  }
  await core.db.transaction(async (tx) => {
    await store.insertQuestions(tx, rows)
    if (rows.length === 0) return
    await requirePublishedExamSize(tx, [examId])
    await requireFewTagsWith(tx, examId, new Set(rows.flatMap(({ tagKeys = [] }) => tagKeys)))
    await requireKnownKinds(tx, rows)
    const summary = `${rows.length} questions were added`
    await record(tx, actor, { action: 'question.create', subject: ['exam', examId], summary })
  })
  return { added: rows.length, errors }
}

/**
 * Copies questions into an exam in the given order, with the keys that are in force. They come after the exam's other
 * questions; a name of an image stays the same, since files belong to no question. Unknown ids are named.
 */
export async function copyQuestions(
  core: Core,
  actor: Actor,
  { ids, exam_id: examId }: CopyBody,
): Promise<{ copied: number; errors: string[] }> {
  return core.db.transaction(async (tx) => {
    await keepExam(tx, examId)
    const errors: string[] = []
    const tagKeys = new Set<string>()
    for (const slice of slicesOf(ids, COPIED_AT_ONCE)) {
      const rows = await withKeysInForce(tx, await store.listQuestionsById(tx, slice))
      const byId = new Map(rows.map((row) => [row.id, toValues(examId, toFields(row), row.keptDraw)]))
      await store.insertQuestions(
        tx,
        slice.flatMap((id) => byId.get(id) ?? []),
      )
      await requireKnownKinds(tx, [...byId.values()])
      for (const values of byId.values()) for (const key of values.tagKeys ?? []) tagKeys.add(key)
      errors.push(...slice.filter((id) => !byId.has(id)).map((id) => `Question ${id}: not found`))
    }
    await requirePublishedExamSize(tx, [examId])
    await requireFewTagsWith(tx, examId, tagKeys)
    const copied = ids.length - errors.length
    const summary = `${copied} questions were copied`
    if (copied > 0) await record(tx, actor, { action: 'question.create', subject: ['exam', examId], summary })
    return { copied, errors }
  })
}

/**
 * Sets the given marks of all questions of a type in an exam, or of those that `lock` finds; answers how many they are.
 */
export async function changeMarks(
  core: Core,
  actor: Actor,
  input: BulkMarksBody,
  lock = store.lockQuestionsOfType,
): Promise<number> {
  const name = input.question_type.toUpperCase()
  const type = isQuestionType(name) ? name : undefined
  const wrong = type ? [] : [{ path: '/question_type', message: 'is not a type of questions' }]
  const marks: store.Marks = {}
  for (const [field, column] of MARKS) {
    const value = input[field]
    if (value === undefined) continue
    const error = checkNumber(field, value)
    if (error) wrong.push({ path: `/${field}`, message: error })
    marks[column] = value
  }
  if (!type || wrong.length > 0) throw invalidFields(wrong)
  if (Object.keys(marks).length === 0) throw new AppError('nothing_to_update')
  await requireExam(core.db, input.exam_id)
  return core.db.transaction(async (tx) => {
    await lockShared(tx, LOCKS.examGrading(input.exam_id))
    const ids = await lock(tx, input.exam_id, type)
    // A tolerance belongs to the key, so this ends regrades' keys: they become the questions' own.
    if (marks.tolerance !== undefined)
      for (const { questionId, ...key } of await listKeysInForce(tx, ids))
        await store.updateQuestion(tx, questionId, key)
    if (marks.tolerance === 0 && (await store.hasDrawnKeys(tx, ids)))
      throw invalidField('/tolerance', 'must be above 0: keys of these questions depend on variables')
    await store.updateMarks(tx, ids, marks)
    const updated = ids.length
    const summary = `${describeChanged(Object.keys(marks))}; of ${updated} questions of type ${type}`
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

/** 400 for what isn't valid. */
export function accept(checked: CheckedQuestion): QuestionFields {
  return 'question' in checked ? checked.question : refuse(checked.errors)
}

function refuse(errors: readonly QuestionFieldError[]): never {
  throw invalidFieldsOf(errors)
}

/** 400 with the paths of wrong fields. */
export function invalidFieldsOf(errors: readonly QuestionFieldError[]): AppError {
  return invalidFields(
    errors.map(({ field, path, error }) => ({ path: path ?? `/${field}`, message: error })),
  )
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

function keyOf({ questionType, correctAnswer, parts, tolerance, toleranceIs }: store.QuestionRow) {
  return { questionType, correctAnswer, parts, tolerance, toleranceIs }
}

/** Whether the same answers are right, in the same exam: a regrade is one exam's. */
function keepsKey(values: store.QuestionValues, shown: store.QuestionRow): boolean {
  return (
    values.examId === shown.examId &&
    values.questionType === shown.questionType &&
    values.correctAnswer === shown.correctAnswer &&
    values.tolerance === shown.tolerance &&
    values.toleranceIs === shown.toleranceIs &&
    isDeepStrictEqual(values.variables, shown.variables) &&
    isDeepStrictEqual(values.conditions, shown.conditions) &&
    isDeepStrictEqual(values.parts, shown.parts)
  )
}

/** Questions as they are answered. */
export async function toQuestions(core: Core, rows: store.QuestionRow[]): Promise<Question[]> {
  return (await withKeysInForce(core.db, rows)).map((row) => ({
    id: row.id,
    exam_id: row.examId,
    ...toFields(row),
    image_url: questionImageUrl(core, row.imagePath),
  }))
}

/** All tags in their first spelling, in alphabetical order, with the number of questions that have them. */
export function listTags(core: Core): Promise<{ tag: string; questions: number }[]> {
  return store.listTags(core.db)
}
