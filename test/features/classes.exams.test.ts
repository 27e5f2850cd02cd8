import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam } from '../support/content/exams.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let admin: Client
let student: Client
let teacher: Client
let stranger: Client
let classId: number
beforeAll(async () => {
  service = await startService({ nodes: 2 })
  const people = [service.admin(), service.person(), service.person(), service.person()]
  ;[admin, student, teacher, stranger] = (await Promise.all(people)) as [Client, Client, Client, Client]
  classId = await createClass(service.sql, { students: [student], teachers: [teacher] })
})
afterAll(() => service.close())

/** An exam for the class. */
async function classExam(fields: Parameters<typeof createExam>[1] = {}) {
  const exam = await createExam(service.sql, fields)
  await admin.patch(`/api/v01/admin/exams/${exam.examId}`, { class_ids: [classId] }, 200)
  return { ...exam, questionId: exam.questionIds[0] as number }
}

const elsewhere = (person: Client) => person.at(service.urls[1] as string)
const leave = (person: Client) =>
  service.sql`update class_members set left_at = now() where class_id = ${classId} and user_id = ${person.id}`
const join = (person: Client) =>
  service.sql`update class_members set left_at = null where class_id = ${classId} and user_id = ${person.id}`

describe('an exam for classes', () => {
  test('is nowhere for other people, in either generation', async () => {
    const { examId, questionId } = await classExam({ name: 'Only for 10 b' })
    for (const base of ['/api/v01', '/api'] as const) {
      const at = `${base}/exams/${examId}`
      const discussion = `${base}/${base === '/api' ? 'discussion' : 'discussions'}/${questionId}`
      for (const person of [stranger, student, teacher, admin]) {
        const status = person === stranger ? 404 : 200
        const listed = (await person.get(`${base}/exams?q=Only`, 200)).body.exams.map(
          ({ id }: { id: number }) => id,
        )
        expect(listed).toEqual(person === stranger ? [] : [examId])
        expect((await person.get(at)).status).toBe(status)
        expect((await person.get(`${at}/attempt-status`)).status).toBe(status)
        expect((await person.post(`${at}/prepare`, {})).status).toBe(status)
        expect((await person.get(discussion)).status).toBe(status)
        expect((await person.post(discussion, { message: 'Why?' })).status).toBe(status === 200 ? 201 : 404)
      }
      for (const rest of ['/start', '/submit'] as const)
        expect((await stranger.post(`${at}${rest}`, {})).status, rest).toBe(404)
      expect((await stranger.get(`${at}/paper`)).status).toBe(404)
      expect((await stranger.put(`${at}/answers`, { answers: {}, markedForReview: [] })).status).toBe(404)
      const counts = await stranger.post('/api/v01/discussions/counts', { question_ids: [questionId] }, 200)
      expect(counts.body.counts).toEqual({ [questionId]: 0 })
    }
    expect((await teacher.post(`/api/v01/exams/${examId}/start`, {}, 403)).body.code).toBe('teaches_exam')
    await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
  })

  test('names its classes, and is for everybody again without them', async () => {
    const { examId } = await classExam()
    const at = `/api/v01/admin/exams/${examId}` as const
    expect((await admin.get(at, 200)).body.exam.class_ids).toEqual([classId])
    const { body } = await admin.patch(at, { class_ids: [classId, 999_999] }, 400)
    expect(body.errors).toMatchObject([{ path: '/class_ids' }])
    await stranger.get(`/api/v01/exams/${examId}`, 404)
    expect((await admin.patch(at, { class_ids: [] }, 200)).body.exam.class_ids).toEqual([])
    await stranger.get(`/api/v01/exams/${examId}`, 200)
  })

  test('is finished by who leaves the class during it, and gone afterwards but for the result', async () => {
    const { examId, questionId } = await classExam()
    const at = `/api/v01/exams/${examId}` as const
    const { body } = await student.post(`${at}/start`, {}, 201)
    await leave(student)
    expect((await student.post(`${at}/start`, {}, 200)).body.resumed).toBe(true)
    await student.get(`${at}/paper`, 200)
    await student.put(`${at}/answers`, { answers: { [questionId]: 'A' }, markedForReview: [] }, 200)
    await student.get(`/api/v01/discussions/${questionId}`, 200)
    await student.post(`${at}/submit`, {}, 200)
    await student.get(at, 404)
    await student.get(`${at}/attempt-status`, 404)
    await student.post(`${at}/start`, {}, 404)
    await student.get(`/api/v01/discussions/${questionId}`, 404)
    expect((await student.get(`/api/v01/attempts/${body.attempt_id}`, 200)).body.result.score).toBe(4)
    await join(student)
  })

  test('of an archived class goes on for nobody but those who are taking it', async () => {
    const { examId } = await classExam()
    const at = `/api/v01/exams/${examId}` as const
    const other = await service.person()
    await service.sql`insert into class_members (class_id, user_id, role) values (${classId}, ${other.id}, 'student')`
    await student.post(`${at}/start`, {}, 201)
    await admin.patch(`/api/v01/admin/classes/${classId}`, { archived: true }, 200)
    await other.get(at, 404)
    await other.post(`${at}/start`, {}, 404)
    await teacher.get(at, 404)
    await teacher.get(`/api/v01/classes/${classId}/results?exam_id=${examId}`, 200)
    await student.post(`${at}/submit`, {}, 200)
    await student.get(at, 404)
    await admin.patch(`/api/v01/admin/classes/${classId}`, { archived: false }, 200)
    await other.get(at, 200)
  })

  test('ends its frames on every node when it is for others from now on', async () => {
    const { examId, questionId } = await classExam()
    const [mine, theirs] = await Promise.all([elsewhere(student).socket(), elsewhere(admin).socket()])
    for (const socket of [mine, theirs])
      expect(await socket.ask({ type: 'subscribe', topic: `question:${questionId}` })).toMatchObject({
        type: 'ack',
      })
    const other = await createClass(service.sql)
    await admin.patch(`/api/v01/admin/exams/${examId}`, { class_ids: [other] }, 200)
    await expect
      .poll(async () => {
        const before = mine.of('comment').length
        const { body } = await admin.post(
          `/api/v01/discussions/${questionId}`,
          { message: 'Who reads?' },
          201,
        )
        await theirs.until(() => theirs.of('comment').some(({ comment }) => comment.id === body.comment.id))
        return mine.of('comment').length - before
      })
      .toBe(0)
    expect(await mine.ask({ type: 'subscribe', topic: `question:${questionId}` })).toMatchObject({
      type: 'error',
      code: 'not_found',
    })
  })
})
