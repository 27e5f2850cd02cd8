import type { Channel, Platform } from './platform.ts'

/** A tab that keeps others waiting for longer than this may be suspended: they take the lock from it. */
const LONGEST_WAIT_MS = 5_000

/**
 * Runs `work` in one tab at a time, or only one at a time in this tab if the platform has no locks. Work of a tab that
 * was suspended meanwhile may go on beside another tab's: it has to check what it replaces.
 */
export function createMutex(
  { locks, after }: Platform,
  name: string,
): <T>(work: () => Promise<T>) => Promise<T> {
  if (locks)
    return (work) =>
      new Promise((resolve, reject) => {
        const abort = new AbortController()
        let isRunning = false
        // Its outcome counts even if the lock is lost.
        const run = () => {
          isRunning = true
          cancel()
          return work().then(resolve, reject)
        }
        const cancel = after(LONGEST_WAIT_MS, () => {
          abort.abort()
          locks.request(name, { steal: true }, run).catch(fail)
        })
        const fail = (error: unknown) => {
          if (!isRunning) reject(error)
        }
        locks.request(name, { signal: abort.signal }, run).catch((error) => {
          if (!abort.signal.aborted) fail(error)
        })
      })
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const run = last.then(work, work)
    last = run
    return run
  }
}

/**
 * A channel to the other tabs. It is closed while the page may be frozen, because with an open one some browsers don't
 * restore the page. `onReturn` is called when it is opened again: messages may have been missed.
 */
export function openChannel(
  { openChannel, watch }: Platform,
  name: string,
  take: (message: unknown) => void,
  onReturn: () => void = () => {},
): Channel {
  if (!openChannel) return { post() {}, close() {} }
  let channel: Channel | undefined = openChannel(name, take)
  const close = () => {
    channel?.close()
    channel = undefined
  }
  const unwatch = watch?.((event) => {
    if (event === 'leave') close()
    if (event === 'return') {
      channel ??= openChannel(name, take)
      onReturn()
    }
  })
  return {
    post: (message) => channel?.post(message),
    close() {
      unwatch?.()
      close()
    },
  }
}
