import type { GoogleIdentity } from '../../adapters/google.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { type UserRow, updateUser } from '../../db/user-rows.ts'
import { AppError } from '../../errors.ts'
import { confirmAddress } from './address-proof.ts'
import * as store from './auth.store.ts'
import { fitName, NAME_TRIES, suggestUsername } from './new-names.ts'
import { voidResets } from './password-resets.store.ts'
import { requireRegistration } from './registration.ts'

/**
 * The account of somebody whom the identity provider has identified: the one with their subject, else the one with
 * their address, which is linked to the subject, else a new one. 409 `email_taken` if the account with that address
 * is linked to somebody else; 403 `registration_closed`.
 */
export async function findOrCreateGoogleUser(
  core: Core,
  tx: Executor,
  identity: GoogleIdentity,
): Promise<{ user: UserRow; isNew: boolean }> {
  const found = await store.findUserByGoogleForUpdate(tx, identity)
  if (found) return { user: await link(tx, found, identity), isNew: false }
  requireRegistration(core, identity.email)
  for (let attempt = 0; attempt < NAME_TRIES; attempt++) {
    const username = suggestUsername(identity.email, attempt)
    const user = await store.insertUserIfFree(tx, {
      username,
      email: identity.email,
      emailVerified: true,
      googleSubject: identity.subject,
      fullName: fitName(identity.name) ?? username,
      role: 'user',
    })
    if (user) return { user, isNew: true }
    // Either the name was taken, or another request of the same person was faster.
    const other = await store.findUserByGoogleForUpdate(tx, identity)
    if (other) return { user: await link(tx, other, identity), isNew: false }
  }
  throw new AppError('unavailable', { retryAfter: 1 })
}

async function link(tx: Executor, user: UserRow, { subject }: GoogleIdentity): Promise<UserRow> {
  if (user.googleSubject === subject) return user
  const owned = await confirmAddress(tx, user)
  if (owned.googleSubject !== null) throw new AppError('email_taken')
  const change = { googleSubject: subject }
  await updateUser(tx, user.id, change)
  await voidResets(tx, user.id)
  return { ...owned, ...change }
}
