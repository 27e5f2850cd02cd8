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

/** Pages without TLS have no `crypto.randomUUID`, and neither have phones by the usual package. */
export function randomUuid(): string {
  if (crypto.randomUUID) return crypto.randomUUID()
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
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
