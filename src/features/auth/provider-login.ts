import type { Device } from '../../actor.ts'
import type { ProviderIdentity } from '../../adapters/oidc.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { LOCKS, lockAlone } from '../../db/locks.ts'
import type { UserRow } from '../../db/user-rows.ts'
import { AppError } from '../../errors.ts'
import { record } from '../audit/audit.service.ts'
import { describeRole } from '../audit/audit-words.ts'
import { setOwnRole } from '../users/users.service.ts'
import { confirmAddress } from './address-proof.ts'
import { insertUserIfFree } from './auth.store.ts'
import * as store from './identities.store.ts'
import { fitName, NAME_TRIES, suggestUsername } from './new-names.ts'
import { voidResets } from './password-resets.store.ts'

/** What the audit log says of changes that the provider's claims made, under the name of who signed in. */
const BY_PROVIDER = ', by the identity provider'

/**
 * The account of somebody whom the OpenID Connect provider has identified: the one that is linked to them, else the one
 * with their verified address, which is linked now, else a new one. 403 `email_unverified`; 401 `oidc_failed` if the
 * account with that address is linked to somebody else there. Call `announceRevocations` after it.
 */
export function findOrCreateByProvider(
  core: Core,
  identity: ProviderIdentity,
  device: Device,
): Promise<store.Linked> {
  return core.db.transaction(async (tx) => {
    await lockAlone(tx, LOCKS.identity(identity.issuer, identity.subject))
    const linked = await store.findLinked(tx, identity)
    if (linked) return linked
    const { email, emailVerified } = identity
    if (email === undefined || !emailVerified) throw new AppError('email_unverified')
    for (let attempt = 0; attempt < NAME_TRIES; attempt++) {
      const user = (await adopt(tx, email)) ?? (await create(tx, { ...identity, email }, device, attempt))
      if (!user) continue
      const identityId = await store.insertIdentityIfFree(tx, user.id, identity)
      if (identityId === undefined) throw new AppError('oidc_failed')
      return { user, identityId }
    }
    throw new AppError('unavailable', { retryAfter: 1 })
  })
}

/** The account with this address, after everything has ended that led into it without a proof of the address. */
async function adopt(tx: Executor, email: string): Promise<UserRow | undefined> {
  const user = await store.findUserByEmailForUpdate(tx, email)
  if (!user) return undefined
  const owned = await confirmAddress(tx, user)
  await voidResets(tx, user.id)
  return owned
}

/** A new account; undefined if its name, or meanwhile its address, is taken. */
async function create(
  tx: Executor,
  { email, name, username: wanted, isAdmin }: ProviderIdentity & { email: string },
  { ip }: Device,
  attempt: number,
): Promise<UserRow | undefined> {
  const username = suggestUsername(wanted ?? email, attempt)
  const role = isAdmin ? 'user,admin' : 'user'
  const fullName = fitName(name) ?? username
  const user = await insertUserIfFree(tx, { username, email, emailVerified: true, fullName, role })
  if (!user) return undefined
  const summary = `Created as ${describeRole(role)}${BY_PROVIDER}`
  await record(tx, { id: user.id, ip }, { action: 'user.create', subject: ['user', user.id], summary })
  return user
}

/**
 * Gives and takes the administrators' role as the provider says. Accounts made at the command line and the last
 * administrator keep theirs. Call `announceRevocations` after it.
 */
export async function bringRoleUpToDate(
  core: Core,
  user: UserRow,
  { isAdmin }: ProviderIdentity,
  { ip }: Device,
): Promise<void> {
  if (isAdmin === undefined || user.byOperator || isAdmin === (user.role !== 'user')) return
  const role = isAdmin ? 'user,admin' : 'user'
  try {
    await core.db.transaction((tx) => setOwnRole(tx, user.id, ip, role, BY_PROVIDER))
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'last_admin')) throw error
  }
}
