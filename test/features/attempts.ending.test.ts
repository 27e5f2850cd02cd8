import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { startService, type TestService } from '../support/service.ts'

/** So that tokens outlive it. */
const HALF_HOUR_MS = 30 * 60_000
let now = Date.UTC(2026, 10, 20, 10)

let service: TestService
let admin: Client
beforeAll(async () => {
  service = await startService({ nodes: 2, clock: () => now })
  admin = await service.admin()
})
afterAll(() => service.close())
beforeEach(() => admin.login(admin.username))

const elsewhere = (client: Client) => client.at(service.urls[1] as string)

/** Another device of somebody: a session of its own. */
async function deviceOf(person: Client, node = 0): Promise<Client> {
  const device = service.guest(node)
  await device.login(person.username)
  return device
}

/** Somebody's attempt of half an hour, with one answer of theirs. */
async function begin() {
  const { examId, questionIds } = await createExam(service.sql, { duration_minutes: 30 })
  const questionId = questionIds[0] as number
  const alice = await service.person()
  const exam = `/api/v01/exams/${examId}` as const
  const { attempt_id } = (await alice.post(`${exam}/start`, {}, 201)).body
  await alice.get(`${exam}/paper`, 200)
  const answers = { [questionId]: 'A' }
  await elsewhere(alice).put(`${exam}/answers`, { answers }, 200)
  const sayEnd = async (client = alice) => (await client.post(`${exam}/end`, { attempt_id }, 200)).body
  return { exam, questionId, attempt_id, alice, sayEnd }
}

describe('the end of the time', () => {
  test('closes an attempt at once where its one device has nothing more to send, and never before', async () => {
    const { exam, attempt_id, alice, sayEnd } = await begin()
    now += HALF_HOUR_MS - 1
    expect(await sayEnd()).toMatchObject({ closed: false, ends_at: new Date(now + 1).toISOString() })
    now += 1
    expect(await sayEnd(elsewhere(alice))).toEqual({
      success: true,
      closed: true,
      ends_at: new Date(now).toISOString(),
      server_time: new Date(now).toISOString(),
    })
    expect((await alice.get(`/api/v01/attempts/${attempt_id}`, 200)).body).toMatchObject({
      status: 'expired',
      submitted_by: 'time',
      submitted_at: new Date(now).toISOString(),
      result: { correct: 1 },
    })
    expect((await alice.post(`${exam}/end`, { attempt_id }, 409)).body.code).toBe('no_active_attempt')
    await service.guest().post(`${exam}/end`, { attempt_id }, 401)
    await alice.post(`${exam}/end`, {} as never, 400)
    const bob = await service.person()
    expect((await bob.post(`${exam}/end`, { attempt_id }, 409)).body.code).toBe('no_active_attempt')
  })

  test.each(['reads the paper', 'saves an answer', 'says that it is over'] as const)(
    'waits for late answers where another device %s, on the other node',
    async (what) => {
      const { exam, questionId, attempt_id, alice, sayEnd } = await begin()
      const phone = await deviceOf(alice, 1)
      if (what === 'reads the paper') await phone.get(`${exam}/paper`, 200)
      if (what === 'saves an answer') await phone.put(`${exam}/answers`, { answers: {} }, 200)
      now += HALF_HOUR_MS
      if (what === 'says that it is over') expect(await sayEnd(phone)).toMatchObject({ closed: false })
      expect(await sayEnd()).toMatchObject({ closed: false })
      now += 29_000
      await phone.put(`${exam}/answers`, { attempt_id, answers: { [questionId]: 'B' } }, 200)
      expect(await sayEnd()).toMatchObject({ closed: false })
      await phone.post(`${exam}/submit`, {}, 200)
      expect((await alice.get(`/api/v01/attempts/${attempt_id}`, 200)).body.result).toMatchObject({
        incorrect: 1,
      })
    },
  )

  test('is never both: a device that gets the paper is waited for, whatever comes first on two nodes', async () => {
    const seen = new Set<boolean>()
    for (let n = 0; n < 12; n += 1) {
      const { exam, alice, sayEnd } = await begin()
      const phone = await deviceOf(alice, 1)
      now += HALF_HOUR_MS
      const [{ closed }, paper] = await Promise.all([
        n % 2 ? sayEnd() : new Promise((go) => setImmediate(go)).then(() => sayEnd()),
        phone.get(`${exam}/paper`),
      ])
      expect(paper.status).toBe(closed ? 409 : 200)
      seen.add(closed)
    }
    expect(seen.size).toBeGreaterThan(0)
  })

  test('grades each by their own numbers where many say it together', async () => {
    const questions = '/api/v01/admin/questions'
    const settings = { name: 'Numbers', is_published: true, duration_minutes: 30 }
    const { exam } = (await admin.post('/api/v01/admin/exams', settings, 201)).body
    const double = {
      question_type: 'NUMERIC',
      question_text: 'Double {@a@}',
      correct_answer: '{@2*a@}',
      variables: [{ name: 'a', from: 1, to: 100_000, step: 1 }],
    }
    await admin.post(`${questions}/bulk-add`, { exam_id: exam.id, questions: [double] }, 201)
    const path = `/api/v01/exams/${exam.id}` as const
    const attempts = await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const student = await service.person()
        const { attempt_id } = (await student.post(`${path}/start`, {}, 201)).body
        const [question] = (await student.get(`${path}/paper`, 200)).body.questions
        const own = Number(/\d+/.exec(question?.question_text ?? ''))
        const answers = { [question?.id as number]: String(2 * own + (index % 2)) }
        await student.put(`${path}/answers`, { answers }, 200)
        return { student, attempt_id }
      }),
    )
    now += HALF_HOUR_MS
    await Promise.all(
      attempts.map(({ student, attempt_id }) => student.post(`${path}/end`, { attempt_id }, 200)),
    )
    const results = await Promise.all(
      attempts.map(
        async ({ student, attempt_id }) =>
          (await student.get(`/api/v01/attempts/${attempt_id}`, 200)).body.result?.correct,
      ),
    )
    expect(results).toEqual([1, 0, 1, 0, 1, 0])
  })

  test('is each one’s own where many say it together', async () => {
    const { examId } = await createExam(service.sql, { duration_minutes: 30 })
    const people = await Promise.all(Array.from({ length: 12 }, () => service.person()))
    const exam = `/api/v01/exams/${examId}` as const
    const ids = await Promise.all(
      people.map(async (each) => (await each.post(`${exam}/start`, {}, 201)).body.attempt_id as number),
    )
    const [first] = people as [Client]
    now += HALF_HOUR_MS
    await admin.post(`/api/v01/admin/exams/${examId}/extend`, { minutes: 5, user_ids: [first.id] }, 200)
    const said = await Promise.all(
      people.map((each, n) =>
        (n % 2 ? elsewhere(each) : each).post(`${exam}/end`, { attempt_id: ids[n] as number }, 200),
      ),
    )
    expect(said.map(({ body }) => body.closed)).toEqual(people.map((each) => each !== first))
    const rows = await service.sql`select user_id, status from attempts where exam_id = ${examId}`
    expect(Object.fromEntries(rows.map(({ user_id, status }) => [user_id, status]))).toEqual(
      Object.fromEntries(people.map((each) => [each.id, each === first ? 'active' : 'expired'])),
    )
  })
})
