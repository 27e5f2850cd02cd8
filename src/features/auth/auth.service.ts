import type {
  GoogleBody,
  LoginAnswer,
  LoginBody,
  OidcBody,
  Portal,
  RegisterBody,
  Role,
  Self,
} from '../../../schemas/auth.schemas.ts'
import type { Device } from '../../actor.ts'
import type { ProviderIdentity } from '../../adapters/oidc.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import type { UserRow } from '../../db/user-rows.ts'
import { AppError, invalidField } from '../../errors.ts'
import { localIso } from '../../formats/local-time.ts'
import type { IssuedClaims, SessionClaims } from '../../tokens/tokens.ts'
import { type OwnerAnswer, recognise } from './account-owner.ts'
import { addressMails } from './address-mails.ts'
import * as store from './auth.store.ts'
import { checkCredentials } from './credentials.ts'
import { findOrCreateGoogleUser } from './google-login.ts'
import { isLinked } from './identities.store.ts'
import { hashPassword } from './passwords.ts'
import { bringRoleUpToDate, findOrCreateByProvider, followAddress } from './provider-login.ts'
import { requireOwnDoors } from './provider-only.service.ts'
import { requireRegistration } from './registration.ts'
import {
  announceRevocations,
  type ClientSession,
  openClientSession,
  openPageSession,
  openWebSession,
  originOfProvider,
  type SessionOrigin,
} from './sessions.service.ts'

/** Somebody who has signed in: the claims of their tokens, and what the answer contains. */
export interface Login {
  claims: IssuedClaims
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

/**
 * Creates an account with role `user` and signs it in. 409 where the name or address is taken; 403 `oidc_only`,
 * `registration_closed`.
 */
export function register(core: Core, input: RegisterBody, device: Device): Promise<ClientLogin> {
  return registerBy(core, input, device, (tx, user) => openForClient(core, tx, user, device))
}

/** Creates an account with role `user` and opens a browser's session for it; refused as `register` is. */
export function registerOnWeb(core: Core, input: RegisterBody, device: Device): Promise<WebLogin> {
  return registerBy(core, input, device, (tx, user) => openForBrowser(core, tx, user, device, 'user'))
}

async function registerBy<T>(
  core: Core,
  input: RegisterBody,
  device: Device,
  open: (tx: Executor, user: UserRow) => Promise<T>,
): Promise<T> {
  requireOwnDoors(core)
  requireRegistration(core, input.email)
  const passwordHash = await core.gate.passwords.run(device, () =>
    hashPassword(core.config.passwordCost, input.password),
  )
  return core.db.transaction(async (tx) => open(tx, await createAccount(tx, input, passwordHash, 'user')))
}

/**
 * Stores a new account. `byOperator`: made at the command line; `unclaimed`: by an administrator. 409 where the name or
 * address is taken.
 */
export function createAccount(
  db: Executor,
  { username, email, full_name }: Pick<RegisterBody, 'username' | 'email' | 'full_name'>,
  passwordHash: string | null,
  role: Role,
  { byOperator = false, unclaimed = false } = {},
): Promise<UserRow> {
  const fullName = full_name ?? username
  // The operator knows whose address it is.
  const emailVerified = byOperator
  const names = { username, email, fullName }
  return store.insertUser(db, { ...names, emailVerified, role, passwordHash, byOperator, unclaimed })
}

/** Whether anybody has an account yet. */
export function hasAccounts(db: Executor): Promise<boolean> {
  return store.hasUsers(db)
}

/** By username or e-mail address. */
export function findAccount(db: Executor, identifier: string): Promise<UserRow | undefined> {
  return store.findUserByIdentifier(db, identifier)
}

/** A client's login with a password: 401 `invalid_credentials`, 429 `locked_out`. */
export function login(core: Core, input: LoginBody, device: Device): Promise<ClientLogin> {
  return core.gate.logins.run(device, async () => {
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
  return core.gate.logins.run(device, async () => {
    const user = await checkCredentials(core, input, device)
    if (portal === 'admin' && user.role === 'user') throw new AppError('admin_required')
    return core.db.transaction((tx) => openForBrowser(core, tx, user, device, portal))
  })
}

/**
 * A client's login with a token of the identity provider. 401 `invalid_id_token`, also for an address that is not
 * verified; 503 `not_configured`; 409 `account_exists`, `email_taken`. Without an answer to `account_exists` a link is
 * mailed that proves the address, so that the next call links. `ownAddress`: where this service listens.
 */
export async function loginWithGoogle(
  core: Core,
  { id_token, nonce, ...answer }: GoogleBody,
  device: Device,
  ownAddress: string,
) {
  requireOwnDoors(core)
  if (!core.google) throw new AppError('not_configured')
  const identity = await core.google.verify(id_token, nonce)
  if (!identity?.emailVerified) throw new AppError('invalid_id_token')
  const login = await core.gate.logins.run(device, async () => {
    const isKnown = await store.hasGoogleSubject(core.db, identity.subject)
    const passwordHash = isKnown ? undefined : await recognise(core, identity.email, answer, device)
    return core.db.transaction(async (tx) => {
      const newcomer = { passwordHash, anew: answer.anew }
      const found = await findOrCreateGoogleUser(core, tx, identity, newcomer, device)
      if (found instanceof AppError) return found
      return { ...(await openForClient(core, tx, found.user, device)), isNew: found.isNew }
    })
  })
  if (login instanceof AppError) {
    if (login.code !== 'account_exists') throw login
    addressMails(core).proof(identity.email, device, ownAddress)
    throw new AppError('account_exists', { message: MAILED, details: { mailed: true } })
  }
  announceRevocations(core)
  return login
}

const MAILED =
  'An account has this e-mail address, and nobody has confirmed whose it is: a mail with a link that does is on its way'

/**
 * A client's login with a code of the OpenID Connect provider: 400 for a `redirect_uri` that the operator doesn't list,
 * 401 `oidc_failed`, 403 `email_unverified`, 503 `identity_provider_down` or `not_configured`.
 */
export async function loginWithOidc(
  core: Core,
  { code, code_verifier: verifier, redirect_uri: redirectUri, nonce, ...answer }: OidcBody,
  device: Device,
): Promise<ClientLogin> {
  const { oidc } = core
  if (!oidc) throw new AppError('not_configured')
  if (!oidc.settings.redirectUris.includes(redirectUri))
    throw invalidField('/redirect_uri', 'is not one of this service')
  const identity = await core.gate.providers.run(device, () =>
    oidc.redeemCode({ code, verifier, redirectUri, nonce }),
  )
  return openByProvider(core, identity, device, answer, (...opening) => openForClient(core, ...opening))
}

/**
 * Opens a browser's session for somebody whom the provider has identified: 401 `oidc_failed`, 403 `email_unverified`,
 * 409 `account_exists`, `email_taken`; 401 `invalid_credentials`, 429 `locked_out` for an answer with a password.
 */
export function loginByProviderOnWeb(
  core: Core,
  identity: ProviderIdentity,
  device: Device,
  answer: OwnerAnswer,
): Promise<WebLogin> {
  return openByProvider(core, identity, device, answer, (tx, user, from, origin) =>
    openForBrowser(core, tx, user, from, 'user', origin),
  )
}

function openByProvider<T>(
  core: Core,
  identity: ProviderIdentity,
  device: Device,
  answer: OwnerAnswer,
  open: (tx: Executor, user: UserRow, device: Device, origin: SessionOrigin) => Promise<T>,
): Promise<T> {
  return core.gate.logins.run(device, async () => {
    const linked = await findOrCreateByProvider(core, identity, device, answer)
    const { user, identityId } = linked
    await followAddress(core, linked, identity, device)
    await bringRoleUpToDate(core, user, identity, device)
    announceRevocations(core)
    const origin = originOfProvider(core, identityId, identity.sid)
    return core.db.transaction(async (tx) => {
      const opened = await open(tx, user, device, origin)
      // The account's row is locked by now. Its owner may have proved their address since this link was looked up: then
      // it has ended, and what it leads to is theirs.
      if (!(await isLinked(tx, identityId))) throw new AppError('oidc_failed')
      return opened
    })
  })
}

/** 401 if the account was deleted. */
export async function getAccount(core: Core, userId: number): Promise<UserRow> {
  const user = await store.findUser(core.db, userId)
  if (!user) throw new AppError('token_expired_or_invalid')
  return user
}

export async function describeSelf(core: Core, userId: number): Promise<Self> {
  return toSelf(core, await getAccount(core, userId))
}

/** An account as its owner sees it. */
export function toSelf(core: Core, user: UserRow): Self {
  return {
    ...toLoginUser(user),
    email: user.email,
    available_portals: portalsOf(user.role),
    has_password: user.passwordHash !== null,
    created_at: localIso(user.createdAt, core.config.timezone),
  }
}

async function openForClient(
  core: Core,
  tx: Executor,
  person: UserRow,
  device: Device,
  origin?: SessionOrigin,
): Promise<ClientLogin> {
  return toClientLogin(await openClientSession(core, tx, person, device, origin))
}

function toClientLogin({ user, ...tokens }: ClientSession): ClientLogin {
  return { ...tokens, user: toLoginUser(user), portals: portalsOf(user.role) }
}

async function openForBrowser(
  core: Core,
  tx: Executor,
  person: UserRow,
  device: Device,
  portal: Portal,
  origin?: SessionOrigin,
): Promise<WebLogin> {
  const { user, claims } = await openWebSession(core, tx, person, device, origin)
  const portals = portalsOf(user.role)
  return {
    claims,
    user: toLoginUser(user),
    portals,
    redirectUrl: portal === 'admin' || !portals.includes('user') ? '/admin' : '/',
  }
}

function toLoginUser({ id, username, fullName, role }: UserRow) {
  return { id, username, full_name: fullName, role }
}

function portalsOf(role: Role): Portal[] {
  return role.split(',') as Portal[]
}
