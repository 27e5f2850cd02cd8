import type {
  LoginAnswer,
  LoginBody,
  Portal,
  RegisterBody,
  Role,
  Self,
} from '../../../schemas/accounts/auth.ts'
import type { Device } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import { localIso } from '../../formats/local-time.ts'
import type { SessionClaims } from '../../tokens/tokens.ts'
import { checkCredentials, logins } from './credentials.ts'
import { findOrCreateGoogleUser } from './google-login.ts'
import { hashPassword } from './passwords.ts'
import { announceRevocations, openClientSession, openPageSession, openWebSession } from './sessions.ts'
import * as store from './store.ts'

/** Somebody who has signed in: the claims of their tokens, and what the answer contains. */
export interface Login {
  claims: SessionClaims
  user: LoginAnswer['data']['user']
  portals: Portal[]
}

/** A client's login; the refresh token carries its session. */
export interface ClientLogin extends Login {
  refreshToken: string
}

/** A browser's login, and the page that it goes to. */
export interface WebLogin extends Login {
  redirectUrl: string
}

/** Creates an account with role `user` and signs it in. 409 where the name or address is taken. */
export async function register(core: Core, input: RegisterBody, device: Device): Promise<ClientLogin> {
  const passwordHash = await hashPassword(input.password, device)
  return core.db.transaction(async (tx) => {
    const user = await createAccount(tx, input, passwordHash, 'user')
    return openForClient(core, tx, user, device)
  })
}

/** The same for a browser. */
export async function registerOnWeb(core: Core, input: RegisterBody, device: Device): Promise<WebLogin> {
  const passwordHash = await hashPassword(input.password, device)
  return core.db.transaction(async (tx) => {
    const user = await createAccount(tx, input, passwordHash, 'user')
    return openForBrowser(core, tx, user, device, 'user')
  })
}

/** Stores a new account. 409 where the name or address is taken. */
export function createAccount(
  db: Executor,
  { username, email, full_name }: Pick<RegisterBody, 'username' | 'email' | 'full_name'>,
  passwordHash: string,
  role: Role,
): Promise<store.UserRow> {
  return store.insertUser(db, { username, email, fullName: full_name ?? username, role, passwordHash })
}

/** Whether anybody has an account yet. */
export function hasAccounts(db: Executor): Promise<boolean> {
  return store.hasUsers(db)
}

/** By username or e-mail address. */
export function findAccount(db: Executor, identifier: string): Promise<store.UserRow | undefined> {
  return store.findUserByIdentifier(db, identifier)
}

/** A client's login with a password: 401 `invalid_credentials`, 429 `locked_out`. */
export function login(core: Core, input: LoginBody, device: Device): Promise<ClientLogin> {
  return logins(core).run(device, async () => {
    const user = await checkCredentials(core, input, device)
    return core.db.transaction((tx) => openForClient(core, tx, user, device))
  })
}

/**
 * A client session for the person of the browser's session cookie, so that a page has tokens of its own. The same page
 * gets the same session again. 401 if the web session has just ended.
 */
export function loginByWebSession(
  core: Core,
  web: Pick<SessionClaims, 'userId' | 'sessionId'>,
  device: Device,
): Promise<ClientLogin> {
  return core.db.transaction(async (tx) => {
    const opened = await openPageSession(core, tx, web, device)
    if (!opened) throw new AppError('token_expired_or_invalid')
    return toClientLogin(opened)
  })
}

/** A browser's login at the page of users or of administrators; 403 `admin_required` at the latter for others. */
export function loginOnWeb(core: Core, input: LoginBody, device: Device, portal: Portal): Promise<WebLogin> {
  return logins(core).run(device, async () => {
    const user = await checkCredentials(core, input, device)
    if (portal === 'admin' && user.role === 'user') throw new AppError('admin_required')
    return core.db.transaction((tx) => openForBrowser(core, tx, user, device, portal))
  })
}

/**
 * A client's login with a token of the identity provider. 401 `invalid_id_token`, also for an address that is not
 * verified; 503 `not_configured`; 409 `email_taken`.
 */
export async function loginWithGoogle(core: Core, idToken: string, device: Device) {
  if (!core.google) throw new AppError('not_configured')
  const identity = await core.google.verify(idToken)
  if (!identity?.emailVerified) throw new AppError('invalid_id_token')
  const login = await logins(core).run(device, () =>
    core.db.transaction(async (tx) => {
      const { user, isNew } = await findOrCreateGoogleUser(tx, identity)
      return { ...(await openForClient(core, tx, user, device)), isNew }
    }),
  )
  announceRevocations(core)
  return login
}

/** 401 if the account was deleted. */
export async function getAccount(core: Core, userId: number): Promise<store.UserRow> {
  const user = await store.findUser(core.db, userId)
  if (!user) throw new AppError('token_expired_or_invalid')
  return user
}

export async function describeSelf(core: Core, userId: number): Promise<Self> {
  return toSelf(core, await getAccount(core, userId))
}

/** An account as its owner sees it. */
export function toSelf(core: Core, user: store.UserRow): Self {
  return {
    ...toLoginUser(user),
    email: user.email,
    available_portals: portalsOf(user.role),
    created_at: localIso(user.createdAt, core.config.timezone),
  }
}

async function openForClient(
  core: Core,
  tx: Executor,
  person: store.UserRow,
  device: Device,
): Promise<ClientLogin> {
  return toClientLogin(await openClientSession(core, tx, person, device))
}

function toClientLogin({ user, ...tokens }: Awaited<ReturnType<typeof openClientSession>>): ClientLogin {
  return { ...tokens, user: toLoginUser(user), portals: portalsOf(user.role) }
}

async function openForBrowser(
  core: Core,
  tx: Executor,
  person: store.UserRow,
  device: Device,
  portal: Portal,
): Promise<WebLogin> {
  const { user, claims } = await openWebSession(core, tx, person, device)
  const portals = portalsOf(user.role)
  return {
    claims,
    user: toLoginUser(user),
    portals,
    redirectUrl: portal === 'admin' || !portals.includes('user') ? '/admin' : '/',
  }
}

function toLoginUser({ id, username, fullName, role }: store.UserRow) {
  return { id, username, full_name: fullName, role }
}

function portalsOf(role: Role): Portal[] {
  return role.split(',') as Portal[]
}
