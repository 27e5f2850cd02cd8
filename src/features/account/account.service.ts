import type { ChangeAccountBody, DeleteAccountBody } from '../../../schemas/account.schemas.ts'
import type { Self } from '../../../schemas/auth.schemas.ts'
import type { Actor, Device } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { GHOST_ID } from '../../db/tables/users.tables.ts'
import { lockUser, updateUser } from '../../db/user-rows.ts'
import { AppError } from '../../errors.ts'
import { foldCase } from '../../formats/case-fold.ts'
import { requireNoTimedAttempt } from '../attempts/closing.service.ts'
import { record } from '../audit/audit.service.ts'
import { voidResets } from '../auth/address-proof.ts'
import { getAccount, toSelf } from '../auth/auth.service.ts'
import { confirmOwner } from '../auth/credentials.ts'
import { hashPassword } from '../auth/passwords.ts'
import { requireOwnDoors } from '../auth/provider-only.service.ts'
import { announceRevocations, endSessionsOf, listSessions, requireSession } from '../auth/sessions.service.ts'
import { endInvitations } from '../classes/class-members.service.ts'
import { requireOtherAdmin } from '../users/users.service.ts'
import * as store from './account.store.ts'
import { erasing } from './account-erasing.service.ts'

interface Caller {
  userId: number
  sessionId: number
}

/**
 * Changes the name, the address or the password of an account; the latter two need the current password, or a fresh
 * sign-in of somebody who has none. A new password ends every session but the caller's. 400 `nothing_to_update`, 403
 * `wrong_password` or `fresh_sign_in_required`, 429 `locked_out`, 409 `email_taken`.
 */
export async function changeAccount(
  core: Core,
  { userId, sessionId }: Caller,
  { full_name, email, current_password, new_password }: ChangeAccountBody,
  device: Device,
): Promise<Self> {
  if (full_name === undefined && email === undefined && new_password === undefined)
    throw new AppError('nothing_to_update')
  const before = await getAccount(core, userId)
  if (new_password !== undefined) requireOwnDoors(core, before)
  const needsOwner = email !== undefined || new_password !== undefined
  if (needsOwner) await confirmOwner(core, before, { sessionId }, current_password, device)
  const passwordHash =
    new_password === undefined
      ? undefined
      : await core.gate.passwords.run(device, () => hashPassword(core.config.passwordCost, new_password))
  const user = await core.db.transaction(async (tx) => {
    const now = await lockUser(tx, userId)
    if (!now) throw new AppError('token_expired_or_invalid')
    // The password was changed since it was checked.
    if (needsOwner && now.passwordHash !== before.passwordHash) throw new AppError('wrong_password')
    // For somebody without a password this says nothing.
    await requireSession(tx, { sessionId })
    const movesAway = email !== undefined && foldCase(email) !== foldCase(now.email)
    const changed = await updateUser(tx, userId, {
      ...(full_name === undefined ? {} : { fullName: full_name }),
      ...(email === undefined ? {} : { email }),
      ...(movesAway ? { emailVerified: false, emailContested: false } : {}),
      ...(passwordHash === undefined ? {} : { passwordHash }),
    })
    // Links that were mailed before the change must no longer work.
    if (movesAway || passwordHash !== undefined) await voidResets(tx, userId)
    if (passwordHash !== undefined) await endSessionsOf(tx, userId, sessionId)
    return changed
  })
  announceRevocations(core)
  return toSelf(core, user)
}

/** Replaces a password and ends every session of the account; call `announceRevocations` after the commit. */
export async function setPassword(tx: Executor, userId: number, passwordHash: string): Promise<void> {
  await updateUser(tx, userId, { passwordHash })
  await voidResets(tx, userId)
  await endSessionsOf(tx, userId)
}

/**
 * Deletes an account and ends all of its sessions. The first transaction removes the person's names and every way to
 * sign in. Their data is erased after that, before the answer unless there is very much. What other people still read
 * stays under the ghost's name. Administrators confirm it as a change of their password. 400 `confirmation_required`,
 * 409 `last_admin`, 409 `attempt_active` during an attempt that has an end: nobody gets out of an exam like this.
 */
export async function deleteAccount(
  core: Core,
  { userId, sessionId }: Caller,
  { confirm, current_password }: DeleteAccountBody,
  actor: Actor,
  device: Device,
): Promise<void> {
  if (confirm !== 'DELETE') throw new AppError('confirmation_required')
  const before = await getAccount(core, userId)
  const isStaff = before.role !== 'user'
  if (isStaff) await confirmOwner(core, before, { sessionId }, current_password, device)
  await core.db.transaction(async (tx) => {
    if (isStaff) await requireOtherAdmin(tx, userId)
    // Locking the account keeps new sessions and attempts from being made, so none is missed.
    const now = await lockUser(tx, userId)
    if (now?.role !== before.role) throw new AppError('token_expired_or_invalid')
    await requireSession(tx, { sessionId })
    if (isStaff && now.passwordHash !== before.passwordHash) throw new AppError('wrong_password')
    if (isStaff) await closeAccount(core, tx, userId, actor, 'An administrator deleted their own account')
    else await closeAccount(core, tx, userId, NOBODY, 'A person deleted their own account')
  })
  announceRevocations(core)
  await erasing(core).erase(userId)
}

/** The log tells what people do to their own account without their name. */
const NOBODY: Actor = { id: GHOST_ID, ip: null }

/**
 * Removes a person's names and every way to sign in, once their row is locked. 409 `attempt_active`. Call
 * `announceRevocations` after the commit, and erase the rest.
 */
export async function closeAccount(
  core: Core,
  tx: Executor,
  userId: number,
  actor: Actor,
  summary: string,
): Promise<void> {
  await requireNoTimedAttempt(core, tx, userId)
  await record(tx, actor, { action: 'account.delete', subject: ['user', userId], summary })
  await endSessionsOf(tx, userId)
  await voidResets(tx, userId)
  await endInvitations(tx, userId)
  await store.closeUser(tx, userId)
}

/** A person's live sessions, the latest used first. */
export async function describeSessions(core: Core, { userId, sessionId }: Caller) {
  return (await listSessions(core, userId)).map((session) => ({
    id: session.id,
    kind: session.kind,
    ip: session.ip,
    user_agent: session.userAgent,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    current: session.id === sessionId,
  }))
}
