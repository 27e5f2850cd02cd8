import { randomInt } from 'node:crypto'
import type { GoogleIdentity } from '../../adapters/google.ts'
import type { Executor } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import { endSessionsOf } from './sessions.ts'
import * as store from './store.ts'

/** Tries at a username that nobody has; each after the first has six random digits. */
const NAME_TRIES = 10

/**
 * The account of somebody whom the identity provider vouches for: theirs by its subject, else the one with
 * their address, which is linked, else a new one. 409 `email_taken` where the address's account is another
 * person's to the provider.
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
    // Either the name was taken, or the same person came in by another request at this moment.
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
  // Whoever registered with this address never showed that it is theirs: its owner takes over.
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
  const text = (name ?? '').toWellFormed().replaceAll('\u0000', '').trim() || email
  return [...text].slice(0, 200).join('')
}
