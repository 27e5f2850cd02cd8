import type { Channel, Platform } from './platform.ts'

/** A tab that keeps others waiting for longer than this may be suspended: they take the lock from it. */
const LONGEST_WAIT_MS = 5_000

/**
 * Runs `work` in one tab at a time, or only one at a time in this tab if the platform has no locks or denies them. Work of
 * a tab that was suspended meanwhile may go on beside another tab's: it has to check what it replaces.
 */
export function createMutex(
  { locks, after }: Platform,
  name: string,
): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  const runHere = <T>(work: () => Promise<T>): Promise<T> => {
    const run = last.then(work, work)
    last = run
    return run
  }
  if (!locks) return runHere
  return (work) =>
    new Promise((resolve, reject) => {
      const abort = new AbortController()
      let isRunning = false
      // Its outcome counts even if the lock is lost.
      const begin = (run: typeof runHere) => {
        if (isRunning) return
        isRunning = true
        cancel()
        return run(work).then(resolve, reject)
      }
      const request = (options: { steal?: boolean; signal?: AbortSignal }) =>
        locks.request(name, options, async () => begin((run) => run()))
      const cancel = after(LONGEST_WAIT_MS, () => {
        abort.abort()
        request({ steal: true }).catch(() => begin(runHere))
      })
      request({ signal: abort.signal }).catch(() => {
        if (!abort.signal.aborted) void begin(runHere)
      })
    })
}

/** undefined: the platform has no channels, or denies them. */
export function tryChannel(
  { openChannel }: Platform,
  name: string,
  take: (message: unknown) => void,
): Channel | undefined {
  try {
    return openChannel?.(name, take)
  } catch {
    return undefined
  }
}

/** What listens in this process, where a platform has no channels: by platform and name. */
const own = new WeakMap<Platform, Map<string, Set<(message: unknown) => void>>>()

function openOwn(platform: Platform, name: string, take: (message: unknown) => void): Channel {
  const names = own.get(platform) ?? new Map<string, Set<(message: unknown) => void>>()
  own.set(platform, names)
  const takers = names.get(name) ?? new Set()
  names.set(name, takers.add(take))
  return {
    post(message) {
      for (const each of takers) if (each !== take) each(message)
    },
    close: () => void takers.delete(take),
  }
}

/**
 * A channel to the other tabs, and to what else of this page has opened it. It is closed while the page may be frozen, because with an open one some browsers don't
 * restore the page. `onReturn` is called when it is opened again: messages may have been missed.
 */
export function openChannel(
  platform: Platform,
  name: string,
  take: (message: unknown) => void,
  onReturn: () => void = () => {},
): Channel {
  if (!platform.openChannel) return openOwn(platform, name, take)
  let channel = tryChannel(platform, name, take)
  const close = () => {
    channel?.close()
    channel = undefined
  }
  const unwatch = platform.watch?.((event) => {
    if (event === 'leave') close()
    if (event === 'return') {
      channel ??= tryChannel(platform, name, take)
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
