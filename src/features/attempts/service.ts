import type {
  AnswersInput,
  AttemptRow,
  PaperAnswer,
  ResultAnswer,
  StatusAnswer,
  StudentExam,
  SubmitAnswer,
} from '../../../schemas/attempts.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import { localDateTime } from '../../local-time.ts'
import { fileUrl } from '../uploads/addresses.ts'
import { readChanges } from './answers.ts'
import { closeAttempt, closeOverdue, findLive, findLiveForUpdate } from './closing.ts'
import * as examStore from './exam-store.ts'
import { getPaper, holdsPaper, insertCurrentPaper, paperOf } from './papers.ts'
import { releaseResult, reviewResult } from './results.ts'
import { describeState } from './saving.ts'
import { remainingOf, requireLive, requireStanding } from './standing.ts'
import * as store from './store.ts'

const success = true as const

// --- exams as students see them

/** A page of the published exams, and how many there are. */
export async function listExams(core: Core, filter: examStore.ExamFilter, limit: number, offset: number) {
  const [rows, total] = await Promise.all([
    examStore.listExams(core.db, filter, limit, offset),
    examStore.countExams(core.db, filter),
  ])
  return { exams: rows.map(({ exam, questionCount }) => toExam(exam, questionCount)), total }
}

export async function getExam(core: Core, userId: number, examId: number) {
  const standing = await requireStanding(core.db, userId, examId)
  return {
    ...toExam(standing.exam, await examStore.countQuestions(core.db, examId)),
    attempts_used: standing.used,
    attempts_remaining: remainingOf(standing),
  }
}

// --- taking one

/** Readies the exam's paper on this node, so that its start is quick for the many who wait for it. */
export async function prepareExam(core: Core, userId: number, examId: number) {
  const standing = await requireStanding(core.db, userId, examId)
  const paperId = standing.paperId ?? (await insertCurrentPaper(core.db, examId))
  const cached = holdsPaper(core, paperId)
  const { questions } = await getPaper(core, core.db, paperId)
  return { success, cached, question_count: questions.length }
}

export type Started = { id: number; resumed: true } | { id: number; resumed: false; number: number }

/**
 * Resumes the active attempt or starts a new one, with the paper that the exam has at this moment. Whoever
 * changes the number of somebody's attempts at an exam takes turns, so any number of starts at once make
 * one attempt, and none beyond the cap. 404, 403 `attempts_exhausted`, 409 `exam_empty`.
 */
export async function startAttempt(core: Core, userId: number, examId: number): Promise<Started> {
  return core.db.transaction(async (tx) => {
    await store.lockAttempts(tx, userId, examId)
    const standing = await store.findStanding(tx, userId, examId)
    if (!standing) throw new AppError('not_found')
    if (standing.activeId !== null && (await findLiveForUpdate(core, tx, userId, examId)))
      return { id: standing.activeId, resumed: true }
    if (!standing.exam.isPublished) throw new AppError('not_found')
    if (remainingOf(standing) === 0) throw new AppError('attempts_exhausted')
    const paperId = standing.paperId ?? (await insertCurrentPaper(tx, examId))
    const { questions } = await getPaper(core, tx, paperId)
    if (questions.length === 0) throw new AppError('exam_empty')
    const now = core.clock()
    const { durationMinutes } = standing.exam
    const number = standing.highestNumber + 1
    const id = await store.insertAttempt(tx, {
      userId,
      examId,
      paperId,
      attemptNumber: number,
      status: 'active',
      startedAt: new Date(now),
      endsAt: durationMinutes === null ? null : new Date(now + durationMinutes * 60_000),
    })
    return { id, resumed: false, number }
  })
}

/** What the student works on: the questions of the active attempt, and all that was saved. 409 `no_active_attempt`. */
export async function getActivePaper(core: Core, userId: number, examId: number): Promise<PaperAnswer> {
  const attempt = await requireLive(core, userId, examId)
  const { questions } = await paperOf(core, core.db, attempt)
  return {
    success,
    attempt_id: attempt.id,
    attempt_number: attempt.attemptNumber,
    questions: questions.map((question) => ({ ...question, image_url: fileUrl(core, question.image_path) })),
    ...describeState(attempt),
    start_time: localDateTime(attempt.startedAt, core.config.timezone),
    ends_at: attempt.endsAt?.toISOString() ?? null,
    server_time: new Date(core.clock()).toISOString(),
  }
}

/**
 * Closes the active attempt and grades it, in one transaction; `last` is merged first, unless time was up.
 * Where the attempt is closed already, the answer is that attempt's. 409 `no_active_attempt` where there
 * never was one, 400 where an answer doesn't fit: then the attempt stays open.
 */
export async function submitAttempt(
  core: Core,
  userId: number,
  examId: number,
  last: AnswersInput,
): Promise<SubmitAnswer> {
  const closed = await core.db.transaction(async (tx) => {
    const attempt = await findLiveForUpdate(core, tx, userId, examId)
    if (!attempt) return undefined
    const { changes, errors } = readChanges(await paperOf(core, tx, attempt), last)
    if (errors.length > 0) throw new AppError('validation_failed', { details: { errors } })
    await closeAttempt(core, tx, attempt, { status: 'submitted', changes })
    return attempt.id
  })
  const finished =
    closed === undefined
      ? await store.findLatestFinished(core.db, userId, examId)
      : await store.findOwnAttempt(core.db, userId, closed)
  if (!finished) {
    await requireStanding(core.db, userId, examId)
    throw new AppError('no_active_attempt')
  }
  const released = releaseResult(finished)
  return {
    success,
    attempt_id: finished.attempt.id,
    result_mode: finished.exam.resultMode,
    already_submitted: closed === undefined,
    ...(released
      ? { result: released.score }
      : { message: 'Submitted. The result will be shown once the results of this exam are released.' }),
  }
}

export async function getAttemptStatus(core: Core, userId: number, examId: number): Promise<StatusAnswer> {
  const active = await findLive(core, userId, examId)
  const standing = await requireStanding(core.db, userId, examId)
  return {
    success,
    has_active_attempt: active !== undefined,
    attempt_id: active?.id ?? null,
    attempt_number: active?.attemptNumber ?? null,
    start_time: active ? localDateTime(active.startedAt, core.config.timezone) : null,
    completed_count: standing.completed,
    max_attempts: standing.exam.maxAttempts,
    attempts_remaining: remainingOf(standing),
  }
}

// --- afterwards

/** A page of somebody's finished attempts, newest first, and how many there are. */
export async function listAttempts(
  core: Core,
  userId: number,
  examId: number | undefined,
  limit: number,
  offset: number,
): Promise<{ attempts: AttemptRow[]; total: number }> {
  await closeOverdue(core, userId)
  const [rows, total] = await Promise.all([
    store.listFinished(core.db, userId, examId, limit, offset),
    store.countFinished(core.db, userId, examId),
  ])
  return { attempts: rows.map((row) => toAttempt(core, row)), total }
}

/** A finished attempt, question by question. 404 for another's, 403 `results_not_released` until it may be seen. */
export async function getResult(core: Core, userId: number, attemptId: number): Promise<ResultAnswer> {
  await closeOverdue(core, userId)
  const finished = await store.findOwnAttempt(core.db, userId, attemptId)
  if (!finished) throw new AppError('not_found')
  const released = releaseResult(finished)
  if (!released) throw new AppError('results_not_released')
  return {
    success,
    ...toAttempt(core, finished),
    result_mode: finished.exam.resultMode,
    result: released.score,
    review: reviewResult(core, released, await paperOf(core, core.db, finished.attempt)),
  }
}

// --- for administrators: allowances, and the release of results

/** Adds attempts that only count as used. */
export async function addManualAttempts(
  core: Core,
  studentId: number,
  examId: number,
  amount: number,
): Promise<void> {
  await changeAttempts(core, studentId, examId, (tx) =>
    store.insertManualAttempts(tx, studentId, examId, amount, new Date(core.clock())),
  )
}

/** Removes the newest attempts, whatever became of them, with their results; how many there were to remove. */
export async function removeLatestAttempts(
  core: Core,
  studentId: number,
  examId: number,
  amount: number,
): Promise<number> {
  return changeAttempts(core, studentId, examId, (tx) =>
    store.deleteLatestAttempts(tx, studentId, examId, amount),
  )
}

/** Removes every attempt, with its result; how many there were. */
export async function resetAttempts(core: Core, studentId: number, examId: number): Promise<number> {
  return changeAttempts(core, studentId, examId, (tx) => store.deleteLatestAttempts(tx, studentId, examId))
}

/** Alone with this person's attempts at this exam: starts wait. */
function changeAttempts<T>(
  core: Core,
  studentId: number,
  examId: number,
  change: (tx: Executor) => Promise<T>,
): Promise<T> {
  return core.db.transaction(async (tx) => {
    await store.lockAttempts(tx, studentId, examId)
    return change(tx)
  })
}

/** Tells students, on every node, that the results of an exam may be seen, or no more. Call it after the commit. */
export function publishReleased(core: Core, examId: number, released: boolean): void {
  core.bus.publish('exams', { kind: 'results_released', examId, released })
}

/** Which of these people have taken this exam, or are taking it. */
export function listStudents(core: Core, examId: number, userIds: number[]): Promise<number[]> {
  return store.listStudents(core.db, examId, userIds)
}

// --- rows as clients see them

function toExam(exam: store.ExamRow, questionCount: number): StudentExam {
  return {
    id: exam.id,
    name: exam.name,
    description: exam.description,
    category_id: exam.categoryId,
    duration_minutes: exam.durationMinutes,
    max_attempts: exam.maxAttempts,
    result_mode: exam.resultMode,
    results_released: exam.resultsReleased,
    is_published: exam.isPublished,
    pass_percentage: exam.passPercentage,
    msq_scoring: exam.msqScoring,
    question_count: questionCount,
  }
}

function toAttempt(core: Core, finished: store.FinishedRow): AttemptRow {
  const { attempt, exam } = finished
  const { score = null, max_score = null, percentage = null } = releaseResult(finished)?.score ?? {}
  return {
    attempt_id: attempt.id,
    exam_id: exam.id,
    exam_name: exam.name,
    attempt_number: attempt.attemptNumber,
    start_time: localDateTime(attempt.startedAt, core.config.timezone),
    submitted_at: (attempt.submittedAt ?? attempt.startedAt).toISOString(),
    score,
    max_score,
    percentage,
    status: attempt.status === 'expired' ? 'expired' : 'submitted',
  }
}
