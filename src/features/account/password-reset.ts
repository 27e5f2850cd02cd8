import { setTimeout } from 'node:timers/promises'
import type { ConfirmResetBody } from '../../../schemas/accounts/account.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { foldCase } from '../../formats/case-fold.ts'
import { perNode } from '../../per-node.ts'
import type { Asker } from '../../scheduling/fair-queue.ts'
import { hashPassword } from '../auth/passwords.ts'
import { createSecretToken, hashSecretToken } from '../auth/secret-tokens.ts'
import { announceRevocations, endSessionsOf } from '../auth/sessions.ts'
import * as store from './store.ts'

/**
 * A mailed link's lifetime, and the shortest time between two mails to one mailbox
 * (docs/protocol/http.md#accounts).
 */
const RESET_LIFETIME_MS = 3_600_000
const MAIL_INTERVAL_MS = 60_000
/** Valid links of one account: all that can be mailed within an hour, so that a stranger's requests don't void any. */
const MOST_LINKS = RESET_LIFETIME_MS / MAIL_INTERVAL_MS
/** Requests that one node handles at once; more are dropped. */
const MOST_UNDER_WAY = 300
/** Pauses between the tries to send a mail. */
const RETRY_PAUSES_MS = [1_000, 5_000, 15_000, 60_000]

/** Mails links that reset a password. */
export interface ResetMails {
  /**
   * Returns at once, so that a caller can't find out whether such an account exists. `ownAddress`: where this service
   * listens, for links while no PUBLIC_URL is set.
   */
  request(email: string, ownAddress: string): void
  /** Resolves when the mails that are being sent have been sent. */
  close(): Promise<void>
}

export const resetMails = perNode((core): ResetMails => {
  const underWay = new Set<Promise<void>>()
  const closing = new AbortController()
  return {
    request(email, ownAddress) {
      if (underWay.size >= MOST_UNDER_WAY) {
        core.log.warn('a password reset was dropped: too many are under way')
        return
      }
      // The Host of the request is never used: an attacker could make the link lead to their own server.
      const address = core.config.publicUrl ?? ownAddress
      const sending = mailReset(core, email, address, closing.signal)
        .catch((error) => core.log.error({ err: error }, 'a password reset could not be mailed'))
        .finally(() => underWay.delete(sending))
      underWay.add(sending)
    },
    async close() {
      closing.abort()
      await Promise.all(underWay)
    },
  }
})

/** Tries for a while, unless another mail to the same mailbox is asked for meanwhile. */
async function mailReset(core: Core, email: string, address: string, closing: AbortSignal): Promise<void> {
  const user = await store.findUserByEmail(core.db, email)
  if (!user) return
  const { token, hash } = createSecretToken()
  const slot = `mail:${mailboxOf(user.email)}`
  for (const pause of [...RETRY_PAUSES_MS, undefined]) {
    if ((await core.rateSlots.take(slot, hash, MAIL_INTERVAL_MS)).state === 'refused') return
    try {
      await sendReset(core, user, token, hash, address)
      return
    } catch (error) {
      // A mail that was not sent must not delay the next one.
      await core.rateSlots.release(slot, hash)
      if (pause === undefined || closing.aborted) throw error
      core.log.warn({ err: error }, 'a password reset could not be mailed; it is tried again')
      await setTimeout(pause, undefined, { signal: closing })
    }
  }
}

async function sendReset(
  core: Core,
  user: store.UserRow,
  token: string,
  hash: string,
  address: string,
): Promise<void> {
  const now = core.clock()
  const reset = { userId: user.id, tokenHash: hash, requestedAt: new Date(now) }
  await core.db.transaction((tx) =>
    store.insertReset(tx, reset, { since: new Date(now - RESET_LIFETIME_MS), most: MOST_LINKS }),
  )
  // The mail contains no text that anybody chose, such as a name: otherwise strangers could be sent messages this way.
  await core.mail.send({
    to: user.email,
    subject: 'Reset your password',
    text: `Hello,

somebody, hopefully you, asked for a new password for the account with this address.
Choose one here within an hour:

${address}/reset_password?token=${token}

If it wasn't you, ignore this mail: nothing has changed.
`,
  })
}

/** Many providers deliver `name+anything@…` to the mailbox of `name@…`, so both count as one. */
function mailboxOf(email: string): string {
  return foldCase(email).replace(/\+[^@]*/, '')
}

/**
 * Sets the password of the account that this token was mailed to. The token works once; the account's other links and
 * all of its sessions end. 400 `invalid_token`.
 */
export async function confirmPasswordReset(
  core: Core,
  { token, new_password }: ConfirmResetBody,
  asker: Asker,
): Promise<void> {
  const tokenHash = hashSecretToken(token)
  const since = new Date(core.clock() - RESET_LIFETIME_MS)
  const reset = await store.findReset(core.db, tokenHash, since)
  if (!reset) throw new AppError('invalid_token')
  const passwordHash = await hashPassword(new_password, asker)
  await core.db.transaction(async (tx) => {
    // The account's row is locked first, as everywhere (docs/architecture.md#locks).
    const user = await store.findUserForUpdate(tx, reset.userId)
    if (!(await store.findReset(tx, tokenHash, since))) throw new AppError('invalid_token')
    await store.voidResets(tx, reset.userId)
    // If the address was never verified, somebody else may have made the account: they must not keep their sign-in.
    const googleSubject = user?.emailVerified ? user.googleSubject : null
    await store.updateUser(tx, reset.userId, { passwordHash, emailVerified: true, googleSubject })
    await endSessionsOf(tx, reset.userId)
  })
  announceRevocations(core)
}
