import { Value } from 'typebox/value'
import { Email, FullName, Role, USERNAME_RULE, Username } from '../../../schemas/auth.schemas.ts'
import type { Content } from '../../../schemas/common.ts'
import type {
  ManagedAccount,
  ManagedAccountChanges,
  NewAccountBody,
  PasswordLink,
} from '../../../schemas/managed-accounts.schemas.ts'
import { type Actor, COMMAND_LINE, type Device } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { tryOrCommit } from '../../db/dry-run.ts'
import { lockUser, type UserRow, updateUser } from '../../db/user-rows.ts'
import { AppError } from '../../errors.ts'
import { type CsvColumns, type CsvUpload, readCsv } from '../../formats/csv-reading.ts'
import { DAY_MS } from '../../formats/local-time.ts'
import { slicesOf } from '../../formats/slices.ts'
import { record } from '../audit/audit.service.ts'
import { describeRole } from '../audit/audit-words.ts'
import { displace, isPlaceholder } from '../auth/account-owner.ts'
import { addressMails } from '../auth/address-mails.ts'
import { createAccount, getAccount } from '../auth/auth.service.ts'
import { confirmOwner } from '../auth/credentials.ts'
import { suggestUsername } from '../auth/new-names.ts'
import { createPasswordToken } from '../auth/password-reset.service.ts'
import { hashPassword } from '../auth/passwords.ts'
import { isProviderOnly } from '../auth/provider-only.service.ts'
import { announceRevocations, endSessionsOf } from '../auth/sessions.service.ts'
import { lockRoles, requireOtherAdmin } from '../users/users.service.ts'
import { closeAccount } from './account.service.ts'
import * as store from './account.store.ts'
import { erasing } from './account-erasing.service.ts'

/** Rows of one import. */
const MOST_ROWS = 10_000
/** Rows of one statement: writing the text of more of them would hold up the process. */
const AT_ONCE = 200
/** Suspended accounts that one look deletes. */
const SUSPENDED_AT_ONCE = 100

type AccountColumn = 'email' | 'username' | 'full_name' | 'role'
const COLUMNS: CsvColumns<AccountColumn> = {
  required: ['email'],
  optional: ['username', 'full_name', 'role'],
}

/**
 * An account for somebody else. Without a password its owner is mailed a link to choose one, unless everybody signs in
 * by the provider. `ownAddress`: where this service listens. 409 `username_taken`, `email_taken`.
 */
export async function createManaged(
  core: Core,
  actor: Actor,
  { password, role = 'user', ...names }: NewAccountBody,
  device: Device,
  ownAddress: string,
): Promise<ManagedAccount> {
  const passwordHash =
    password === undefined
      ? null
      : await core.gate.passwords.run(device, () => hashPassword(core.config.passwordCost, password))
  const user = await core.db.transaction(async (tx) => {
    await lockRoles(tx, actor)
    const made = await createAccount(tx, names, passwordHash, role, { unclaimed: true })
    await recordCreation(tx, actor, [made])
    return made
  })
  if (passwordHash === null && !isProviderOnly(core)) addressMails(core).reset(user.email, device, ownAddress)
  return describe(user)
}

/**
 * Changes somebody's name; keeps them from signing in, and ends their sessions, or lets them in again. 404; 409
 * `last_admin`, which counts administrators who may sign in.
 */
export async function changeManaged(
  core: Core,
  actor: Actor,
  userId: number,
  { suspended, full_name: fullName }: ManagedAccountChanges,
): Promise<ManagedAccount> {
  const user = await core.db.transaction(async (tx) => {
    await lockRoles(tx, actor)
    if (suspended) await requireOtherAdmin(tx, userId)
    const before = await lockUser(tx, userId)
    if (!before) throw new AppError('not_found')
    let after = before
    if (fullName !== undefined && fullName !== before.fullName) {
      after = await updateUser(tx, userId, { fullName })
      const summary = 'Their name was changed'
      await record(tx, actor, { action: 'user.rename', subject: ['user', userId], summary })
    }
    if (suspended === undefined || suspended === (before.suspendedAt !== null)) return after
    after = await updateUser(tx, userId, { suspendedAt: suspended ? new Date(core.clock()) : null })
    if (suspended) await endSessionsOf(tx, userId)
    const action = suspended ? 'user.suspend' : 'user.restore'
    const summary = suspended ? 'Can no longer sign in' : 'Can sign in again'
    await record(tx, actor, { action, subject: ['user', userId], summary })
    return after
  })
  announceRevocations(core)
  return describe(user)
}

/**
 * A link by which somebody who gets no mail chooses a password, for an administrator to hand over. `ownAddress`: where
 * this service listens. 403 `oidc_only`, and `forbidden` for the account of an administrator; 404.
 */
export async function createPasswordLink(
  core: Core,
  actor: Actor,
  userId: number,
  ownAddress: string,
): Promise<Content<PasswordLink>> {
  const { token, endsAt } = await core.db.transaction(async (tx) => {
    await lockRoles(tx, actor)
    const user = await lockUser(tx, userId)
    if (!user) throw new AppError('not_found')
    if (user.role !== 'user') throw new AppError('forbidden')
    const summary = 'A link for a new password was made'
    await record(tx, actor, { action: 'user.password_link', subject: ['user', userId], summary })
    return createPasswordToken(core, tx, userId)
  })
  const address = core.config.publicUrl ?? ownAddress
  return { url: `${address}/reset_password?token=${token}`, ends_at: endsAt.toISOString() }
}

/**
 * Takes somebody's address from their account, so that its present owner can sign in with it. They keep everything
 * else, and sign in by username. 404.
 */
export async function freeAddress(core: Core, actor: Actor, userId: number): Promise<ManagedAccount> {
  const user = await core.db.transaction(async (tx) => {
    await lockRoles(tx, actor)
    const before = await lockUser(tx, userId)
    if (!before) throw new AppError('not_found')
    if (isPlaceholder(before.email)) return before
    const summary = 'Its e-mail address was freed'
    await record(tx, actor, { action: 'user.displace', subject: ['user', userId], summary })
    return displace(tx, userId)
  })
  return describe(user)
}

/**
 * Deletes somebody's account, as they could themselves; the administrator confirms it with their own password, or a
 * fresh sign-in. 400 `confirmation_required`, 403 `wrong_password`, 404, 409 `last_admin`, `attempt_active`.
 */
export async function deleteManaged(
  core: Core,
  actor: Actor,
  caller: { userId: number; sessionId: number },
  userId: number,
  { confirm, current_password }: { confirm?: unknown; current_password?: string },
  device: Device,
): Promise<void> {
  if (confirm !== 'DELETE') throw new AppError('confirmation_required')
  const own = await getAccount(core, caller.userId)
  await confirmOwner(core, own, caller, current_password, device)
  await core.db.transaction(async (tx) => {
    await lockRoles(tx, actor)
    await requireOtherAdmin(tx, userId)
    if (!(await lockUser(tx, userId))) throw new AppError('not_found')
    await closeAccount(core, tx, userId, actor, 'An administrator deleted the account')
  })
  announceRevocations(core)
  await erasing(core).erase(userId)
}

/**
 * Deletes accounts the given number of days after their suspension, as if at the command line; what refers to them is
 * erased piece by piece afterwards, as after every deletion.
 */
export async function deleteSuspended(core: Core, days: number): Promise<void> {
  const before = new Date(core.clock() - days * DAY_MS)
  for (const id of await store.listSuspended(core.db, before, SUSPENDED_AT_ONCE)) {
    try {
      await core.db.transaction(async (tx) => {
        const user = await lockUser(tx, id)
        // An administrator has let them in meanwhile, or another node was quicker.
        if (!user?.suspendedAt || user.suspendedAt >= before) return
        await closeAccount(core, tx, id, COMMAND_LINE, `Deleted ${days} days after its suspension`)
      })
    } catch (error) {
      // Their attempt ends by itself.
      if (!(error instanceof AppError && error.code === 'attempt_active')) throw error
    }
  }
  announceRevocations(core)
}

interface OfferedAccount {
  row: number
  email: string
  username: string
  fullName: string | undefined
  role: Role
}

interface OfferedAccounts {
  offered: OfferedAccount[]
  /** The rows that can't be one. */
  errors: { row: number; message: string }[]
}

/**
 * Makes an account without a password for each row that can have one, in one transaction: how many, and why the others
 * have none, by row. A dry run answers the same and changes nothing.
 */
export async function importManaged(
  core: Core,
  actor: Actor,
  { offered, errors: unfit }: OfferedAccounts,
  dryRun: boolean,
) {
  const errors = [...unfit]
  let created = 0
  await tryOrCommit(core.db, dryRun, async (tx) => {
    // Nobody's role changes meanwhile, so not where it is about none.
    if (offered.some(({ role }) => role !== 'user')) await lockRoles(tx, actor)
    for (const some of slicesOf(offered, AT_ONCE)) {
      const made = await store.insertUsersIfFree(tx, some)
      await recordCreation(tx, actor, made)
      created += made.length
      // Each new account belongs to one row: of rows that say the same, to the first one.
      const unclaimed = new Set(made.map(nameOf))
      for (const each of some)
        if (!unclaimed.delete(nameOf(each)))
          errors.push({ row: each.row, message: 'the username or e-mail address is taken' })
    }
  })
  errors.sort((one, other) => one.row - other.row)
  return { created, errors: errors.map(({ row, message }) => `Row ${row}: ${message}`), dry_run: dryRun }
}

/** Neither part can contain a space. */
function nameOf({ username, email }: Pick<OfferedAccount, 'username' | 'email'>): string {
  return `${username} ${email}`
}

/** The accounts that a CSV asks for; 400 for one that can't be read or has too many rows. */
export async function readManaged(upload: CsvUpload): Promise<OfferedAccounts> {
  const offered: OfferedAccount[] = []
  const errors: OfferedAccounts['errors'] = []
  let rows = 0
  for await (const { row, record: given } of readCsv(upload, COLUMNS)) {
    rows += 1
    if (rows > MOST_ROWS)
      throw new AppError('invalid_csv', { message: `An import has at most ${MOST_ROWS} rows` })
    const email = given.email.trim()
    const username = given.username.trim() || suggestUsername(email, 0)
    const fullName = given.full_name.trim() || undefined
    const role = given.role.trim() || 'user'
    if (!Value.Check(Email, email)) errors.push({ row, message: 'email must be an e-mail address' })
    else if (!Value.Check(Username, username)) errors.push({ row, message: `username ${USERNAME_RULE}` })
    else if (fullName !== undefined && !Value.Check(FullName, fullName))
      errors.push({ row, message: 'full_name must be a line of at most 200 characters' })
    else if (!Value.Check(Role, role)) errors.push({ row, message: 'role must be user, admin or user,admin' })
    else offered.push({ row, email, username, fullName, role })
  }
  return { offered, errors }
}

async function recordCreation(tx: Executor, actor: Actor, made: UserRow[]): Promise<void> {
  await record(
    tx,
    actor,
    ...made.map(({ id, role }) => ({
      action: 'user.create' as const,
      subject: ['user', id] as const,
      summary: `Created as ${describeRole(role)}`,
    })),
  )
}

function describe({ id, username, email, fullName, role, suspendedAt }: UserRow): ManagedAccount {
  return { id, username, email, full_name: fullName, role, suspended_at: suspendedAt?.toISOString() ?? null }
}
