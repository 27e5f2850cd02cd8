import type { Platform } from './platform.ts'

/** A platform of which everything ends with the client. */
export interface Lifetime extends Platform {
  /** Calls `stop` when the client is closed, or at once if it is; returns a function that forgets this. */
  atEnd(stop: () => void): () => void
}

/** The platform as a client uses it, and what ends all that it has begun there. */
export function limit(platform: Platform): { platform: Lifetime; end(): void } {
  const stops = new Set<() => void>()
  const timers = new Set<() => void>()
  let isOver = false
  // The other members are the platform's own.
  const limited: Lifetime = Object.assign(Object.create(platform), {
    after(ms: number, run: () => void) {
      if (isOver) return () => {}
      const cancel = platform.after(ms, () => {
        timers.delete(cancel)
        run()
      })
      timers.add(cancel)
      return () => {
        timers.delete(cancel)
        cancel()
      }
    },
    atEnd(stop: () => void) {
      if (isOver) stop()
      else stops.add(stop)
      return () => stops.delete(stop)
    },
  })
  return {
    platform: limited,
    end() {
      // What a part sends while it ends, such as the last answers of an exam, still goes out.
      for (const stop of [...stops]) stop()
      isOver = true
      for (const cancel of timers) cancel()
      stops.clear()
      timers.clear()
    },
  }
}
