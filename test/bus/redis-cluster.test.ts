import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createRedisBus } from '../../src/bus/bus-redis.ts'
import type { UserEvent } from '../../src/bus/events.ts'
import { createRedisPresence } from '../../src/bus/presence-redis.ts'
import { createMemoryRateSlots } from '../../src/bus/rate-slots-memory.ts'
import { createRedisRateSlots } from '../../src/bus/rate-slots-redis.ts'
import { openChannels } from '../../src/bus/redis-channels.ts'
import { connectRedis } from '../../src/bus/redis-connections.ts'
import { createRedisTallies } from '../../src/bus/tallies-redis.ts'
import { describeBus } from '../contracts/bus.ts'
import { describePresence, listen, TIMES } from '../contracts/presence.ts'
import { describeRateSlots } from '../contracts/rate-slots.ts'
import { hasRedis } from '../support/outside/redis.ts'
import { RedisCluster } from '../support/outside/redis-cluster.ts'

const log = pino({ level: 'silent' })

describe.runIf(hasRedis())('over a Redis Cluster of three primaries and their replicas', () => {
  let cluster: RedisCluster
  beforeAll(async () => {
    cluster = await RedisCluster.start()
  })
  afterAll(() => cluster.stop())

  async function connect(service: string) {
    const redis = await connectRedis(cluster.url, service, log)
    onTestFinished(() => redis.close())
    return redis
  }

  async function openBus(service: string) {
    const bus = createRedisBus(await connect(service), log)
    onTestFinished(() => bus.close())
    const heard: UserEvent[] = []
    let resyncs = 0
    bus.onResync(() => {
      resyncs += 1
    })
    return {
      bus,
      heard,
      resyncs: () => resyncs,
      listen: () => bus.subscribe('user:1', (event) => heard.push(event)),
    }
  }

  /** Two nodes, of which the second listens to `user:1`; `channel` is where its events run. */
  async function openTwo() {
    const service = randomUUID()
    const [teller, hearer] = [await openBus(service), await openBus(service)]
    await hearer.listen().ready
    return { teller, hearer, channel: `exam-practice:${service}:{user:1}` }
  }

  let sent = 0
  /** Until an event that the one publishes from now on reaches the other. */
  async function untilHeard({
    teller,
    hearer,
  }: Pick<Awaited<ReturnType<typeof openTwo>>, 'teller' | 'hearer'>) {
    const first = sent + 1
    const newest = () => hearer.heard.findLast((event) => event.kind === 'conversation')
    await expect
      .poll(() => {
        sent += 1
        teller.bus.publish('user:1', { kind: 'conversation', conversationId: sent })
        return newest()?.conversationId ?? 0
      })
      .toBeGreaterThanOrEqual(first)
  }

  describe('the bus', () => {
    describeBus(async () => {
      const service = randomUUID()
      return Promise.all([openBus(service), openBus(service)]).then((all) => all.map(({ bus }) => bus))
    })

    test('topics of all slots reach other nodes, and the lag is measured', async () => {
      const service = randomUUID()
      const [teller, hearer] = [await openBus(service), await openBus(service)]
      const heard = new Set<number>()
      const people = Array.from({ length: 50 }, (_, n) => n + 1)
      const joining = people.map((id) => hearer.bus.subscribe(`user:${id}`, () => heard.add(id)).ready)
      await Promise.all(joining)
      for (const id of people) teller.bus.publish(`user:${id}`, { kind: 'counters' })
      await expect.poll(() => heard.size).toBe(people.length)
      expect(await teller.bus.measureLag()).toBeGreaterThan(0)
    })

    test('what is published in the turn of a subscription does not go over the connection of subscriptions', async () => {
      const service = randomUUID()
      const channels = openChannels(await connect(service))
      const [joined, lost] = await Promise.all([
        channels.join(['user:1']),
        channels.publish(new Map([['user:1', 'hello']])),
      ])
      expect({ joined, lost }).toEqual({ joined: true, lost: [] })
      const primary = new Redis((await cluster.primaryOf(`exam-practice:${service}:{user:1}`)).url)
      onTestFinished(() => primary.disconnect())
      const clients = String(await primary.client('LIST')).split('\n')
      const lastOf = (name: RegExp) => clients.find((client) => name.test(client))?.match(/cmd=\S+/)?.[0]
      expect(lastOf(/ ssub=1 /)).toBe('cmd=ssubscribe')
    })

    test('a slot that moves takes its subscribers along, who resync', async () => {
      const { teller, hearer, channel } = await openTwo()
      const before = hearer.resyncs()
      await cluster.moveSlot(channel)
      await expect.poll(hearer.resyncs).toBeGreaterThan(before)
      await untilHeard({ teller, hearer })
    })

    test('a primary that is killed is replaced, and all nodes resync', async () => {
      const { teller, hearer, channel } = await openTwo()
      const primary = await cluster.primaryOf(channel)
      const before = hearer.resyncs()
      await primary.stop()
      teller.bus.publish('user:1', { kind: 'counters' })
      await expect.poll(hearer.resyncs).toBeGreaterThan(before)
      await untilHeard({ teller, hearer })
      await expect.poll(() => teller.bus.ping().then(() => 'up', String)).toBe('up')
      await primary.start()
      await cluster.untilWhole()
    })

    test('a primary that is cut off for a while is replaced, and both sides agree afterwards', async () => {
      const { teller, hearer, channel } = await openTwo()
      const primary = await cluster.primaryOf(channel)
      const before = hearer.resyncs()
      primary.freeze()
      try {
        teller.bus.publish('user:1', { kind: 'counters' })
        await expect.poll(hearer.resyncs).toBeGreaterThan(before)
        await untilHeard({ teller, hearer })
      } finally {
        primary.thaw()
      }
      await cluster.untilWhole()
      await untilHeard({ teller, hearer })
    })
  })

  describe('presence', () => {
    describePresence(async () => {
      const service = randomUUID()
      const openNode = async () => {
        const presence = createRedisPresence(await connect(service), TIMES, log)
        onTestFinished(() => presence.close())
        return listen(presence)
      }
      return [await openNode(), await openNode()]
    })
  })

  describe('rate slots', () => {
    describeRateSlots(async () => {
      const service = randomUUID()
      const node = async () => createRedisRateSlots(await connect(service), createMemoryRateSlots(Date.now))
      return { nodes: [await node(), await node()], pass: (ms) => setTimeout(ms) }
    })
  })

  test('tallies hold over all nodes', async () => {
    const service = randomUUID()
    const open = async () => createRedisTallies(await connect(service), TIMES, log)
    const nodes = [await open(), await open()]
    const taken = await Promise.all(Array.from({ length: 10 }, (_, n) => nodes[n % 2]?.take('jobs', 3)))
    expect(taken.filter(Boolean)).toHaveLength(3)
    for (const node of nodes) await node.close()
  })
})
