import type { FastifyBaseLogger } from 'fastify'

export interface Periodic {
  /** Runs the work now, or after the running one. */
  soon(): void
  /** Starts nothing more; resolves when the running work has ended. */
  close(): Promise<void>
}

/** Between two lines about work that goes on failing. */
const REMINDER_MS = 60_000

/**
 * Runs `work` periodically, never twice at once. After a failure the next run tries again. The first failure of a row
 * is logged, then one a minute.
 */
export function every(ms: number, name: string, work: () => Promise<void>, log: FastifyBaseLogger): Periodic {
  let running: Promise<void> | undefined
  let again = false
  let isClosed = false
  let saidAt = Number.NEGATIVE_INFINITY
  const timer = setInterval(start, ms).unref()

  function start(): void {
    if (running || isClosed) return
    again = false
    running = run().finally(() => {
      running = undefined
      if (again) start()
    })
  }

  async function run(): Promise<void> {
    try {
      await work()
      saidAt = Number.NEGATIVE_INFINITY
    } catch (error) {
      if (performance.now() - saidAt < REMINDER_MS) return
      saidAt = performance.now()
      log.warn({ err: error }, `${name} failed; trying again`)
    }
  }

  return {
    soon() {
      again = true
      start()
    },
    async close() {
      isClosed = true
      clearInterval(timer)
      await running
    },
  }
}
