import type { ServerFrame } from '@exam-practice/client'
import { useEffect, useRef } from 'preact/hooks'
import { client } from '../../client.ts'

/**
 * Calls `reload` upon each frame that concerns what is shown, and whenever such frames may have been missed: after a new
 * connection and `resync`.
 */
export function useLive(reload: () => Promise<void>, concerns: (frame: ServerFrame) => boolean): void {
  const latest = useRef(concerns)
  latest.current = concerns
  useEffect(
    () =>
      client.live.listen((frame) => {
        if (frame.type === 'ready' || frame.type === 'resync' || latest.current(frame)) void reload()
      }),
    [reload],
  )
}
