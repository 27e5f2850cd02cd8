import type { Channel, Locks, Platform } from './platform.ts'

/** Runs `work` in one tab at a time, or only one at a time in this tab if the platform has no locks. */
export function createMutex(
  locks: Locks | undefined,
  name: string,
): <T>(work: () => Promise<T>) => Promise<T> {
  if (locks) return (work) => locks.request(name, {}, work)
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
