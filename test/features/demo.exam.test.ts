import { expect, test } from 'vitest'
import { DEMO_PASSWORD } from '../../src/features/demo/demo-accounts.ts'
import { seedDemo } from '../../src/features/demo/demo-seed.ts'
import { checkQuestion } from '../../src/features/questions/question-checks.ts'
import { withService } from '../support/service.ts'

test('the demo exam can be taken at once, and its right answers get all marks', async () => {
  const service = await withService({ config: { demo: true } })
  const [node] = service.nodes
  if (!node) throw new Error('no node')
  expect(await seedDemo(node.core)).toBe(true)
  expect(await seedDemo(node.core)).toBe(false)

  const alice = service.guest()
  await alice.login('alice', DEMO_PASSWORD)
  const [exam] = (await alice.get('/api/v01/exams', 200)).body.exams
  const rows =
    await service.sql`select id, question_type, correct_answer from questions where exam_id = ${Number(exam?.id)}`
  expect(exam?.question_count).toBe(rows.length)
  const answers: Record<string, string | string[]> = {}
  for (const row of rows) {
    const { id, question_type, correct_answer } = row
    expect(checkQuestion(row)).toMatchObject({ question: { correct_answer } })
    answers[id] = question_type === 'MSQ' ? correct_answer.split(',') : correct_answer
  }
  expect(new Set(rows.map(({ question_type }) => question_type))).toEqual(new Set(['MCQ', 'MSQ', 'NUMERIC']))
  await alice.post(`/api/v01/exams/${exam?.id}/start`, {}, 201)
  const { result } = (await alice.post(`/api/v01/exams/${exam?.id}/submit`, { answers }, 200)).body
  expect(result).toMatchObject({ percentage: 100, correct: rows.length, unattempted: 0 })
})

test('the demo of an exam day, once published, is open, locks help, and gives Bob more time', async () => {
  const service = await withService({ config: { demo: true } })
  const [node] = service.nodes
  if (!node) throw new Error('no node')
  await seedDemo(node.core)
  const [admin, bob] = [service.guest(), service.guest()]
  await admin.login('admin', DEMO_PASSWORD)
  await bob.login('bob', DEMO_PASSWORD)
  const { exams } = (await admin.get('/api/v01/admin/exams', 200)).body
  const id = exams.find(({ lock_help }) => lock_help)?.id
  await bob.get(`/api/v01/exams/${id}`, 404)
  await admin.patch(`/api/v01/admin/exams/${id}`, { is_published: true }, 200)
  expect((await bob.get(`/api/v01/exams/${id}`, 200)).body.exam).toMatchObject({
    opens_at: expect.any(String),
    closes_at: expect.any(String),
    extra_time_percent: 50,
  })
  await bob.post(`/api/v01/exams/${id}/start`, {}, 201)
  expect((await bob.get('/api/v01/chat/unread', 403)).body.code).toBe('exam_in_progress')
})

test('of several seedings at once only one takes effect', async () => {
  const service = await withService({ config: { demo: true } })
  const [node] = service.nodes
  if (!node) throw new Error('no node')
  const seeded = await Promise.all([1, 2, 3].map(() => seedDemo(node.core)))
  expect(seeded.filter(Boolean)).toHaveLength(1)
  expect(await service.sql`select name from exams`).toHaveLength(2)
})

test('demo accounts of a service that went public can’t sign in any more', async () => {
  const service = await withService({ config: { demo: false } })
  const [node] = service.nodes
  if (!node) throw new Error('no node')
  await seedDemo(node.core)
  const refused = await service
    .guest()
    .post('/api/v01/auth/login', { username: 'Admin@example.org', password: DEMO_PASSWORD }, 401)
  expect(refused.body).toMatchObject({ code: 'invalid_credentials' })
  await service.sql`update users set username = 'ada' where username = 'admin'`
  await service.guest().login('ada', DEMO_PASSWORD)
})
