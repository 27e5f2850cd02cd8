import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { long } from '../show.ts'

export function databaseFaults(): void {
  long('PostgreSQL stopped at once for 10 s', async ({ database, nodes }) => {
    await database.stop()
    await sleep(10_000)
    await database.restart()
    const since = performance.now()
    expect(nodes.map(({ lives }) => lives)).toEqual([true, true])
    return since
  })

  long('PostgreSQL’s connections say nothing for 10 s (half-open)', async ({ database }) => {
    database.hold()
    await sleep(10_000)
    database.release()
    return performance.now()
  })

  long(
    'the pool exhausted: two connections, both waiting for a lock for 5 s',
    async ({ sql }) => {
      await sql.begin(async (tx) => {
        await tx`lock table conversations in access exclusive mode`
        await sleep(5_000)
      })
      return performance.now()
    },
    () => ({ env: { DATABASE_POOL: '2' } }),
  )
}
