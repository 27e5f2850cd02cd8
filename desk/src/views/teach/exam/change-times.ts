import { RequestFailed } from '../../../client.ts'
import { promptForConfirmation } from '../../../components/dialogs/prompts.tsx'
import { offerUndo, showToast } from '../../../components/dialogs/toasts.tsx'
import { type Describe, type FormChanges, sendChanges } from '../../../components/forms/changes.ts'
import { moment, percent } from '../../../format.ts'
import { t } from '../../../texts.ts'

/** What somebody, or a class, has instead of an exam's own times. */
export interface Times {
  extra_time_percent: number
  opens_at: string | null
  closes_at: string | null
}

/** The times of somebody who has none of their own. */
export const NO_TIMES: Times = { extra_time_percent: 0, opens_at: null, closes_at: null }

type Confirm = true | undefined

/** The operations on the times of one person or class. */
export interface TimesOperations {
  /** Changes some of them, as long as they are as `was` says; the others stay. */
  change: (body: Partial<Times> & { was: Partial<Times>; confirm: Confirm }) => Promise<unknown>
  set: (body: Times & { was: Times; confirm: Confirm }) => Promise<unknown>
  /** Gives them the exam's own, as long as they are as `was` (JSON) says. */
  remove: (query: { was: string; confirm: Confirm }) => Promise<unknown>
}

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

/** Tells that times were changed, and offers to undo it, unless that has ended attempts. False if it was not made. */
async function makeUndoable(
  make: (confirm?: true) => Promise<unknown>,
  undo: (confirm?: true) => Promise<unknown>,
  done: () => Promise<void>,
): Promise<boolean> {
  const outcome = await sendTimes(make)
  if (outcome === undefined) return false
  const text = t('Saved; it takes effect at once')
  if (outcome === 'attempts ended') showToast(text)
  else
    offerUndo(text, async () => {
      if (await sendTimes(undo)) await done()
    })
  return true
}

/** Changes somebody's times; undefined for `before`: they had none of their own. */
export function changeTimes(
  { change, remove }: TimesOperations,
  before: Times | undefined,
  { changes, was }: FormChanges<Times>,
  done: () => Promise<void>,
): Promise<boolean> {
  return makeUndoable(
    (confirm) => change({ ...changes, was, confirm }),
    (confirm) =>
      before
        ? change({ ...was, was: changes, confirm })
        : remove({ was: JSON.stringify({ ...NO_TIMES, ...changes }), confirm }),
    done,
  )
}

/** Gives somebody the exam's own times; those that were changed meanwhile only after a question. */
export async function removeTimes(
  { change, set, remove }: TimesOperations,
  { extra_time_percent, opens_at, closes_at }: Times,
  done: () => Promise<void>,
): Promise<void> {
  const before = { extra_time_percent, opens_at, closes_at }
  const send = (changes: Partial<Times>, was: Partial<Times>) => {
    const stored = { ...before, ...was }
    // Where one of them stays, the others are changed.
    const isWhole = Object.keys(changes).length === Object.keys(NO_TIMES).length
    return makeUndoable(
      (confirm) =>
        isWhole ? remove({ was: JSON.stringify(was), confirm }) : change({ ...changes, was, confirm }),
      (confirm) =>
        isWhole ? set({ ...stored, was: NO_TIMES, confirm }) : change({ ...was, was: changes, confirm }),
      done,
    )
  }
  if (await sendChanges({ changes: NO_TIMES, was: before }, send, DESCRIBE)) await done()
}

const LABELS: Record<keyof Times, string> = {
  extra_time_percent: t('More time'),
  opens_at: t('Opens'),
  closes_at: t('Closes'),
}
const DESCRIBE: Describe<Times> = {
  label: (name) => LABELS[name],
  value: (_name, value) =>
    typeof value === 'number' ? percent(value) : value === null ? t('as the exam') : moment(String(value)),
}
