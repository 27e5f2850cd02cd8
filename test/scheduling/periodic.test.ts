import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { every } from '../../src/scheduling/periodic.ts'

const log = pino({ level: 'silent' })
const SELDOM_MS = 1_000_000

describe('work that is asked for', () => {
  test.each(Array.from({ length: 10 }, (_, ticks) => ticks))(
    'runs after that, also %i ticks after the last run began to end',
    async (ticks) => {
      let runs = 0
      const first = Promise.withResolvers<void>()
      const work = async () => {
        runs += 1
        if (runs === 1) await first.promise
      }
      const periodic = every(SELDOM_MS, 'a test', work, log)
      onTestFinished(() => periodic.close())
      periodic.soon()
      first.resolve()
      for (let tick = 0; tick < ticks; tick++) await null
      periodic.soon()
      await expect.poll(() => runs).toBe(2)
    },
  )

  test('does not begin once it is closed', async () => {
    let runs = 0
    const periodic = every(SELDOM_MS, 'a test', async () => void runs++, log)
    periodic.soon()
    await periodic.close()
    periodic.soon()
    await periodic.close()
    expect(runs).toBe(1)
  })
})
