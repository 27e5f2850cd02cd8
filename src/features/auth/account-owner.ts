import { randomUUID } from 'node:crypto'
import { PLACEHOLDER_DOMAIN } from '../../../schemas/auth.schemas.ts'
import type { Actor, Device } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { type UserRow, updateUser } from '../../db/user-rows.ts'
import { AppError } from '../../errors.ts'
import { record } from '../audit/audit.service.ts'
import { confirmAddress, noteAddress } from './address-proof.ts'
import { checkPassword } from './credentials.ts'
import { NAME_TRIES } from './new-names.ts'
import { findUserByEmail, voidResets } from './password-resets.store.ts'

/** What somebody who comes by a provider answers when asked whose account it is; empty: they were not asked yet. */
export interface OwnerAnswer {
  password?: string | undefined
  /** Whether it is somebody else's, and a new one is made. */
  anew?: boolean | undefined
}

/**
 * The hash of the password of the account with this address, if that is the password of the answer; undefined without
 * one, or without an account. 401 `invalid_credentials`, 429 `locked_out`.
 */
export async function recognise(
  core: Core,
  email: string,
  { password }: OwnerAnswer,
  device: Device,
): Promise<string | undefined> {
  const account = password === undefined ? undefined : await findUserByEmail(core.db, email)
  if (password === undefined || !account) return undefined
  await checkPassword(core, account, password, device)
  return account.passwordHash ?? undefined
}

/** What is known of somebody who comes by a provider to an account that has their verified address. */
export interface Newcomer {
  /** What `recognise` answered. */
  passwordHash: string | undefined
  /** Whether they say that the account is not theirs. */
  anew: boolean | undefined
  /** Whether the account leads to somebody else at that provider. */
  isOthers: boolean
}

/**
 * Decides whose account it is when somebody comes by a provider for the first time and an account has their address
 * (docs/protocol/sign-in.md#who-it-is). Its row is locked. Answers the account if it is the newcomer's, undefined if it
 * has given the address up, or the refusal, to be thrown after the commit: 409 `account_exists`, `email_taken`. Call
 * `announceRevocations` after the commit.
 */
export async function decideOwner(
  tx: Executor,
  account: UserRow,
  { passwordHash, anew, isOthers }: Newcomer,
  { ip }: Device,
): Promise<UserRow | AppError | undefined> {
  const knowsPassword = passwordHash !== undefined && passwordHash === account.passwordHash
  if (isOthers && account.emailVerified) {
    await contestAddress(tx, account.id, { id: null, ip })
    return addressTaken()
  }
  if (account.emailContested || (isOthers && knowsPassword)) return addressTaken()
  if (account.emailVerified || account.unclaimed) {
    const owned = await confirmAddress(tx, account)
    await voidResets(tx, account.id)
    return owned
  }
  if (knowsPassword) {
    await noteAddress(tx, account.id)
    await voidResets(tx, account.id)
    return { ...account, emailVerified: true }
  }
  if (!anew) return new AppError('account_exists')
  if (!givesWay(account)) return addressTaken()
  await displace(tx, account.id)
  return undefined
}

/**
 * The account of somebody who comes by a provider for the first time: the one that holds their address, if it is
 * theirs, else a new one. A refusal is answered, to be thrown after the commit.
 */
export async function settleOwner(
  tx: Executor,
  device: Device,
  {
    find,
    decide,
    create,
  }: {
    /** The account that holds the address; its row is locked. */
    find(): Promise<UserRow | undefined>
    /** As `decideOwner`. */
    decide(holder: UserRow): Promise<UserRow | AppError | undefined>
    /** undefined if the name is taken, or meanwhile the address, as by another request of the same person. */
    create(attempt: number): Promise<UserRow | undefined>
  },
): Promise<{ user: UserRow; isNew: boolean } | AppError> {
  const displaced: UserRow[] = []
  for (let attempt = 0; attempt < NAME_TRIES; attempt++) {
    const holder = await find()
    const owned = holder && (await decide(holder))
    if (owned instanceof AppError) return owned
    if (holder && !owned) displaced.push(holder)
    const user = owned ?? (await create(attempt))
    if (!user) continue
    await recordDisplacements(tx, displaced, user, device)
    return { user, isNew: !owned }
  }
  throw new AppError('unavailable', { retryAfter: 1 })
}

/** Notes in the log that accounts gave their address up to somebody who proved it. */
export async function recordDisplacements(
  tx: Executor,
  displaced: readonly UserRow[],
  by: UserRow,
  { ip }: Device,
): Promise<void> {
  const summary = 'Its e-mail address went to somebody who proved it'
  for (const { id } of displaced)
    await record(tx, { id: by.id, ip }, { action: 'user.displace', subject: ['user', id], summary })
}

/**
 * Whether an account gives its address up to somebody who proves it: if nobody ever did, and it may be a guess.
 * Accounts that an administrator made are no guesses.
 */
export function givesWay({ emailVerified, emailContested, unclaimed, role, suspendedAt }: UserRow): boolean {
  return !emailVerified && !emailContested && !unclaimed && role === 'user' && suspendedAt === null
}

/** Takes an account's address from it, and nothing else: its owner signs in by username. Its row is locked. */
export async function displace(tx: Executor, userId: number): Promise<UserRow> {
  await voidResets(tx, userId)
  return updateUser(tx, userId, {
    email: `${randomUUID()}@${PLACEHOLDER_DOMAIN}`,
    emailVerified: false,
    emailContested: false,
  })
}

/** Whether an account has given its address up, and has no other one. */
export function isPlaceholder(email: string): boolean {
  return email.endsWith(`@${PLACEHOLDER_DOMAIN}`)
}

/**
 * Notes that an account's address belongs to somebody else now, as a provider says: to `by`, who may have no account.
 * The account's row is locked.
 */
export async function contestAddress(tx: Executor, userId: number, by: Actor): Promise<void> {
  const summary = 'Its e-mail address counts as unproved: a provider says that it is somebody else’s'
  await record(tx, by, { action: 'user.contest_address', subject: ['user', userId], summary })
  await updateUser(tx, userId, { emailVerified: false, emailContested: true })
  await voidResets(tx, userId)
}

function addressTaken(): AppError {
  const message = 'Another account has this e-mail address; ask whoever runs this service to free it'
  return new AppError('email_taken', { message })
}
