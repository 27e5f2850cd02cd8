import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam } from '../support/content/exams.ts'
import { startService, type TestService } from '../support/service.ts'

/** 23:30 of a day in Kolkata. */
let now = Date.UTC(2026, 10, 20, 18)
let service: TestService
let admin: Client
let teacher: Client
let ann: Client
let stranger: Client
let classId: number
beforeAll(async () => {
  service = await startService({ nodes: 2, clock: () => now, config: { timezone: 'Asia/Kolkata' } })
  const people = [service.admin(), service.person(), service.person(), service.person()]
  ;[admin, teacher, ann, stranger] = (await Promise.all(people)) as [Client, Client, Client, Client]
})
afterAll(() => service.close())
beforeEach(async () => {
  classId = await createClass(service.sql, { teachers: [teacher], students: [ann] })
})

const elsewhere = (person: Client) => person.at(service.urls[1] as string)
const at = () => `/api/v01/classes/${classId}/news` as const
const publish = async (text: string, pinned = false) =>
  (await teacher.post(at(), { text, pinned }, 201)).body.news
const listed = async (query = '') =>
  (await ann.get(`${at()}${query}` as ReturnType<typeof at>, 200)).body.news.map(
    ({ text }: { text: string }) => text,
  )

describe('news', () => {
  test('are published, changed and deleted by teachers, and read by members', async () => {
    const first = await publish(' Bring a **ruler** ')
    expect(first).toEqual({
      id: expect.any(Number),
      text: 'Bring a **ruler**',
      pinned: false,
      author_name: teacher.username,
      created_at: new Date(now).toISOString(),
      edited_at: null,
    })
    const one = `${at()}/${first.id}` as const
    expect((await ann.get(at(), 200)).body.news).toEqual([first])
    await stranger.get(at(), 404)
    await ann.post(at(), { text: 'Hi' }, 403)
    await admin.post(at(), { text: 'Hi' }, 404)
    for (const text of ['', '   ', 'x'.repeat(4_001)]) await teacher.post(at(), { text }, 400)
    await teacher.post(at(), { text: 'x'.repeat(4_000) }, 201)

    // Only a new text is an edit.
    await teacher.patch(one, {}, 400)
    const pinned = await admin.patch(one, { pinned: true, text: first.text }, 200)
    expect(pinned.body.news).toEqual({ ...first, pinned: true })
    now += 1_000
    // What changes nothing is in order, and no edit.
    expect((await teacher.patch(one, { text: first.text }, 200)).body).toEqual(pinned.body)
    const edited = await teacher.patch(one, { text: 'Bring a compass' }, 200)
    expect(edited.body.news).toMatchObject({ pinned: true, edited_at: new Date(now).toISOString() })

    const other = await createClass(service.sql, { teachers: [teacher] })
    await teacher.patch(`/api/v01/classes/${other}/news/${first.id}`, { pinned: false }, 404)
    await teacher.delete(`/api/v01/classes/${other}/news/${first.id}`, 404)
    await service.sql`update classes set archived = true where id = ${classId}`
    expect((await teacher.post(at(), { text: 'Hi' }, 409)).body.code).toBe('class_archived')
    expect((await ann.get(at(), 200)).body.news).toHaveLength(2)
    await service.sql`update classes set archived = false where id = ${classId}`
    await teacher.delete(one, 200)
    await teacher.delete(one, 404)
    const log = (await admin.get(`/api/v01/admin/audit?class_id=${classId}`, 200)).body.entries
    expect(log.map(({ action }) => action)).toEqual([
      'class.delete_news',
      'class.change_news',
      'class.change_news',
      'class.publish_news',
      'class.publish_news',
    ])
    expect(JSON.stringify(log)).not.toContain('ruler')
  })

  test('come twenty at a time, the pinned ones first on the first page and on no other', async () => {
    await service.sql`
      insert into class_news (class_id, text, pinned, created_at)
      select ${classId}, 'News ' || n, n in (3, 45), now() from generate_series(1, 45) n`
    const count = (from: number, to: number) =>
      Array.from({ length: from - to + 1 }, (_, n) => `News ${from - n}`)
    const first = (await ann.get(at(), 200)).body.news
    expect(first.map(({ text }) => text)).toEqual(['News 45', 'News 3', ...count(44, 27)])
    const second = await listed(`?before=${first.at(-1)?.id}`)
    expect(second).toEqual(count(26, 7))
    const [last] = await service.sql`select id from class_news where text = 'News 7'`
    expect(await listed(`?before=${last?.id}`)).toEqual(['News 6', 'News 5', 'News 4', 'News 2', 'News 1'])
    await ann.get(`${at()}?before=0`, 400)
  })

  test('are at most twenty a day, however many teachers publish at once and whatever they delete', async () => {
    const tries = await Promise.all(
      Array.from({ length: 24 }, (_, n) =>
        (n % 2 ? elsewhere(teacher) : teacher).post(at(), { text: `News ${n}` }),
      ),
    )
    expect(tries.map(({ status }) => status).sort()).toEqual([...Array(20).fill(201), ...Array(4).fill(429)])
    const [one] = (await ann.get(at(), 200)).body.news
    await teacher.delete(`${at()}/${one?.id as number}`, 200)
    const refused = await teacher.post(at(), { text: 'One more' }, 429)
    expect(refused.body).toMatchObject({
      code: 'daily_limit',
      retry_after: Math.ceil(1_800 - (now % 1_800_000) / 1_000),
    })
    now += 30 * 60_000
    await publish('A new day')
  })

  test('are pinned three at once, also when two are pinned at the same time', async () => {
    await publish('One', true)
    await publish('Two', true)
    const [three, four] = [await publish('Three'), await publish('Four')]
    const pins = await Promise.all([
      teacher.patch(`${at()}/${three.id}`, { pinned: true }),
      elsewhere(teacher).patch(`${at()}/${four.id}`, { pinned: true }),
    ])
    expect(pins.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await teacher.post(at(), { text: 'Five', pinned: true }, 409)).body.code).toBe('too_many')
    const [pinned] = (await ann.get(at(), 200)).body.news
    await teacher.patch(`${at()}/${pinned?.id as number}`, { pinned: true, text: 'Still' }, 200)
    await teacher.patch(`${at()}/${pinned?.id as number}`, { pinned: false }, 200)
    await publish('Five', true)
  })

  test('of a deleted account stay, as the ghost’s', async () => {
    const leaving = await service.person()
    await service.sql`
      insert into class_members (class_id, user_id, role) values (${classId}, ${leaving.id}, 'teacher')`
    await leaving.post(at(), { text: 'Goodbye' }, 201)
    await leaving.delete('/api/v01/account', 200, { confirm: 'DELETE' })
    await expect
      .poll(async () => (await ann.get(at(), 200)).body.news[0])
      .toMatchObject({ text: 'Goodbye', author_name: 'Deleted Account' })
    await expect
      .poll(async () => service.sql`select author_id from class_news where class_id = ${classId}`)
      .toEqual([{ author_id: -1 }])
  })
})

describe('a message to some students', () => {
  const to = () => `/api/v01/classes/${classId}/message` as const

  test('is for students of the class, and in no list of its news', async () => {
    await teacher.post(to(), { text: 'See me', user_ids: [ann.id, ann.id] }, 200)
    expect(await listed()).toEqual([])
    const [kept] = await service.sql`select id, user_ids from class_news where class_id = ${classId}`
    expect(kept?.user_ids).toEqual([ann.id])
    await teacher.patch(`${at()}/${kept?.id as number}`, { pinned: true }, 404)
    await teacher.delete(`${at()}/${kept?.id as number}`, 404)
    for (const user_ids of [[ann.id, stranger.id], [teacher.id]])
      await teacher.post(to(), { text: 'See me', user_ids }, 404)
    for (const body of [
      { text: '', user_ids: [ann.id] },
      { text: 'x'.repeat(1_001), user_ids: [ann.id] },
    ])
      await teacher.post(to(), body, 400)
    await teacher.post(to(), { text: 'See me', user_ids: [] }, 400)
    const log = (await admin.get(`/api/v01/admin/audit?class_id=${classId}`, 200)).body.entries
    expect(log).toMatchObject([{ action: 'class.message_students', summary: 'A message to a student' }])
  })

  test('is written five times a day at most, by however many teachers at once', async () => {
    const message = { text: 'See me', user_ids: [ann.id] }
    const tries = await Promise.all(
      Array.from({ length: 9 }, (_, n) => (n % 2 ? elsewhere(teacher) : teacher).post(to(), message)),
    )
    expect(tries.map(({ status }) => status).sort()).toEqual([...Array(5).fill(200), ...Array(4).fill(429)])
    expect((await teacher.post(to(), message, 429)).body.code).toBe('daily_limit')
    await publish('News are counted apart')
    await service.sql`update class_news set created_at = created_at - interval '1 day' where class_id = ${classId}`
    await teacher.post(to(), message, 200)
  })
})

describe('the topic of a class', () => {
  test('has its news for members, on every node, until they leave', async () => {
    const topic = `class:${classId}`
    const [hers, others, its] = await Promise.all([
      elsewhere(ann).socket(),
      stranger.socket(),
      admin.socket(),
    ])
    expect(await hers.ask({ type: 'subscribe', topic })).toMatchObject({ type: 'ack', topic })
    expect(await its.ask({ type: 'subscribe', topic })).toMatchObject({ type: 'ack' })
    for (const refused of [topic, 'class:999999', 'class:9999999999'])
      expect(await others.ask({ type: 'subscribe', topic: refused })).toMatchObject({ code: 'not_found' })

    const news = await publish('Read chapter 4')
    await teacher.patch(`${at()}/${news.id}`, { pinned: true }, 200)
    await teacher.delete(`${at()}/${news.id}`, 200)
    const frame = { type: 'class_news', class_id: classId }
    for (const socket of [hers, its]) {
      await socket.until(() => socket.of('class_news').length === 3)
      expect(socket.of('class_news')).toEqual([
        { ...frame, news, deleted: false },
        { ...frame, news: { ...news, pinned: true }, deleted: false },
        { ...frame, news: { id: news.id }, deleted: true },
      ])
    }

    await ann.delete(`/api/v01/classes/${classId}/membership`, 200)
    await publish('For members')
    await its.until(() => its.of('class_news').length === 4)
    expect(await hers.ask({ type: 'ping' })).toMatchObject({ type: 'pong' })
    expect(await hers.ask({ type: 'subscribe', topic: `class:${classId}1` })).toMatchObject({ type: 'error' })
    expect(hers.of('class_news')).toHaveLength(3)
    expect(others.of('class_news')).toEqual([])
    await Promise.all([hers, others, its].map((socket) => socket.close()))
  })

  test('is closed while an exam locks help', async () => {
    const { examId } = await createExam(service.sql, { lock_help: true })
    const socket = await ann.socket()
    await socket.ask({ type: 'subscribe', topic: `class:${classId}` })
    await ann.post(`/api/v01/exams/${examId}/start`, {}, 201)
    await socket.waitFor(({ type }) => type === 'help_locked')
    await publish('Meanwhile')
    expect(await socket.ask({ type: 'subscribe', topic: `class:${classId}` })).toMatchObject({
      code: 'exam_in_progress',
    })
    await ann.get(at(), 403)
    await ann.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    await socket.waitFor(({ type }) => type === 'resync')
    expect(socket.of('class_news')).toEqual([])
    expect(await listed()).toEqual(['Meanwhile'])
    await socket.close()
  })
})
