import { setTimeout } from 'node:timers/promises'
import type { ConfirmResetBody } from '../../../schemas/accounts/account.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { foldCase } from '../../formats/case-fold.ts'
import { perNode } from '../../per-node.ts'
import type { Asker } from '../../scheduling/fair-queue.ts'
import { Places } from '../../scheduling/places.ts'
import { hashPassword } from '../auth/passwords.ts'
import { createSecretToken, hashSecretToken } from '../auth/secret-tokens.ts'
import { announceRevocations, endSessionsOf } from '../auth/sessions.ts'
import * as store from './store.ts'

/**
 * A mailed link's lifetime, and the shortest time between two mails to one address
 * (docs/protocol/http.md#accounts).
 */
const RESET_LIFETIME_MS = 3_600_000
const MAIL_INTERVAL_MS = 60_000
/** Valid links of one account: all that can be mailed within an hour, so that a stranger's requests don't void any. */
const MOST_LINKS = RESET_LIFETIME_MS / MAIL_INTERVAL_MS
/**
 * Mails that one node sends or tries again at once, in all and for one network, and accounts that it looks up at once
 * for one network. More are dropped.
 */
const MOST_MAILS = 300
const MOST_MAILS_EACH = 60
const MOST_LOOK_UPS_EACH = 20
/** Pauses between the tries to send a mail. */
const RETRY_PAUSES_MS = [1_000, 5_000, 15_000, 60_000]

/** Mails links that reset a password. */
export interface ResetMails {
  /**
   * Returns at once, so that a caller can't find out whether such an account exists. `from`: the caller's network.
   * `ownAddress`: where this service listens, for links while no PUBLIC_URL is set.
   */
  request(email: string, from: string, ownAddress: string): void
  /** Resolves when the mails that are being sent have been sent. */
  close(): Promise<void>
}

export const resetMails = perNode((core): ResetMails => {
  const underWay = new Set<Promise<void>>()
  // By the caller's network: a flood from one leaves room for others.
  const lookUps = new Places({ each: MOST_LOOK_UPS_EACH })
  const mails = new Places({ places: MOST_MAILS, each: MOST_MAILS_EACH })
  const closing = new AbortController()

  async function within<T>(places: Places, from: string, work: () => Promise<T>): Promise<T | undefined> {
    if (!places.isFree(from)) {
      core.log.warn('a password reset was dropped: too many are under way')
      return undefined
    }
    places.take(from)
    try {
      return await work()
    } finally {
      places.leave(from)
    }
  }

  async function handle(email: string, from: string, ownAddress: string): Promise<void> {
    const user = await within(lookUps, from, () => store.findUserByEmail(core.db, email))
    // The Host of the request is never used: an attacker could make the link lead to their own server.
    const address = core.config.publicUrl ?? ownAddress
    if (user) await within(mails, from, () => mailReset(core, user, address, closing.signal))
  }

  return {
    request(...asked) {
      const handling = handle(...asked)
        .catch((error) => core.log.error({ err: error }, 'a password reset could not be mailed'))
        .finally(() => underWay.delete(handling))
      underWay.add(handling)
    },
    async close() {
      closing.abort()
      await Promise.all(underWay)
    },
  }
})

/** Tries for a while, unless another mail to the same address is asked for meanwhile. */
async function mailReset(
  core: Core,
  user: store.UserRow,
  address: string,
  closing: AbortSignal,
): Promise<void> {
  const { token, hash } = createSecretToken()
  const slot = mailSlotOf(user)
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

/**
 * The rate slot of an address. Many providers deliver `name+anything@…` to `name@…`, so such addresses share one if
 * they are not verified. They don't share it with the plain address: otherwise a stranger who registers them could
 * keep the owner's mails away.
 */
function mailSlotOf({ email, emailVerified }: store.UserRow): string {
  const address = foldCase(email)
  return `mail:${emailVerified ? address : address.replace(/\+[^@]*/, '+')}`
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
