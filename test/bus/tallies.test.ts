import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { connectRedis } from '../../src/bus/redis-connections.ts'
import type { Tallies } from '../../src/bus/tallies.ts'
import { createMemoryTallies } from '../../src/bus/tallies-memory.ts'
import { createRedisTallies } from '../../src/bus/tallies-redis.ts'

const log = pino({ level: 'silent' })
const service = `tallies-${randomUUID()}`
const connect = () => connectRedis(inject('redisUrl') as string, service, log)
const redis = await connect()
afterAll(() => redis.close())
const times = { graceMs: 100, beatMs: 50, leaseMs: 200, activeMs: 200 }
const redisTallies = () => createRedisTallies(redis, times, log)

async function takeMany(nodes: Tallies[], name: string, count: number, limit: number): Promise<number> {
  const taken = await Promise.all(
    Array.from({ length: count }, (_, n) => (nodes[n % nodes.length] as Tallies).take(name, limit)),
  )
  return taken.filter((got) => got).length
}

const makers: [string, () => Tallies[]][] = [
  ['in process', () => [createMemoryTallies()]],
  ['over Redis, by two nodes', () => [redisTallies(), redisTallies()]],
]
describe.each(makers)('a tally %s', (_, make) => {
  test('never exceeds its limit, however many take at once, and has room again for what was released', async () => {
    const nodes = make()
    const name = randomUUID()
    expect(await takeMany(nodes, name, 60, 50)).toBe(50)
    expect(await takeMany(nodes, name, 4, 50)).toBe(0)
    for (let back = 0; back < 5; back++) nodes[0]?.release(name)
    await expect.poll(() => takeMany(nodes, name, 1, 50)).toBe(1)
    expect(await takeMany(nodes, name, 20, 50)).toBe(4)
    expect(await takeMany(nodes, randomUUID(), 1, 1)).toBe(1)
    for (const node of nodes) await node.close()
  })
})

test('what is refused while something is given back counts nowhere', async () => {
  const [one, other] = [redisTallies(), redisTallies()]
  const name = randomUUID()
  expect(await takeMany([one], name, 4, 10)).toBe(4)
  expect(await takeMany([other], name, 6, 10)).toBe(6)
  const taking = one.take(name, 10)
  // It has been sent by then, and not answered.
  await setImmediate()
  one.release(name)
  expect(await taking).toBe(false)
  await expect.poll(() => other.take(name, 10), { timeout: 2_000 }).toBe(true)
  await Promise.all([one.close(), other.close()])
})

test('what a dead node held is free again when its lease has ended', async () => {
  const dying = await connect()
  const [one, other] = [createRedisTallies(dying, times, log), redisTallies()]
  const name = randomUUID()
  expect(await takeMany([one], name, 50, 50)).toBe(50)
  expect(await other.take(name, 50)).toBe(false)
  // Without a connection it can neither renew its lease nor give it back.
  dying.close()
  await expect.poll(() => other.take(name, 50)).toBe(true)
  await Promise.all([one.close(), other.close()])
})
