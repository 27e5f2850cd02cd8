import type { LoginBody } from '../../../schemas/auth.schemas.ts'
import type { Device } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { UserRow } from '../../db/user-rows.ts'
import { AppError, invalidField } from '../../errors.ts'
import { foldCase } from '../../formats/case-fold.ts'
import { accounts as measured } from '../../telemetry/metrics.ts'
import { isOutdatedDemo } from '../demo/demo-accounts.ts'
import * as store from './auth.store.ts'
import * as lockouts from './lockouts.store.ts'
import { verifyPassword } from './passwords.ts'
import { requireOwnDoors } from './provider-only.service.ts'

/**
 * Failures after which a network is locked out of an identifier, and for how long
 * (docs/protocol/http.md#lockout).
 */
const LOCKOUT_FAILURES = 3
const LOCKOUT_MS = 15 * 60_000
/** How long a sign-in stands for the password of an account that has none. */
const FRESH_MS = 10 * 60_000

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
): Promise<UserRow> {
  const pair = { network: device.network, identifier: foldCase(username) }
  await refuseLocked(core, pair)
  const user = await store.findUserByIdentifier(core.db, username)
  requireOwnDoors(core, user)
  return requirePassword(core, pair, user, password, device)
}

/**
 * Makes sure that somebody who has not signed in knows the password of an account, as a login by its username would,
 * for a caller that has its turn. 401 `invalid_credentials`, 429 `locked_out`.
 */
export async function checkPassword(
  core: Core,
  account: UserRow,
  password: string,
  device: Device,
): Promise<void> {
  const pair = { network: device.network, identifier: foldCase(account.username) }
  await refuseLocked(core, pair)
  await requirePassword(core, pair, account, password, device)
}

async function requirePassword(
  core: Core,
  pair: lockouts.LoginPair,
  user: UserRow | undefined,
  password: string,
  device: Device,
): Promise<UserRow> {
  const matches = await core.gate.passwords.run(device, () =>
    verifyPassword(core.config.passwordCost, user?.passwordHash, password),
  )
  const valid = matches && !isOutdatedDemo(core, user?.username ?? '', password)
  const remaining = await countAttempt(core, pair, valid)
  if (user && valid) return user
  measured.refused.inc({ code: 'invalid_credentials' })
  throw new AppError('invalid_credentials', {
    message: `Invalid credentials. ${remaining} attempts remaining.`,
  })
}

/**
 * Makes sure that an account's owner is at the device, and not somebody who found it signed in: by the password, or,
 * where there is none, by a sign-in of the last ten minutes. 400 without a password, 403 `wrong_password` or
 * `fresh_sign_in_required`, 429 `locked_out`.
 */
export async function confirmOwner(
  core: Core,
  account: UserRow,
  { sessionId }: { sessionId: number },
  password: string | undefined,
  device: Device,
): Promise<void> {
  if (account.passwordHash !== null) {
    if (password === undefined) throw invalidField('/current_password', 'is required')
    return confirmPassword(core, account, password, device)
  }
  if (!(await store.isFresh(core.db, sessionId, new Date(core.clock() - FRESH_MS))))
    throw new AppError('fresh_sign_in_required')
}

/** Checks the password of somebody who is signed in; a wrong one counts as a failed login. */
function confirmPassword(
  core: Core,
  account: Pick<UserRow, 'username' | 'passwordHash'>,
  password: string,
  device: Device,
): Promise<void> {
  return core.gate.logins.run(device, async () => {
    const pair = { network: device.network, identifier: foldCase(account.username) }
    await refuseLocked(core, pair)
    const valid = await core.gate.passwords.run(device, () =>
      verifyPassword(core.config.passwordCost, account.passwordHash, password),
    )
    await countAttempt(core, pair, valid)
    if (valid) return
    measured.refused.inc({ code: 'wrong_password' })
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
  measured.refused.inc({ code: 'locked_out' })
  return new AppError('locked_out', { retryAfter: (until.getTime() - now) / 1_000 })
}
