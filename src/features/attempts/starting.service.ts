import { randomUUID } from 'node:crypto'
import type { Core } from '../../core.ts'
import { batched, HELD } from '../../db/batches.ts'
import type { Executor } from '../../db/database-client.ts'
import { LOCKS, tryLockEach, tryLockPeople, tryShareEach } from '../../db/locks.ts'
import { AppError } from '../../errors.ts'
import { perNode } from '../../per-node.ts'
import { retryFor } from '../../scheduling/retry.ts'
import { exams as measured } from '../../telemetry/metrics.ts'
import { countDrawn, drawer } from '../exams/drawing.ts'
import { endOf, timesFor } from '../timing/time-windows.ts'
import { type Candidate, type CandidateStanding, listStandings } from './attempts.store.ts'
import type { Opener } from './attempts-left.service.ts'
import { findLive, isOverdue, publishHelp } from './closing.service.ts'
import type { Paper } from './paper.ts'
import { getPaper, insertCurrentPaper } from './papers.service.ts'
import { refuseStart } from './standings.service.ts'
import * as store from './starting.store.ts'
import { watchedExams } from './watched-exams.ts'

export type StartedAttempt = { id: number; resumed: true } | { id: number; resumed: false; number: number }

/** The outcome of a start. An error refuses it alone, not those that share its transaction. */
type StartOutcome = StartedAttempt | 'overdue' | AppError | typeof HELD

/** A start, and the session that it comes from. */
interface Start extends Candidate {
  sessionId: number
}

/** A start that nothing prevents. */
interface PermittedStart {
  userId: number
  sessionId: number
  standing: CandidateStanding
}

/** Most starts of one person that may wait on a node. */
const MOST_OF_ONE = 32

/** Starts that wait for the database at the same time share one transaction, with at most one of each person. */
const startShared = perNode((core) =>
  batched({
    lanes: 2,
    size: 64,
    key: ({ userId }: Start) => userId,
    turns: { owner: ({ userId }) => userId, most: MOST_OF_ONE },
    run: (starts) => startTogether(core, starts),
  }),
)

/**
 * Resumes the active attempt or starts a new one, with the paper that the exam has at this moment. Changes of the
 * number of somebody's attempts at an exam run one after another, so any number of starts at once make one attempt,
 * and never more than the cap. Starts and changes of the exam's times wait for each other.
 */
export async function startAttempt(
  core: Core,
  { userId, sessionId }: Opener,
  examId: number,
): Promise<StartedAttempt> {
  return retryFor(core.config.requestTimeoutMs, async () => {
    const outcome = await startShared(core)({ userId, sessionId, examId })
    if (outcome instanceof AppError) throw outcome
    if (outcome !== 'overdue') return outcome
    await findLive(core, userId, examId)
    return undefined
  })
}

/** The outcomes in the order of the starts: `HELD` where somebody else has a lock that a start needs. */
async function startTogether(core: Core, starts: Start[]): Promise<StartOutcome[]> {
  const { outcomes, admitted } = await core.db.transaction(async (tx) => {
    // Sent together; PostgreSQL runs them in this order, the last one once the locks are held.
    const [areAlone, areSteady, standings] = await Promise.all([
      tryLockEach(
        tx,
        starts.map(({ userId, examId }) => LOCKS.attempts(userId, examId)),
      ),
      tryShareEach(
        tx,
        starts.map(({ examId }) => LOCKS.examTimes(examId)),
      ),
      listStandings(tx, starts),
    ])
    const now = core.clock()
    const judged = starts.map((start, index) =>
      areAlone[index] && areSteady[index] ? decideStart(start, standings[index], now) : HELD,
    )
    const papers = await findPapers(core, tx, judged.filter(isAdmitted))
    const seated = judged.map((each) =>
      isAdmitted(each) && !papers.has(each.standing.exam.id) ? new AppError('exam_empty') : each,
    )
    const stopped = await lockHelp(tx, seated.filter(isAdmitted))
    const admitted = seated.filter(isAdmitted).filter(({ userId }) => !stopped.has(userId))
    const started = await insertNext(tx, admitted, papers, now)
    const outcomes = seated.map((each) =>
      isAdmitted(each) ? (stopped.get(each.userId) ?? (started.get(each.userId) as StartedAttempt)) : each,
    )
    return { outcomes, admitted }
  })
  measured.started.inc(admitted.length)
  const withoutHelp = admitted.filter(locksHelp).map(({ userId }) => userId)
  if (withoutHelp.length > 0) publishHelp(core, withoutHelp)
  for (const { userId, standing } of admitted) watchedExams(core).tell(standing.exam.id, [userId])
  return outcomes
}

/** The outcome of a start, by how its person stands with the exam. */
function decideStart(
  { userId, sessionId }: Start,
  standing: CandidateStanding | undefined,
  now: number,
): PermittedStart | Exclude<StartOutcome, typeof HELD> {
  const active = standing?.active
  if (active) return isOverdue(active, now) ? 'overdue' : { id: active.id, resumed: true }
  const refusal = refuseStart(standing, now)
  return refusal || !standing ? (refusal ?? new AppError('not_found')) : { userId, sessionId, standing }
}

function isAdmitted(outcome: StartOutcome | PermittedStart): outcome is PermittedStart {
  return typeof outcome === 'object' && 'standing' in outcome
}

function locksHelp({ standing }: PermittedStart): boolean {
  return standing.exam.lockHelp
}

/**
 * Locks those whose help ends: decisions that take the same lock, such as storing an answer of the tutor, come entirely
 * before or after this. The answer has those who can't be locked.
 */
async function lockHelp(
  tx: Executor,
  admitted: PermittedStart[],
): Promise<Map<number, AppError | typeof HELD>> {
  const userIds = admitted.filter(locksHelp).map(({ userId }) => userId)
  return userIds.length === 0 ? new Map() : tryLockPeople(tx, userIds)
}

/**
 * The papers of these exams except empty ones; where one is not stored yet, the exams are locked in the order of their
 * ids.
 */
async function findPapers(core: Core, tx: Executor, admitted: PermittedStart[]): Promise<Map<number, Paper>> {
  const asked = new Map(admitted.map(({ standing }) => [standing.exam.id, standing]))
  const papers = new Map<number, Paper>()
  for (const [examId, { exam, paperId }] of [...asked].sort(([one], [other]) => one - other)) {
    const id = paperId ?? (await insertCurrentPaper(tx, examId))
    const paper = await getPaper(core, tx, id)
    if (countDrawn(exam.draw, paper.tasks) > 0) papers.set(examId, paper)
  }
  return papers
}

/** Stores the next attempt of each person, who is among them once. */
async function insertNext(
  tx: Executor,
  admitted: PermittedStart[],
  papers: ReadonlyMap<number, Paper>,
  now: number,
): Promise<Map<number, StartedAttempt>> {
  const drawers = new Map<number, () => number[]>()
  for (const { standing } of admitted) {
    const { id, draw } = standing.exam
    if (draw && !drawers.has(id)) drawers.set(id, drawer(draw, (papers.get(id) as Paper).tasks))
  }
  const rows = await store.insertAttempts(
    tx,
    admitted.map(({ userId, sessionId, standing: { exam, personal, highestNumber } }) => {
      const paper = papers.get(exam.id) as Paper
      return {
        userId,
        sessionId,
        examId: exam.id,
        paperId: paper.id,
        attemptNumber: highestNumber + 1,
        seed: randomUUID(),
        shuffle: exam.shuffle === 'none' ? null : exam.shuffle,
        drawn: drawers.get(exam.id)?.() ?? null,
        startedAt: new Date(now),
        endsAt: endOf(timesFor(exam, personal), now),
      }
    }),
  )
  return new Map(rows.map(({ userId, id, number }) => [userId, { id, resumed: false, number }]))
}
