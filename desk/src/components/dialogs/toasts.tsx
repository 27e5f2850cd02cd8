import { useStore } from '@nanostores/preact'
import { atom } from 'nanostores'
import { explain } from '../../client.ts'

const STAY_MS = 6_000
const $toasts = atom<readonly { id: number; text: string; isBad: boolean }[]>([])
let count = 0

/** Shows a message for a few seconds. Screen readers read it aloud. */
export function showToast(text: string, isBad = false): void {
  count += 1
  const toast = { id: count, text, isBad }
  $toasts.set([...$toasts.get().slice(-2), toast])
  setTimeout(() => $toasts.set($toasts.get().filter((each) => each !== toast)), STAY_MS)
}

/** Runs the work of a click and shows its error, or what it returns if that is a text. False after an error. */
export async function runWithToast(work: () => Promise<unknown>): Promise<boolean> {
  try {
    const message = await work()
    if (typeof message === 'string') showToast(message)
    return true
  } catch (error) {
    showToast(explain(error), true)
    return false
  }
}

export function Toasts() {
  const toasts = useStore($toasts)
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, text, isBad }) => (
        <p key={id} class={isBad ? 'bad' : ''}>
          {text}
        </p>
      ))}
    </div>
  )
}
