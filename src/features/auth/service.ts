import type {
  GoogleAnswer,
  LoginAnswer,
  LoginBody,
  MeAnswer,
  Portal,
  RegisterBody,
  Role,
  Self,
  WebLoginAnswer,
} from '../../../schemas/auth.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import { localIso } from '../../local-time.ts'
import { checkCredentials } from './credentials.ts'
import { findOrCreateGoogleUser } from './google-login.ts'
import { hashPassword } from './passwords.ts'
import { announceRevocations, type Device, openClientSession, openWebSession } from './sessions.ts'
import * as store from './store.ts'

/** A browser's login: the answer for JSON callers, and what the session cookie holds. */
export interface WebLogin {
  answer: WebLoginAnswer
  cookie: string
}

/** Creates an account with role `user` and signs it in. 409 where the name or address is taken. */
export async function register(core: Core, input: RegisterBody, device: Device): Promise<LoginAnswer> {
  const passwordHash = await hashPassword(input.password)
  return core.db.transaction(async (tx) => {
    const user = await createAccount(tx, input, passwordHash, 'user')
    return { status: 'success', data: await openForClient(core, tx, user, device) }
  })
}

/** The same for a browser. */
export async function registerOnWeb(core: Core, input: RegisterBody, device: Device): Promise<WebLogin> {
  const passwordHash = await hashPassword(input.password)
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
export async function login(core: Core, input: LoginBody, device: Device): Promise<LoginAnswer> {
  const user = await checkCredentials(core, input, device.ip)
  const data = await core.db.transaction((tx) => openForClient(core, tx, user, device))
  return { status: 'success', data }
}

/** A browser's login at either door: as above, and 403 `admin_required` for others at the administrators'. */
export async function loginOnWeb(
  core: Core,
  input: LoginBody,
  device: Device,
  portal: Portal,
): Promise<WebLogin> {
  const user = await checkCredentials(core, input, device.ip)
  if (portal === 'admin' && user.role === 'user') throw new AppError('admin_required')
  return core.db.transaction((tx) => openForBrowser(core, tx, user, device, portal))
}

/**
 * A client's login with the identity provider's word: 401 `invalid_id_token`, unverified addresses
 * included; 503 `not_configured`; 409 `email_taken`.
 */
export async function loginWithGoogle(core: Core, idToken: string, device: Device): Promise<GoogleAnswer> {
  if (!core.google) throw new AppError('not_configured')
  const identity = await core.google.verify(idToken)
  if (!identity?.emailVerified) throw new AppError('invalid_id_token')
  const data = await core.db.transaction(async (tx) => {
    const { user, isNew } = await findOrCreateGoogleUser(tx, identity)
    return { ...(await openForClient(core, tx, user, device)), is_new_user: isNew }
  })
  announceRevocations(core)
  return { status: 'success', data }
}

export async function describeSelf(core: Core, userId: number): Promise<MeAnswer> {
  const user = await store.findUser(core.db, userId)
  if (!user) throw new AppError('token_expired_or_invalid')
  return { status: 'success', data: toSelf(core, user) }
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

async function openForClient(core: Core, tx: Executor, person: store.UserRow, device: Device) {
  const { user, tokens } = await openClientSession(core, tx, person, device)
  return { ...tokens, available_portals: portalsOf(user.role), user: toLoginUser(user) }
}

async function openForBrowser(
  core: Core,
  tx: Executor,
  person: store.UserRow,
  device: Device,
  portal: Portal,
): Promise<WebLogin> {
  const { user, cookie } = await openWebSession(core, tx, person, device)
  const portals = portalsOf(user.role)
  return {
    cookie,
    answer: {
      success: true,
      user: toLoginUser(user),
      available_portals: portals,
      redirect_url: portal === 'admin' || !portals.includes('user') ? '/admin' : '/',
    },
  }
}

function toLoginUser({ id, username, fullName, role }: store.UserRow) {
  return { id, username, full_name: fullName, role }
}

function portalsOf(role: Role): Portal[] {
  return role.split(',') as Portal[]
}
