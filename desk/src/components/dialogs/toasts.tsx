import { useStore } from '@nanostores/preact'
import { atom } from 'nanostores'
import { explain } from '../../client.ts'

const STAY_MS = 6_000
/** How long a deletion can be undone, before it is sent. */
const UNDO_MS = 10_000

interface Toast {
  id: number
  text: string
  isBad: boolean
  undo?: () => void
}

const $toasts = atom<readonly Toast[]>([])
let count = 0

/** What is being deleted, by name: shown as gone, though the service isn't told yet. */
export const $beingDeleted = atom<ReadonlySet<string>>(new Set())

/** Deletes something after a while, in which a notice offers to undo it; at once if the page is left. */
export function deleteSoon(name: string, text: string, send: () => Promise<unknown>): void {
  const mark = (isGone: boolean) => {
    const names = new Set($beingDeleted.get())
    if (isGone) names.add(name)
    else names.delete(name)
    $beingDeleted.set(names)
  }
  const settle = () => {
    clearTimeout(timer)
    removeEventListener('pagehide', finish)
    drop(toast)
  }
  const finish = () => {
    settle()
    void runWithToast(send).finally(() => mark(false))
  }
  count += 1
  const toast: Toast = {
    id: count,
    text,
    isBad: false,
    undo: () => {
      settle()
      mark(false)
    },
  }
  mark(true)
  $toasts.set([...$toasts.get().slice(-2), toast])
  const timer = setTimeout(finish, UNDO_MS)
  addEventListener('pagehide', finish)
}

function drop(toast: Toast): void {
  $toasts.set($toasts.get().filter((each) => each !== toast))
}

/** Shows a message for a few seconds. Screen readers read it aloud. */
export function showToast(text: string, isBad = false): void {
  count += 1
  const toast = { id: count, text, isBad }
  $toasts.set([...$toasts.get().slice(-2), toast])
  setTimeout(() => drop(toast), STAY_MS)
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
      {toasts.map(({ id, text, isBad, undo }) => (
        <p key={id} class={isBad ? 'bad' : ''}>
          {text}
          {undo && (
            <button type="button" class="small" onClick={undo}>
              Undo
            </button>
          )}
        </p>
      ))}
    </div>
  )
}
