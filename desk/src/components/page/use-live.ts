import type { ServerFrame } from '@exam-practice/client'
import { useEffect, useRef } from 'preact/hooks'
import { client } from '../../client.ts'

/** How many parts of the page show each topic: the last one to go unsubscribes. */
const shown = new Map<string, number>()

function show(topic: string): void {
  shown.set(topic, (shown.get(topic) ?? 0) + 1)
}

function leave(topic: string): void {
  const others = (shown.get(topic) ?? 0) - 1
  if (others > 0) {
    shown.set(topic, others)
    return
  }
  shown.delete(topic)
  void client.live.request({ type: 'unsubscribe', topic }).catch(() => {})
}

/**
 * Calls `reload` upon each frame that concerns what is shown, and whenever such frames may have been missed: after a
 * new connection and `resync`. Frames of a topic have to be subscribed to, which comes first, so that no change is
 * missed in between.
 */
export function useLive(
  reload: () => Promise<void>,
  concerns: (frame: ServerFrame) => boolean,
  topic?: string,
): void {
  const latest = useRef(concerns)
  latest.current = concerns
  useEffect(() => {
    async function catchUp() {
      // If it is refused, as during an exam, the reload mostly is too, and says why.
      if (topic) await client.live.request({ type: 'subscribe', topic }).catch(() => {})
      await reload()
    }
    // A socket that is open says `ready` at once, and what needs no subscription is being read already.
    let isRead = topic === undefined
    const stop = client.live.listen((frame) => {
      if (frame.type === 'ready' && isRead) return
      if (frame.type === 'ready' || frame.type === 'resync') void catchUp()
      else if (latest.current(frame)) void reload()
    })
    isRead = false
    if (topic) show(topic)
    return () => {
      stop()
      if (topic) leave(topic)
    }
  }, [reload, topic])
}
