import type { Executor } from '../../db/database-client.ts'
import { type UserRow, updateUser } from '../../db/user-rows.ts'
import { deleteIdentities } from './identities.store.ts'
import { voidResets } from './password-resets.store.ts'
import { endSessionsOf } from './sessions.service.ts'

/** For changes of an account, whose feature must not reach this store. */
export { voidResets }

/**
 * Notes that mail to an account's address reaches whoever asks now: a provider says so, or they have a mailed link. If
 * nobody had proved that before, somebody else may have made the account, so every way into it that is older than the
 * proof ends (docs/protocol/http.md#linked-identities). The account's row is locked; call `announceRevocations` after
 * the commit.
 */
export async function confirmAddress(tx: Executor, user: UserRow): Promise<UserRow> {
  if (user.emailVerified) return user
  const change = { ...PROVED, passwordHash: null, googleSubject: null }
  await updateUser(tx, user.id, change)
  await deleteIdentities(tx, user.id)
  await voidResets(tx, user.id)
  await endSessionsOf(tx, user.id)
  return { ...user, ...change }
}

/**
 * Notes the same for somebody who has the account, since they are signed in to it or know its password. The account and
 * the address are one person's then, so nothing ends.
 */
export async function noteAddress(tx: Executor, userId: number): Promise<void> {
  await updateUser(tx, userId, PROVED)
}

const PROVED = { emailVerified: true, emailContested: false }
