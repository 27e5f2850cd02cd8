import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam, type ExamFields } from '../support/content/exams.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let admin: Client
beforeAll(async () => {
  service = await startService({ nodes: 2 })
  admin = await service.admin()
})
afterAll(() => service.close())

const elsewhere = (client: Client) => client.at(service.urls[1] as string)
const TOLD = 5_000

/** A class with two students, its teacher, and a student of another class of the exam. */
async function makeClass(fields: ExamFields & { watch_page?: boolean } = {}) {
  const [teacher, ann, ben, other] = await Promise.all([
    service.person(),
    service.person(),
    service.person(),
    service.person(),
  ])
  const classId = await createClass(service.sql, { students: [ann, ben], teachers: [teacher] })
  const otherId = await createClass(service.sql, { students: [other] })
  const { examId, questionIds } = await createExam(service.sql, {
    duration_minutes: 60,
    result_mode: 'on_release',
    questions: [{}, {}],
    ...fields,
  })
  await service.sql`update exams set for_classes = true where id = ${examId}`
  await service.sql`
    insert into exam_classes (exam_id, class_id) values (${examId}, ${classId}), (${examId}, ${otherId})`
  const exam = `/api/v01/exams/${examId}` as const
  const room = `/api/v01/classes/${classId}/exams/${examId}/live` as const
  return { teacher, ann, ben, other, classId, examId, questionId: questionIds[0] as number, exam, room }
}

describe('the live room', () => {
  test('shows who isn’t there, how far others are, and who is connected, without answers', async () => {
    const { teacher, ann, ben, other, examId, questionId, exam, room } = await makeClass()
    const { attempt_id } = (await ann.post(`${exam}/start`, {}, 201)).body
    await other.post(`${exam}/start`, {}, 201)
    const saved = await ann.put(
      `${exam}/answers`,
      { answers: { [questionId]: 'A' }, markedForReview: [questionId] },
      200,
    )
    const socket = await elsewhere(ann).socket()
    await socket.ask({ type: 'active' })
    const { body } = await teacher.get(room, 200)
    expect(body).toMatchObject({ truncated: false, exam: { id: examId, questions: 2, closes_at: null } })
    expect(body.students).toEqual([
      {
        user_id: ann.id,
        username: ann.username,
        full_name: expect.any(String),
        state: 'under_way',
        attempt_id,
        answered: 1,
        questions: 2,
        marked: 1,
        started_at: expect.any(String),
        ends_at: expect.any(String),
        last_saved_at: saved.body.saved_at,
        connected: true,
        away: null,
      },
      expect.objectContaining({
        ...{ user_id: ben.id, state: 'absent', attempt_id: null, answered: 0, questions: 2 },
        ...{ started_at: null, ends_at: null, last_saved_at: null, connected: false, away: null },
      }),
    ])
    await ann.post(`${exam}/submit`, {}, 200)
    const states = async (address: typeof room | `/api/v01/admin/exams/${number}/live`, client: Client) =>
      (await client.get(address, 200)).body.students.map(({ user_id, state }) => [user_id, state])
    expect(await states(room, teacher)).toEqual([
      [ann.id, 'handed_in'],
      [ben.id, 'absent'],
    ])
    expect(
      new Map((await states(`/api/v01/admin/exams/${examId}/live`, admin)) as [number, string][]),
    ).toEqual(
      new Map([
        [ann.id, 'handed_in'],
        [other.id, 'under_way'],
        [ben.id, 'absent'],
      ]),
    )
  })

  test('has two thousand at most, and an exam for everybody those who began', async () => {
    const { examId } = await createExam(service.sql)
    const room = `/api/v01/admin/exams/${examId}/live` as const
    expect((await admin.get(room, 200)).body).toMatchObject({ students: [], truncated: false })
    await service.sql`
      with made as (
        insert into users (username, email, full_name, role)
        select 'crowd-' || n, 'crowd-' || n || '@x.example', 'Crowd', 'user' from generate_series(1, 2001) n returning id)
      insert into attempts (user_id, exam_id, attempt_number, status, started_at)
      select id, ${examId}, 1, 'active', now() from made`
    const { body } = await admin.get(room, 200)
    expect(body.truncated).toBe(true)
    expect(body.students).toHaveLength(2_000)
    await admin.get('/api/v01/admin/exams/2147483647/live', 404)
  })

  test('shows whose paper isn’t in view only where the exam says so, and the paper says it too', async () => {
    const watched = await makeClass({ watch_page: true })
    const { teacher, ann, exam, examId, room } = watched
    await ann.post(`${exam}/start`, {}, 201)
    expect((await ann.get(`${exam}/paper`, 200)).body.watch_page).toBe(true)
    const socket = await ann.socket()
    const isAway = async () => (await teacher.get(room, 200)).body.students[0]?.away
    expect(await isAway()).toBe(false)
    await socket.ask({ type: 'page', exam_id: examId, away: true })
    expect(await isAway()).toBe(true)
    await socket.ask({ type: 'page', exam_id: examId, away: false })
    expect(await isAway()).toBe(false)

    const unwatched = await makeClass()
    await unwatched.ann.post(`${unwatched.exam}/start`, {}, 201)
    expect((await unwatched.ann.get(`${unwatched.exam}/paper`, 200)).body.watch_page).toBe(false)
    const other = await unwatched.ann.socket()
    await other.ask({ type: 'page', exam_id: unwatched.examId, away: true })
    await admin.patch(`/api/v01/admin/exams/${unwatched.examId}`, { watch_page: true }, 200)
    expect((await unwatched.teacher.get(unwatched.room, 200)).body.students[0]?.away).toBe(false)
  })
})

describe('its frames', () => {
  test('bring what changed on any node, together, and at most once a second', async () => {
    const { teacher, ann, ben, other, classId, examId, questionId, exam } = await makeClass({
      watch_page: true,
    })
    const beganAt = performance.now()
    const socket = await teacher.socket()
    const topic = `live:${examId}:${classId}`
    await socket.ask({ type: 'subscribe', topic })
    const everybody = await elsewhere(admin).socket()
    await everybody.ask({ type: 'subscribe', topic: `live:${examId}` })
    const stateOf = (person: Client, of = socket) =>
      of
        .of('live')
        .flatMap(({ students }) => students)
        .findLast(({ user_id }) => user_id === person.id)
    await Promise.all([ann.post(`${exam}/start`, {}, 201), elsewhere(ben).post(`${exam}/start`, {}, 201)])
    await other.post(`${exam}/start`, {}, 201)
    await socket.until(() => stateOf(ann)?.state === 'under_way' && stateOf(ben)?.state === 'under_way', TOLD)
    const answers = { [questionId]: 'B' }
    for (let revision = 1; revision <= 10; revision++)
      await Promise.all([
        elsewhere(ann).put(`${exam}/answers`, { answers, revision }, 200),
        ben.put(`${exam}/answers`, { answers, revision }, 200),
      ])
    await socket.until(() => stateOf(ann)?.answered === 1 && stateOf(ben)?.answered === 1, TOLD)
    await everybody.until(() => stateOf(other, everybody)?.state === 'under_way', TOLD)
    const frames = socket.of('live')
    expect(frames.length).toBeLessThanOrEqual(1 + (performance.now() - beganAt) / 1_000)
    expect(frames.every(({ exam_id, class_id }) => exam_id === examId && class_id === classId)).toBe(true)
    expect(JSON.stringify(frames)).not.toContain(other.username)
    expect(JSON.stringify(everybody.of('live'))).not.toContain('class_id')

    // Minutes, views, connections and the end are changes too.
    const own = await elsewhere(ann).socket()
    await own.ask({ type: 'active' })
    await socket.until(() => stateOf(ann)?.connected === true, 2 * TOLD)
    await own.ask({ type: 'page', exam_id: examId, away: true })
    await socket.until(() => stateOf(ann)?.away === true, TOLD)
    const before = stateOf(ann)?.ends_at
    await admin.post(`/api/v01/admin/exams/${examId}/live/extend`, { minutes: 5, user_ids: [ann.id] }, 200)
    await socket.until(() => stateOf(ann)?.ends_at !== before, TOLD)
    await own.close()
    await socket.until(() => stateOf(ann)?.connected === false, 2 * TOLD)
    await elsewhere(ben).post(`${exam}/submit`, {}, 200)
    await socket.until(() => stateOf(ben)?.state === 'handed_in', TOLD)
  })

  test('cost a save nothing while nobody on any node watches', async () => {
    const { teacher, ann, classId, examId, questionId, exam } = await makeClass()
    await ann.post(`${exam}/start`, {}, 201)
    const published: string[] = []
    for (const { core } of service.nodes) {
      const publish = core.bus.publish.bind(core.bus)
      vi.spyOn(core.bus, 'publish').mockImplementation((topic, event) => {
        if (topic.startsWith('live:')) published.push(topic)
        publish(topic, event)
      })
    }
    onTestFinished(() => void vi.restoreAllMocks())
    let revision = 0
    const save = (client: Client) =>
      client.put(`${exam}/answers`, { answers: { [questionId]: 'A' }, revision: ++revision }, 200)
    await save(ann)
    const socket = await teacher.socket()
    const topic = `live:${examId}:${classId}`
    await socket.ask({ type: 'subscribe', topic })
    // Of a save before it, nothing comes; of one after it, on the other node, that one.
    await save(elsewhere(ann))
    await socket.until(() => socket.of('live')[0], TOLD)
    expect(published).toEqual([`live:${examId}`])
  })

  test('are for who may watch, and end with that', async () => {
    const { teacher, ann, other, classId, examId, exam } = await makeClass()
    const topics = [`live:${examId}`, `live:${examId}:${classId}`] as const
    const refused = async (client: Client, topic: string) => {
      const socket = await client.socket()
      const answer = await socket.ask({ type: 'subscribe', topic })
      await socket.close()
      return answer.type === 'error' ? answer.code : answer.type
    }
    expect(await Promise.all(topics.map((topic) => refused(ann, topic)))).toEqual(['not_found', 'forbidden'])
    expect(await Promise.all(topics.map((topic) => refused(other, topic)))).toEqual([
      'not_found',
      'not_found',
    ])
    expect(await Promise.all(topics.map((topic) => refused(teacher, topic)))).toEqual(['not_found', 'ack'])
    expect(await Promise.all(topics.map((topic) => refused(admin, topic)))).toEqual(['ack', 'ack'])
    expect(await refused(admin, 'live:2147483647')).toBe('not_found')
    expect(await refused(admin, 'live:9999999999')).toBe('not_found')

    const [socket, everybody] = await Promise.all([teacher.socket(), admin.socket()])
    await socket.ask({ type: 'subscribe', topic: topics[1] })
    await everybody.ask({ type: 'subscribe', topic: topics[1] })
    await admin.delete(`/api/v01/classes/${classId}/members/${teacher.id}`, 200)
    await ann.post(`${exam}/start`, {}, 201)
    await everybody.until(() => everybody.of('live')[0], TOLD)
    expect(socket.of('live')).toEqual([])
  })
})
