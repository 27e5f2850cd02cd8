import type { Device } from '../../actor.ts'
import type { ProviderIdentity } from '../../adapters/oidc.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { translateDatabaseError } from '../../db/database-errors.ts'
import { LOCKS, lockAlone } from '../../db/locks.ts'
import { type UserRow, updateUser } from '../../db/user-rows.ts'
import { AppError } from '../../errors.ts'
import { foldCase } from '../../formats/case-fold.ts'
import { record } from '../audit/audit.service.ts'
import { describeRole } from '../audit/audit-words.ts'
import { setOwnRole } from '../users/users.service.ts'
import {
  contestAddress,
  decideOwner,
  displace,
  givesWay,
  type OwnerAnswer,
  recognise,
  recordDisplacements,
  settleOwner,
} from './account-owner.ts'
import { noteAddress } from './address-proof.ts'
import { insertUserIfFree } from './auth.store.ts'
import * as store from './identities.store.ts'
import { fitName, suggestUsername } from './new-names.ts'
import { voidResets } from './password-resets.store.ts'

/** What the audit log says of changes that the provider's claims made, under the name of the person who signed in. */
const BY_PROVIDER = ', by the identity provider'

/**
 * The account of somebody whom the OpenID Connect provider has identified: the one that is linked to them, else the one
 * with their verified address, which is linked now if it is theirs, else a new one. 403 `email_unverified`; 409
 * `account_exists` if it has to be asked whose it is, `email_taken`; 401 `invalid_credentials` and 429 `locked_out` for
 * a password that answers it. Call `announceRevocations` after it.
 */
export async function findOrCreateByProvider(
  core: Core,
  identity: ProviderIdentity,
  device: Device,
  answer: OwnerAnswer,
): Promise<store.LinkedAccount> {
  const known = await store.findLinked(core.db, identity)
  if (known) return known
  const { email, emailVerified } = identity
  if (email === undefined || !emailVerified) throw new AppError('email_unverified')
  const newcomer = { passwordHash: await recognise(core, email, answer, device), anew: answer.anew }
  const found = await core.db.transaction(async (tx) => {
    await lockAlone(tx, LOCKS.identity(identity.issuer, identity.subject))
    const linked = await store.findLinked(tx, identity)
    if (linked) return linked
    const settled = await settleOwner(tx, device, {
      find: () => store.findUserByEmailForUpdate(tx, email),
      decide: async (holder) => {
        const isOthers = await store.hasIdentity(tx, holder.id, identity.issuer)
        return decideOwner(tx, holder, { ...newcomer, isOthers }, device)
      },
      create: (attempt) => create(tx, { ...identity, email }, device, attempt),
    })
    // Thrown here it would undo what was noted.
    if (settled instanceof AppError) return settled
    const { user } = settled
    return { user, identityId: await store.insertIdentity(tx, user.id, identity) }
  })
  if (found instanceof AppError) throw found
  return found
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
 * Brings a linked account's address up to date with the one that the provider has verified. It stays where another
 * account has that one and doesn't give way.
 */
export async function followAddress(
  core: Core,
  linked: store.LinkedAccount,
  { email, emailVerified, issuer }: ProviderIdentity,
  device: Device,
): Promise<void> {
  if (email === undefined || !emailVerified) return
  if (linked.user.emailVerified && isSameAddress(linked.user.email, email)) return
  try {
    await core.db.transaction(async (tx) => {
      const rows = await store.listForAddress(tx, linked.user.id, email)
      const own = rows.find(({ id }) => id === linked.user.id)
      // Whoever proved the account's address meanwhile has ended the link.
      if (!own || !(await store.isLinked(tx, linked.identityId))) return
      if (isSameAddress(own.email, email)) return noteAddress(tx, own.id)
      const holder = rows.find(({ id }) => id !== own.id)
      if (holder?.emailVerified && (await store.hasIdentity(tx, holder.id, issuer)))
        return contestAddress(tx, holder.id, { id: own.id, ip: device.ip })
      if (holder) {
        if (!givesWay(holder)) return
        await displace(tx, holder.id)
        await recordDisplacements(tx, [holder], own, device)
      }
      await updateUser(tx, own.id, { email, emailVerified: true, emailContested: false })
      await voidResets(tx, own.id)
    })
  } catch (error) {
    // Somebody registered with it at this moment: the next sign-in decides about that account.
    if (translateDatabaseError(error)?.code !== 'email_taken') throw error
  }
}

function isSameAddress(one: string, other: string): boolean {
  return foldCase(one) === foldCase(other)
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
