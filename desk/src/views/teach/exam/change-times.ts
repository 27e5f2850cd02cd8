import { RequestFailed } from '../../../client.ts'
import { promptForConfirmation } from '../../../components/dialogs/prompts.tsx'
import { offerUndo, showToast } from '../../../components/dialogs/toasts.tsx'
import { t } from '../../../texts.ts'

/** What somebody, or a class, has instead of an exam's own times. */
export interface Times {
  extra_time_percent: number
  opens_at: string | null
  closes_at: string | null
}

/** The operations on the times of one person or class; `undefined` gives them the exam's own. */
export type SendTimes = (times: Times | undefined, confirm: true | undefined) => Promise<unknown>

/** Sends a change of times; asks first if it would end attempts under way. Undefined if it is not to be made then. */
export async function sendTimes(
  send: (confirm?: true) => Promise<unknown>,
): Promise<'saved' | 'attempts ended' | undefined> {
  try {
    await send()
    return 'saved'
  } catch (error) {
    if (!(error instanceof RequestFailed) || error.code !== 'ends_attempts') throw error
    const question = t(
      '{count, plural, one {This ends # attempt under way, at once.} other {This ends # attempts under way, at once.}}',
      { count: Number(error.failure.attempts) },
    )
    if (!(await promptForConfirmation(question, t('End and save')))) return undefined
    await send(true)
    return 'attempts ended'
  }
}

interface Change {
  send: SendTimes
  before: Times | undefined
  after: Times | undefined
  /** Called after the change, and after it was undone. */
  done: () => Promise<void>
}

/** Changes somebody's times, and offers to undo it, unless that has ended attempts. False if it was not made. */
export async function changeTimes({ send, before, after, done }: Change): Promise<boolean> {
  const set = (times: Times | undefined) => sendTimes((confirm) => send(times && toTimes(times), confirm))
  const outcome = await set(after)
  if (outcome === undefined) return false
  const text = t('Saved; it takes effect at once')
  if (outcome === 'attempts ended') showToast(text)
  else
    offerUndo(text, async () => {
      if (await set(before)) await done()
    })
  await done()
  return true
}

/** What is sent of an answer, which has more. */
function toTimes({ extra_time_percent, opens_at, closes_at }: Times): Times {
  return { extra_time_percent, opens_at, closes_at }
}
