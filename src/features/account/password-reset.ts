import type { ConfirmResetBody } from '../../../schemas/account.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { hashPassword } from '../auth/passwords.ts'
import { createSecretToken, hashSecretToken } from '../auth/secret-tokens.ts'
import { announceRevocations, endSessionsOf } from '../auth/sessions.ts'
import * as store from './store.ts'

/** A mailed link's lifetime, and the shortest time between two mails to one account (contract §3). */
const RESET_LIFETIME_MS = 3_600_000
const MAIL_INTERVAL_MS = 60_000

/** Mails links that reset a password. */
export interface ResetMails {
  /** Returns at once: what the caller sees tells nothing of whether such an account exists. */
  request(email: string): void
  /** Resolves when the mails under way have gone out. */
  close(): Promise<void>
}

/** `ownAddress` is where this service listens, for when no PUBLIC_URL is set. */
export function createResetMails(core: Core, ownAddress: () => string): ResetMails {
  const underWay = new Set<Promise<void>>()
  return {
    request(email) {
      // Never the request's own Host: whoever asks could have the link lead to them.
      const address = core.config.publicUrl ?? ownAddress()
      const sending = mailReset(core, email, address)
        .catch((error) => core.log.error({ err: error }, 'a password reset could not be mailed'))
        .finally(() => underWay.delete(sending))
      underWay.add(sending)
    },
    async close() {
      await Promise.all(underWay)
    },
  }
}

async function mailReset(core: Core, email: string, address: string): Promise<void> {
  const user = await store.findUserByEmail(core.db, email)
  if (!user) return
  const now = core.clock()
  const { token, hash } = createSecretToken()
  const reset = { userId: user.id, tokenHash: hash, requestedAt: new Date(now) }
  if (!(await store.upsertReset(core.db, reset, new Date(now - MAIL_INTERVAL_MS)))) return
  await core.mail.send({
    to: user.email,
    subject: 'Reset your password',
    text: `Hello ${user.fullName},

somebody, hopefully you, asked for a new password for your account ${user.username}.
Choose one here within an hour:

${address}/reset_password?token=${token}

If it wasn't you, ignore this mail: nothing has changed.
`,
  })
}

/** Sets the password of whoever was mailed this token, once; ends all of their sessions. 400 `invalid_token`. */
export async function confirmPasswordReset(
  core: Core,
  { token, new_password }: ConfirmResetBody,
): Promise<void> {
  const tokenHash = hashSecretToken(token)
  const reset = await store.findReset(core.db, tokenHash, new Date(core.clock() - RESET_LIFETIME_MS))
  if (!reset) throw new AppError('invalid_token')
  const passwordHash = await hashPassword(new_password)
  await core.db.transaction(async (tx) => {
    // The account first, in the order of everything else that changes it.
    const user = await store.findUserForUpdate(tx, reset.userId)
    if (!(await store.voidReset(tx, reset.userId, tokenHash))) throw new AppError('invalid_token')
    // Who never showed that the address is theirs keeps no other way in, now that its owner has the account.
    const googleSubject = user?.emailVerified ? user.googleSubject : null
    await store.updateUser(tx, reset.userId, { passwordHash, emailVerified: true, googleSubject })
    await endSessionsOf(tx, reset.userId)
  })
  announceRevocations(core)
}
