import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createRedisBus } from '../../src/bus/bus-redis.ts'
import type { UserEvent } from '../../src/bus/events.ts'
import { createRedisPresence } from '../../src/bus/presence-redis.ts'
import { createMemoryRateSlots } from '../../src/bus/rate-slots-memory.ts'
import { createRedisRateSlots } from '../../src/bus/rate-slots-redis.ts'
import { connectRedis } from '../../src/bus/redis-connections.ts'
import { createRedisTallies } from '../../src/bus/tallies-redis.ts'
import { describeBus } from '../contracts/bus.ts'
import { TIMES } from '../contracts/presence.ts'
import { describeRateSlots } from '../contracts/rate-slots.ts'
import { freePort } from '../support/outside/ports.ts'
import { hasRedis, RedisServer } from '../support/outside/redis.ts'

const log = pino({ level: 'silent' })

describe.runIf(hasRedis())('over Redis', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server.stop())

  async function connect(serviceId: string) {
    const redis = await connectRedis(server.url, serviceId, log)
    onTestFinished(() => redis.close())
    return redis
  }

  async function openBus(serviceId: string) {
    const redis = await connect(serviceId)
    const bus = createRedisBus(redis, log)
    const heard: UserEvent[] = []
    let resyncs = 0
    bus.onResync(() => {
      resyncs += 1
    })
    return {
      redis,
      bus,
      heard,
      resyncs: () => resyncs,
      listen: () => bus.subscribe('user:1', (event) => heard.push(event)),
    }
  }

  async function observer(): Promise<Redis> {
    const redis = new Redis(server.url)
    onTestFinished(() => redis.disconnect())
    return redis
  }

  async function freshFolder(): Promise<string> {
    const folder = await mkdtemp(path.join(tmpdir(), 'exam-practice-redis-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    return folder
  }

  /** Options of a cluster. Its own choice of a second port, 10,000 higher, may be beyond all ports. */
  const clusterIn = async (folder: string) => [
    ...['--cluster-enabled', 'yes', '--cluster-port', String(await freePort()), '--dir', folder],
    ...['--cluster-announce-ip', '127.0.0.1', '--cluster-require-full-coverage', 'no'],
  ]

  test('a node starts and goes on by itself where no part of a cluster has its slots', async () => {
    const cluster = await RedisServer.start(await clusterIn(await freshFolder()))
    onTestFinished(() => cluster.stop())
    const admin = new Redis(cluster.url)
    onTestFinished(() => admin.disconnect())
    const service = randomUUID()
    const keys = ['active:1', 'slot:send'].map((key) => `exam-practice:${service}:${key}`)
    const missing = await Promise.all(
      [`exam-practice:{${service}}:`, ...keys].map((key) => admin.cluster('KEYSLOT', key)),
    )
    const others = Array.from({ length: 16_384 }, (_, slot) => slot).filter((slot) => !missing.includes(slot))
    await admin.cluster('ADDSLOTS', ...others)

    const lines: string[] = []
    const redis = await connectRedis(
      cluster.url.replace('redis:', 'redis+cluster:'),
      service,
      pino({ level: 'info' }, { write: (line) => lines.push(line) }),
    )
    onTestFinished(() => redis.close())
    await expect.poll(() => redis.commands.set('{other}', 1).catch(String)).toBe('OK')
    expect(lines.join('')).toMatch(/the cluster is not ready.*Redis is away.*Redis is back/s)
    const presence = createRedisPresence(redis, TIMES, log)
    const tallies = createRedisTallies(redis, TIMES, log)
    const slots = createRedisRateSlots(redis, createMemoryRateSlots(Date.now))
    presence.arrive(1)
    presence.touch(1)
    expect(await presence.online([1])).toEqual(new Set([1]))
    expect([...(await presence.active([1])).keys()]).toEqual([1])
    expect(await tallies.take('jobs', 1)).toBe(true)
    tallies.release('jobs')
    expect(await slots.take('send', 'me', 60_000)).toEqual({ state: 'taken' })
    await slots.release('send', 'me')
    expect(await slots.take('send', 'another', 60_000)).toEqual({ state: 'taken' })
    await Promise.all([presence.close(), tallies.close()])
  })

  test('a Redis that is no cluster is refused as one', async () => {
    const asCluster = server.url.replace('redis:', 'redis+cluster:')
    await expect(connectRedis(asCluster, 'one', log)).rejects.toThrow('write redis://… with one host')
  })

  test('a cluster and a Sentinel are refused, at the start and where they come later', async () => {
    const folder = await freshFolder()
    const settings = path.join(folder, 'sentinel.conf')
    await writeFile(settings, '')
    const kinds = [
      { found: 'Sentinel', options: [settings, '--sentinel'] },
      { found: 'cluster', options: await clusterIn(folder) },
    ]
    for (const { found, options } of kinds) {
      const other = await RedisServer.start(options)
      onTestFinished(() => other.stop())
      await expect(connectRedis(other.url, 'one', log)).rejects.toThrow(found)

      await other.stop()
      const lines: string[] = []
      const redis = await connectRedis(
        other.url,
        'one',
        pino({ level: 'error' }, { write: (line) => lines.push(line) }),
      )
      onTestFinished(() => redis.close())
      await other.start()
      await expect.poll(() => lines.join('')).toContain(found)
    }
  })

  describe('the bus', () => {
    describeBus(async () => {
      const service = randomUUID()
      return Promise.all([openBus(service), openBus(service)]).then((all) => all.map(({ bus }) => bus))
    })

    test('keeps two services on one Redis apart', async () => {
      const [one, other] = [await openBus('one'), await openBus('other')]
      await Promise.all([one.listen().ready, other.listen().ready])
      one.bus.publish('user:1', { kind: 'counters' })
      await other.bus.ping()
      // Long enough for the event to reach the wrong service, if it were sent there.
      await setTimeout(50)
      expect([one.heard.length, other.heard.length]).toEqual([1, 0])
    })

    test('subscribes only while somebody listens', async () => {
      const { bus } = await openBus('listening')
      const redis = await observer()
      const channels = async () => (await redis.pubsub('CHANNELS', '*listening*user*')) as string[]
      const [one, other] = [bus.subscribe('user:1', () => {}), bus.subscribe('user:1', () => {})]
      await Promise.all([one.ready, other.ready])
      expect(await channels()).toHaveLength(1)
      one.close()
      await bus.ping()
      expect(await channels()).toHaveLength(1)
      other.close()
      await expect.poll(channels).toEqual([])
    })

    test('what is published on a topic in one turn of the event loop is one message', async () => {
      const service = randomUUID()
      const [publisher, { listen, heard }] = [await openBus(service), await openBus(service)]
      await listen().ready
      const redis = await observer()
      const messages: string[] = []
      redis.on('message', (_, text) => messages.push(text))
      await redis.subscribe(`exam-practice:${service}:user:1`)
      const events = [1, 2, 3].map((conversationId): UserEvent => ({ kind: 'counters', conversationId }))
      for (const event of events) publisher.bus.publish('user:1', event)
      await expect.poll(() => heard).toEqual(events)
      const last: UserEvent = { kind: 'counters' }
      publisher.bus.publish('user:1', last)
      const read = () => messages.map((text) => JSON.parse(text.slice(text.search(/[[{]/))))
      await expect.poll(() => read().at(-1)).toEqual(last)
      expect(read()).toEqual([events, last])
    })

    test('ignores messages that are no events', async () => {
      const service = randomUUID()
      const { bus, heard, listen } = await openBus(service)
      await listen().ready
      const redis = await observer()
      const channel = `exam-practice:${service}:user:1`
      for (const text of [
        '',
        'x',
        '{',
        `${randomUUID()}null`,
        `${randomUUID()}{"kind":1}`,
        `${randomUUID()}[null]`,
        `${randomUUID()}[{"kind":1}]`,
        `${randomUUID()}[`,
      ])
        expect(await redis.publish(channel, text)).toBe(1)
      await redis.publish(channel, `${randomUUID()}{"kind":"counters"}`)
      await expect.poll(() => heard).toEqual([{ kind: 'counters' }])
      await bus.ping()
    })

    test('while Redis is away a ping fails at once and events stay local; on its return all nodes resync', async () => {
      const service = randomUUID()
      const [one, other] = [await openBus(service), await openBus(service)]
      await Promise.all([one.listen().ready, other.listen().ready])
      await server.stop()
      await expect.poll(() => one.bus.ping().then(String, () => 'away')).toBe('away')

      const started = performance.now()
      const late = one.bus.subscribe('user:2', (event) => one.heard.push(event))
      await late.ready
      one.bus.publish('user:1', { kind: 'counters' })
      one.bus.publish('user:2', { kind: 'counters' })
      expect(one.heard).toHaveLength(2)
      await expect(one.bus.ping()).rejects.toThrow()
      expect(performance.now() - started).toBeLessThan(300)

      await server.start()
      await expect.poll(() => Math.min(one.resyncs(), other.resyncs())).toBeGreaterThan(0)
      // Topics that were subscribed to before and during the outage are subscribed to again.
      await expect.poll(() => other.bus.ping().then(() => 'back', String)).toBe('back')
      other.bus.publish('user:1', { kind: 'conversation', conversationId: 1 })
      other.bus.publish('user:2', { kind: 'conversation', conversationId: 2 })
      await expect.poll(() => one.heard.length).toBe(4)
      expect(other.heard.filter(({ kind }) => kind === 'conversation')).toHaveLength(1)
    })

    test('the lag is measured for all who ask for it at once', async () => {
      const { bus } = await openBus(randomUUID())
      await expect.poll(() => bus.measureLag()).toBeGreaterThan(0)
      const lags = await Promise.all([bus.measureLag(), bus.measureLag()])
      for (const lag of lags) expect(lag).toBeGreaterThan(0)
    })

    test('a Redis that hangs counts as away', async () => {
      const service = randomUUID()
      const [one, other] = [await openBus(service), await openBus(service)]
      await other.listen().ready
      server.freeze()
      try {
        const started = performance.now()
        one.bus.publish('user:1', { kind: 'counters' })
        await one.bus.subscribe('user:2', () => {}).ready
        await expect(one.bus.ping()).rejects.toThrow()
        expect(performance.now() - started).toBeLessThan(2_000)
        await expect.poll(() => other.bus.ping().then(String, () => 'away')).toBe('away')
        // Until then the event may still arrive, however late.
        await expect.poll(() => one.redis.commands.status).not.toBe('ready')
      } finally {
        server.thaw()
      }
      await expect.poll(() => Math.min(one.resyncs(), other.resyncs())).toBeGreaterThan(0)
    })

    test('a node that could not publish an event makes the other nodes resync', async () => {
      const service = randomUUID()
      const redis = await connect(service)
      const [teller, other] = [createRedisBus(redis, log), await openBus(service)]
      await other.listen().ready
      redis.commands.disconnect(true)
      teller.publish('user:1', { kind: 'counters' })
      await expect.poll(other.resyncs).toBe(1)
    })

    test('starts without Redis, and joins the others when it comes', async () => {
      await server.stop()
      const service = randomUUID()
      const started = performance.now()
      const [one, other] = [await openBus(service), await openBus(service)]
      await one.listen().ready
      expect(performance.now() - started).toBeLessThan(2_000)
      await server.start()
      await expect.poll(one.resyncs).toBe(1)
      await expect.poll(() => other.bus.ping().then(() => 'back', String)).toBe('back')
      other.bus.publish('user:1', { kind: 'counters' })
      await expect.poll(() => one.heard).toEqual([{ kind: 'counters' }])
    })
  })

  describe('rate slots', () => {
    describeRateSlots(async () => {
      const service = randomUUID()
      const node = async () => createRedisRateSlots(await connect(service), createMemoryRateSlots(Date.now))
      return { nodes: [await node(), await node()], pass: (ms) => setTimeout(ms) }
    })

    test('while Redis is away each node keeps slots of its own, without waiting', async () => {
      const slots = createRedisRateSlots(await connect(randomUUID()), createMemoryRateSlots(Date.now))
      await server.stop()
      try {
        const started = performance.now()
        expect(await slots.take('chat:1', 'a', 60_000)).toEqual({ state: 'taken' })
        expect(await slots.take('chat:1', 'b', 60_000)).toMatchObject({ state: 'refused' })
        await slots.release('chat:1', 'a')
        expect(await slots.take('chat:1', 'b', 60_000)).toEqual({ state: 'taken' })
        expect(performance.now() - started).toBeLessThan(1_000)
      } finally {
        await server.start()
      }
    })
  })
})
