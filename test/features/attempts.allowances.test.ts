import { expect, test } from 'vitest'
import { COMMAND_LINE } from '../../src/actor.ts'
import * as attempts from '../../src/features/attempts/manual-attempts.service.ts'
import type { Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { sharedService } from '../support/service.ts'

const service = await sharedService()

async function countAttempts(person: Client, examId: number) {
  const { body } = await person.get(`/api/v01/exams/${examId}`, 200)
  return [body.exam.attempts_used, body.exam.attempts_remaining]
}

async function takeOnce(person: Client, examId: number) {
  const { body } = await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
  await person.post(`/api/v01/exams/${examId}/submit`, {}, 200)
  return body.attempt_number
}

test('manual attempts count against the cap but are listed nowhere; the newest attempts are removed first', async () => {
  const [node] = service.nodes
  if (!node) throw new Error('no node')
  const { examId } = await createExam(service.sql, { max_attempts: 4 })
  const alice = await service.person()
  expect(await takeOnce(alice, examId)).toBe(1)
  await attempts.addManualAttempts(node.core, COMMAND_LINE, alice.id, examId, 2)
  expect(await countAttempts(alice, examId)).toEqual([3, 1])
  const status = (await alice.get(`/api/v01/exams/${examId}/attempt-status`, 200)).body
  expect(status).toMatchObject({ completed_count: 1, attempts_remaining: 1 })
  const history = (await alice.get('/api/v01/attempts', 200)).body
  expect(history).toMatchObject({ total: 1, attempts: [{ attempt_number: 1 }] })
  const [manual] =
    await service.sql`select id from attempts where user_id = ${alice.id} and status = 'manual'`
  await alice.get(`/api/v01/attempts/${manual?.id}`, 404)

  expect(await takeOnce(alice, examId)).toBe(4)
  await alice.post(`/api/v01/exams/${examId}/start`, {}, 403)
  await attempts.addManualAttempts(node.core, COMMAND_LINE, alice.id, examId, 5)
  expect(await countAttempts(alice, examId)).toEqual([9, 0])

  expect(await attempts.removeLatestAttempts(node.core, COMMAND_LINE, alice.id, examId, 6)).toBe(6)
  expect(await countAttempts(alice, examId)).toEqual([3, 1])
  expect((await alice.get('/api/v01/attempts', 200)).body.total).toBe(1)
  expect(await attempts.removeLatestAttempts(node.core, COMMAND_LINE, alice.id, examId, 99)).toBe(3)
  expect(await countAttempts(alice, examId)).toEqual([0, 4])
})

test('an active attempt that was removed can’t be continued, and the next one starts empty', async () => {
  const [node] = service.nodes
  if (!node) throw new Error('no node')
  const { examId, questionIds } = await createExam(service.sql)
  const alice = await service.person()
  const bob = await service.person()
  const base = `/api/v01/exams/${examId}` as const
  for (const person of [alice, bob]) {
    await person.post(`${base}/start`, {}, 201)
    await person.put(`${base}/answers`, { answers: { [questionIds[0] as number]: 'A' } }, 200)
  }
  expect(await attempts.resetAttempts(node.core, COMMAND_LINE, alice.id, examId)).toBe(1)
  await alice.put(`${base}/answers`, { answers: {} }, 409)
  await alice.post(`${base}/submit`, {}, 409)
  expect((await alice.post(`${base}/start`, {}, 201)).body.attempt_number).toBe(1)
  expect((await alice.get(`${base}/paper`, 200)).body.answers).toEqual({})
  expect((await bob.post(`${base}/submit`, {}, 200)).body.result?.correct).toBe(1)
})

test('deleting an account deletes its attempts only; deleting an exam deletes all of its attempts', async () => {
  const { examId } = await createExam(service.sql)
  const other = await createExam(service.sql)
  const [alice, bob] = [await service.person(), await service.person()]
  for (const person of [alice, bob]) {
    await takeOnce(person, examId)
    await takeOnce(person, other.examId)
    await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
  }
  const count = async (exam: number) => {
    const rows = await service.sql`select user_id from attempts where exam_id = ${exam} order by user_id`
    return rows.map(({ user_id }) => user_id)
  }
  await service.sql`delete from users where id = ${alice.id}`
  expect(await count(examId)).toEqual([bob.id, bob.id])
  expect((await bob.get('/api/v01/attempts', 200)).body.total).toBe(2)

  await service.sql`delete from exams where id = ${examId}`
  expect(await count(examId)).toEqual([])
  expect(await service.sql`select from exam_papers where exam_id = ${examId}`).toHaveLength(0)
  expect((await bob.get('/api/v01/attempts', 200)).body).toMatchObject({
    total: 1,
    attempts: [{ exam_id: other.examId }],
  })
})
