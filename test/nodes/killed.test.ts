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

test('10,000 students are told of an exam once each, although nodes are killed meanwhile', async () => {
  const service = await withService({ config: { redisUrl: undefined } })
  const { sql } = service
  const options = {
    env: {
      DATABASE_URL: service.databaseUrl,
      DATA_DIR: service.dataDir,
      JWT_SECRET: SECRET,
      PORT: String(await freePort()),
    },
    config: {},
  }
  // Only nodes that are killed write: this one would do the work for them.
  await Promise.all(service.nodes.map((node) => node.close()))
  await sql`
    insert into users (id, username, email, full_name, role)
    select n, 'student' || n, 'student' || n || '@example.org', 'Student', 'user' from generate_series(1, 10000) n`
  await sql`insert into classes (id, name) values (1, '10 b')`
  await sql`insert into class_members (class_id, user_id, role) select 1, id, 'student' from users where id > 0`
  await sql`insert into exams (id, name, published, for_classes) values (1, 'Cells', true, true)`
  await sql`insert into exam_classes (exam_id, class_id) values (1, 1)`
  await sql`
    insert into notice_causes (kind, subject_id, exam_id, at, due_at) values ('exam_published', 1, 1, now(), now())`
  const count = async () => {
    const [row] = await sql`select count(*)::int as told, count(distinct user_id)::int as people from notices`
    return row as { told: number; people: number }
  }
  let node = await startNodeProcess(options)
  for (const reached of [500, 3_000, 6_000]) {
    await expect.poll(async () => (await count()).told, { interval: 5 }).toBeGreaterThanOrEqual(reached)
    await node.exit('SIGKILL')
    node = await startNodeProcess(options)
  }
  await expect.poll(async () => (await sql`select from notice_causes`).length).toBe(0)
  expect(await count()).toEqual({ told: 10_000, people: 10_000 })
  await node.exit('SIGTERM')
}, 180_000)

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
