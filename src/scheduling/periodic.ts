import type { FastifyBaseLogger } from 'fastify'

export interface Periodic {
  /** Runs the work now, or after the running one. */
  soon(): void
  /** Starts nothing more; resolves when the running work has ended. */
  close(): Promise<void>
}

/** Runs `work` periodically, never twice at once. A failure is logged, and the next run tries again. */
export function every(ms: number, name: string, work: () => Promise<void>, log: FastifyBaseLogger): Periodic {
  let running: Promise<void> | undefined
  let again = false
  const timer = setInterval(start, ms).unref()

  function start(): void {
    running ??= run().finally(() => {
      running = undefined
    })
  }

  async function run(): Promise<void> {
    do {
      again = false
      try {
        await work()
      } catch (error) {
        log.warn({ err: error }, `${name} failed; trying again`)
      }
    } while (again)
  }

  return {
    soon() {
      again = running !== undefined
      start()
    },
    async close() {
      clearInterval(timer)
      again = false
      await running
    },
  }
}
