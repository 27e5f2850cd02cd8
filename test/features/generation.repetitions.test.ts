import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { startModel, type TestModel } from '../support/outside/model.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { startService, type TestService } from '../support/service.ts'

const AI = '/api/v01/admin/ai'
const STORED = 10_000

let model: TestModel
let service: TestService
let admin: Client
beforeAll(async () => {
  model = await startModel()
  service = await startService({ config: { ai: model.ai } })
  admin = await service.admin()
})
afterAll(async () => {
  await service.close()
  await model.stub.close()
})

const ask = (...texts: string[]) => ({
  kind: 'answer' as const,
  text: JSON.stringify({
    questions: texts.map((question_text) => ({
      question_type: 'NUMERIC',
      question_text,
      correct_answer: '1',
    })),
  }),
})

test('of a large exam no question is written again, nor of what is added while a job runs', async () => {
  const examId = (await admin.post('/api/v01/admin/exams', { name: 'Large' }, 201)).body.exam.id
  await service.sql`
    insert into questions (exam_id, question_text, question_type, correct_answer)
    select ${examId}, 'In how many ways can ' || n || ' letters be put into ' || n + 1 || ' boxes?', 'NUMERIC', '1'
      from generate_series(1, ${STORED}::int) n`
  const { promise: until, resolve: goOn } = Promise.withResolvers<void>()
  model.stub.script.push(
    ask(
      // The first, one from the middle and the last of them, as a model would put them.
      'In how many ways can 1 letters be put into 2 BOXES?',
      'In how many ways can 5000 letters be put in to 5001 boxes',
      'In how many ways can $10000$ letters be put into $10001$ boxes?',
      // Other numbers, and other words.
      'In how many ways can 5000 letters be put into 5002 boxes?',
      'How warm is the sun?',
    ),
    ask(...Array.from({ length: 8 }, (_, at) => `What is 3 times ${at}?`)),
    { ...ask('Which metal is liquid?', 'How deep is the sea?'), hold: 0, until },
    ask(),
  )
  const { job_id: id } = (
    await admin.request(
      'POST',
      `${AI}/generate`,
      form({ exam_id: examId, mode: 'pure', topic: 'x', numeric_count: 12, check: 'false' }),
      202,
    )
  ).body
  const read = async () => (await admin.get(`${AI}/status/${id}`, 200)).body
  await expect
    .poll(async () => (await read()).questions_so_far, { timeout: PATIENCE_MS, interval: 20 })
    .toBe(10)
  await service.sql`
    insert into questions (exam_id, question_text, question_type, correct_answer)
    values (${examId}, 'Which metal is liquid ?', 'NUMERIC', '1')`
  goOn()
  await expect
    .poll(async () => (await read()).status, { timeout: PATIENCE_MS, interval: 20 })
    .not.toBe('running')
  const texts = (await read()).questions.map(({ question_text }: { question_text: string }) => question_text)
  expect(texts).toEqual([
    'In how many ways can 5000 letters be put into 5002 boxes?',
    'How warm is the sun?',
    ...Array.from({ length: 8 }, (_, at) => `What is 3 times ${at}?`),
    'How deep is the sea?',
  ])
})
