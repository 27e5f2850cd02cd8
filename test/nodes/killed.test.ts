import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Client } from '../support/client.ts'
import { freePort } from '../support/outside/ports.ts'
import { hasRedis, RedisServer } from '../support/outside/redis.ts'
import { startNodeProcess } from '../support/processes/process.ts'
import { Documented } from '../support/promises/documented.ts'
import { connectRing, expectAll, followAll, sendAll, storedTexts } from '../support/ring.ts'
import { SECRET, withService } from '../support/service.ts'

describe.runIf(hasRedis())('two nodes, one of which is killed', () => {
  test('every client gets each of 2,000 acknowledged messages once and in order, with exact counters', async () => {
    const redis = await RedisServer.start()
    onTestFinished(() => redis.stop())
    const service = await withService({ config: { redisUrl: redis.url } })
    const options = {
      env: {
        DATABASE_URL: service.databaseUrl,
        REDIS_URL: redis.url,
        DATA_DIR: service.dataDir,
        JWT_SECRET: SECRET,
        PORT: String(await freePort()),
      },
      config: { chat: { sendIntervalMs: 0 } },
    }
    let second = await startNodeProcess(options)
    const secondUrl = await second.ready()
    const restart = async () => {
      await second.exit('SIGKILL')
      second = await startNodeProcess(options)
    }

    const people = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const person = await service.person()
        return index % 2 ? person.at(secondUrl) : person
      }),
    )
    const pairs = await connectRing(people)
    const followers = await followAll(people, pairs)
    const acknowledged = await sendAll(people, pairs, 100, [
      [600, restart],
      [1_400, restart],
    ])
    expect(await storedTexts(service.sql)).toEqual(acknowledged)
    await expectAll(followers, acknowledged)
    for (const follower of followers) {
      const { body } = await follower.client.get('/api/v01/chat/unread', 200)
      await expect.poll(() => follower.unread).toBe(body.unread)
    }
  }, 90_000)
})

test('a lone service on the embedded database that is killed during 500 sends loses and doubles none', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'exam-practice-killed-'))
  // PostgreSQL runs as another user, who must be able to read it.
  await chmod(dataDir, 0o755)
  const options = {
    env: { DATA_DIR: dataDir, JWT_SECRET: SECRET, PORT: String(await freePort()) },
    config: { chat: { sendIntervalMs: 0 } },
  }
  onTestFinished(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))
  let service = await startNodeProcess(options)
  const url = await service.ready()
  const restart = async () => {
    await service.exit('SIGKILL')
    service = await startNodeProcess(options)
  }
  const documented = await Documented.load(url)
  const people = await Promise.all(
    Array.from({ length: 10 }, async (_, index) => {
      const person = new Client(url, documented)
      await person.register(`person${index}`)
      return person
    }),
  )
  const pairs = await connectRing(people)
  const acknowledged = await sendAll(people, pairs, 50, [
    [150, restart],
    [350, restart],
  ])
  for (const { conversationId, people: members } of pairs) {
    const { body } = await members[0].get(
      `/api/v01/chat/conversations/${conversationId}/messages?limit=100`,
      200,
    )
    expect(body.messages.map(({ message }) => message)).toEqual(acknowledged.get(conversationId))
    expect(body.messages.map(({ seq }) => seq)).toEqual(
      acknowledged.get(conversationId)?.map((_, index) => index + 1),
    )
  }
}, 180_000)
