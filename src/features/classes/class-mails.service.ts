import type { Core } from '../../core.ts'
import { sayIn } from '../../formats/translations.ts'
import { createSecretToken } from '../auth/secret-tokens.ts'
import * as store from './class-invitations.store.ts'

/** Mails that a node sends at once. */
const AT_ONCE = 10
/** After this a mail that wasn't sent is tried again, by any node. */
const RETRY_MS = 120_000
const MOST_TRIES = 5

/**
 * Sends the mails of invitations that are due; every node takes some. `ownAddress`: where this node listens, for links
 * while no PUBLIC_URL is set.
 */
export async function sendInvitations(core: Core, ownAddress: () => string): Promise<void> {
  for (;;) {
    const now = core.clock()
    const due = await store.claimDue(core.db, new Date(now), new Date(now + RETRY_MS), AT_ONCE)
    await Promise.all(due.map((mail) => send(core, ownAddress(), mail)))
    if (due.length < AT_ONCE || core.closing.aborted) return
  }
}

async function send(
  core: Core,
  ownAddress: string,
  { id, email, tries, language }: store.DueMail,
): Promise<void> {
  const t = sayIn(language)
  const { token, hash } = createSecretToken()
  // Before the mail, since its reader can be quick.
  if (!(await store.setToken(core.db, id, hash))) return
  try {
    // Like every mail it has no text that anybody chose, so that nobody can send strangers messages this way.
    await core.mail.send({
      to: email,
      subject: t('You are asked to join a class'),
      text: `${t('Hello,')}

${t('a teacher asks the owner of this address to join a class.')}
${t('Open this link within 14 days, and sign in or register with this address:')}

${core.config.publicUrl ?? ownAddress}/classes/join?code=${token}

${t('If you don’t know what this is about, ignore this mail.')}
`,
    })
  } catch (error) {
    core.log.warn({ err: error, invitation_id: id }, 'an invitation could not be mailed')
    if (tries < MOST_TRIES) return
  }
  await store.endMail(core.db, id)
}

/** Deletes invitations whose time is over. */
export async function deleteExpiredInvitations(core: Core): Promise<void> {
  await store.deleteExpired(core.db, store.liveSince(core.clock()))
}
