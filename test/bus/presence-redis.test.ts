import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createRedisPresence } from '../../src/bus/presence-redis.ts'
import { connectRedis } from '../../src/bus/redis-connections.ts'
import {
  describePresence,
  listen,
  POLL,
  TIMES,
  untilOnline,
  type WatchedPresence,
} from '../contracts/presence.ts'
import { hasRedis, RedisServer } from '../support/outside/redis.ts'

const log = pino({ level: 'silent' })

describe.runIf(hasRedis())('presence over Redis', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server.stop())

  /** A node; `die` ends its connection to Redis, as a crash would; `interrupt` ends it once. */
  async function openNode(service: string): Promise<WatchedPresence & { die(): void; interrupt(): void }> {
    const redis = await connectRedis(server.url, service, log)
    const presence = createRedisPresence(redis, TIMES, log)
    onTestFinished(async () => {
      await presence.close()
      redis.close()
    })
    return { ...listen(presence), die: () => redis.close(), interrupt: () => redis.commands.disconnect(true) }
  }

  async function openTwo() {
    const service = randomUUID()
    return Promise.all([openNode(service), openNode(service)])
  }

  describePresence(openTwo)

  test('is kept apart from that of another service', async () => {
    const [one, other] = await Promise.all([openNode('one'), openNode('other')])
    one.presence.arrive(1)
    await untilOnline(one, 1)
    expect(await other.presence.online([1])).toEqual(new Set())
  })

  test('somebody who is connected to two nodes stays online until they have left both', async () => {
    const [one, other] = await openTwo()
    one.presence.arrive(1)
    await expect.poll(() => one.heard, POLL).toEqual([1])
    other.presence.arrive(1)
    one.presence.leave(1)
    // Past the time in which somebody who left may still come back.
    await setTimeout(TIMES.graceMs * 2)
    await untilOnline(one, 1)
    other.presence.leave(1)
    await untilOnline(one)
    await expect.poll(() => [...one.heard, ...other.heard], POLL).toEqual([1, 1])
  })

  test('the people of a node that died go offline, except those who are connected to another one', async () => {
    const [dead, alive] = await openTwo()
    dead.presence.arrive(1)
    dead.presence.arrive(2)
    alive.presence.arrive(2)
    await untilOnline(alive, 1, 2)
    dead.die()
    await expect.poll(() => alive.heard.includes(1), POLL).toBe(true)
    await untilOnline(alive, 2)
  })

  test('the people of a node that closed have the usual time to come back elsewhere', async () => {
    const [closing, staying] = await openTwo()
    closing.presence.arrive(1)
    closing.presence.arrive(2)
    await untilOnline(staying, 1, 2)
    await closing.presence.close()
    staying.presence.arrive(1)
    expect(await staying.presence.online([1, 2])).toEqual(new Set([1, 2]))
    await expect.poll(() => staying.heard.includes(2), POLL).toBe(true)
    await untilOnline(staying, 1)
  })

  test('a node that was paused for longer than its lease announces its people again', async () => {
    const service = randomUUID()
    const node = await openNode(service)
    node.presence.arrive(1)
    await expect.poll(() => node.heard, POLL).toEqual([1])
    const redis = new Redis(server.url)
    const [nodes = ''] = await redis.keys(`*${service}*presence:nodes`)
    const [self = ''] = await redis.zrange(nodes, 0, '-1')
    await redis.zadd(nodes, 0, self)
    redis.disconnect()
    await expect.poll(() => node.heard, POLL).toEqual([1, 1])
  })

  test('a node announces its people again when Redis has lost its data', async () => {
    const [one, other] = await openTwo()
    one.presence.arrive(1)
    await untilOnline(other, 1)
    const redis = new Redis(server.url)
    await redis.flushall()
    redis.disconnect()
    await untilOnline(other, 1)
    await expect.poll(() => one.heard.length, POLL).toBeGreaterThan(1)
  })

  test('without Redis each node knows its own people; on its return every node knows all of them', async () => {
    const [one, other] = await openTwo()
    one.presence.arrive(1)
    other.presence.arrive(2)
    await untilOnline(one, 1, 2)
    await server.stop()
    one.presence.arrive(3)
    await expect.poll(() => one.heard.includes(3), POLL).toBe(true)
    await untilOnline(one, 1, 3)
    await untilOnline(other, 2)
    one.heard.length = 0
    await server.start()
    await untilOnline(one, 1, 2, 3)
    await untilOnline(other, 1, 2, 3)
    await expect.poll(() => one.heard.filter((id) => id !== 2).sort(), POLL).toEqual([1, 3])
  })

  test('a node that called somebody offline without Redis announces that they are online when it is back', async () => {
    const [one, other] = await openTwo()
    one.presence.arrive(1)
    await untilOnline(other, 1)
    other.interrupt()
    expect(await other.presence.online([1, 2])).toEqual(new Set())
    await expect.poll(() => other.heard, POLL).toEqual([1])
    await untilOnline(other, 1)
  })
})
