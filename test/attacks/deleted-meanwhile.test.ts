import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Answer } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { connectedPair, startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** The answer to a request that finds a row which is gone before the request has stored what refers to it. */
async function whileDeleting(table: string, id: number, request: () => Promise<Answer>): Promise<Answer> {
  const { sql } = service
  let answer: Promise<Answer> | undefined
  await sql.begin(async (tx) => {
    await tx`delete from ${tx(table)} where id = ${id}`
    answer = request()
    // It waits for the row.
    await vi.waitFor(async () => expect(await service.lockWaits()).not.toHaveLength(0), {
      timeout: PATIENCE_MS,
      interval: 10,
    })
  })
  return answer as Promise<Answer>
}

describe('what is deleted while a request refers to it is 404, not 500', () => {
  test('a comment that is reported', async () => {
    const [author, reader] = [await service.person(), await service.person()]
    const { questionIds } = await createExam(service.sql)
    const comment = (
      await author.post(`/api/v01/discussions/${questionIds[0]}`, { message: 'a comment' }, 201)
    ).body.comment.id
    const answer = await whileDeleting('comments', comment, () =>
      reader.post(`/api/v01/discussions/comments/${comment}/report`, { reason: 'rude' }),
    )
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  test('a message that is reported', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const message = (await alice.send(conversationId, 'hello', undefined, 201)).body.message.id
    const answer = await whileDeleting('messages', message, () =>
      bob.post(`/api/v01/chat/messages/${message}/report`, { reason: 'rude' }),
    )
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })
})

describe('practice goes on', () => {
  test('while an attempt is reset whose answers it reads', async () => {
    const person = await service.person()
    const { examId } = await createExam(service.sql)
    const { attempt_id } = (await person.post(`/api/v01/exams/${examId}/start`, {}, 201)).body
    await person.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    const answer = await whileDeleting('attempts', attempt_id, () => person.get('/api/v01/practice'))
    expect(answer.status).toBe(200)
    expect((await person.get('/api/v01/practice', 200)).body).toMatchObject({ due: 0, new: 0 })
  })
})
