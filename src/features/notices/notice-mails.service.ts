import type { WishedKind } from '../../../schemas/notices.schemas.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { sayIn } from '../../formats/translations.ts'
import { createSecretToken, hashSecretToken } from '../auth/secret-tokens.ts'
import { findLanguage, turnMailsOff } from '../push/push.service.ts'
import * as store from './notice-mails.store.ts'
import { listTold } from './notices.service.ts'

/** Mails that a node sends at once. */
const AT_ONCE = 10
/** After this a mail that wasn't sent is tried again, by any node. */
const RETRY_MS = 120_000
const MOST_TRIES = 5
/** Mails to one person on a day of the service's time zone; what is more is only in their list. */
const MOST_A_DAY = 10

/** Where the one button of a mail's page is. */
export const MAILS_OFF_PATH = '/notices/mails-off'

/** Sends the mails of notices that are due; every node takes some. `ownAddress`: as of `sendInvitations`. */
export async function sendNoticeMails(core: Core, ownAddress: () => string): Promise<void> {
  for (;;) {
    const now = core.clock()
    const due = await store.claimDue(core.db, new Date(now), new Date(now + RETRY_MS), AT_ONCE)
    await Promise.all(due.map((mail) => send(core, ownAddress(), mail)))
    if (due.length < AT_ONCE || core.closing.aborted) return
  }
}

async function send(core: Core, ownAddress: string, { id, userId, tries }: store.DueMail): Promise<void> {
  const [to, [told], language] = await Promise.all([
    store.findAddress(core.db, id),
    listTold(core, [id]),
    findLanguage(core.db, userId),
  ])
  const day = { now: new Date(core.clock()), timezone: core.config.timezone, most: MOST_A_DAY }
  // A mail that is tried again was counted before.
  if (to === undefined || !told || (tries === 1 && !(await store.takeOne(core.db, userId, day))))
    return store.endMail(core.db, id)
  const t = sayIn(language ?? 'en')
  const { title, body } = told.notice(language ?? 'en')
  const { token, hash } = createSecretToken()
  // Before the mail, since its reader can be quick.
  await store.setToken(core.db, id, hash)
  const site = core.config.publicUrl ?? ownAddress
  const off = `${site}${MAILS_OFF_PATH}?token=${token}`
  try {
    await core.mail.send({
      to,
      subject: title,
      text: `${title}
${body}

${site}/desk/

${t('No more mails like this one:')}
${off}
`,
      headers: {
        'List-Unsubscribe': `<${off}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        // The same if a node died before it could note that the mail was sent.
        'X-Entity-Ref-ID': `notice-${id}`,
      },
    })
  } catch (error) {
    core.log.warn({ err: error, notice_id: id }, 'a notice could not be mailed')
    if (tries < MOST_TRIES) return
  }
  await store.endMail(core.db, id)
}

/** The kind that the link of a mail turns off. 404 for a wrong one, and where the notice is kept no longer. */
export async function findKindOfMail(core: Core, token: string): Promise<WishedKind> {
  return (await requireMail(core, token)).kind
}

/** Turns the mails of its kind off, for whoever got the mail. */
export async function turnKindOff(core: Core, token: string): Promise<WishedKind> {
  const { userId, kind } = await requireMail(core, token)
  await turnMailsOff(core, userId, kind)
  return kind
}

async function requireMail(core: Core, token: string) {
  const found = await store.findByToken(core.db, hashSecretToken(token))
  if (!found) throw new AppError('not_found')
  return found
}
