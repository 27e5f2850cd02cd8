import { setTimeout } from 'node:timers/promises'
import type { ConfirmResetBody } from '../../../schemas/account.schemas.ts'
import type { Device } from '../../actor.ts'
import type { Asker } from '../../admission/fair-queue.ts'
import type { Core } from '../../core.ts'
import { type UserRow, updateUser } from '../../db/user-rows.ts'
import { AppError } from '../../errors.ts'
import { foldCase } from '../../formats/case-fold.ts'
import { type Say, sayIn } from '../../formats/translations.ts'
import { perNode } from '../../per-node.ts'
import { findLanguage } from '../push/push.service.ts'
import { confirmAddress } from './address-proof.ts'
import * as store from './password-resets.store.ts'
import { hashPassword } from './passwords.ts'
import { requireOwnDoors } from './provider-only.service.ts'
import { createSecretToken, hashSecretToken } from './secret-tokens.ts'
import { announceRevocations, endSessionsOf } from './sessions.service.ts'

/**
 * A mailed link's lifetime, and the shortest time between two mails to one address
 * (docs/protocol/http.md#accounts).
 */
const RESET_LIFETIME_MS = 3_600_000
const MAIL_INTERVAL_MS = 60_000
/** Valid links of one account: all that can be mailed within an hour, so that a stranger's requests don't void any. */
const MOST_LINKS = RESET_LIFETIME_MS / MAIL_INTERVAL_MS
/** Pauses between the tries to send a mail. */
const RETRY_PAUSES_MS = [1_000, 5_000, 15_000, 60_000]

/** Mails links that reset a password. */
export interface ResetMails {
  /**
   * 403 `oidc_only`. Returns at once, so that a caller can't find out whether such an account exists.
   * `ownAddress`: where this service listens, for links while no PUBLIC_URL is set.
   */
  request(email: string, by: Pick<Device, 'language' | 'network'>, ownAddress: string): void
  /** Resolves when the mails that are being sent have been sent. */
  close(): Promise<void>
}

export const resetMails = perNode((core): ResetMails => {
  const underWay = new Set<Promise<void>>()
  const closing = new AbortController()

  /** A flood from one network leaves room for others: what is too much is dropped. */
  async function handle(...[email, by, ownAddress]: Parameters<ResetMails['request']>): Promise<void> {
    const { lookUps, mails } = core.gate
    const asker = { name: by.network }
    const user = await lookUps.run(asker, () => store.findUserByEmail(core.db, email))
    // The Host of the request is never used: an attacker could make the link lead to their own server.
    const address = core.config.publicUrl ?? ownAddress
    if (!user) return
    const say = sayIn((await findLanguage(core.db, user.id)) ?? by.language)
    await mails.run(asker, () => mailReset(core, user, { say, address }, closing.signal))
  }

  return {
    request(...asked) {
      requireOwnDoors(core)
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

/** How a mail says it, and where its link leads. */
interface ResetLetter {
  say: Say
  address: string
}

/** Tries for a while, unless another mail to the same address is asked for meanwhile. */
async function mailReset(
  core: Core,
  user: UserRow,
  letter: ResetLetter,
  closing: AbortSignal,
): Promise<void> {
  const { token, hash } = createSecretToken()
  const slot = mailSlotOf(user)
  for (const pause of [...RETRY_PAUSES_MS, undefined]) {
    if ((await core.rateSlots.take(slot, hash, MAIL_INTERVAL_MS)).state === 'refused') return
    try {
      await sendReset(core, user, token, hash, letter)
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
  user: UserRow,
  token: string,
  hash: string,
  { say: t, address }: ResetLetter,
): Promise<void> {
  const now = core.clock()
  const reset = { userId: user.id, email: user.email, tokenHash: hash, requestedAt: new Date(now) }
  const isStored = await core.db.transaction(async (tx) => {
    if (!(await store.holdAddressee(tx, reset))) return false
    await store.insertReset(tx, reset, { since: new Date(now - RESET_LIFETIME_MS), most: MOST_LINKS })
    return true
  })
  // The account has another address by now, or is gone.
  if (!isStored) return
  // The mail contains no text that anybody chose, such as a name: otherwise strangers could be sent messages this way.
  await core.mail.send({
    to: user.email,
    subject: t('Reset your password'),
    text: `${t('Hello,')}

${t('somebody, hopefully you, asked for a new password for the account with this address.')}
${t('Choose one here within an hour:')}

${address}/reset_password?token=${token}

${t('If it wasn’t you, ignore this mail: nothing has changed.')}
`,
  })
}

/**
 * The rate slot of an address. Many providers deliver `name+anything@…` to `name@…`, so such addresses share one if
 * they are not verified. They don't share it with the plain address: otherwise a stranger who registers them could
 * keep the owner's mails away.
 */
function mailSlotOf({ email, emailVerified }: UserRow): string {
  const address = foldCase(email)
  return `mail:${emailVerified ? address : address.replace(/\+[^@]*/, '+')}`
}

/**
 * Sets the password of the account that this token was mailed to, if that still has the address that the mail went to.
 * The token works once; the account's other links and all of its sessions end. 400 `invalid_token`.
 */
export async function confirmPasswordReset(
  core: Core,
  { token, new_password }: ConfirmResetBody,
  asker: Asker,
): Promise<void> {
  requireOwnDoors(core)
  const tokenHash = hashSecretToken(token)
  const since = new Date(core.clock() - RESET_LIFETIME_MS)
  const reset = await store.findReset(core.db, tokenHash, since)
  if (!reset) throw new AppError('invalid_token')
  const passwordHash = await core.gate.passwords.run(asker, () => hashPassword(new_password))
  await core.db.transaction(async (tx) => {
    // The account's row is locked first, as everywhere (docs/architecture.md#locks).
    const user = await store.holdAddressee(tx, reset)
    if (!user || !(await store.findReset(tx, tokenHash, since))) throw new AppError('invalid_token')
    await confirmAddress(tx, user)
    await updateUser(tx, user.id, { passwordHash })
    await store.voidResets(tx, user.id)
    await endSessionsOf(tx, user.id)
  })
  announceRevocations(core)
}
