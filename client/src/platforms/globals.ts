import type { PlatformSocket } from '../platform.ts'

/** Longer timers would fire at once. */
const LONGEST_MS = 2 ** 31 - 1

/** What every platform has, under the same names. */
export const globals = {
  fetch: (request: Request): Promise<Response> => fetch(request),
  openSocket: (url: string, protocols: string[]) =>
    new WebSocket(url, protocols) as unknown as PlatformSocket,
  now: Date.now,
  steady: () => performance.now(),
  random: Math.random,
  after(ms: number, run: () => void): () => void {
    const timer = setTimeout(run, Math.min(ms, LONGEST_MS))
    return () => clearTimeout(timer)
  },
}

const NEEDED = [
  'fetch',
  'Request',
  'Response',
  'Headers',
  'FormData',
  'AbortController',
  'URLSearchParams',
  'WebSocket',
  'performance',
]

/** Throws if the client can't run here, in a sentence that says what is missing and what has it. */
export function check(who: string, ...others: string[]): void {
  const missing = [...NEEDED, ...others].filter((name) => Reflect.get(globalThis, name) === undefined)
  if (missing.length > 0) throw new Error(`The client needs ${who}: ${missing.join(', ')} is missing here.`)
}
