import type { Device } from '../../actor.ts'
import type { LogoutOrder } from '../../adapters/oidc.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { type UserRow, updateUser } from '../../db/user-rows.ts'
import { AppError } from '../../errors.ts'
import { DAY_MS } from '../../formats/local-time.ts'
import { type IssuedClaims, type SessionClaims, TOKEN_LIFETIME_SECONDS } from '../../tokens/tokens.ts'
import * as store from './auth.store.ts'
import { REMEMBERED_SECONDS } from './session-watch.ts'

/** A refresh token's lifetime (docs/protocol/http.md#signing-in). */
const REFRESH_LIFETIME_MS = 30 * DAY_MS
/** Live sessions of one person (docs/protocol/http.md#caps). */
const MOST_SESSIONS = 200
/** How long a session of the OpenID Connect provider lasts (docs/protocol/sign-in.md#the-end-of-such-a-session). */
const PROVIDER_LIFETIME_MS = 12 * 3_600_000
/** How long a spent refresh token may still be used. */
const SPENT_GRACE_MS = 30_000

/** Where a session comes from, and what that limits. */
export type SessionOrigin = Pick<store.SessionRow, 'identityId' | 'providerSid' | 'endsAt' | 'openedBy'>

const OWN_DOOR: SessionOrigin = { identityId: null, providerSid: null, endsAt: null, openedBy: null }

/** The origin of a session that begins now, by the OpenID Connect provider. */
export function originOfProvider(
  { clock }: Core,
  identityId: number,
  sid: string | undefined,
): SessionOrigin {
  const endsAt = new Date(clock() + PROVIDER_LIFETIME_MS)
  return { identityId, providerSid: sid ?? null, endsAt, openedBy: null }
}

/** Whose session it is, and what its client gets. */
export interface ClientSession {
  user: UserRow
  claims: IssuedClaims
  refreshToken: string
}

/**
 * A client session for this account, with its current role. If the account has too many sessions, the least recently
 * used one ends, which the nodes notice at their next poll. 401 if the password was changed meanwhile.
 */
export async function openClientSession(
  core: Core,
  tx: Executor,
  person: UserRow,
  device: Device,
  origin = OWN_DOOR,
): Promise<ClientSession> {
  const { user, session } = await insertSession(core, tx, person, device, 'client', origin)
  return toClientSession(core, session, user)
}

/**
 * The client session of a page whose browser has this web session: the one that the page got before, if it is still
 * live, else a new one. undefined if the web session has just ended, or the account has changed.
 */
export async function openPageSession(
  core: Core,
  tx: Executor,
  { userId, sessionId }: Pick<SessionClaims, 'userId' | 'sessionId'>,
  device: Device,
): Promise<ClientSession | undefined> {
  const now = new Date(core.clock())
  const person = await store.findUser(tx, userId)
  const user = person && (await store.holdUser(tx, person))
  const web = user && (await store.findSessionForUpdate(tx, sessionId, 'web', now))
  if (!web) return undefined
  const earlier = await store.findOpenedSession(tx, web, now)
  if (earlier) await store.updateSession(tx, earlier.id, { lastUsedAt: now })
  const session =
    earlier ?? (await insertSession(core, tx, user, device, 'client', { ...web, openedBy: web.id })).session
  return toClientSession(core, session, user)
}

function toClientSession(core: Core, session: store.SessionRow, user: UserRow): ClientSession {
  const refreshToken = makeRefreshToken(core, session, session.refreshGeneration)
  return { user, claims: toClaims(session, user), refreshToken }
}

/** A browser's session. */
export async function openWebSession(
  core: Core,
  tx: Executor,
  person: UserRow,
  device: Device,
  origin = OWN_DOOR,
) {
  const { user, session } = await insertSession(core, tx, person, device, 'web', origin)
  return { user, claims: toClaims(session, user) }
}

async function insertSession(
  core: Core,
  tx: Executor,
  person: UserRow,
  device: Device,
  kind: 'client' | 'web',
  { identityId, providerSid, endsAt, openedBy }: SessionOrigin,
) {
  // Locked until the commit: a later change of the role or the password finds this session too, and logins of one
  // person run one after another.
  const user = await store.holdUser(tx, person)
  if (!user) throw new AppError('invalid_credentials')
  if (user.suspendedAt) throw new AppError('account_suspended')
  if (user.unclaimed) await updateUser(tx, user.id, { unclaimed: false })
  const now = core.clock()
  await store.endOldestSessions(tx, user.id, MOST_SESSIONS - 1, new Date(now))
  const session = await store.insertSession(tx, {
    userId: user.id,
    kind,
    identityId,
    providerSid,
    endsAt,
    openedBy,
    ip: device.ip,
    userAgent: device.userAgent?.slice(0, 400),
    createdAt: new Date(now),
    lastUsedAt: new Date(now),
    expiresAt: expiryOf(kind, now, endsAt),
  })
  return { user, session }
}

/** The claims of a client's next access token, and the next refresh token if it asked for one. */
export interface TokenRenewal {
  claims: IssuedClaims
  refreshToken: string | undefined
}

/**
 * A new access token, with the account's current role; with `rotate` also a new refresh token, and the old one is
 * spent. For 30 seconds a spent one gives the same answer, unless the new one has been used: the answer may have been
 * lost, or several tabs may have asked at once. Any later use ends the session, because then two parties have its
 * tokens. 401 in all other cases.
 */
export async function refresh(core: Core, token: string, rotate: boolean): Promise<TokenRenewal> {
  const now = new Date(core.clock())
  // Throwing would undo the end of the session, so the transaction answers undefined instead.
  const refreshed = await core.db.transaction(async (tx) => {
    const presented = await findPresented(core, tx, token, now)
    if (!presented) return undefined
    const { session, generation } = presented
    // Read after the lock, so it is the current state.
    const user = await store.findUser(tx, session.userId)
    if (!user) return undefined
    const behind = session.refreshGeneration - generation
    const rotatedAt = session.rotatedAt?.getTime() ?? Number.NEGATIVE_INFINITY
    const isGood =
      behind === 0 || (behind === 1 && !session.refreshUsed && now.getTime() - rotatedAt <= SPENT_GRACE_MS)
    if (!isGood) {
      await store.endSessions(tx, { id: session.id })
      return undefined
    }
    const successor = generation + 1
    if (behind === 0)
      await store.updateSession(tx, session.id, {
        lastUsedAt: now,
        ...(rotate
          ? {
              refreshGeneration: successor,
              rotatedAt: now,
              refreshUsed: false,
              expiresAt: expiryOf('client', now.getTime(), session.endsAt),
            }
          : { refreshUsed: true }),
      })
    return {
      claims: toClaims(session, user),
      refreshToken: rotate ? makeRefreshToken(core, session, successor) : undefined,
    }
  })
  if (refreshed) return refreshed
  announceRevocations(core)
  throw new AppError('token_expired_or_invalid')
}

/** Ends the session of this refresh token; does nothing if it is unknown or has ended. */
export async function endSessionByRefreshToken(core: Core, token: string): Promise<void> {
  const now = new Date(core.clock())
  await core.db.transaction(async (tx) => {
    const presented = await findPresented(core, tx, token, now)
    if (presented) await store.endSessions(tx, { id: presented.session.id })
  })
  announceRevocations(core)
}

/** The live session of a refresh token, locked, and the token's number in it. */
async function findPresented(core: Core, tx: Executor, token: string, now: Date) {
  const claims = core.refreshTokens.read(token)
  const session = claims && (await store.findSessionForUpdate(tx, claims.sessionId, 'client', now))
  if (!session || claims.generation > session.refreshGeneration) return undefined
  if (claims.startedAt !== session.createdAt.getTime()) return undefined
  return { session, generation: claims.generation }
}

/** Ends one session of a person, and what it opened. 404 if it is not theirs. */
export async function endSession(core: Core, userId: number, id: number): Promise<void> {
  const ended = await core.db.transaction(async (tx) => {
    // A page that is just being given a session has this row: then that one is found as well.
    await store.holdSession(tx, id)
    return store.endSessions(tx, { id, userId })
  })
  if (ended === 0) throw new AppError('not_found')
  announceRevocations(core)
}

export function listSessions(core: Core, userId: number): Promise<store.SessionRow[]> {
  return store.listSessions(core.db, userId, new Date(core.clock()))
}

/**
 * 401 if the session that asks for something has ended since: where it is locked, the account may have got another owner
 * while this waited (address-proof.ts).
 */
export async function requireSession(
  tx: Executor,
  { sessionId }: Pick<SessionClaims, 'sessionId'>,
): Promise<void> {
  if (!(await store.findSession(tx, sessionId))) throw new AppError('token_expired_or_invalid')
}

/** Ends every session of a person, or all but one; call `announceRevocations` after the commit. */
export async function endSessionsOf(tx: Executor, userId: number, exceptId?: number): Promise<void> {
  await store.endSessions(tx, exceptId === undefined ? { userId } : { userId, exceptId })
}

/** After a role change: web sessions end, clients have to refresh. Call `announceRevocations` after the commit. */
export async function renewSessionsOf(tx: Executor, userIds: number[]): Promise<void> {
  await store.renewSessions(tx, userIds)
}

/** Whether a session came by the OpenID Connect provider. */
export async function isByProvider(
  core: Core,
  { sessionId }: Pick<SessionClaims, 'sessionId'>,
): Promise<boolean> {
  return (await store.findSession(core.db, sessionId))?.identityId != null
}

/**
 * Ends what the provider ended: all sessions of a person, or those that one of its own sessions opened. Call
 * `announceRevocations` after it.
 */
export async function endSessionsByProvider(db: Executor, order: LogoutOrder): Promise<void> {
  await store.endProviderSessions(db, order)
}

/** Ends the sessions that came neither by the provider nor belong to accounts made at the command line. */
export async function endOtherSessions(core: Core): Promise<void> {
  await store.endOtherSessions(core.db)
  announceRevocations(core)
}

/** Makes the nodes read committed revocations now rather than at their next poll. */
export function announceRevocations(core: Core): void {
  core.bus.publish('revocations', { kind: 'revoked' })
}

function makeRefreshToken(core: Core, { id, createdAt }: store.SessionRow, generation: number): string {
  return core.refreshTokens.make({ sessionId: id, startedAt: createdAt.getTime(), generation })
}

function toClaims({ id, generation, endsAt }: store.SessionRow, user: UserRow): IssuedClaims {
  return { userId: user.id, role: user.role, sessionId: id, generation, endsAt }
}

/** When a session ends if it isn't used again. */
function expiryOf(kind: 'client' | 'web', now: number, endsAt: Date | null): Date {
  const lifetimeMs = kind === 'web' ? TOKEN_LIFETIME_SECONDS.web * 1_000 : REFRESH_LIFETIME_MS
  return new Date(Math.min(now + lifetimeMs, endsAt?.getTime() ?? Infinity))
}

/** Deletes sessions that ended long ago. */
export async function deleteStaleSessions(core: Core): Promise<void> {
  await store.deleteStale(core.db, new Date(core.clock()), REMEMBERED_SECONDS)
}
