import { useStore } from '@nanostores/preact'
import { atom } from 'nanostores'
import { explain } from '../../client.ts'

const STAY_MS = 6_000
/** How long something can be undone. */
const UNDO_MS = 10_000
/** Notices without an undo that are shown at once. */
const MOST_PLAIN = 3

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
export function deleteSoon(
  names: string | readonly string[],
  text: string,
  send: () => Promise<unknown>,
): void {
  const mark = (isGone: boolean) => {
    const marked = new Set($beingDeleted.get())
    for (const name of [names].flat()) {
      if (isGone) marked.add(name)
      else marked.delete(name)
    }
    $beingDeleted.set(marked)
  }
  mark(true)
  // What is deleted stays marked: a list that was read before still has it.
  sendSoon(text, send, () => mark(false))
}

/** For what `sendSoon` sends: a page that is left mustn't take its requests along. */
export const OUTLIVING = { keepalive: true }

/** What sends each thing that can still be undone. */
const waiting = new Set<() => Promise<void>>()

/** Sends at once what can still be undone. */
export async function sendWaiting(): Promise<void> {
  await Promise.all([...waiting].map((finish) => finish()))
}

/** Sends something after a while, in which a notice offers to undo it; at once if the page is left. */
export function sendSoon(text: string, send: () => Promise<unknown>, undone = () => {}): void {
  const settle = () => {
    clearTimeout(timer)
    removeEventListener('pagehide', finish)
    waiting.delete(finish)
    drop(toast)
  }
  const finish = async () => {
    settle()
    if (!(await runWithToast(send))) undone()
  }
  const toast = show({
    text,
    isBad: false,
    undo: () => {
      settle()
      undone()
    },
  })
  waiting.add(finish)
  const timer = setTimeout(finish, UNDO_MS)
  addEventListener('pagehide', finish)
}

/** Tells of something that was done, and offers to undo it for a while. */
export function offerUndo(text: string, undo: () => Promise<unknown>): void {
  const toast = show({
    text,
    isBad: false,
    undo: () => {
      drop(toast)
      void runWithToast(undo)
    },
  })
  setTimeout(() => drop(toast), UNDO_MS)
}

function show(shown: Omit<Toast, 'id'>): Toast {
  count += 1
  const toast = { ...shown, id: count }
  // The same once more takes the place of what was told before.
  const others = $toasts.get().filter(({ text, undo }) => undo || text !== toast.text)
  const all = [...others, toast]
  // What can be undone stays for its time, whatever else is told.
  const surplus = new Set(all.filter(({ undo }) => !undo).slice(0, -MOST_PLAIN))
  $toasts.set(all.filter((each) => !surplus.has(each)))
  return toast
}

function drop(toast: Toast): void {
  $toasts.set($toasts.get().filter((each) => each !== toast))
}

/** Shows a message for a few seconds. Screen readers read it aloud. */
export function showToast(text: string, isBad = false): void {
  const toast = show({ text, isBad })
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
