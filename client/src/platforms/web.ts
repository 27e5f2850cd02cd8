import type { LifeEvent, Platform, Store } from '../platform.ts'
import { indexedDbStore } from '../storage/indexeddb.ts'
import { globals } from './globals.ts'
import { uploadByXhr } from './xhr.ts'

/**
 * A page in a browser. Web Locks need a secure context (https or localhost); without them each tab works on its own.
 */
export function web(options: { store?: Store } = {}): Platform {
  return {
    ...globals,
    store: options.store ?? indexedDbStore(),
    uuid: newUuid,
    locks: navigator.locks
      ? { request: (name, wanted, work) => navigator.locks.request(name, wanted, work) as never }
      : undefined,
    openChannel:
      typeof BroadcastChannel === 'undefined'
        ? undefined
        : (name, take) => {
            const channel = new BroadcastChannel(name)
            channel.onmessage = ({ data }) => take(data)
            return { post: (message) => channel.postMessage(message), close: () => channel.close() }
          },
    upload: uploadByXhr,
    isVisible: () => document.visibilityState === 'visible',
    watch: watchPage,
  }
}

function watchPage(tell: (event: LifeEvent) => void): () => void {
  const stop = new AbortController()
  const on = (target: EventTarget, type: string, run: (event: Event) => void) =>
    target.addEventListener(type, run, { signal: stop.signal })
  on(document, 'visibilitychange', () => tell(document.visibilityState === 'visible' ? 'wake' : 'hide'))
  on(document, 'resume', () => tell('wake'))
  on(window, 'online', () => tell('wake'))
  on(window, 'focus', () => tell('wake'))
  on(window, 'pagehide', () => tell('leave'))
  on(window, 'pageshow', (event) => {
    if ((event as PageTransitionEvent).persisted) tell('return')
  })
  return () => stop.abort()
}

/** `crypto.randomUUID` is missing in pages without TLS. */
function newUuid(): string {
  if (crypto.randomUUID) return crypto.randomUUID()
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
