import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import postgres from 'postgres'
import { driverOptions } from './database-client.ts'
import { isRefusal } from './database-errors.ts'

/** How long a start waits: after a restart of the machine PostgreSQL may come up later than the service. */
const LONGEST_MS = 20_000
const PAUSE_MS = 500

/** Waits until the database answers. Throws its error if it refuses, or can't be reached for too long. */
export async function waitForDatabase(url: string, log: Pick<FastifyBaseLogger, 'warn'>): Promise<void> {
  const sql = postgres(...driverOptions(url, { max: 1 }))
  let said = false
  try {
    for (const begun = performance.now(); ; await sleep(PAUSE_MS)) {
      const error = await sql`select 1`.then(
        () => undefined,
        (reason: Error) => reason,
      )
      if (error === undefined) return
      if (isRefusal(error) || performance.now() - begun > LONGEST_MS) throw error
      if (!said) log.warn(`the database can't be reached, waiting for it: ${error.message}`)
      said = true
    }
  } finally {
    await sql.end({ timeout: 3 })
  }
}
