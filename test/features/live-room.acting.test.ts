import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { closeOverdue } from '../../src/features/attempts/closing.service.ts'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam, type ExamFields } from '../support/content/exams.ts'
import { startService, type TestService } from '../support/service.ts'

const MINUTE_MS = 60_000
let now = Date.UTC(2026, 10, 20, 10)
const at = (minutes: number) => new Date(now + minutes * MINUTE_MS).toISOString()

let service: TestService
let admin: Client
beforeAll(async () => {
  service = await startService({ nodes: 2, clock: () => now })
  admin = await service.admin()
})
afterAll(() => service.close())
beforeEach(() => admin.login(admin.username))

const elsewhere = (client: Client) => client.at(service.urls[1] as string)
const core = (node = 0) => (service.nodes[node] as (typeof service.nodes)[number]).core
const live = (examId: number) => `/api/v01/admin/exams/${examId}/live` as const

const createTimed = (fields: ExamFields = {}) =>
  createExam(service.sql, { duration_minutes: 60, result_mode: 'on_release', ...fields })

async function start(person: Client, examId: number): Promise<number> {
  return (await person.post(`/api/v01/exams/${examId}/start`, {}, 201)).body.attempt_id
}

/** Somebody with one saved answer at an exam. */
async function begin(examId: number, questionId: number) {
  const person = await service.person()
  const attemptId = await start(person, examId)
  await person.put(`/api/v01/exams/${examId}/answers`, { answers: { [questionId]: 'A' }, revision: 1 }, 200)
  return { person, attemptId }
}

const attemptOf = async (id: number) =>
  (await service.sql`select status, handed_in, answers, score, ends_at from attempts where id = ${id}`)[0]

describe('handing in for students', () => {
  test('grades what was saved, says who did it everywhere, and needs a confirmation without a socket', async () => {
    const { examId, questionIds } = await createTimed()
    const questionId = questionIds[0] as number
    const { person, attemptId } = await begin(examId, questionId)
    const handIn = `${live(examId)}/hand-in` as const
    const refused = await admin.post(handIn, { user_ids: [person.id] }, 409)
    expect(refused.body).toMatchObject({ code: 'not_connected', ids: [person.id] })
    expect(await attemptOf(attemptId)).toMatchObject({ status: 'active' })

    // A socket alone isn't enough, somebody has to be there.
    const socket = await elsewhere(person).socket()
    expect((await admin.post(handIn, { user_ids: [person.id] }, 409)).body.code).toBe('not_connected')
    await socket.ask({ type: 'active' })
    const outsider = await service.person()
    const answer = await admin.post(handIn, { user_ids: [person.id, outsider.id] }, 200)
    expect(answer.body).toEqual({
      success: true,
      done: 1,
      errors: [{ user_id: outsider.id, code: 'no_active_attempt' }],
    })
    expect(await socket.until(() => socket.of('attempt_time')[0], 1_000)).toMatchObject({
      attempt_id: attemptId,
      ends_at: at(0),
    })

    const by = { status: 'submitted', submitted_by: 'teacher', submitted_at: at(0) }
    expect((await person.get('/api/v01/attempts', 200)).body.attempts).toMatchObject([by])
    expect((await admin.get(`/api/v01/admin/attempts/${attemptId}/review`, 200)).body).toMatchObject({
      ...by,
      score: 4,
      messages: [],
    })
    const { results } = (await admin.get(`/api/v01/admin/exams/${examId}/results`, 200)).body
    expect(results).toMatchObject([{ newest: by }])
    const [entry] = (await admin.get(`/api/v01/admin/audit?subject=exam:${examId}`, 200)).body.entries
    expect(entry).toMatchObject({ action: 'attempt.hand_in', summary: `Handed in attempts ${attemptId}` })

    // Its student's own submit and saves come too late, and say so.
    const exam = `/api/v01/exams/${examId}` as const
    expect((await person.post(`${exam}/submit`, {}, 200)).body.already_submitted).toBe(true)
    const late = await person.put(
      `${exam}/answers`,
      { attempt_id: attemptId, answers: { [questionId]: 'A' } },
      409,
    )
    expect(late.body).toMatchObject({ code: 'no_active_attempt', arrived: [questionId] })
    const again = await admin.post(handIn, { user_ids: [person.id], confirm: true }, 409)
    expect(again.body).toMatchObject({
      code: 'already_submitted',
      people: [{ user_id: person.id, code: 'already_submitted' }],
    })
    expect((await admin.post(handIn, { user_ids: [outsider.id], confirm: true }, 409)).body.code).toBe(
      'no_active_attempt',
    )
  })

  test('can be taken back by more minutes for the person, from then on, while the result wasn’t shown', async () => {
    const { examId, questionIds } = await createTimed()
    const { person, attemptId } = await begin(examId, questionIds[0] as number)
    await admin.post(`${live(examId)}/hand-in`, { user_ids: [person.id], confirm: true }, 200)
    now += 5 * MINUTE_MS
    const extend = `${live(examId)}/extend` as const
    expect((await admin.post(extend, { minutes: 10 }, 200)).body).toMatchObject({ done: 0, reopened: 0 })
    expect((await admin.post(extend, { minutes: 10, user_ids: [person.id] }, 200)).body).toEqual({
      success: true,
      done: 1,
      reopened: 1,
      errors: [],
    })
    expect(await attemptOf(attemptId)).toMatchObject({
      status: 'active',
      handed_in: false,
      ends_at: new Date(at(10)),
    })
    // A later change of the exam's own times counts from there.
    await admin.patch(`/api/v01/admin/exams/${examId}`, { duration_minutes: 70 }, 200)
    expect(await attemptOf(attemptId)).toMatchObject({ ends_at: new Date(at(20)) })
    const submitted = await person.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    expect(submitted.body.already_submitted).toBe(false)
    expect((await person.get('/api/v01/attempts', 200)).body.attempts).toMatchObject([
      { submitted_by: 'student' },
    ])
    // What its student handed in stays so.
    expect((await admin.post(extend, { minutes: 10, user_ids: [person.id] }, 200)).body).toMatchObject({
      done: 0,
      errors: [{ user_id: person.id, code: 'already_submitted' }],
    })
  })

  test('an instant result was shown, and one without an end gets none', async () => {
    const instant = await createTimed({ result_mode: 'instant' })
    const { person } = await begin(instant.examId, instant.questionIds[0] as number)
    await admin.post(`${live(instant.examId)}/hand-in`, { user_ids: [person.id], confirm: true }, 200)
    const named = { minutes: 10, user_ids: [person.id] }
    expect((await admin.post(`${live(instant.examId)}/extend`, named, 200)).body.reopened).toBe(0)

    const untimed = await createTimed({ duration_minutes: null })
    const attemptId = await start(person, untimed.examId)
    expect((await admin.post(`${live(untimed.examId)}/extend`, named, 200)).body).toMatchObject({
      done: 0,
      errors: [{ user_id: person.id, code: 'no_end' }],
    })
    await admin.post(`${live(untimed.examId)}/hand-in`, { user_ids: [person.id], confirm: true }, 200)
    expect((await admin.post(`${live(untimed.examId)}/extend`, named, 200)).body.reopened).toBe(1)
    expect(await attemptOf(attemptId)).toMatchObject({ status: 'active', ends_at: null })
  })

  test('beside saves, submits and the end of the time, on two nodes, exactly one ends each attempt', async () => {
    const { examId, questionIds } = await createTimed()
    const questionId = questionIds[0] as number
    const exam = `/api/v01/exams/${examId}` as const
    const people = await Promise.all(Array.from({ length: 9 }, () => service.person()))
    const attempts = await Promise.all(people.map((person) => start(person, examId)))
    // The last ones are overdue.
    const late = attempts.slice(6)
    await service.sql`update attempts set ends_at = ${new Date(now - MINUTE_MS)} where id = any(${late})`
    const ids = people.map(({ id }) => id)
    const acknowledged = new Map<number, string>()
    const save = async (person: Client, answer: string) => {
      const { status } = await elsewhere(person).request('PUT', `${exam}/answers`, {
        answers: { [questionId]: answer },
      })
      if (status === 200) acknowledged.set(person.id, answer)
      expect([200, 409]).toContain(status)
    }
    const handIn = (client: Client) =>
      client.request('POST', `${live(examId)}/hand-in`, { user_ids: ids, confirm: true })
    const answers = await Promise.all([
      ...people.map((person) => save(person, 'A')),
      ...people.slice(0, 3).map((person) => person.request('POST', `${exam}/submit`, {})),
      handIn(admin),
      handIn(elsewhere(admin)),
      closeOverdue(core(0)),
      closeOverdue(core(1)),
    ])
    const done = answers.flatMap((answer) => {
      const { body } = (answer ?? {}) as { body?: { done?: number } }
      return body?.done ?? []
    })
    const own = answers.filter((answer) => {
      const { body } = (answer ?? {}) as { body?: { already_submitted?: boolean } }
      return body?.already_submitted === false
    })
    const rows = await service.sql`
      select user_id, status, handed_in, answers from attempts where exam_id = ${examId} order by id`
    expect(rows.filter(({ status }) => status === 'expired')).toHaveLength(late.length)
    const handedIn = rows.filter(({ handed_in }) => handed_in).length
    expect(handedIn + own.length).toBe(6)
    expect(done.reduce((sum, each) => sum + each, 0)).toBe(handedIn)
    for (const [userId, answer] of acknowledged)
      expect(rows.find(({ user_id }) => user_id === userId)?.answers).toEqual({ [questionId]: answer })
  })
})

describe('the teachers of a class', () => {
  test('act for its present students alone, and not in an archived class', async () => {
    const [teacher, ann, other] = await Promise.all([service.person(), service.person(), service.person()])
    const classId = await createClass(service.sql, { students: [ann], teachers: [teacher] })
    const { examId } = await createTimed()
    await service.sql`update exams set for_classes = true where id = ${examId}`
    const otherClass = await createClass(service.sql, { students: [other] })
    await service.sql`
      insert into exam_classes (exam_id, class_id) values (${examId}, ${classId}), (${examId}, ${otherClass})`
    await start(ann, examId)
    const foreign = await start(other, examId)
    const room = `/api/v01/classes/${classId}/exams/${examId}/live` as const
    const both = [ann.id, other.id]
    const unknown = [{ user_id: other.id, code: 'not_found' }]
    expect((await teacher.post(`${room}/extend`, { minutes: 5, user_ids: both }, 200)).body).toMatchObject({
      done: 1,
      errors: unknown,
    })
    expect(
      (await teacher.post(`${room}/message`, { text: 'Page 2', user_ids: both }, 200)).body,
    ).toMatchObject({
      done: 1,
      errors: unknown,
    })
    // Whether a student of another class is connected isn't told.
    expect((await teacher.post(`${room}/hand-in`, { user_ids: both }, 409)).body).toMatchObject({
      ids: [ann.id],
    })
    expect(
      (await teacher.post(`${room}/hand-in`, { user_ids: both, confirm: true }, 200)).body,
    ).toMatchObject({
      done: 1,
      errors: unknown,
    })
    expect(await attemptOf(foreign)).toMatchObject({ status: 'active' })
    const { entries } = (await admin.get(`/api/v01/admin/audit?class_id=${classId}`, 200)).body
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['exam.extend', 'exam.message', 'attempt.hand_in']),
    )
    await admin.patch(`/api/v01/admin/classes/${classId}`, { archived: true }, 200)
    for (const [name, body] of [
      ['extend', { minutes: 5 }],
      ['hand-in', { user_ids: [ann.id] }],
      ['message', { text: 'Hi' }],
    ] as const)
      expect((await teacher.request('POST', `${room}/${name}`, body, 409)).body.code).toBe('class_archived')
  })
})

describe('a message to those who take an exam', () => {
  test('comes as a frame and with the paper, and stays with the attempt for administrators', async () => {
    const { examId, questionIds } = await createTimed({ lock_help: true })
    const { person, attemptId } = await begin(examId, questionIds[0] as number)
    const { person: other, attemptId: otherId } = await begin(examId, questionIds[0] as number)
    const socket = await elsewhere(person).socket()
    const otherSocket = await other.socket()
    const send = (body: { text: string; user_ids?: number[] }) =>
      admin.post(`${live(examId)}/message`, body, 200)
    expect((await send({ text: 'Question 2: read “metres”' })).body).toEqual({
      success: true,
      done: 2,
      errors: [],
    })
    await send({ text: 'Only for you', user_ids: [person.id] })
    const first = { text: 'Question 2: read “metres”', at: at(0) }
    const second = { text: 'Only for you', at: at(0) }
    await socket.until(() => socket.of('exam_message').length === 2, 1_000)
    expect(socket.of('exam_message')).toEqual([
      { type: 'exam_message', exam_id: examId, ...first },
      { type: 'exam_message', exam_id: examId, ...second },
    ])
    expect((await person.get(`/api/v01/exams/${examId}/paper`, 200)).body.messages).toEqual([first, second])
    expect((await other.get(`/api/v01/exams/${examId}/paper`, 200)).body.messages).toEqual([first])
    expect(otherSocket.of('exam_message')).toHaveLength(1)
    expect((await person.get(`/api/exams/${examId}/paper`, 200)).body).not.toHaveProperty('messages')

    await person.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    expect((await send({ text: 'Late', user_ids: [person.id] })).body).toMatchObject({
      done: 0,
      errors: [{ user_id: person.id, code: 'already_submitted' }],
    })
    const [{ full_name: author_name } = {}] =
      await service.sql`select full_name from users where id = ${admin.id}`
    const review = async (id: number) =>
      (await admin.get(`/api/v01/admin/attempts/${id}/review`, 200)).body.messages
    expect(await review(attemptId)).toEqual([first, second].map((each) => ({ ...each, author_name })))
    expect(await review(otherId)).toEqual([{ ...first, author_name }])
    const log = JSON.stringify(await admin.get(`/api/v01/admin/audit?subject=exam:${examId}`, 200))
    expect(log).not.toContain('metres')
    await admin.post(`${live(examId)}/message`, { text: ' ' }, 400)
    await admin.post(`${live(examId)}/message`, { text: 'x'.repeat(501) }, 400)
  })

  test('of one exam isn’t sent while another one locks help, and of an attempt there are fifty at most', async () => {
    const open = await createTimed()
    const locking = await createTimed({ lock_help: true })
    const { person, attemptId } = await begin(open.examId, open.questionIds[0] as number)
    await start(person, locking.examId)
    const socket = await person.socket()
    await admin.post(`${live(open.examId)}/message`, { text: 'The answer is 42' }, 200)
    await admin.post(`${live(locking.examId)}/message`, { text: 'Hello' }, 200)
    await socket.until(() => socket.of('exam_message')[0], 1_000)
    expect(socket.of('exam_message')).toMatchObject([{ exam_id: locking.examId }])
    await service.sql`
      insert into attempt_messages (attempt_id, text, sent_at)
      select ${attemptId}, 'x', now() from generate_series(1, 49)`
    expect(
      (await admin.post(`${live(open.examId)}/message`, { text: 'y', user_ids: [person.id] }, 200)).body,
    ).toMatchObject({ done: 0, errors: [{ user_id: person.id, code: 'too_many' }] })
  })
})
