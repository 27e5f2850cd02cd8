import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam, type ExamFields } from '../support/content/exams.ts'
import { mailsTo } from '../support/password-resets.ts'
import { startService, type TestService } from '../support/service.ts'

const NOTICES = '/api/v01/notices'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

let now = Date.UTC(2026, 10, 20, 12)
let service: TestService
let admin: Client
let teacher: Client
let ann: Client
let ben: Client
let classId: number
beforeAll(async () => {
  service = await startService({ nodes: 2, clock: () => now })
  admin = await service.admin()
})
afterAll(() => service.close())
beforeEach(async () => {
  const people = [service.person(), service.person(), service.person(undefined, 1)]
  ;[teacher, ann, ben] = (await Promise.all(people)) as [Client, Client, Client]
  classId = await createClass(service.sql, { teachers: [teacher], students: [ann, ben] })
})

/** Waits until everything that is due is written. */
const untilTold = () =>
  expect
    .poll(async () => {
      const rows = await service.sql`
        select count(*)::int as n from notice_causes where due_at <= ${new Date(now)}`
      return rows[0]?.n
    })
    .toBe(0)
/** Until the closes that are near have been found. */
const untilFound = (examId: number) =>
  expect
    .poll(async () => (await service.sql`select from notice_closings where exam_id = ${examId}`).length, {
      timeout: 20_000,
    })
    .toBeGreaterThan(0)
async function pass(ms: number): Promise<void> {
  now += ms
  await untilTold()
}
const list = async (person: Client) => (await person.get(NOTICES, 200)).body
const kindsOf = async (person: Client) => (await list(person)).notices.map(({ kind }) => kind)

/** An exam of the class that isn't published yet. */
async function addExam(fields: ExamFields = {}, classIds = [classId]): Promise<number> {
  const { examId } = await createExam(service.sql, { published: false, name: 'Cells', ...fields })
  await service.sql`update exams set for_classes = true where id = ${examId}`
  for (const id of classIds)
    await service.sql`insert into exam_classes (exam_id, class_id) values (${examId}, ${id})`
  return examId
}
const publish = (examId: number, isPublished = true) =>
  admin.patch(`/api/v01/admin/exams/${examId}`, { is_published: isPublished }, 200)

describe('an exam of one’s classes', () => {
  test('is told of a minute after it was published, once, and not to its teachers', async () => {
    const closesAt = new Date(now + 3 * DAY_MS)
    const examId = await addExam({ closes_at: closesAt })
    await publish(examId)
    const at = new Date(now).toISOString()
    await pass(MINUTE_MS - 1)
    expect(await list(ann)).toMatchObject({ notices: [], unread: 0 })
    await pass(1)
    const notice = {
      id: expect.any(Number),
      kind: 'exam_published',
      at,
      read: false,
      exam_id: examId,
      title: 'Cells',
      body: expect.stringMatching(/^A new exam\. It closes on November 23, 2026/),
    }
    expect(await list(ann)).toEqual({ success: true, notices: [notice], unread: 1 })
    expect(await kindsOf(ben)).toEqual(['exam_published'])
    expect(await kindsOf(teacher)).toEqual([])
    // In the language of the person, and of the exam as it is.
    await ann.patch('/api/v01/push/settings', { language: 'de' }, 200)
    await admin.patch(`/api/v01/admin/exams/${examId}`, { name: 'Zellen' }, 200)
    expect((await list(ann)).notices[0]).toMatchObject({
      title: 'Zellen',
      body: expect.stringContaining('23. November 2026'),
    })
    // Neither again, nor while it is hidden.
    await publish(examId, false)
    expect(await list(ann)).toMatchObject({ notices: [], unread: 0 })
    await publish(examId)
    await pass(MINUTE_MS)
    expect(await kindsOf(ann)).toEqual(['exam_published'])
  })

  test('is told to nobody if it was hidden within the minute, is over, or is for everybody', async () => {
    const hidden = await addExam()
    await publish(hidden)
    await publish(hidden, false)
    await publish(await addExam({ closes_at: new Date(now + MINUTE_MS / 2) }))
    const { examId: open } = await createExam(service.sql, { published: false })
    await publish(open)
    const taught = await addExam({}, [classId, await createClass(service.sql, { teachers: [ann] })])
    await publish(taught)
    await pass(MINUTE_MS)
    expect(await kindsOf(ann)).toEqual([])
    // Ben teaches no class of the last one.
    expect((await list(ben)).notices.map(({ exam_id }) => exam_id)).toEqual([taught])
  })

  test('is told to the students of a class that it is given to', async () => {
    const examId = await addExam({ published: true })
    const carl = await service.person()
    const other = await createClass(service.sql, { students: [carl] })
    const change = { class_ids: [classId, other] }
    await admin.patch(`/api/v01/admin/exams/${examId}`, change, 200)
    await admin.patch(`/api/v01/admin/exams/${examId}`, change, 200)
    await pass(MINUTE_MS)
    expect(await kindsOf(carl)).toEqual(['exam_published'])
    expect(await kindsOf(ann)).toEqual([])
    const created = { name: 'New', is_published: true, class_ids: [other] }
    await admin.post('/api/v01/admin/exams', created, 201)
    await pass(MINUTE_MS)
    expect((await list(carl)).notices.map(({ title }) => title)).toEqual(['New', 'Cells'])
  })

  test('is among the 20 that close soonest for who joins', async () => {
    const full = await createClass(service.sql, { teachers: [teacher] })
    const [row] =
      await service.sql`update classes set join_code = 'ABCDEFGH' where id = ${full} returning join_code`
    // Not a day before the first one closes, which would be told of, too.
    for (let day = 1; day <= 22; day++)
      await addExam({ name: `Day ${day}`, published: true, closes_at: new Date(now + (day + 1) * DAY_MS) }, [
        full,
      ])
    await addExam({ name: 'Never', published: true }, [full])
    await ann.post('/api/v01/classes/join', { code: row?.join_code }, 200)
    await pass(MINUTE_MS)
    const told = (await list(ann)).notices.map(({ title }) => title)
    expect(told.sort()).toEqual(Array.from({ length: 20 }, (_, n) => `Day ${n + 1}`).sort())
  })
})

describe('an exam that closes', () => {
  test('is told of a day before by each person’s own times, to who hasn’t taken it', async () => {
    const carl = await service.person()
    const dora = await service.person()
    const students = [ann, ben, carl, dora]
    const own = await createClass(service.sql, { teachers: [teacher], students })
    const examId = await addExam({ published: true, closes_at: new Date(now + DAY_MS + 10 * MINUTE_MS) }, [
      own,
    ])
    // Ben has ten minutes more; Carl has taken it, and Dora is taking it.
    const later = new Date(now + DAY_MS + 20 * MINUTE_MS).toISOString()
    await admin.put(`/api/v01/admin/exams/${examId}/accommodations/${ben.id}`, { closes_at: later }, 200)
    await carl.post(`/api/v01/exams/${examId}/start`, {}, 201)
    await carl.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    await dora.post(`/api/v01/exams/${examId}/start`, {}, 201)
    // The node looks a minute ahead.
    now += 9 * MINUTE_MS
    await untilFound(examId)
    await pass(MINUTE_MS - 1)
    expect(await kindsOf(ann)).toEqual([])
    await pass(1)
    expect((await list(ann)).notices).toMatchObject([
      { kind: 'exam_closing', at: new Date(now).toISOString() },
    ])
    for (const person of [ben, carl, dora, teacher]) expect(await kindsOf(person)).toEqual([])
    now += 9 * MINUTE_MS
    await expect
      .poll(async () => (await service.sql`select from notice_causes where exam_id = ${examId}`).length, {
        timeout: 20_000,
      })
      .toBe(1)
    await pass(MINUTE_MS)
    expect(await kindsOf(ben)).toEqual(['exam_closing'])
    expect(await kindsOf(ann)).toEqual(['exam_closing'])
  }, 60_000)

  test('is not told of when it was published on the day before', async () => {
    const examId = await addExam({ closes_at: new Date(now + DAY_MS - 2 * MINUTE_MS) })
    await publish(examId)
    await untilFound(examId)
    await pass(2 * MINUTE_MS)
    expect(await kindsOf(ann)).toEqual(['exam_published'])
  }, 30_000)
})

describe('what somebody is told of', () => {
  test('is a release, a correction, an answer, more time, news and a decision', async () => {
    const examId = await addExam({ published: true, result_mode: 'on_release', duration_minutes: 60 })
    const [question] = await service.sql`select id from questions where exam_id = ${examId}`
    const questionId = question?.id as number
    const started = await ann.post(`/api/v01/exams/${examId}/start`, {}, 201)
    await admin.post(`/api/v01/admin/exams/${examId}/extend`, { minutes: 5 }, 200)
    await untilTold()
    expect((await list(ann)).notices[0]).toMatchObject({ kind: 'more_time', body: 'You got 5 more minutes' })
    await ann.post(`/api/v01/exams/${examId}/submit`, {}, 200)

    // A release that is taken back within the minute is told to nobody.
    const release = (released: boolean) =>
      admin.post(`/api/v01/admin/exams/${examId}/toggle-results`, { released }, 200)
    await release(true)
    await release(false)
    await pass(MINUTE_MS)
    expect(await kindsOf(ann)).toEqual(['more_time'])
    await release(true)
    await pass(MINUTE_MS)
    expect(await kindsOf(ann)).toEqual(['result_released', 'more_time'])
    expect(await kindsOf(ben)).toEqual([])

    const regrade = { question_id: questionId, action: 'credit_all' } as const
    await admin.post(`/api/v01/admin/exams/${examId}/regrades`, regrade, 201)
    await pass(MINUTE_MS)
    expect((await kindsOf(ann))[0]).toBe('result_changed')

    const attempts = `/api/v01/attempts/${started.body.attempt_id}` as const
    const objection = { question_id: questionId, message: 'B is right, too' }
    const challenge = await ann.post(`${attempts}/challenges`, objection, 201)
    const resolved = { status: 'accepted', reply: 'Yes' } as const
    await admin.post(`/api/v01/admin/challenges/${challenge.body.challenge.id}/resolve`, resolved, 200)
    await untilTold()
    expect((await list(ann)).notices[0]).toMatchObject({
      kind: 'challenge_answered',
      exam_id: examId,
      body: 'Your challenge was accepted',
    })

    const news = await teacher.post(`/api/v01/classes/${classId}/news`, { text: 'Bring a ruler' }, 201)
    await pass(MINUTE_MS)
    expect((await list(ben)).notices).toMatchObject([
      { kind: 'class_news', class_id: classId, title: '10 b', body: 'Bring a ruler' },
    ])
    expect(await kindsOf(teacher)).toEqual([])
    await teacher.delete(`/api/v01/classes/${classId}/news/${news.body.news.id}`, 200)
    expect(await list(ben)).toMatchObject({ notices: [], unread: 0 })

    const message = { text: 'Try again on Monday', user_ids: [ben.id] }
    await teacher.post(`/api/v01/classes/${classId}/message`, message, 200)
    await pass(MINUTE_MS)
    expect((await list(ben)).notices).toMatchObject([{ kind: 'class_news', body: 'Try again on Monday' }])
    expect(await kindsOf(ann)).not.toContain('class_news')
  })
})

describe('the list', () => {
  const tell = (person: Client, count: number) => service.sql`
    insert into notices (user_id, kind, subject_id, minutes, at)
    select ${person.id}, 'more_time', -n, 1, ${new Date(now)} from generate_series(1, ${count}) n`

  test('comes in pages, of the newest 500 of 90 days', async () => {
    await tell(ann, 520)
    const first = await list(ann)
    expect(first.notices).toHaveLength(30)
    expect(first.unread).toBe(500)
    const next = (await ann.get(`${NOTICES}?limit=100&before=${first.notices.at(-1)?.id}`, 200)).body.notices
    expect(next).toHaveLength(100)
    expect(next[0]?.id).toBeLessThan(first.notices.at(-1)?.id ?? 0)
    await ann.get(`${NOTICES}?limit=101`, 400)
    await service.sql`update notices set at = ${new Date(now - 90 * DAY_MS)} where user_id = ${ann.id}`
    expect(await list(ann)).toMatchObject({ notices: [], unread: 0 })
  })

  test('is read up to a notice and never back, whoever says so last, and other devices are told', async () => {
    await tell(ann, 5)
    const socket = await ann.at(service.urls[1] as string).socket()
    const ready = await socket.waitFor(({ type }) => type === 'ready')
    expect(ready.unread_notices).toBe(5)
    const ids = (await list(ann)).notices.map(({ id }) => id)
    const tries = await Promise.all(
      ([ids[3], ids[1], ids[4], ids[2]] as number[]).map((id, n) =>
        (n % 2 ? ann.at(service.urls[1] as string) : ann).post(`${NOTICES}/read`, { up_to: id }, 200),
      ),
    )
    expect(Math.min(...tries.map(({ body }) => body.unread))).toBe(1)
    const after = await list(ann)
    expect(after.unread).toBe(1)
    expect(after.notices.map(({ read }) => read)).toEqual([false, true, true, true, true])
    await socket.waitFor(({ type, notice, unread }) => type === 'notice' && notice === null && unread === 1)
    // Not past what there is: the next one is new.
    expect((await ann.post(`${NOTICES}/read`, { up_to: 2_147_483_647 }, 200)).body.unread).toBe(0)
    await publish(await addExam())
    await pass(MINUTE_MS)
    const told = await socket.waitFor(({ type, notice }) => type === 'notice' && notice !== null)
    expect(told).toMatchObject({ notice: { kind: 'exam_published', title: 'Cells', read: false }, unread: 1 })
    // Somebody else's notices are their own affair.
    expect((await ben.post(`${NOTICES}/read`, { up_to: ids[0] ?? 0 }, 200)).body.unread).toBe(1)
  })

  test('is closed while an exam locks help, and comes afterwards', async () => {
    const locking = await addExam({ published: true, lock_help: true })
    await tell(ann, 1)
    await ann.post(`/api/v01/exams/${locking}/start`, {}, 201)
    const socket = await ann.socket()
    expect((await socket.waitFor(({ type }) => type === 'ready')).unread_notices).toBe(null)
    expect((await ann.get(NOTICES, 403)).body.code).toBe('exam_in_progress')
    expect((await ann.post(`${NOTICES}/read`, { up_to: 1 }, 403)).body.code).toBe('exam_in_progress')
    await publish(await addExam())
    await pass(MINUTE_MS)
    await ann.post(`/api/v01/exams/${locking}/submit`, {}, 200)
    await socket.waitFor(({ type }) => type === 'resync')
    expect(socket.of('notice')).toEqual([])
    expect(await kindsOf(ann)).toEqual(['exam_published', 'more_time'])
  })

  test('loses what is gone: exams of a class that one has left', async () => {
    await publish(await addExam())
    await pass(MINUTE_MS)
    expect((await list(ann)).unread).toBe(1)
    await ann.delete(`/api/v01/classes/${classId}/membership`, 200)
    expect(await list(ann)).toMatchObject({ notices: [], unread: 0 })
  })
})

describe('mails', () => {
  const wish = { push: false, mail: true }
  const confirm = (...people: Client[]) =>
    service.sql`update users set email_verified = true where id = any(${people.map(({ id }) => id)})`
  const mails = (person: Client) => mailsTo(service.dataDir, `${person.username}@example.org`)

  test('are sent to confirmed addresses of those who want them, with one button that ends them', async () => {
    expect((await ann.get('/api/v01/push', 200)).body.settings.notices.exam_published).toEqual({
      push: true,
      mail: false,
    })
    for (const person of [ann, ben])
      await person.patch('/api/v01/push/settings', { notices: { exam_published: wish } }, 200)
    await ann.patch('/api/v01/push/settings', { notices: { class_news: wish } }, 200)
    await confirm(ann)
    await publish(await addExam())
    await pass(MINUTE_MS)
    await expect.poll(async () => (await mails(ann)).length).toBe(1)
    const [mail = ''] = await mails(ann)
    const unfolded = mail
      .replaceAll(/\r?\n[ \t]+/g, ' ')
      .replaceAll(/=\r?\n/g, '')
      .replaceAll('=3D', '=')
    expect(unfolded).toContain('Subject: Cells')
    expect(unfolded).toMatch(/List-Unsubscribe-Post: List-Unsubscribe=One-Click/)
    const path = /List-Unsubscribe: <[^>]*?(\/notices\/mails-off\?token=[\w-]+)>/.exec(unfolded)?.[1] ?? ''
    // Looking at the page turns nothing off.
    const guest = service.guest()
    const page = await guest.request('GET', path, undefined)
    expect(page.status).toBe(200)
    const settingsOf = async () => (await ann.get('/api/v01/push', 200)).body.settings.notices
    expect((await settingsOf()).exam_published).toEqual(wish)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const off = await guest.request('POST', path, 'List-Unsubscribe=One-Click', undefined, form)
    expect(off.status).toBe(200)
    expect(await settingsOf()).toMatchObject({
      exam_published: { push: false, mail: false },
      class_news: wish,
    })
    // A wrong link says so.
    expect((await guest.request('POST', `${path}x`, '', undefined, form)).status).toBe(200)
    expect(await mails(ben)).toEqual([])
  })

  test('are at most ten a day, and none of what is gone meanwhile', async () => {
    await ann.patch('/api/v01/push/settings', { notices: { exam_published: wish } }, 200)
    await confirm(ann)
    for (let n = 0; n < 12; n++) await publish(await addExam({ name: `Exam ${n}` }))
    await pass(MINUTE_MS)
    await expect
      .poll(async () => (await service.sql`select from notices where mail_due_at is not null`).length)
      .toBe(0)
    expect(await mails(ann)).toHaveLength(10)
    expect((await list(ann)).unread).toBe(12)
  })
})
