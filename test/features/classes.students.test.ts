import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam } from '../support/content/exams.ts'
import { startService, type TestService, withService } from '../support/service.ts'

const HOUR_MS = 3_600_000
let now = Date.UTC(2026, 10, 20, 10)
let service: TestService
let admin: Client
let teacher: Client
let ann: Client
let ben: Client
beforeAll(async () => {
  service = await startService({ nodes: 2, clock: () => now })
  admin = await service.admin()
  // One after the other: lists are in the order of their names, or of their ids.
  teacher = await service.person('abbas')
  ann = await service.person('ann')
  ben = await service.person('ben')
})
afterAll(() => service.close())
// Tests set the clock past the end of tokens.
beforeEach(async () => {
  await Promise.all([admin, teacher, ann, ben].map((person) => person.login(person.username)))
})

const elsewhere = (person: Client) => person.at(service.urls[1] as string)
const newClass = () => createClass(service.sql, { teachers: [teacher], students: [ann, ben] })
const inHours = (hours: number) => new Date(now + hours * HOUR_MS)

async function newCode(classId: number): Promise<string> {
  return (await teacher.post(`/api/v01/classes/${classId}/code`, {}, 200)).body.code as string
}

async function classExam(classId: number, fields: Parameters<typeof createExam>[1] = {}): Promise<number> {
  const { examId } = await createExam(service.sql, fields)
  await service.sql`update exams set for_classes = true where id = ${examId}`
  await service.sql`insert into exam_classes (exam_id, class_id) values (${examId}, ${classId})`
  return examId
}

describe('a class', () => {
  test('shows its students who teaches it, and each other only if its teachers say so', async () => {
    const classId = await newClass()
    await newCode(classId)
    await teacher.post(`/api/v01/classes/${classId}/members`, { emails: ['somebody@school.example'] }, 200)
    const at = `/api/v01/classes/${classId}` as const
    const details = {
      id: classId,
      name: '10 b',
      students: 2,
      archived: false,
      shows_members: false,
      tutor_mode: 'explain',
      conversation_id: null,
      teachers: [{ user_id: teacher.id, full_name: teacher.username }],
    }
    const { body } = await ann.get(at, 200)
    expect(body).toEqual({
      success: true,
      class: { ...details, role: 'student' },
      members: [],
      total: 0,
      page: 1,
      per_page: 100,
      total_pages: 0,
    })
    expect((await teacher.get(at, 200)).body).toMatchObject({
      class: { ...details, role: 'teacher' },
      members: [{ user_id: teacher.id }, { role: 'student' }, { role: 'student' }],
      join_code: expect.any(String),
      invited_total: 1,
    })
    expect((await admin.get(at, 200)).body.class.role).toBeNull()

    await ann.patch(at, { shows_members: true }, 403)
    await teacher.patch(at, {}, 400)
    const changed = await teacher.patch(at, { shows_members: true }, 200)
    expect(changed.body.class).toEqual({
      ...details,
      role: 'teacher',
      counts: 'best',
      weights: {},
      shows_members: true,
    })
    const shown = (await ann.get(at, 200)).body
    const nameOf = ({ id, username }: Client) => ({ user_id: id, username, full_name: username })
    expect(shown.members).toEqual([
      { ...nameOf(teacher), role: 'teacher' },
      { ...nameOf(ann), role: 'student' },
      { ...nameOf(ben), role: 'student' },
    ])
    expect(shown).not.toHaveProperty('join_code')
    expect(JSON.stringify(shown)).not.toContain('@')

    await admin.patch(`/api/v01/admin/classes/${classId}`, { archived: true }, 200)
    expect((await ann.get(at, 200)).body.class.archived).toBe(true)
    expect((await teacher.patch(at, { shows_members: false }, 409)).body.code).toBe('class_archived')
    await ann.delete(`${at}/membership`, 200)
    await ann.get(at, 404)
  })

  test('lists in its conversation, to students of a class that shows no members, only who wrote', async () => {
    const classId = await newClass()
    const { conv_id: id } = (await teacher.post(`/api/v01/classes/${classId}/conversation`, {}, 201)).body
    expect((await ann.get(`/api/v01/classes/${classId}`, 200)).body.class.conversation_id).toBe(id)
    const seenBy = async (person: Client) =>
      (await person.get(`/api/v01/chat/conversations/${id}`, 200)).body.conversation.members.map(
        (member: { id: number }) => member.id,
      )
    expect(await seenBy(ann)).toEqual([teacher.id, ann.id])
    expect(await seenBy(teacher)).toEqual([teacher.id, ann.id, ben.id])
    await ben.post(`/api/v01/chat/conversations/${id}/messages`, { message: 'Hello' }, 201)
    expect(await seenBy(ann)).toEqual([teacher.id, ann.id, ben.id])
    expect(await seenBy(ben)).toEqual([teacher.id, ben.id])

    const socket = await ann.socket()
    await teacher.patch(`/api/v01/classes/${classId}`, { shows_members: true }, 200)
    await socket.waitFor(({ type }) => type === 'conversation')
    await socket.close()
    expect(await seenBy(ben)).toEqual([teacher.id, ann.id, ben.id])
  })

  test('has the devices of those who are removed, or leave, read again', async () => {
    const classId = await newClass()
    const other = await service.person()
    await admin.patch(`/api/v01/admin/classes/${classId}`, { teacher_ids: [teacher.id, other.id] }, 200)
    const goings: [Client, () => Promise<unknown>][] = [
      [ann, () => teacher.delete(`/api/v01/classes/${classId}/members/${ann.id}`, 200)],
      [ben, () => ben.delete(`/api/v01/classes/${classId}/membership`, 200)],
      [other, () => admin.patch(`/api/v01/admin/classes/${classId}`, { teacher_ids: [teacher.id] }, 200)],
    ]
    for (const [person, go] of goings) {
      const socket = await elsewhere(person).socket()
      await go()
      await socket.waitFor(({ type }) => type === 'resync')
      await person.get(`/api/v01/classes/${classId}`, 404)
      await socket.close()
    }
  })

  test('is closed while an exam locks help', async () => {
    const classId = await newClass()
    const examId = await classExam(classId, { lock_help: true })
    await ann.post(`/api/v01/exams/${examId}/start`, {}, 201)
    for (const rest of ['', '/agenda'] as const)
      expect((await ann.get(`/api/v01/classes/${classId}${rest}`, 403)).body.code).toBe('exam_in_progress')
    await ann.get('/api/v01/classes/by-code/BCDFGHJK', 403)
    await ann.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    await ann.get(`/api/v01/classes/${classId}`, 200)
  })
})

describe('a code', () => {
  test('is read however it is grouped, and says which class it is of', async () => {
    const classId = await newClass()
    const code = await newCode(classId)
    const [first, last] = [code.slice(0, 4).toLowerCase(), code.slice(4)]
    const late = await service.person()
    const found = await late.get(`/api/v01/classes/by-code/${first}%20-${last}`, 200)
    expect(found.body.class).toEqual({ name: '10 b', teachers: [teacher.username], students: 2 })
    await late.get(`/api/v01/classes/${classId}`, 404)
    const joined = await late.post('/api/v01/classes/join', { code: ` ${first}\u2013 ${last} ` }, 200)
    expect(joined.body.class.id).toBe(classId)

    // Who was removed doesn't come back with it, and isn't told that it is right.
    await teacher.delete(`/api/v01/classes/${classId}/members/${late.id}`, 200)
    for (const refused of [
      await late.get(`/api/v01/classes/by-code/${code}`, 404),
      await late.post('/api/v01/classes/join', { code }, 404),
    ])
      expect(refused.body.code).toBe('wrong_code')
  })

  test('is in no log: the address of a look-up is logged without it', async () => {
    const lines: string[] = []
    const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
    const own = await withService({ log })
    await (await own.person()).get('/api/v01/classes/by-code/QQQQWWWW', 404)
    await expect.poll(() => lines.join()).toContain('/api/v01/classes/by-code/:code')
    expect(lines.join()).not.toContain('QQQQWWWW')
  })

  test('that is wrong counts once, whether somebody joins or looks, on whichever node', async () => {
    const code = await newCode(await newClass())
    const late = await service.person()
    const tries = await Promise.all(
      Array.from({ length: 16 }, (_, n) => {
        const client = n % 2 ? elsewhere(late) : late
        return n % 4 < 2
          ? client.post('/api/v01/classes/join', { code: `wrong ${n}` })
          : client.get(`/api/v01/classes/by-code/wrong-${n}`)
      }),
    )
    expect(tries.map(({ status }) => status).sort()).toEqual([...Array(10).fill(404), ...Array(6).fill(429)])
    await late.get(`/api/v01/classes/by-code/${code}`, 429)
    now += HOUR_MS
    await late.login(late.username)
    await late.get(`/api/v01/classes/by-code/${code}`, 200)
  })
})

describe('an agenda', () => {
  test('says of each exam what a start would', async () => {
    const classId = await newClass()
    const other = await createClass(service.sql, { students: [ben], teachers: [ann] })
    const add = (name: string, fields: Parameters<typeof createExam>[1] = {}) =>
      classExam(classId, { name, ...fields })
    await add('later', { opens_at: inHours(1) })
    await add('open, no end')
    const soon = await add('open, soon', { closes_at: inHours(2), duration_minutes: 60 })
    const begun = await add('under way', { max_attempts: 1 })
    await add('again', { max_attempts: 2 })
    await add('used up', { max_attempts: 1, result_mode: 'instant' })
    await add('missed', { opens_at: inHours(-3), closes_at: inHours(-2) })
    await add('empty', { questions: [] })
    await add('a draft', { published: false })
    const taught = await add('of a class that Ann teaches')
    const over = await add('of that class, closed', { closes_at: inHours(-1) })
    await service.sql`insert into exam_classes (exam_id, class_id) values (${taught}, ${other}), (${over}, ${other})`
    const idOf = new Map(
      (await ann.get('/api/v01/exams', 200)).body.exams.map(({ name, id }) => [name, id] as const),
    )
    for (const name of ['again', 'used up']) {
      await ann.post(`/api/v01/exams/${idOf.get(name) as number}/start`, {}, 201)
      await ann.post(`/api/v01/exams/${idOf.get(name) as number}/submit`, {}, 200)
    }
    await service.sql`
      insert into accommodations (exam_id, user_id, extra_time_percent, closes_at)
      values (${soon}, ${ann.id}, 25, ${inHours(1)})`
    await ann.post(`/api/v01/exams/${begun}/start`, {}, 201)

    const at = `/api/v01/classes/${classId}/agenda` as const
    const { exams } = (await ann.get(at, 200)).body
    expect(exams.map(({ name, state, attempts_left }) => [name, state, attempts_left])).toEqual([
      ['open, soon', 'open', null],
      ['later', 'soon', null],
      ['open, no end', 'open', null],
      ['under way', 'under_way', 0],
      ['again', 'open', 1],
      ['empty', 'soon', null],
      ['of a class that Ann teaches', null, null],
      ['of that class, closed', null, null],
      ['missed', 'missed', null],
      ['used up', 'done', 0],
    ])
    expect(exams[0]).toEqual({
      exam_id: soon,
      name: 'open, soon',
      opens_at: null,
      closes_at: inHours(1).toISOString(),
      duration_minutes: 75,
      state: 'open',
      attempts_left: null,
      best_percentage: null,
    })
    expect(exams.find(({ name }) => name === 'used up')?.best_percentage).toBe(0)
    const taughtExams = (await teacher.get(at, 200)).body.exams
    expect(taughtExams).toHaveLength(10)
    expect(taughtExams[0]).toMatchObject({
      exam_id: soon,
      closes_at: inHours(2).toISOString(),
      duration_minutes: 60,
      state: null,
    })
    for (const { exam_id, name, state } of exams) {
      const { status } = await ann.post(`/api/v01/exams/${exam_id}/start`, {})
      expect([status === 201 || status === 200, name]).toEqual([
        state === 'open' || state === 'under_way',
        name,
      ])
    }
  })

  test('shows results once they may be seen, and closes what has run out of time', async () => {
    const classId = await newClass()
    const examId = await classExam(classId, {
      result_mode: 'on_release',
      duration_minutes: 10,
      max_attempts: 1,
    })
    const at = `/api/v01/classes/${classId}/agenda` as const
    const only = async () => (await ann.get(at, 200)).body.exams[0]
    await ann.post(`/api/v01/exams/${examId}/start`, {}, 201)
    expect(await only()).toMatchObject({ state: 'under_way', attempts_left: 0 })
    // A hidden exam stays in the agenda of those who take it.
    await service.sql`update exams set published = false where id = ${examId}`
    expect(await only()).toMatchObject({ state: 'under_way' })
    expect((await ben.get(at, 200)).body.exams).toEqual([])
    await service.sql`update exams set published = true where id = ${examId}`
    now += 11 * 60_000
    await ann.login(ann.username)
    expect(await only()).toMatchObject({ state: 'done', best_percentage: null })
    await service.sql`update exams set results_released = true where id = ${examId}`
    expect(await only()).toMatchObject({ state: 'done', best_percentage: 0 })
    await service.sql`update classes set archived = true where id = ${classId}`
    expect((await ann.get(at, 200)).body.exams).toEqual([])
  })

  test('has the newest hundred exams that are over', async () => {
    const classId = await newClass()
    await service.sql`
      with made as (
        insert into exams (name, published, for_classes, closes_at)
        select 'Old ' || n, true, true, ${inHours(-1)}::timestamptz from generate_series(1, 105) n returning id)
      insert into exam_classes (exam_id, class_id) select id, ${classId} from made`
    const ahead = await classExam(classId)
    const { exams } = (await ann.get(`/api/v01/classes/${classId}/agenda`, 200)).body
    expect(exams).toHaveLength(101)
    expect(exams[0]).toMatchObject({ exam_id: ahead, state: 'open' })
    expect([exams[1]?.name, exams.at(-1)?.name]).toEqual(['Old 105', 'Old 6'])
  })
})
