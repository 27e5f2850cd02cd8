import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { hasRedis } from '../support/outside/redis.ts'
import { type Count, isWhole, Load } from './load.ts'
import { startWorld, type World, type WorldOptions } from './world.ts'

/** Longest time from the return of a dependency until everything is served again. */
const MAX_SECONDS = 3
const TIMEOUT_MS = 300_000

export interface Row extends Count {
  fault: string
  /** Further observations. */
  note: string
  seconds: number
}
export const rows: Row[] = []

/** Further work during a fault, which is counted with the chats and answers. */
export interface Work {
  end(): Promise<Count>
}

/** The time from which everything should be served again, and further observations. */
type Outcome = number | { since: number; note: string }

interface ShowOptions extends WorldOptions {
  /** Work that starts before the fault and ends after it. */
  beside?: (world: World) => Promise<Work>
}

/** Causes a fault under load, and checks and reports the outcome. */
async function show(
  fault: string,
  cause: (world: World, load: Load) => Promise<Outcome>,
  { beside, ...options }: ShowOptions,
): Promise<void> {
  const world = await startWorld(options)
  const load = await Load.start(world)
  const work = await beside?.(world)
  await sleep(1_000)
  const outcome = await cause(world, load)
  const { since, note } = typeof outcome === 'number' ? { since: outcome, note: '' } : outcome
  const seconds = await load.serving(since)
  await sleep(1_000)
  const [own, others] = await Promise.all([work?.end(), load.end()])
  const row = {
    fault,
    note,
    acknowledged: others.acknowledged + (own?.acknowledged ?? 0),
    lost: others.lost + (own?.lost ?? 0),
    doubled: others.doubled + (own?.doubled ?? 0),
    seconds,
  }
  rows.push(row)
  expect(row).toMatchObject({ lost: 0, doubled: 0 })
  expect([...load.failures]).toEqual([])
  expect(row.acknowledged).toBeGreaterThan(100)
  expect(row.seconds).toBeLessThan(MAX_SECONDS)
}

/** `prepare` runs first: what it starts ends with the test. */
type Fault = (
  name: string,
  cause: Parameters<typeof show>[1],
  prepare?: () => ShowOptions | Promise<ShowOptions>,
) => void

const hasParts = hasRedis()
/** A fault that `npm test` runs too. */
export const short: Fault = (name, cause, prepare = () => ({})) =>
  test.runIf(hasParts)(name, { timeout: TIMEOUT_MS }, async () => show(name, cause, await prepare()))
/** A fault that only `npm run test:faults` runs. */
export const long: Fault = (...fault) => {
  if (isWhole) short(...fault)
}
