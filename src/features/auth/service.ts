import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type {
  LoginAnswer,
  LoginBody,
  MeAnswer,
  Portal,
  RefreshAnswer,
  RegisterBody,
  Role,
} from '../../../schemas/auth.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { localIso } from '../../local-time.ts'
import { TOKEN_LIFETIME } from '../../tokens.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import * as store from './store.ts'

/** A refresh token's lifetime in milliseconds (specification: Limits). */
const REFRESH_LIFETIME_MS = 30 * 24 * 3_600 * 1_000

/** Where a login came from, as its owner sees it in the list of sessions. */
export interface Device {
  ip: string
  userAgent: string | undefined
}

/** Creates an account with role `user` and signs it in. 409 where the name or address is taken. */
export async function register(core: Core, input: RegisterBody, device: Device): Promise<LoginAnswer> {
  const user = await createAccount(core, { ...input, fullName: input.full_name, role: 'user' })
  return openClientSession(core, user, device)
}

/** Throws 409 where the name or address is taken. */
export async function createAccount(
  core: Core,
  account: { username: string; email: string; password: string; role: Role; fullName?: string | undefined },
): Promise<store.UserRow> {
  const { password, ...person } = account
  return store.insertUser(core.db, {
    ...person,
    fullName: person.fullName ?? person.username,
    passwordHash: await hashPassword(password),
  })
}

/** Whether anybody has an account yet. */
export function hasAccounts(core: Core): Promise<boolean> {
  return store.hasUsers(core.db)
}

/** 401 with the same text and effort whether or not the account exists. */
export async function login(core: Core, input: LoginBody, device: Device): Promise<LoginAnswer> {
  const user = await store.findUserByIdentifier(core.db, input.username)
  const valid = await verifyPassword(user?.passwordHash, input.password)
  if (!user || !valid) throw new AppError('invalid_credentials')
  return openClientSession(core, user, device)
}

/** A new access token for a live session, with the account's role as it is now. */
export async function refresh(core: Core, refreshToken: string): Promise<RefreshAnswer> {
  const { session, user } = await findRefreshable(core, refreshToken)
  await store.touchSession(core.db, session.id)
  return { status: 'success', data: issueAccessToken(core, session, user) }
}

/** Ends the refresh token's session; already ended or unknown is fine as well. */
export async function logout(core: Core, refreshToken: string): Promise<void> {
  const found = await findRefreshable(core, refreshToken).catch(() => undefined)
  if (!found) return
  await store.endSession(core.db, found.session.id)
  core.bus.publish('revocations', { kind: 'revoked' })
}

export async function describeSelf(core: Core, userId: number): Promise<MeAnswer> {
  const user = await store.findUser(core.db, userId)
  if (!user) throw new AppError('token_expired_or_invalid')
  return {
    status: 'success',
    data: {
      id: user.id,
      username: user.username,
      full_name: user.fullName,
      email: user.email,
      role: user.role,
      available_portals: portalsOf(user.role),
      created_at: localIso(user.createdAt, core.config.timezone),
    },
  }
}

function portalsOf(role: Role): Portal[] {
  return role.split(',') as Portal[]
}

async function openClientSession(core: Core, user: store.UserRow, device: Device): Promise<LoginAnswer> {
  const secret = randomBytes(32)
  const session = await store.insertSession(core.db, {
    userId: user.id,
    kind: 'client',
    refreshHash: hashSecret(secret),
    ip: device.ip,
    userAgent: device.userAgent?.slice(0, 400),
    expiresAt: new Date(core.clock() + REFRESH_LIFETIME_MS),
  })
  return {
    status: 'success',
    data: {
      ...issueAccessToken(core, session, user),
      refresh_token: `${session.id}.${secret.toString('base64url')}`,
      available_portals: portalsOf(user.role),
      user: { id: user.id, username: user.username, full_name: user.fullName, role: user.role },
    },
  }
}

function issueAccessToken(core: Core, session: store.SessionRow, user: store.UserRow) {
  return {
    access_token: core.tokens.sign('access', {
      userId: user.id,
      role: user.role,
      sessionId: session.id,
      generation: session.generation,
    }),
    token_type: 'Bearer' as const,
    expires_in: TOKEN_LIFETIME.access,
  }
}

/** The session of a refresh token `<session id>.<secret>`, or 401 for whatever is wrong with it. */
async function findRefreshable(core: Core, refreshToken: string) {
  const [, id, secret] = /^(\d{1,9})\.([\w-]{43})$/.exec(refreshToken) ?? []
  const found = id === undefined ? undefined : await store.findSessionWithUser(core.db, Number(id))
  if (!found?.session.refreshHash || secret === undefined) throw new AppError('token_expired_or_invalid')
  const offered = Buffer.from(hashSecret(Buffer.from(secret, 'base64url')))
  if (!timingSafeEqual(offered, Buffer.from(found.session.refreshHash)))
    throw new AppError('token_expired_or_invalid')
  return found
}

function hashSecret(secret: Buffer): string {
  return createHash('sha256').update(secret).digest('hex')
}
