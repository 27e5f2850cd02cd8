import { randomInt } from 'node:crypto'
import type { GoogleIdentity } from '../../adapters/google.ts'
import type { Executor } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import { endSessionsOf } from './sessions.ts'
import * as store from './store.ts'

/** Tries to find a free username; from the second try on it ends with six random digits. */
const NAME_TRIES = 10

/**
 * The account of somebody whom the identity provider has identified: the one with their subject, else the one with
 * their address, which is linked to the subject, else a new one. 409 `email_taken` if the account with that address
 * is linked to somebody else.
 */
export async function findOrCreateGoogleUser(
  tx: Executor,
  identity: GoogleIdentity,
): Promise<{ user: store.UserRow; isNew: boolean }> {
  const found = await store.findUserByGoogleForUpdate(tx, identity)
  if (found) return { user: await link(tx, found, identity), isNew: false }
  for (let attempt = 0; attempt < NAME_TRIES; attempt++) {
    const user = await store.insertUserIfFree(tx, {
      username: suggestUsername(identity.email, attempt),
      email: identity.email,
      emailVerified: true,
      googleSubject: identity.subject,
      fullName: fitName(identity),
      role: 'user',
    })
    if (user) return { user, isNew: true }
    // Either the name was taken, or another request of the same person was faster.
    const other = await store.findUserByGoogleForUpdate(tx, identity)
    if (other) return { user: await link(tx, other, identity), isNew: false }
  }
  throw new AppError('unavailable', { retryAfter: 1 })
}

async function link(tx: Executor, user: store.UserRow, { subject }: GoogleIdentity): Promise<store.UserRow> {
  if (user.googleSubject === subject) return user
  if (user.googleSubject !== null) throw new AppError('email_taken')
  const change = { googleSubject: subject, emailVerified: true }
  if (user.emailVerified) {
    await store.updateUser(tx, user.id, change)
    return { ...user, ...change }
  }
  // Until now nobody had proved to own this address, so its owner takes over the account.
  await store.updateUser(tx, user.id, { ...change, passwordHash: null })
  await endSessionsOf(tx, user.id)
  return { ...user, ...change, passwordHash: null }
}

function suggestUsername(email: string, attempt: number): string {
  const [local = ''] = email.split('@', 1)
  const base = local.replaceAll(/[^A-Za-z0-9_.-]/g, '').slice(0, 24)
  if (attempt === 0 && base.length >= 3) return base
  return `${base || 'user'}.${String(randomInt(1_000_000)).padStart(6, '0')}`
}

function fitName({ name, email }: GoogleIdentity): string {
  const line = (name ?? '').toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
  const text = line.trim() || email
  return [...text].slice(0, 200).join('')
}
