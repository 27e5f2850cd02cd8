import type {
  AnswersInput,
  EndAnswer,
  PaperAnswer,
  StatusAnswer,
  SubmitAnswer,
} from '../../../schemas/attempts.schemas.ts'
import type { Content } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { batched } from '../../db/batches.ts'
import { AppError } from '../../errors.ts'
import { localDateTime } from '../../formats/local-time.ts'
import { perNode } from '../../per-node.ts'
import { countDrawn } from '../exams/drawing.ts'
import { correctedDescriptions } from '../questions/image-descriptions.service.ts'
import * as store from './attempts.store.ts'
import {
  describeState,
  type Opener,
  remainingOf,
  requireMeant,
  requireOpened,
  requireStanding,
} from './attempts-left.service.ts'
import { closeAttempt, endAttempt, findLive, isOverdue, publishHelp } from './closing.service.ts'
import { readChanges } from './fitting-answers.ts'
import { withGradingLock } from './grading-lock.service.ts'
import {
  getPaper,
  holdsPaper,
  insertCurrentPaper,
  paperOf,
  withQuestions,
  writeQuestions,
} from './papers.service.ts'
import { releaseResult } from './result-visibility.service.ts'
import { watchedExams } from './watched-exams.ts'

/** Attempts whose messages are looked up in one query. */
const MOST_LOOK_UPS = 250

/** Loads the exam's paper on this node, so that a start with many students is fast. */
export async function prepareExam(core: Core, userId: number, examId: number) {
  const standing = await requireStanding(core.db, userId, examId)
  const paperId = standing.paperId ?? (await insertCurrentPaper(core.db, examId))
  const cached = holdsPaper(core, paperId)
  const { tasks } = await getPaper(core, core.db, paperId)
  return { cached, question_count: countDrawn(standing.exam.draw, tasks) }
}

/** People who read their papers at the same time share one query for what they are told beside the questions. */
const notesShared = perNode((core) =>
  batched({
    lanes: 2,
    size: MOST_LOOK_UPS,
    key: ({ id }: Pick<store.AttemptRow, 'id' | 'examId'>) => id,
    async run(attempts) {
      const [told, watched] = await Promise.all([
        store.listMessages(
          core.db,
          attempts.map(({ id }) => id),
        ),
        store.listWatchingPages(core.db, [...new Set(attempts.map(({ examId }) => examId))]),
      ])
      const messages = Map.groupBy(told, ({ attemptId }) => attemptId)
      return attempts.map(({ id, examId }) => ({
        messages: (messages.get(id) ?? []).map(({ text, at }) => ({ text, at })),
        watch_page: watched.has(examId),
      }))
    },
  }),
)

/** The active attempt, its paper, and what is answered about it beside the questions. */
export async function openActivePaper(core: Core, opener: Opener, examId: number, attemptId?: number) {
  const attempt = await requireOpened(core, opener, examId, attemptId)
  const [paper, notes] = await Promise.all([paperOf(core, core.db, attempt), notesShared(core)(attempt)])
  const state: Omit<PaperAnswer, 'questions'> = {
    success: true,
    attempt_id: attempt.id,
    attempt_number: attempt.attemptNumber,
    ...(await describeState(core, core.db, attempt)),
    start_time: localDateTime(attempt.startedAt, core.config.timezone),
    ends_at: attempt.endsAt?.toISOString() ?? null,
    server_time: new Date(core.clock()).toISOString(),
    ...notes,
  }
  return { attempt, paper, state }
}

/** The questions of the active attempt, and all that was saved: the answer as a JSON text. */
export async function writeActivePaper(
  core: Core,
  opener: Opener,
  examId: number,
  attemptId?: number,
): Promise<string> {
  const { attempt, paper, state } = await openActivePaper(core, opener, examId, attemptId)
  const corrected = await correctedDescriptions(core.db, paper.tasks)
  return withQuestions(writeQuestions(core, paper, attempt, corrected), state)
}

/**
 * Closes the active attempt and grades it, in one transaction; before that `last` is merged as far as it fits, unless
 * the time was up. If the attempt is closed already, it is answered as it is. 409 `no_active_attempt` if there never
 * was one; `another_attempt` or `stale_revision` with the stored state if another attempt is active or a newer revision
 * is stored: an old tab must not overwrite what was answered in another one.
 */
export async function submitAttempt(
  core: Core,
  userId: number,
  examId: number,
  last: AnswersInput,
): Promise<Content<SubmitAnswer>> {
  // As for a sync, its arrival counts, however long it waits for a regrade or another device.
  const at = core.clock()
  const closed = await withGradingLock(core, examId, async (tx, inForce) => {
    const attempt = await store.findActiveForUpdate(tx, userId, examId)
    if (!attempt) return undefined
    if (isOverdue(attempt, at)) {
      await closeAttempt(core, tx, attempt, inForce, { status: 'expired' })
      return { id: attempt.id, inTime: false, rejected: null }
    }
    await requireMeant(core, tx, attempt, last.attempt_id)
    if (last.revision !== undefined && last.revision < attempt.revision)
      throw new AppError('stale_revision', { details: await describeState(core, tx, attempt) })
    const { changes, rejected } = readChanges(await paperOf(core, tx, attempt), attempt, last)
    await closeAttempt(core, tx, attempt, inForce, { status: 'submitted', changes })
    return { id: attempt.id, inTime: true, rejected }
  })
  const finished = closed
    ? await store.findOwnAttempt(core.db, userId, closed.id)
    : await store.findLatestFinished(core.db, userId, examId, last.attempt_id)
  if (closed && finished?.exam.lockHelp) publishHelp(core, [userId])
  if (closed) watchedExams(core).tell(examId, [userId])
  if (!finished) {
    await requireStanding(core.db, userId, examId)
    throw new AppError('no_active_attempt')
  }
  const released = releaseResult(finished)
  return {
    attempt_id: finished.attempt.id,
    result_mode: finished.exam.resultMode,
    already_submitted: closed?.inTime !== true,
    rejected: closed?.rejected ?? null,
    ...(released
      ? { result: released.score }
      : { message: 'Submitted. The result will be shown once the results of this exam are released.' }),
  }
}

/**
 * For a device that has nothing more to send: closes the attempt if its time is up and no other device opened it.
 */
export async function endActiveAttempt(
  core: Core,
  opener: Opener,
  examId: number,
  attemptId: number,
): Promise<Content<EndAnswer>> {
  const attempt = await requireOpened(core, opener, examId, attemptId)
  return {
    closed: await endAttempt(core, attempt),
    ends_at: attempt.endsAt?.toISOString() ?? null,
    server_time: new Date(core.clock()).toISOString(),
  }
}

export async function getAttemptStatus(
  core: Core,
  userId: number,
  examId: number,
): Promise<Content<StatusAnswer>> {
  const active = await findLive(core, userId, examId)
  const standing = await requireStanding(core.db, userId, examId)
  return {
    has_active_attempt: active !== undefined,
    attempt_id: active?.id ?? null,
    attempt_number: active?.attemptNumber ?? null,
    start_time: active ? localDateTime(active.startedAt, core.config.timezone) : null,
    ends_at: active?.endsAt?.toISOString() ?? null,
    completed_count: standing.completed,
    attempts_used: standing.used,
    max_attempts: standing.exam.maxAttempts,
    attempts_remaining: remainingOf(standing.exam.maxAttempts, standing.used),
  }
}

/**
 * Tells students on every node that the results of an exam are visible, or hidden again. Call it after the commit.
 */
export function publishReleased(core: Core, examId: number, released: boolean): void {
  core.bus.publish('exams', { kind: 'results_released', examId, released })
}

/** What the student of an attempt was told during it, and by whom. */
export function listTold(core: Core, attemptId: number) {
  return store.listMessages(core.db, [attemptId])
}

/** Which of these people have taken this exam, or are taking it. */
export function listStudents(core: Core, examId: number, userIds: number[]): Promise<number[]> {
  return store.listStudents(core.db, examId, userIds)
}
