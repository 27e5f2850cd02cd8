import { randomUUID } from 'node:crypto'
import { AppError } from '../errors.ts'
import type { RateSlots } from './rate-slots.ts'

/**
 * Runs work that is allowed only once per interval, over all nodes. If it fails, the slot is free again. Throws 429
 * `rate_limited`.
 */
export async function inSlot<T>(
  rateSlots: RateSlots,
  slot: string,
  intervalMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const holder = randomUUID()
  const taken = await rateSlots.take(slot, holder, intervalMs)
  if (taken.state === 'refused')
    throw new AppError('rate_limited', { retryAfter: taken.retryAfterMs / 1_000 })
  try {
    return await work()
  } catch (error) {
    await rateSlots.release(slot, holder)
    throw error
  }
}
