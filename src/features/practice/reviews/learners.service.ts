import type { Core } from '../../../core.ts'
import type { Executor } from '../../../db/database-client.ts'
import { AppError } from '../../../errors.ts'
import { localDay } from '../../../formats/local-time.ts'
import * as store from './learners.store.ts'

/** Reviews of a person that may arrive on one day. */
const MOST_ARRIVALS = 2_000

/** The person's own seed, which whoever practises for the first time gets. */
export async function giveSeed(core: Core, userId: number): Promise<string> {
  return (await store.lockLearner(core.db, userId)).seed
}

/** The local day on which reviews arrive now. */
export function arrivalDay(core: Core): string {
  return localDay(new Date(core.clock()), core.config.timezone)
}

/**
 * How many of a person's reviews have arrived on the day with these. 429 `daily_limit` where it has no room for all.
 */
export async function countArrivals(
  core: Core,
  tx: Executor,
  { arrivedOn, arrived }: store.Learner,
  day: string,
  count: number,
): Promise<number> {
  const total = (arrivedOn === day ? arrived : 0) + count
  if (total <= MOST_ARRIVALS) return total
  const now = core.clock()
  throw new AppError('daily_limit', {
    message: `That is more than ${MOST_ARRIVALS} reviews on one day`,
    retryAfter: ((await store.findNextDay(tx, now, core.config.timezone)) - now) / 1_000,
  })
}
