import { availableParallelism } from 'node:os'
import type { LoginBody } from '../../../schemas/accounts/auth.ts'
import type { Device } from '../../actor.ts'
import type { Core } from '../../core.ts'
import { shareOf } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import { foldCase } from '../../formats/case-fold.ts'
import { perNode } from '../../per-node.ts'
import { FairQueue } from '../../scheduling/fair-queue.ts'
import { accounts as measured } from '../../telemetry/metrics.ts'
import * as lockouts from './lockouts/store.ts'
import { verifyPassword } from './passwords.ts'
import * as store from './store.ts'

/**
 * Failures after which a network is locked out of an identifier, and for how long
 * (docs/protocol/http.md#lockout).
 */
const LOCKOUT_FAILURES = 3
const LOCKOUT_MS = 15 * 60_000

/**
 * Logins take turns, until their session is stored. Those that run at once are enough to keep the hashing busy, and
 * one network's are too few to delay other queries, even if all wait for the row of one account.
 */
export const logins = perNode(
  ({ config: { databasePool } }) =>
    new FairQueue({ places: 4 * availableParallelism(), each: shareOf(databasePool), waiting: 200 }),
)

/**
 * The account of these credentials, for a login that has its turn. Failures are counted per network and identifier,
 * over all nodes and all ways of signing in. Unknown identifiers are counted too, and take as long as known ones. While
 * a network is locked out, it is refused before the password is checked. Otherwise each try is counted before it is
 * answered, so that many tries at once all count. 401 `invalid_credentials`; 429 `locked_out`, even for the right
 * password.
 */
export async function checkCredentials(
  core: Core,
  { username, password }: LoginBody,
  device: Device,
): Promise<store.UserRow> {
  const pair = { network: device.network, identifier: foldCase(username) }
  await refuseLocked(core, pair)
  const user = await store.findUserByIdentifier(core.db, username)
  const valid = await verifyPassword(user?.passwordHash, password, device)
  const remaining = await countAttempt(core, pair, valid)
  if (!user || !valid) {
    measured.refused.add('invalid_credentials')
    throw new AppError('invalid_credentials', {
      message: `Invalid credentials. ${remaining} attempts remaining.`,
    })
  }
  return user
}

/** Checks the password of somebody who is signed in; a wrong one counts as a failed login. */
export function confirmPassword(
  core: Core,
  account: Pick<store.UserRow, 'username' | 'passwordHash'>,
  password: string,
  device: Device,
): Promise<void> {
  return logins(core).run(device, async () => {
    const pair = { network: device.network, identifier: foldCase(account.username) }
    await refuseLocked(core, pair)
    const valid = await verifyPassword(account.passwordHash, password, device)
    await countAttempt(core, pair, valid)
    if (valid) return
    measured.refused.add('wrong_password')
    throw new AppError('wrong_password')
  })
}

async function refuseLocked(core: Core, pair: lockouts.LoginPair): Promise<void> {
  const lockedUntil = await lockouts.findLockout(core.db, pair, LOCKOUT_FAILURES, new Date(core.clock()))
  if (lockedUntil) throw lockedOut(lockedUntil, core.clock())
}

/** How many failures are left; 429 `locked_out` if there was none left. */
async function countAttempt(core: Core, pair: lockouts.LoginPair, valid: boolean): Promise<number> {
  const now = core.clock()
  const { failures, expiresAt } = await lockouts.recordLogin(
    core.db,
    { ...pair, failed: !valid },
    { limit: LOCKOUT_FAILURES, now: new Date(now), until: new Date(now + LOCKOUT_MS) },
  )
  const failuresBefore = valid ? failures : failures - 1
  if (failuresBefore >= LOCKOUT_FAILURES) throw lockedOut(expiresAt, now)
  return LOCKOUT_FAILURES - failures
}

function lockedOut(until: Date, now: number): AppError {
  measured.refused.add('locked_out')
  return new AppError('locked_out', { retryAfter: (until.getTime() - now) / 1_000 })
}
