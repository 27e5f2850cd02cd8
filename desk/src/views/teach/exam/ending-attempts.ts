import { RequestFailed } from '../../../client.ts'
import { promptForConfirmation } from '../../../components/dialogs/prompts.tsx'
import { plural } from '../../../format.ts'

/** Sends a change of times; asks first if it would end attempts under way. False if it is not to be made then. */
export async function sendTimes(send: (confirm?: true) => Promise<unknown>): Promise<boolean> {
  try {
    await send()
  } catch (error) {
    if (!(error instanceof RequestFailed) || error.code !== 'ends_attempts') throw error
    const ended = plural(Number(error.failure.attempts), 'attempt')
    if (!(await promptForConfirmation(`This ends ${ended} under way, at once.`, 'End and save'))) return false
    await send(true)
  }
  return true
}
