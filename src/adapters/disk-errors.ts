import { AppError } from '../errors.ts'

/** What a system says where nothing more can be stored: the disk is full, or this account's share of it. */
const FULL = /^(ENOSPC|EDQUOT)$/
/** Seconds: somebody has to make room. */
const RETRY_WHEN_FULL = 60

/** The error of a write: `unavailable` if there is no room. */
export function toDiskError(cause: unknown): unknown {
  if (!FULL.test((cause as NodeJS.ErrnoException).code ?? '')) return cause
  const message = 'There is no room left for files'
  return new AppError('unavailable', { message, retryAfter: RETRY_WHEN_FULL, cause })
}
