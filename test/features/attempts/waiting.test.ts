import { once } from 'node:events'
import { request, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer, Client } from '../../support/client.ts'
import { createExam } from '../../support/content/exams.ts'
import { startService, type TestService } from '../../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const QUESTIONS = 60

/** Two people with attempts under way that share a lane. */
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

  test('what waits behind another sync is dropped if its reader hangs up', async () => {
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
