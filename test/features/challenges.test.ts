import { expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { sharedService } from '../support/service.ts'

const service = await sharedService()
const admin = await service.admin()

async function sit(person: Client, examId: number) {
  const { body } = await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
  await person.post(`/api/v01/exams/${examId}/submit`, {}, 200)
  return `/api/v01/attempts/${body.attempt_id}/challenges` as const
}

test('a student challenges a question, a teacher decides, and the student is told', async () => {
  const { examId, questionIds } = await createExam(service.sql, {
    questions: [{ question_text: 'Which one?' }, {}],
  })
  const [first, second] = questionIds as [number, number]
  const [alice, bob] = [await service.person(), await service.person()]
  const path = await sit(alice, examId)
  const made = await alice.post(path, { question_id: first, message: '  It is B, not A. ' }, 201)
  const challenge = {
    id: expect.any(Number),
    attempt_id: expect.any(Number),
    exam_id: examId,
    question_id: first,
    message: 'It is B, not A.',
    status: 'open',
    reply: null,
    created_at: expect.stringMatching(/Z$/),
    resolved_at: null,
  }
  expect(made.body).toEqual({ success: true, challenge })
  const again = await alice.post(path, { question_id: first, message: 'Please' }, 409)
  expect(again.body.code).toBe('already_pending')
  await alice.post(path, { question_id: second, message: 'This one too' }, 201)
  expect((await alice.get(path, 200)).body.challenges).toMatchObject([
    { question_id: first },
    { question_id: second },
  ])

  const listed = await admin.get(`/api/v01/admin/challenges?status=open&exam_id=${examId}`, 200)
  expect(listed.body).toMatchObject({ success: true, total: 2, page: 1, per_page: 50, total_pages: 1 })
  expect(listed.body.challenges[1]).toEqual({
    ...made.body.challenge,
    username: alice.username,
    question_text: 'Which one?',
  })
  expect(
    (await admin.get(`/api/v01/admin/challenges?status=rejected&exam_id=${examId}`, 200)).body.total,
  ).toBe(0)
  await bob.get('/api/v01/admin/challenges', 403)

  const socket = await alice.socket()
  const resolve = `/api/v01/admin/challenges/${made.body.challenge.id}/resolve` as const
  await admin.post(resolve, { status: 'open' }, 400)
  const resolved = await admin.post(resolve, { status: 'accepted', reply: 'You are right.' }, 200)
  expect(resolved.body.challenge).toEqual({
    ...made.body.challenge,
    status: 'accepted',
    reply: 'You are right.',
    resolved_at: expect.stringMatching(/Z$/),
  })
  expect(await socket.waitFor(({ type }) => type === 'challenge_resolved')).toEqual({
    type: 'challenge_resolved',
    challenge: resolved.body.challenge,
  })
  expect((await admin.post(resolve, { status: 'rejected' }, 409)).body.code).toBe('already_processed')
  await admin.post('/api/v01/admin/challenges/2000000000/resolve', { status: 'rejected' }, 404)
  // The first challenge is decided, so there may be another.
  await alice.post(path, { question_id: first, message: 'And now?' }, 201)
  const audit = await admin.get(`/api/v01/admin/audit?subject=challenge:${made.body.challenge.id}`, 200)
  expect(audit.body.entries).toMatchObject([{ action: 'challenge.resolve' }])
})

test("only one's own released results can be challenged, and only questions of their paper", async () => {
  const { examId, questionIds } = await createExam(service.sql, { result_mode: 'on_release' })
  const other = await createExam(service.sql)
  const [alice, bob] = [await service.person(), await service.person()]
  const path = await sit(alice, examId)
  const body = { question_id: Number(questionIds[0]), message: 'Why?' }
  expect((await alice.post(path, body, 403)).body.code).toBe('results_not_released')
  await admin.post(`/api/v01/admin/exams/${examId}/toggle-results`, { released: true }, 200)
  await bob.post(path, body, 404)
  await bob.get(path, 404)
  await alice.post(path, { ...body, question_id: other.questionIds[0] }, 404)
  for (const message of ['', ' ', 'x'.repeat(4_001)]) await alice.post(path, { ...body, message }, 400)
  await alice.post(path, { ...body, message: '𝛑'.repeat(4_000) }, 201)
  await service.guest().get(path, 401)
})

test('a person has at most 100 open challenges, however many come at once', async () => {
  const { examId, questionIds } = await createExam(service.sql, {
    questions: Array.from({ length: 105 }, () => ({})),
  })
  const alice = await service.person()
  const path = await sit(alice, examId)
  await service.sql`
    insert into challenges (attempt_id, question_id, message)
    select attempts.id, question_id, 'Why?' from attempts, unnest(${questionIds.slice(0, 90)}::int[]) question_id
     where user_id = ${alice.id}`
  const answers = await Promise.all(
    questionIds.slice(90).map((question_id) => alice.post(path, { question_id, message: 'Why?' })),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(10)
  expect(answers.filter(({ body }) => body.code === 'too_many')).toHaveLength(5)
})
