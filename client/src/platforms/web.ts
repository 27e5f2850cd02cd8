import type { LifeEvent, Platform, Store } from '../platform.ts'
import { indexedDbStore } from '../storage/indexeddb.ts'
import { globals, randomUuid } from './globals.ts'
import { uploadByXhr } from './xhr.ts'

/**
 * A page in a browser. Web Locks need a secure context (https or localhost); without them each tab works on its own.
 */
export function web(options: { store?: Store } = {}): Platform {
  return {
    ...globals,
    store: options.store ?? indexedDbStore(),
    uuid: randomUuid,
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
