import { once } from 'node:events'
import { request, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { Answer, Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { sharedService } from '../support/service.ts'

const service = await sharedService()

const QUESTIONS = 60

/** Two people with active attempts whose syncs go through the same lane. */
async function neighbours() {
  const { examId, questionIds } = await createExam(service.sql, {
    questions: Array.from({ length: QUESTIONS }, () => ({})),
  })
  const people = await Promise.all(
    [1, 2, 3].map(async () => {
      const client = await service.person()
      const { body } = await client.post(`/api/v01/exams/${examId}/start`, {}, 201)
      return { client, attemptId: body.attempt_id as number }
    }),
  )
  const [first, ...others] = people as [(typeof people)[0], ...typeof people]
  const second = others.find(({ attemptId }) => (attemptId - first.attemptId) % 2 === 0)
  const [one, other] = second ? [first, second] : others
  if (!one || !other) throw new Error('of three attempts two share a lane')
  return { one, other, examId, questionIds, path: `/api/v01/exams/${examId}/answers` }
}

function holding(attemptId: number, during: () => Promise<void>) {
  return service.sql.begin(async (tx) => {
    await tx`select from attempts where id = ${attemptId} for update`
    await during()
  })
}

const answersOf = async (client: Client, examId: number) =>
  (await client.get(`/api/v01/exams/${examId}/paper`, 200)).body.answers

describe('of those who start together', () => {
  test('each gets their own outcome: some start, some resume, some are refused', async () => {
    const { examId } = await createExam(service.sql, { max_attempts: 1, lock_help: true })
    const { examId: hidden } = await createExam(service.sql, { published: false })
    const { examId: empty } = await createExam(service.sql, { questions: [] })
    const people = await Promise.all(Array.from({ length: 30 }, () => service.person()))
    const [fresh, exhausted] = [people.slice(0, 20), people.slice(20)]
    for (const { id } of exhausted)
      await service.sql`insert into attempts (user_id, exam_id, attempt_number, status, started_at)
                        values (${id}, ${examId}, 1, 'manual', now())`
    const start = (client: Client, exam: number) => client.post(`/api/v01/exams/${exam}/start`)
    const answers = await Promise.all([
      ...fresh.flatMap((client) => [start(client, examId), start(client, examId)]),
      ...exhausted.map((client) => start(client, examId)),
      ...exhausted.map((client) => start(client, hidden)),
      ...exhausted.map((client) => start(client, empty)),
    ])
    const codes = Map.groupBy(answers, ({ status, body }) => `${status} ${body.code ?? ''}`)
    expect(Object.fromEntries([...codes].map(([code, { length }]) => [code, length]))).toEqual({
      '201 ': 20,
      '200 ': 20,
      '403 attempts_exhausted': 10,
      '404 not_found': 10,
      '409 exam_empty': 10,
    })
    for (const client of fresh) expect((await client.get('/api/v01/chat/conversations')).status).toBe(403)
  })

  test('only those wait for whom another transaction holds a lock', async () => {
    const [{ examId: one }, { examId: other }] = [
      await createExam(service.sql),
      await createExam(service.sql, { lock_help: true }),
    ]
    const people = await Promise.all(Array.from({ length: 6 }, () => service.person()))
    const [held, timed, helped, ...free] = people as [Client, Client, Client, ...Client[]]
    const start = (client: Client, exam: number, status: number) =>
      client.post(`/api/v01/exams/${exam}/start`, {}, status)
    const waiting: Promise<Answer>[] = []
    let ended = 0
    await service.sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended(${`attempts:${held.id}:${other}`}, 0)),
                      pg_advisory_xact_lock(hashtextextended(${`exam-times:${one}`}, 0))`
      await tx`select from users where id = ${helped.id} for no key update`
      for (const each of [start(held, other, 201), start(timed, one, 201), start(helped, other, 201)])
        waiting.push(each.finally(() => (ended += 1)))
      await Promise.all(free.map((client) => start(client, other, 201)))
      expect(ended).toBe(0)
    })
    await Promise.all(waiting)
  })
})

describe('while a transaction elsewhere holds an attempt', () => {
  test('only its own syncs wait', async () => {
    const { one, other, examId, questionIds, path } = await neighbours()
    const [id] = questionIds as [number]
    let waiting: Promise<Answer> | undefined
    await holding(one.attemptId, async () => {
      waiting = one.client.put(path, { answers: { [id]: 'A' } })
      await other.client.get(`/api/v01/exams/${examId}/paper`, 200)
      for (const letter of 'ABC') await other.client.put(path, { answers: { [id]: letter } }, 200)
      expect(await answersOf(one.client, examId)).toEqual({})
    })
    expect((await waiting)?.status).toBe(200)
    expect(await answersOf(one.client, examId)).toEqual({ [id]: 'A' })
  })

  test('however many of its syncs wait, others go on, and none is lost', async () => {
    const { one, other, examId, questionIds, path } = await neighbours()
    let waiting: Promise<Answer>[] = []
    await holding(one.attemptId, async () => {
      waiting = questionIds.map((id) => one.client.put(path, { answers: { [id]: 'A' } }, 200))
      await other.client.put(path, { answers: { [questionIds[0] as number]: 'B' } }, 200)
    })
    await Promise.all(waiting)
    expect(Object.keys(await answersOf(one.client, examId)).map(Number)).toEqual(questionIds)
  })

  test('a sync that waits behind another is dropped if its client hangs up', async () => {
    const { one, examId, questionIds, path } = await neighbours()
    const [first, second] = questionIds as [number, number]
    let waiting: Promise<Answer> | undefined
    await holding(one.attemptId, async () => {
      waiting = one.client.put(path, { answers: { [first]: 'A' } })
      await one.client.get(`/api/v01/exams/${examId}/paper`, 200)
      const accepted = once(service.nodes[0]?.app.server as Server, 'connection')
      const sync = request(service.urls[0] + path, {
        method: 'PUT',
        agent: false,
        headers: {
          authorization: `Bearer ${one.client.accessToken}`,
          'content-type': 'application/json',
        },
      }).on('error', () => {})
      sync.end(JSON.stringify({ answers: { [second]: 'B' } }))
      const [connection] = (await accepted) as [Socket]
      await one.client.get(`/api/v01/exams/${examId}/paper`, 200)
      sync.destroy()
      await once(connection, 'close')
    })
    expect((await waiting)?.status).toBe(200)
    await one.client.put(path, { answers: {} }, 200)
    expect(await answersOf(one.client, examId)).toEqual({ [first]: 'A' })
  })
})
