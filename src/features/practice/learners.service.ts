import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { AppError } from '../../errors.ts'
import { localDay } from '../../formats/local-time.ts'
import * as store from './learners.store.ts'

export type { Learner } from './learners.store.ts'

/** Reviews of a person that may arrive on one day. */
const MOST_ARRIVALS = 2_000

/** The person's own seed; whoever practises for the first time gets one. */
export async function seedFor(core: Core, userId: number): Promise<string> {
  return (await store.findSeed(core.db, userId)) ?? (await store.lockLearner(core.db, userId)).seed
}

/** Keeps the row until the transaction ends. */
export function lockLearner(tx: Executor, userId: number): Promise<store.Learner> {
  return store.lockLearner(tx, userId)
}

/** 429 `daily_limit` where the day has no room for all of them. */
export async function countArrivals(
  core: Core,
  tx: Executor,
  { userId, arrivedOn, arrived }: store.Learner,
  count: number,
): Promise<void> {
  const now = core.clock()
  const today = localDay(new Date(now), core.config.timezone)
  const total = (arrivedOn === today ? arrived : 0) + count
  if (total > MOST_ARRIVALS)
    throw new AppError('daily_limit', {
      message: `That is more than ${MOST_ARRIVALS} reviews on one day`,
      retryAfter: ((await store.findNextDay(tx, now, core.config.timezone)) - now) / 1_000,
    })
  await store.updateArrivals(tx, userId, today, total)
}
