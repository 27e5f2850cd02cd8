import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type postgres from 'postgres'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Client } from '../support/client.ts'
import { freePort } from '../support/outside/ports.ts'
import { hasRedis, RedisServer } from '../support/outside/redis.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { Follower, sendUntilAnswered } from '../support/persistent.ts'
import { startNodeProcess } from '../support/processes/process.ts'
import { Documented } from '../support/promises/documented.ts'
import { connect, SECRET, withService } from '../support/service.ts'

interface Pair {
  conversationId: number
  people: [Client, Client]
}

/** Connects everybody to the next two people. */
async function connectRing(people: Client[]): Promise<Pair[]> {
  return Promise.all(
    people.flatMap((one, index) =>
      [1, 2].map(async (step) => {
        const other = people[(index + step) % people.length] as Client
        return { people: [one, other] as [Client, Client], conversationId: await connect(one, other) }
      }),
    ),
  )
}

/**
 * Each person sends `count` messages, one after another; meanwhile each of `interferences` begins when so
 * many were acknowledged in all. Expects every acknowledged message to have a place of its own; the texts by
 * conversation in that order.
 */
async function sendAll(
  people: Client[],
  pairs: Pair[],
  count: number,
  interferences: [number, () => Promise<void>][],
) {
  const acknowledged = new Map<number, string[]>(pairs.map(({ conversationId }) => [conversationId, []]))
  let interfering = Promise.resolve()
  let done = 0
  await Promise.all(
    people.map(async (person) => {
      const own = pairs.filter((pair) => pair.people.includes(person))
      for (let n = 0; n < count; n++) {
        const { conversationId } = own[n % own.length] as Pair
        const text = `message ${n} of ${person.username}`
        const { status, body } = await sendUntilAnswered(person, conversationId, text)
        expect([200, 201]).toContain(status)
        const texts = acknowledged.get(conversationId) as string[]
        expect(texts[body.message.seq - 1]).toBeUndefined()
        texts[body.message.seq - 1] = text
        done += 1
        for (const [at, interfere] of interferences)
          if (at === done) interfering = interfering.then(interfere)
      }
    }),
  )
  await interfering
  expect([...acknowledged.values()].flat()).toHaveLength(people.length * count)
  return acknowledged
}

async function storedTexts(sql: postgres.Sql): Promise<Map<number, string[]>> {
  const rows = await sql`select conversation_id, seq, message from messages order by conversation_id, seq`
  const byConversation = Map.groupBy(rows, ({ conversation_id }) => conversation_id as number)
  return new Map(
    [...byConversation].map(([id, messages]) => {
      expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1))
      return [id, messages.map(({ message }) => message)]
    }),
  )
}

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
    const followers = people.map(
      (person) =>
        new Follower(
          person,
          pairs.filter((pair) => pair.people.includes(person)).map(({ conversationId }) => conversationId),
        ),
    )
    onTestFinished(() => {
      for (const follower of followers) follower.stop()
    })
    await Promise.all(followers.map((follower) => follower.start()))

    const acknowledged = await sendAll(people, pairs, 100, [
      [600, restart],
      [1_400, restart],
    ])
    expect(await storedTexts(service.sql)).toEqual(acknowledged)
    for (const { client, texts } of followers) {
      const wanted = new Map([...texts.keys()].map((id) => [id, acknowledged.get(id)]))
      await expect.poll(() => texts, { timeout: PATIENCE_MS, message: client.username }).toEqual(wanted)
    }
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
}, 90_000)
