import { describe, expect, onTestFinished, test } from 'vitest'
import { hasRedis } from '../support/outside/redis.ts'
import { RedisCluster } from '../support/outside/redis-cluster.ts'
import { RedisBehindSentinels } from '../support/outside/redis-sentinels.ts'
import { connectRing, expectAll, followAll, sendAll, storedTexts } from '../support/ring.ts'
import { withService } from '../support/service.ts'

interface Replaceable {
  url: string
  stop(): Promise<void>
  /** Kills the primary on which a conversation's channel lies, for good. */
  killPrimary(conversationId: number): Promise<void>
}

async function startCluster(): Promise<Replaceable> {
  const cluster = await RedisCluster.start()
  return {
    url: cluster.url,
    stop: () => cluster.stop(),
    async killPrimary(conversationId) {
      const primary = await cluster.primaryOf(`{conversation:${conversationId}}`)
      await primary.stop()
    },
  }
}

async function startBehindSentinels(): Promise<Replaceable> {
  const sentinels = await RedisBehindSentinels.start()
  return {
    url: sentinels.url,
    stop: () => sentinels.stop(),
    killPrimary: () => sentinels.primary.stop(),
  }
}

/** Sentinels that find their machine stalled do nothing for half a minute ("TILT"), and then replace the primary. */
const SENTINELS_MS = 90_000

describe.runIf(hasRedis())('two nodes whose Redis loses a primary while people write', () => {
  test.each([
    ['of a cluster', startCluster],
    ['that Sentinels watch', startBehindSentinels],
  ])(
    '%s: each message reaches everybody once, and the bus comes back by itself',
    async (_, start) => {
      const redis = await start()
      onTestFinished(() => redis.stop())
      const service = await withService({ nodes: 2, config: { redisUrl: redis.url } })
      const people = await Promise.all(
        Array.from({ length: 6 }, (_, index) => service.person(undefined, index % 2)),
      )
      const pairs = await connectRing(people)
      const followers = await followAll(people, pairs)
      const acknowledged = await sendAll(people, pairs, 60, [
        [120, () => redis.killPrimary(pairs[0]?.conversationId as number)],
      ])
      expect(await storedTexts(service.sql)).toEqual(acknowledged)
      await expectAll(followers, acknowledged)

      const busOf = async (url: string) => (await service.guest().at(url).get('/readyz', 200)).body.bus
      for (const url of service.urls)
        await expect.poll(() => busOf(url), { timeout: SENTINELS_MS }).toBe('up')
      for (const [id, texts] of await sendAll(people, pairs, 1, []))
        acknowledged.get(id)?.push(...texts.flat())
      await expectAll(followers, acknowledged)
    },
    180_000,
  )
})
