import type { LifeEvent, Platform } from '../../src/index.ts'
import { BroadcastChannel, navigator } from './no-browser.ts'

/** Makes several clients of this process tabs of one browser, by Node's own Web Locks and channels. */
export function tab(): { platform: Partial<Platform>; tell(event: LifeEvent): void } {
  const watchers = new Set<(event: LifeEvent) => void>()
  const { locks } = navigator as unknown as { locks: NonNullable<Platform['locks']> }
  return {
    platform: {
      locks,
      openChannel(name, take) {
        const channel = new BroadcastChannel(name)
        channel.onmessage = (event) => take((event as MessageEvent).data)
        return { post: (message) => channel.postMessage(message), close: () => channel.close() }
      },
      watch(tell) {
        watchers.add(tell)
        return () => watchers.delete(tell)
      },
    },
    tell(event) {
      for (const each of watchers) each(event)
    },
  }
}
