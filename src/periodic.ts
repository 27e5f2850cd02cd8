import type { FastifyBaseLogger } from 'fastify'

export interface Periodic {
  /** Runs it now rather than at the next turn; after the running one, if one runs. */
  soon(): void
  /** No run begins after this; resolves when the running one has ended. */
  close(): Promise<void>
}

/** Does `work` every so often, never twice at once. A failing run is logged and the next one tries again. */
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
