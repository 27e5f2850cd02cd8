import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addQuestion, createExam } from '../support/content/exams.ts'
import { makeImage } from '../support/content/images.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** Texts that are a formula where a cell begins with the text, or behind another separator or a line end in it. */
const FORMULAS = [
  '=1+1',
  'Eve;=cmd|x',
  'a;\t @SUM(1)',
  'b\n-2+3',
  'c;d;+e;f',
  "g;'\u2060=h",
  "'\u2060=i",
  ';\n\t=j',
]

/**
 * The cells of a file in a spreadsheet whose separator is no comma: quotation marks in the middle of a cell are
 * letters.
 */
function cellsOf(csv: string): string[] {
  return csv.split(/[;\t\r\n]/).map((cell) => cell.trimStart())
}

test('no cell of a list of results begins a formula, whatever separates the cells of the spreadsheet', async () => {
  const admin = await service.admin()
  const { examId } = await createExam(service.sql)
  for (const name of FORMULAS.filter((text) => !text.includes('\n') && !text.includes('\t'))) {
    const person = await service.person()
    await person.patch('/api/v01/account', { full_name: name }, 200)
    await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
    await person.post(`/api/v01/exams/${examId}/submit`, {}, 200)
  }
  const accept = { accept: 'text/csv' }
  const { body } = await admin.request('GET', '/api/v01/admin/analytics', undefined, 200, accept)
  expect(body).toContain('cmd|x')
  expect(cellsOf(String(body)).filter((cell) => /^[=+@|%-]/.test(cell))).toEqual([])
})

test('nor one of exported questions, which come back as they were', async () => {
  const admin = await service.admin()
  const { examId } = await createExam(service.sql, { questions: [] })
  for (const question_text of FORMULAS) await addQuestion(service.sql, examId, { question_text })
  const exams = `/api/v01/admin/exams/${examId}` as const
  const csv = await (await admin.fetch('GET', `${exams}/export?format=csv`)).text()
  expect(cellsOf(csv).filter((cell) => /^[=+@|%-]/.test(cell))).toEqual([])
  await service.sql`delete from questions where exam_id = ${examId}`
  const body = new FormData()
  body.set('file', new Blob([csv]), 'questions.csv')
  await admin.request('POST', `${exams}/import`, body, 201)
  const texts = await service.sql`select question_text from questions where exam_id = ${examId} order by id`
  expect(texts.map(({ question_text }) => question_text)).toEqual(FORMULAS.map((text) => text.trim()))
})

test('nobody else at the machine reads files and mails', async () => {
  const person = await service.person()
  await person.post('/api/v01/account/password-reset', { email: `${person.username}@example.org` }, 200)
  const { notebook } = (await person.post('/api/v01/notebooks', { title: 'Mine' }, 201)).body
  const { page } = (await person.post(`/api/v01/notebooks/${notebook.id}/pages`, {}, 201)).body
  const form = new FormData()
  form.set('image', new Blob([await makeImage('png')]), 'image.png')
  await person.request('POST', `/api/v01/pages/${page.id}/assets`, form, 201)
  await expect.poll(() => readdir(path.join(service.dataDir, 'mail')).catch(() => [])).toHaveLength(1)
  for (const folder of ['mail', 'files']) {
    const entries = await readdir(path.join(service.dataDir, folder), { recursive: true })
    expect(entries.length).toBeGreaterThan(0)
    for (const name of ['.', ...entries])
      expect((await stat(path.join(service.dataDir, folder, name))).mode & 0o077, `${folder}/${name}`).toBe(0)
  }
})
