import { noRoom } from '../errors.ts'

/** What a system says where nothing more can be stored: the disk is full, or this account's share of it. */
const FULL = /^(ENOSPC|EDQUOT)$/

/** The error of a write: `unavailable` if there is no room. */
export function toDiskError(cause: unknown): unknown {
  const { code = '' } = cause as NodeJS.ErrnoException
  return FULL.test(code) ? noRoom('There is no room left for files', cause) : cause
}
