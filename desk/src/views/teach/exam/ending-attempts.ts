import { RequestFailed } from '../../../client.ts'
import { promptForConfirmation } from '../../../components/dialogs/prompts.tsx'
import { t } from '../../../texts.ts'

/** Sends a change of times; asks first if it would end attempts under way. False if it is not to be made then. */
export async function sendTimes(send: (confirm?: true) => Promise<unknown>): Promise<boolean> {
  try {
    await send()
  } catch (error) {
    if (!(error instanceof RequestFailed) || error.code !== 'ends_attempts') throw error
    const question = t(
      '{count, plural, one {This ends # attempt under way, at once.} other {This ends # attempts under way, at once.}}',
      { count: Number(error.failure.attempts) },
    )
    if (!(await promptForConfirmation(question, t('End and save')))) return false
    await send(true)
  }
  return true
}
