import { describe, expect, test } from 'vitest'
import { form } from '../support/content/forms.ts'
import { sharedService } from '../support/service.ts'

// Empty fields are short, and each takes memory and time: a line of commas of 50 MiB ended a node.
const service = await sharedService()
const admin = await service.admin()
const { id: classId } = (await admin.post('/api/v01/admin/classes', { name: 'Wide' }, 201)).body.class
const { id: examId } = (await admin.post('/api/v01/admin/exams', { name: 'Wide' }, 201)).body.exam

const ROSTER = ['email', 'full_name', 'role']
const QUESTIONS =
  'exam_id,question_text,option_a,option_b,option_c,option_d,correct_answer,question_type,image_path,positive_marks,negative_marks,tolerance'.split(
    ',',
  )
const READERS = [
  ['a roster', `/api/v01/classes/${classId}/roster`, 'file', ROSTER],
  ['people', '/api/v01/admin/users/import', 'file', ROSTER],
  ['questions', '/api/v01/admin/questions/import-csv', 'csv_file', QUESTIONS],
  ['questions of one exam', `/api/v01/admin/exams/${examId}/import`, 'file', QUESTIONS],
] as const

describe.each(READERS)('a CSV of %s', (_name, path, field, columns) => {
  const send = (bytes: string) => admin.request('POST', path, form({}, { field, name: 'wide.csv', bytes }))
  /** The columns, and empty ones up to this many. */
  const wide = (count: number, delimiter = ',', empty = '') =>
    [...columns, ...Array.from({ length: count - columns.length }, () => empty)].join(delimiter)
  const refused = {
    status: 400,
    body: {
      code: 'invalid_csv',
      message: 'A row of the CSV has more than 500 columns: remove those that are not needed',
    },
  }

  test('may have 500 columns', async () => {
    expect(await send(`${wide(500)}\n${wide(500)}`)).toMatchObject({ body: { success: true } })
  })

  test.each([
    ['in its header', () => wide(501)],
    ['in a row', () => `${wide(20)}\n${wide(501)}\n`],
    ['in quotes', () => wide(2_000, ',', '""')],
    ['with quoted ones behind plain ones', () => `${wide(1_000)},"","a"`],
    ['between semicolons', () => `${wide(501, ';')}\n`],
    ['between tabs', () => `${wide(501, '\t')}\r${wide(501, '\t')}`],
    ['by the million', () => wide(5_000_000)],
  ])('is refused with more, %s', { meta: { costly: 'reads files of many MiB' } }, async (_where, csv) => {
    expect(await send(csv())).toMatchObject(refused)
  })
})

test('a malformed CSV is not told back as a whole', async () => {
  const bytes = `email\n${'x'.repeat(500_000)}"`
  const { body } = await admin.request(
    'POST',
    '/api/v01/admin/users/import',
    form({}, { field: 'file', name: 'long.csv', bytes }),
    400,
  )
  expect(body).toMatchObject({ code: 'invalid_csv' })
  expect((body as { message: string }).message.length).toBeLessThan(400)
})
