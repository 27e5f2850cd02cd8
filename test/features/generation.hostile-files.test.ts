import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { HOSTILE_PDFS } from '../support/content/hostile-pdfs.ts'
import { startModel, type TestModel } from '../support/outside/model.ts'
import { startService, type TestService } from '../support/service.ts'

const AI = '/api/v01/admin/ai'
/** As long as one file may be read, and some more. */
const PATIENCE_MS = 150_000

let model: TestModel
let service: TestService
let admin: Client
beforeAll(async () => {
  model = await startModel()
  service = await startService({ config: { ai: model.ai } })
  admin = await service.admin()
  model.stub.usual = {
    kind: 'answer',
    text: JSON.stringify({
      questions: [
        {
          question_type: 'MCQ',
          question_text: 'What is wet?',
          ...{ option_a: 'Fire', option_b: 'Water', option_c: 'Sand', option_d: 'Wood', correct_answer: 'B' },
          ...{ page: 1, quote: 'Water is wet' },
        },
      ],
    }),
  }
})
afterAll(async () => {
  await service.close()
  await model.stub.close()
})

test.each(Object.entries(HOSTILE_PDFS))(
  'a job goes on without sources where its PDF is %s',
  async (_, bytes) => {
    const { body: made } = await admin.post('/api/v01/admin/exams', { name: 'Generated' }, 201)
    const fields = { exam_id: made.exam.id, mode: 'mine', topic: 'x', mcq_count: 1 }
    const body = form(fields, { field: 'pdf_file', name: 'script.pdf', bytes })
    const { job_id } = (await admin.request('POST', `${AI}/generate`, body, 202)).body
    const read = async () => (await admin.get(`${AI}/status/${job_id}`, 200)).body
    await expect.poll(async () => (await read()).status, { timeout: PATIENCE_MS }).toBe('done')
    const { questions } = await read()
    expect(questions).toHaveLength(1)
    expect(questions[0]?.source?.found ?? false).toBe(false)
  },
  PATIENCE_MS,
)
