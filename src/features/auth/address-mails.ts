import { setTimeout } from 'node:timers/promises'
import type { Device } from '../../actor.ts'
import type { Letter } from '../../adapters/mail.ts'
import type { Core } from '../../core.ts'
import type { UserRow } from '../../db/user-rows.ts'
import { foldCase } from '../../formats/case-fold.ts'
import { type Say, sayIn } from '../../formats/translations.ts'
import { perNode } from '../../per-node.ts'
import { findLanguage } from '../push/push.service.ts'
import * as store from './password-resets.store.ts'
import { isLinkedToProvider, requireOwnDoors } from './provider-only.service.ts'
import { createSecretToken } from './secret-tokens.ts'

/**
 * A mailed link's lifetime, and the shortest time between two mails of a kind to one address
 * (docs/protocol/http.md#accounts).
 */
export const LINK_LIFETIME_MS = 3_600_000
const MAIL_INTERVAL_MS = 60_000
/** What a link is mailed for: a new password, or the proof that whoever has the address has the account. */
const PURPOSES = ['reset', 'proof'] as const
type Purpose = (typeof PURPOSES)[number]
/** Valid links of one account: all that can be mailed within an hour, so that a stranger's requests don't void any. */
const MOST_LINKS = (PURPOSES.length * LINK_LIFETIME_MS) / MAIL_INTERVAL_MS
/** Pauses between the tries to send a mail. */
const RETRY_PAUSES_MS = [1_000, 5_000, 15_000, 60_000]

type MailRequest = [email: string, by: Pick<Device, 'language' | 'network'>, ownAddress: string]

/**
 * Mails links to the addresses of accounts. Both return at once, so that a caller can't find out whether such an
 * account exists. `ownAddress`: where this service listens, for links while no PUBLIC_URL is set.
 */
export interface AddressMails {
  /** A link that resets the password. 403 `oidc_only`. */
  reset(...request: MailRequest): void
  /** A link that proves the address, for somebody whom a provider has identified. */
  proof(...request: MailRequest): void
  /** Resolves when the mails that are being sent have been sent. */
  close(): Promise<void>
}

export const addressMails = perNode((core): AddressMails => {
  const underWay = new Set<Promise<void>>()
  const closing = new AbortController()

  /** A flood from one network leaves room for others: what is too much is dropped. */
  async function handle(purpose: Purpose, ...[email, by, ownAddress]: MailRequest): Promise<void> {
    const { lookUps, mails } = core.gate
    const asker = { name: by.network }
    const user = await lookUps.run(asker, () => store.findUserByEmail(core.db, email))
    if (!user) return
    const say = sayIn((await findLanguage(core.db, user.id)) ?? by.language)
    // The Host of the request is never used: an attacker could make the link lead to their own server.
    const address = core.config.publicUrl ?? ownAddress
    await mails.run(asker, () => mailLink(core, user, { purpose, say, address }, closing.signal))
  }

  function begin(purpose: Purpose, request: MailRequest): void {
    const handling = handle(purpose, ...request)
      .catch((error) => core.log.error({ err: error, purpose }, 'a link could not be mailed'))
      .finally(() => underWay.delete(handling))
    underWay.add(handling)
  }

  return {
    reset(...request) {
      requireOwnDoors(core)
      begin('reset', request)
    },
    proof: (...request) => begin('proof', request),
    async close() {
      closing.abort()
      await Promise.all(underWay)
    },
  }
})

/** What a mail is for, how it says it, and where its link leads. */
interface MailContent {
  purpose: Purpose
  say: Say
  address: string
}

/** Tries for a while, unless another mail of this kind to the same address is asked for meanwhile. */
async function mailLink(
  core: Core,
  user: UserRow,
  message: MailContent,
  closing: AbortSignal,
): Promise<void> {
  // One for all tries: its hash tells the slot that a try repeats the first one.
  const { token, hash } = createSecretToken()
  const slot = mailSlotOf(user, message.purpose)
  for (const pause of [...RETRY_PAUSES_MS, undefined]) {
    if ((await core.rateSlots.take(slot, hash, MAIL_INTERVAL_MS)).state === 'refused') return
    try {
      await sendLink(core, user, { token, hash }, message)
      return
    } catch (error) {
      // A mail that was not sent must not delay the next one.
      await core.rateSlots.release(slot, hash)
      if (pause === undefined || closing.aborted) throw error
      core.log.warn({ err: error }, 'a link could not be mailed; it is tried again')
      await setTimeout(pause, undefined, { signal: closing })
    }
  }
}

async function sendLink(
  core: Core,
  user: UserRow,
  { token, hash }: { token: string; hash: string },
  { purpose, say, address }: MailContent,
): Promise<void> {
  const now = core.clock()
  const link = { userId: user.id, email: user.email, tokenHash: hash, requestedAt: new Date(now) }
  const letter = await core.db.transaction(async (tx) => {
    // The account may have another address by now, or be gone.
    if (!(await store.holdAddressee(tx, link))) return undefined
    // With a link the present owner of the address would get into the account of the person whom the provider knows.
    if (await isLinkedToProvider(core, tx, user.id))
      return byProvider(say, core.config.oidc?.name ?? '', address)
    await store.insertReset(tx, link, { since: new Date(now - LINK_LIFETIME_MS), most: MOST_LINKS })
    return LETTERS[purpose](say, address, token)
  })
  if (letter) await core.mail.send({ to: user.email, ...letter })
}

type Text = Omit<Letter, 'to'>

// Mails contain no text that anybody chose, such as a name: otherwise strangers could be sent messages this way.

const LETTERS: Record<Purpose, (t: Say, address: string, token: string) => Text> = {
  reset: (t, address, token) => ({
    subject: t('Reset your password'),
    text: `${t('Hello,')}

${t('somebody, hopefully you, asked for a new password for the account with this address.')}
${t('Choose one here within an hour:')}

${address}/reset_password?token=${token}

${t('If it wasn’t you, ignore this mail: nothing has changed.')}
`,
  }),
  proof: (t, address, token) => ({
    subject: t('Is this account yours?'),
    text: `${t('Hello,')}

${t('somebody, hopefully you, signed in with this address. An account here has it already, and nobody has confirmed whose it is.')}
${t('If you made that account, say so here within an hour, and go on where you were signing in:')}

${address}/confirm_address?token=${token}

${t('If you didn’t, ignore this mail: nothing has changed. Where you were signing in you can say that it isn’t yours.')}
`,
  }),
}

function byProvider(t: Say, name: string, address: string): Text {
  return {
    subject: t('Sign in with {name}', { name }),
    text: `${t('Hello,')}

${t('somebody, hopefully you, asked for a link to the account with this address. It has none: you sign in with {name}, here:', { name })}

${address}/login

${t('If it wasn’t you, ignore this mail: nothing has changed.')}
`,
  }
}

/**
 * The rate slot of an address. Many providers deliver `name+anything@…` to `name@…`, so such addresses share one if
 * they are not verified. They don't share it with the plain address: otherwise a stranger who registers them could keep
 * the owner's mails away. Only people whom a provider knows ask for proofs, so strangers can't keep these away either.
 */
function mailSlotOf({ email, emailVerified }: UserRow, purpose: Purpose): string {
  const address = foldCase(email)
  const box = emailVerified ? address : address.replace(/\+[^@]*/, '+')
  return purpose === 'reset' ? `mail:${box}` : `mail:${purpose}:${box}`
}
