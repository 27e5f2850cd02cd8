import type { LoginBody } from '../../../schemas/auth.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { verifyPassword } from './passwords.ts'
import * as store from './store.ts'

/** Failures after which an address is locked out of an identifier, and for how long (specification: Limits). */
const LOCKOUT_FAILURES = 3
const LOCKOUT_MS = 15 * 60_000

/**
 * The account of these credentials. One count of failures per address and identifier covers every way of
 * signing in, on all nodes; it is kept for unknown identifiers too, which take as long. The password is
 * checked first, so that of many tries at once each is counted before it is answered.
 * 401 `invalid_credentials`; 429 `locked_out`, for the right password too.
 */
export async function checkCredentials(
  core: Core,
  { username, password }: LoginBody,
  ip: string,
): Promise<store.UserRow> {
  const user = await store.findUserByIdentifier(core.db, username)
  const valid = await verifyPassword(user?.passwordHash, password)
  const now = core.clock()
  const { failures, expiresAt } = await store.recordLogin(
    core.db,
    { ip, identifier: username.toLowerCase(), failed: !valid },
    { limit: LOCKOUT_FAILURES, now: new Date(now), until: new Date(now + LOCKOUT_MS) },
  )
  const failuresBefore = valid ? failures : failures - 1
  if (failuresBefore >= LOCKOUT_FAILURES)
    throw new AppError('locked_out', { retryAfter: (expiresAt.getTime() - now) / 1_000 })
  if (!user || !valid)
    throw new AppError('invalid_credentials', {
      message: `Invalid credentials. ${LOCKOUT_FAILURES - failures} attempts remaining.`,
    })
  return user
}
