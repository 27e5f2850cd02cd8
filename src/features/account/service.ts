import type { ChangeAccountBody } from '../../../schemas/accounts/account.ts'
import type { Self } from '../../../schemas/accounts/auth.ts'
import type { Device } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/client.ts'
import { AppError, invalidField } from '../../errors.ts'
import { foldCase } from '../../formats/case-fold.ts'
import { confirmPassword } from '../auth/credentials.ts'
import { hashPassword } from '../auth/passwords.ts'
import { getAccount, toSelf } from '../auth/service.ts'
import { announceRevocations, endSessionsOf, listSessions } from '../auth/sessions.ts'
import { requireOtherAdmin } from '../users/service.ts'
import { erasing } from './erasing/service.ts'
import * as store from './store.ts'

interface Caller {
  userId: number
  sessionId: number
}

/**
 * Changes the name, the address or the password of an account; the latter two need the current password.
 * A new password ends every session but the caller's. 400 `nothing_to_update`, 403 `wrong_password`,
 * 429 `locked_out`, 409 `email_taken`.
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
  if (email !== undefined || new_password !== undefined) {
    if (current_password === undefined) throw invalidField('/current_password', 'is required')
    await confirmPassword(core, before, current_password, device)
  }
  const passwordHash = new_password === undefined ? undefined : await hashPassword(new_password, device)
  const user = await core.db.transaction(async (tx) => {
    const now = await store.findUserForUpdate(tx, userId)
    if (!now) throw new AppError('token_expired_or_invalid')
    // The password was changed since it was checked.
    if (current_password !== undefined && now.passwordHash !== before.passwordHash)
      throw new AppError('wrong_password')
    const movesAway = email !== undefined && foldCase(email) !== foldCase(now.email)
    const changed = await store.updateUser(tx, userId, {
      ...(full_name === undefined ? {} : { fullName: full_name }),
      ...(email === undefined ? {} : { email }),
      ...(movesAway ? { emailVerified: false } : {}),
      ...(passwordHash === undefined ? {} : { passwordHash }),
    })
    // Links that were mailed before the change must no longer work.
    if (movesAway || passwordHash !== undefined) await store.voidResets(tx, userId)
    if (passwordHash !== undefined) await endSessionsOf(tx, userId, sessionId)
    return changed
  })
  announceRevocations(core)
  return toSelf(core, user)
}

/** Replaces a password and ends every session of the account; call `announceRevocations` after the commit. */
export async function setPassword(tx: Executor, userId: number, passwordHash: string): Promise<void> {
  await store.updateUser(tx, userId, { passwordHash })
  await store.voidResets(tx, userId)
  await endSessionsOf(tx, userId)
}

/**
 * Deletes an account and ends all of its sessions. The first transaction removes the person's names and every way to
 * sign in. Their data is erased after that, before the answer unless there is very much. What other people still read
 * stays under the ghost's name. 400 `confirmation_required`, 409 `last_admin`.
 */
export async function deleteAccount(core: Core, userId: number, confirm: unknown): Promise<void> {
  if (confirm !== 'DELETE') throw new AppError('confirmation_required')
  await core.db.transaction(async (tx) => {
    await requireOtherAdmin(tx, userId)
    // Locking the account keeps new sessions from being made, so none is missed.
    if (!(await store.findUserForUpdate(tx, userId))) throw new AppError('token_expired_or_invalid')
    await endSessionsOf(tx, userId)
    await store.closeUser(tx, userId)
  })
  announceRevocations(core)
  await erasing(core).erase(userId)
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
