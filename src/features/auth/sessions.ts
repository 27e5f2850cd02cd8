import type { RefreshAnswer } from '../../../schemas/auth.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import { TOKEN_LIFETIME } from '../../tokens.ts'
import { createSecretToken, hashSecretToken } from './secret-tokens.ts'
import * as store from './store.ts'

/** A refresh token's lifetime in milliseconds (specification: Limits). */
const REFRESH_LIFETIME_MS = 30 * 24 * 3_600_000
/** For this long a spent refresh token may be exchanged once more: the answer may have been lost on its way. */
const REPEAT_GRACE_MS = 30_000

/** Where a login came from, as its owner sees it in the list of sessions. */
export interface Device {
  ip: string
  userAgent: string | undefined
}

/** A client's session for this account, with the role as it is now. 401 if its password was changed meanwhile. */
export async function openClientSession(core: Core, tx: Executor, person: store.UserRow, device: Device) {
  const { user, session } = await insertSession(core, tx, person, device, 'client', REFRESH_LIFETIME_MS)
  const refreshToken = await insertRefreshToken(core, tx, session.id)
  return { user, tokens: { ...issueAccessToken(core, session, user), refresh_token: refreshToken } }
}

/** The same for a browser; `cookie` is what its session cookie holds. */
export async function openWebSession(core: Core, tx: Executor, person: store.UserRow, device: Device) {
  const lifetime = TOKEN_LIFETIME.web * 1_000
  const { user, session } = await insertSession(core, tx, person, device, 'web', lifetime)
  return { user, cookie: core.tokens.sign('web', claimsOf(session, user)) }
}

async function insertSession(
  core: Core,
  tx: Executor,
  person: store.UserRow,
  device: Device,
  kind: 'client' | 'web',
  lifetimeMs: number,
) {
  // Held until the commit, so that whoever changes its role or password then finds this session too.
  const user = await store.holdUser(tx, person)
  if (!user) throw new AppError('invalid_credentials')
  const now = core.clock()
  const session = await store.insertSession(tx, {
    userId: user.id,
    kind,
    ip: device.ip,
    userAgent: device.userAgent?.slice(0, 400),
    createdAt: new Date(now),
    lastUsedAt: new Date(now),
    expiresAt: new Date(now + lifetimeMs),
  })
  return { user, session }
}

/**
 * A new access token, with the account's role as it is now; with `rotate` a new refresh token too, the old
 * one being spent. A spent one used again ends its session, since two parties hold it, save for one repeat
 * within the grace, which supersedes the token of the lost answer. 401 for all else.
 */
export async function refresh(core: Core, token: string, rotate: boolean): Promise<RefreshAnswer> {
  const hash = hashSecretToken(token)
  const now = new Date(core.clock())
  // Ending the session has to be committed, so the transaction answers undefined rather than throws.
  const data = await core.db.transaction(async (tx) => {
    const session = await store.findSessionByRefreshTokenForUpdate(tx, hash, now)
    if (!session) return undefined
    // Read after the lock, so as they are now.
    const [presented, user] = [
      await store.findRefreshToken(tx, hash),
      await store.findUser(tx, session.userId),
    ]
    if (!presented || !user) return undefined
    if (presented.spentAt) {
      if (presented.repeated || now.getTime() - presented.spentAt.getTime() > REPEAT_GRACE_MS) {
        await store.endSessions(tx, { id: session.id })
        return undefined
      }
      await store.markRepeated(tx, hash)
    }
    if (!rotate) {
      await store.updateSession(tx, session.id, { lastUsedAt: now })
      return issueAccessToken(core, session, user)
    }
    await store.spendRefreshTokens(tx, session.id, now)
    const refreshToken = await insertRefreshToken(core, tx, session.id)
    const expiresAt = new Date(now.getTime() + REFRESH_LIFETIME_MS)
    await store.updateSession(tx, session.id, { lastUsedAt: now, expiresAt })
    return { ...issueAccessToken(core, session, user), refresh_token: refreshToken }
  })
  if (data) return { status: 'success', data }
  announceRevocations(core)
  throw new AppError('token_expired_or_invalid')
}

/** Ends the refresh token's session; already ended or unknown is fine as well. */
export async function endSessionByRefreshToken(core: Core, token: string): Promise<void> {
  const now = new Date(core.clock())
  await core.db.transaction(async (tx) => {
    const session = await store.findSessionByRefreshTokenForUpdate(tx, hashSecretToken(token), now)
    if (session) await store.endSessions(tx, { id: session.id })
  })
  announceRevocations(core)
}

/** Ends one session of a person. 404 if they have no such. */
export async function endSession(core: Core, userId: number, id: number): Promise<void> {
  if ((await store.endSessions(core.db, { id, userId })) === 0) throw new AppError('not_found')
  announceRevocations(core)
}

export function listSessions(core: Core, userId: number): Promise<store.SessionRow[]> {
  return store.listSessions(core.db, userId, new Date(core.clock()))
}

/** Ends every session of a person, or all but one; `announceRevocations` after the commit. */
export async function endSessionsOf(tx: Executor, userId: number, exceptId?: number): Promise<void> {
  await store.endSessions(tx, exceptId === undefined ? { userId } : { userId, exceptId })
}

/** After a role change: web sessions end, clients have to refresh; `announceRevocations` after the commit. */
export async function renewSessionsOf(tx: Executor, userId: number): Promise<void> {
  await store.renewSessions(tx, userId)
}

/** Lets the nodes read committed revocations now rather than at their next poll. */
export function announceRevocations(core: Core): void {
  core.bus.publish('revocations', { kind: 'revoked' })
}

async function insertRefreshToken(core: Core, tx: Executor, sessionId: number): Promise<string> {
  const { token, hash } = createSecretToken()
  const expiresAt = new Date(core.clock() + REFRESH_LIFETIME_MS)
  await store.insertRefreshToken(tx, { hash, sessionId, expiresAt })
  return token
}

function issueAccessToken(core: Core, session: store.SessionRow, user: store.UserRow) {
  return {
    access_token: core.tokens.sign('access', claimsOf(session, user)),
    token_type: 'Bearer' as const,
    expires_in: TOKEN_LIFETIME.access,
  }
}

function claimsOf({ id, generation }: store.SessionRow, user: store.UserRow) {
  return { userId: user.id, role: user.role, sessionId: id, generation }
}
