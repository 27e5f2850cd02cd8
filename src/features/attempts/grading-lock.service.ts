import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { LOCKS, lockAlone, lockShared, tryLockShared } from '../../db/locks.ts'
import type { Regrade } from '../../db/tables/corrections.tables.ts'
import { perNode } from '../../per-node.ts'
import * as store from './regrades-in-force.store.ts'

export { listInForce, listInForceOf, listKeysInForce } from './regrades-in-force.store.ts'

/** Work that grades attempts of an exam. */
type GradingWork<T> = (tx: Executor, inForce: Regrade[]) => Promise<T>

interface QueuedGrading {
  work: GradingWork<unknown>
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

/** How many share one transaction after a regrade has ended. */
const TOGETHER = 50

/** The work that waits on this node for the end of a regrade, by exam. */
const waitingFor = perNode(() => new Map<number, QueuedGrading[]>())
/** The last of the regrades that wait on this node, by exam. */
const turnsOf = perNode(() => new Map<number, Promise<unknown>>())

/**
 * Runs work that grades attempts of an exam in a transaction, entirely before or entirely after any regrade of that
 * exam, and passes it the regrades in force. All work that waits for a regrade shares one connection, so that other
 * exams have the rest of them, and runs before the next regrade.
 */
export async function withGradingLock<T>(core: Core, examId: number, work: GradingWork<T>): Promise<T> {
  const done = await tryWithGradingLock(core, examId, work)
  if (done) return done.result
  return new Promise<T>((resolve, reject) => {
    const waiting = waitingFor(core)
    const others = waiting.get(examId)
    const own: QueuedGrading = { work, resolve: resolve as QueuedGrading['resolve'], reject }
    if (others) others.push(own)
    else {
      waiting.set(examId, [own])
      void gradeTogether(core, examId)
    }
  })
}

/** Does that work at once, or not at all: undefined while a regrade runs. */
export async function tryWithGradingLock<T>(
  core: Core,
  examId: number,
  work: GradingWork<T>,
): Promise<{ result: T } | undefined> {
  return core.db.transaction(async (tx) => {
    // Sent together; PostgreSQL runs them in this order, the second one once the lock is held.
    const [shared, inForce] = await Promise.all([
      tryLockShared(tx, LOCKS.examGrading(examId)),
      store.listInForce(tx, examId),
    ])
    return shared ? { result: await work(tx, inForce) } : undefined
  })
}

/**
 * Runs or undoes a regrade in a transaction that holds the exam's grading lock alone: no attempt at this exam is
 * graded meanwhile.
 */
export async function regradeAlone<T>(
  core: Core,
  examId: number,
  work: (tx: Executor) => Promise<T>,
): Promise<T> {
  const turns = turnsOf(core)
  // Regrades of one node wait here rather than in the database, where each would hold a connection.
  const before = turns.get(examId) ?? Promise.resolve()
  const turn = before.then(() =>
    core.db.transaction(async (tx) => {
      await lockAlone(tx, LOCKS.examGrading(examId))
      return work(tx)
    }),
  )
  const settled = turn.catch(() => {})
  turns.set(examId, settled)
  try {
    return await turn
  } finally {
    if (turns.get(examId) === settled) turns.delete(examId)
  }
}

/** Waits in the database's queue, so that no later regrade runs first. Each piece of work fails on its own. */
async function gradeTogether(core: Core, examId: number): Promise<void> {
  const waiting = waitingFor(core).get(examId) ?? []
  while (waiting.length > 0) {
    let batch: QueuedGrading[] = []
    try {
      const outcomes = await core.db.transaction(async (tx) => {
        await lockShared(tx, LOCKS.examGrading(examId))
        const inForce = await store.listInForce(tx, examId)
        batch = waiting.splice(0, TOGETHER)
        const settled: PromiseSettledResult<unknown>[] = []
        for (const { work } of batch)
          settled.push(...(await Promise.allSettled([tx.transaction((own) => work(own, inForce))])))
        return settled
      })
      for (const [index, outcome] of outcomes.entries())
        if (outcome.status === 'fulfilled') batch[index]?.resolve(outcome.value)
        else batch[index]?.reject(outcome.reason)
    } catch (error) {
      // Also if the regrade took longer than a statement may wait: all of them have waited that long.
      for (const { reject } of batch.length > 0 ? batch : waiting.splice(0)) reject(error)
    }
  }
  waitingFor(core).delete(examId)
}
