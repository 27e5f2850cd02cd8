import type { ReadableAtom } from 'nanostores'
import type { ClientFrame } from '../generated/frames.ts'
import type { Platform } from '../platform.ts'
import type { SocketStatus } from './socket.ts'

/** Less than the time for which the service takes somebody for present (docs/protocol/push.md#when). */
const EVERY_MS = 20_000

/**
 * Tells the service while this page is seen, so that nothing is pushed to the person meanwhile. Returns a function that
 * ends this.
 */
export function tellWhileSeen(
  { isVisible, after, watch }: Platform,
  $status: ReadableAtom<SocketStatus>,
  post: (frame: ClientFrame) => void,
): () => void {
  // Programs without a page are not somebody's attention.
  if (!isVisible) return () => {}
  let cancel = () => {}
  const tell = () => {
    cancel()
    if ($status.get() !== 'online' || !isVisible()) return
    post({ type: 'active' })
    cancel = after(EVERY_MS, tell)
  }
  const unlisten = $status.listen(tell)
  const unwatch = watch?.((event) => event === 'wake' && tell())
  return () => {
    cancel()
    unlisten()
    unwatch?.()
  }
}
