import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { installedBalancers, startBalancer } from '../support/outside/balancers.ts'
import { hasRedis, RedisServer } from '../support/outside/redis.ts'
import { connectedPair, withService } from '../support/service.ts'

/** Longer than haproxy and Caddy need to take a node out, and longer than a look at one may last. */
const AWAY_MS = 5_000

test.runIf(hasRedis() && installedBalancers.length > 0)(
  `behind ${installedBalancers.join(', ')} no request fails while Redis is gone or frozen`,
  async () => {
    const redis = await RedisServer.start()
    onTestFinished(() => redis.stop())
    const service = await withService({ nodes: 2, config: { redisUrl: redis.url, trustProxy: true } })
    const ports = service.urls.map((url) => Number(new URL(url).port)) as [number, number]
    const fronts = await Promise.all(
      installedBalancers.map(async (name) => {
        const { url, stop } = await startBalancer(name, ports)
        onTestFinished(stop)
        return url
      }),
    )
    const { alice, conversationId } = await connectedPair(service)
    let done = false
    onTestFinished(() => {
      done = true
    })

    async function sendRequests(url: string): Promise<number> {
      const by = alice.at(url)
      let count = 0
      for (; !done; count++) {
        await by.get('/api/v01/chat/unread', 200)
        await by.send(conversationId, `${url} ${count}`, undefined, 201)
        await sleep(20)
      }
      return count
    }
    const answered = Promise.all(fronts.map(sendRequests))
    // Waited for below; until then a failure is no unhandled rejection.
    answered.catch(() => {})

    await redis.stop()
    await expect
      .poll(async () => (await alice.get('/readyz', 200)).body)
      .toMatchObject({ success: true, status: 'ready', bus: 'down' })
    await sleep(AWAY_MS)
    await redis.start()
    await expect.poll(async () => (await alice.get('/readyz', 200)).body).toMatchObject({ bus: 'up' })
    redis.freeze()
    await sleep(AWAY_MS)
    redis.thaw()
    done = true
    for (const count of await answered) expect(count).toBeGreaterThan(20)
  },
  120_000,
)
