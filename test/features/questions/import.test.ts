import { request } from 'node:http'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '../../support/client.ts'
import { form } from '../../support/forms.ts'
import { startProcess } from '../../support/process.ts'
import { startService, type TestService } from '../../support/service.ts'

const PATH = '/api/v01/admin/questions/import-csv'
const HEADER =
  'exam_id,question_text,option_a,option_b,option_c,option_d,correct_answer,question_type,image_path,positive_marks,negative_marks,tolerance'
const SOON = { timeout: 10_000 }
let service: TestService
let admin: Client
let examId: number
beforeAll(async () => {
  service = await startService()
  admin = await service.admin()
})
afterAll(() => service.close())
beforeEach(async () => {
  examId = (await admin.post('/api/v01/admin/exams', { name: 'Imported' }, 201)).body.exam.id
})

const send = (csv: string | Uint8Array, status?: number) =>
  admin.request(
    'POST',
    PATH,
    form({}, { field: 'csv_file', name: 'questions.csv', bytes: csv, type: 'text/csv' }),
    status,
  )
const stored = () => service.sql`
  select question_text, option_a, option_b, option_c, option_d, correct_answer, question_type, image_path,
         positive_marks::float, negative_marks::float, tolerance::float
    from questions where exam_id = ${examId} order by id`
const count = async () => (await stored()).length

describe('a CSV', () => {
  test('is imported as it is: BOM, CRLF, quoted newlines, LaTeX, tabs and any Unicode', async () => {
    const text = '$\\frac{a}{b}$, "quoted"\r\n\\. \\N\tnext\n½ 😀 \\\\'
    const csv = [
      `\ufeff${HEADER}`,
      `${examId},"${text.replaceAll('"', '""')}",\\alpha,b,,"d,d",b,mcq,Physics/q 1.png,2.5,0,`,
      `${examId},second,,,,,"C, a",MSQ,,,,`,
      `${examId},third,,,,,-1.5e-1,NUMERIC,,3,0,0.01`,
    ].join('\r\n')
    const { body } = await send(csv, 200)
    expect(body).toEqual({
      success: true,
      message: expect.any(String),
      inserted: 3,
      skipped: 0,
      errors: null,
      details: null,
    })
    const defaults = { image_path: null, positive_marks: 4, negative_marks: 1, tolerance: 0 }
    expect(await stored()).toEqual([
      {
        question_text: text,
        option_a: '\\alpha',
        option_b: 'b',
        option_c: '',
        option_d: 'd,d',
        correct_answer: 'B',
        question_type: 'MCQ',
        image_path: 'Physics/q 1.png',
        positive_marks: 2.5,
        negative_marks: 0,
        tolerance: 0,
      },
      expect.objectContaining({ ...defaults, question_text: 'second', correct_answer: 'A,C' }),
      expect.objectContaining({ ...defaults, positive_marks: 3, negative_marks: 0, tolerance: 0.01 }),
    ])
  })

  test('skips rows and says which and why; rows count as in a spreadsheet: blank lines do, quoted newlines do not', async () => {
    const { body } = await send(
      [
        HEADER,
        `999999,unknown exam,,,,,A,MCQ,,4,1,0`,
        `${examId},"two\nlines",,,,,A,MCQ,,4,1,0`,
        '',
        `${examId},  ,,,,,A,MCQ,,4,1,0`,
        `${examId},wrong key,,,,,E,MCQ,,4,1,0`,
        `${examId},short,a`,
        `${examId},broken, by, a comma,,,,A,MCQ,,4,1,0`,
        `x,no number,,,,,A,MCQ,,4,1,0`,
        `${examId},marks,,,,,A,MCQ,,many,1,0`,
        `${examId},last,,,,,A,MCQ,,4,1,0,,`,
        '',
      ].join('\n'),
      200,
    )
    expect(body).toMatchObject({ inserted: 3, skipped: 6 })
    expect(body.errors).toEqual([2, 5, 6, 8, 9, 10].map((row) => `Row ${row}: skipped`))
    expect(body.details).toEqual([
      'Row 2: exam_id is no exam',
      'Row 5: question_text is empty',
      'Row 6: correct_answer does not fit a question of type MCQ',
      'Row 8: has more fields than the header',
      'Row 9: exam_id is no exam',
      'Row 10: positive_marks is not a number from 0 to 10000',
    ])
    expect((await stored()).map(({ question_text }) => question_text)).toEqual([
      'two\nlines',
      'short',
      'last',
    ])
  })

  test('takes its columns in any order, beside others', async () => {
    const columns = HEADER.split(',').reverse()
    const values: Record<string, string> = { exam_id: String(examId), question_text: 'reversed' }
    const csv = `note,${columns.map((column) => ` ${column.toUpperCase()} `)}\r\nx,${columns.map((column) => values[column] ?? '')}\r\n`
    expect((await send(csv, 200)).body.inserted).toBe(1)
  })

  test('without a column is refused, and named; so is an empty one', async () => {
    const row = `${examId},text,,,,,A,MCQ,,4,1,0`
    const refused = await send(`${HEADER.replace(',tolerance', '').replace('option_c,', '')}\n${row}`, 400)
    expect(refused.body).toMatchObject({
      success: false,
      code: 'missing_columns',
      message: 'The CSV lacks the columns: option_c, tolerance',
    })
    expect((await send('', 400)).body.code).toBe('missing_columns')
    expect((await send('\n\n', 400)).body.code).toBe('missing_columns')
    const none = await admin.request('POST', PATH, form({ csv_file: 'text' }), 400)
    expect(none.body).toMatchObject({ code: 'validation_failed', errors: [{ path: '/csv_file' }] })
    await admin.post(PATH, {}, 415)
    expect(await count()).toBe(0)
  })

  test('with a header alone imports nothing', async () => {
    expect((await send(HEADER, 200)).body).toMatchObject({ inserted: 0, skipped: 0, errors: null })
  })

  test.each([
    ['a quote that is never closed', 'text,"never closed'],
    ['a quote in the middle', 'text,"a"b'],
    ['a record without end', `text,"${'x'.repeat(2 * 1024 * 1024)}`],
  ])('that is malformed by %s is refused whole', async (_name, tail) => {
    const good = `${examId},good,,,,,A,MCQ,,4,1,0\n`.repeat(5_000)
    const refused = await send(`${HEADER}\n${good}${examId},${tail}\n`, 400)
    expect(refused.body.code).toBe('invalid_csv')
    expect(await count()).toBe(0)
  })

  test('in another encoding is refused whole, rather than imported garbled', async () => {
    const latin1 = Buffer.from(`${HEADER}\n${examId},90\xb0,,,,,A,MCQ,,4,1,0\n`, 'latin1')
    expect((await send(latin1, 400)).body).toMatchObject({
      code: 'invalid_csv',
      message: 'The file is not encoded in UTF-8',
    })
    expect(await count()).toBe(0)
  })

  test('longer than 50 MiB is 413, whether it says so or not, and leaves nothing', async () => {
    // Nearly all of it are rows that are skipped: what PostgreSQL would do with them is not the point here.
    const good = `${examId},good,,,,,A,MCQ,,4,1,0\n`.repeat(1_000)
    const row = `999999,"${'x'.repeat(500_000)}",,,,,A,MCQ,,4,1,0\n`
    const bytes = Buffer.from(
      `${HEADER}\n${good}${row.repeat(Math.ceil((50 * 1024 * 1024 + 1) / row.length))}`,
    )
    expect((await send(bytes, 413)).body.code).toBe('payload_too_large')
    const unsaid = await stream(async (write) => {
      for (let at = 0; at < bytes.length; at += 1 << 20) await write(bytes.subarray(at, at + (1 << 20)))
    })
    expect(unsaid).toBe(413)
    expect(await count()).toBe(0)
  }, 120_000)

  test('whose sender goes away halfway leaves nothing, and no transaction open', async () => {
    const row = `${examId},"${'x'.repeat(1_000)}",,,,,A,MCQ,,4,1,0\n`
    let begun = 0
    const upload = stream(async (write, abort) => {
      await write(`${HEADER}\n${row.repeat(3_000)}`)
      await expect.poll(copying, SOON).toBe(1)
      begun = 1
      abort()
    })
    await expect(upload).rejects.toThrow('socket hang up')
    expect(begun).toBe(1)
    await expect.poll(copying, SOON).toBe(0)
    expect(await count()).toBe(0)
    expect((await send(`${HEADER}\n${row}`, 200)).body.inserted).toBe(1)
  })

  test('whose node is killed halfway leaves nothing', async () => {
    const other = startProcess({
      DATABASE_URL: service.databaseUrl,
      DATA_DIR: path.join(service.dataDir, 'other'),
      DEMO: 'off',
    })
    const by = admin.at(await other.ready())
    await by.login(admin.username)
    const row = `${examId},"${'x'.repeat(1_000)}",,,,,A,MCQ,,4,1,0\n`
    const upload = stream(async (write) => {
      await write(`${HEADER}\n${row.repeat(3_000)}`)
      await expect.poll(copying, SOON).toBe(1)
      expect(await other.exit('SIGKILL')).toBe('SIGKILL')
    }, by)
    await expect(upload).rejects.toThrow(/hang up|ECONNRESET|EPIPE/)
    await expect.poll(copying, SOON).toBe(0)
    expect(await count()).toBe(0)
  })

  test('does not let its exams go while it runs', async () => {
    let removal: Promise<{ status: number }> | undefined
    const status = await stream(async (write) => {
      await write(`${HEADER}\n${`${examId},text,,,,,A,MCQ,,4,1,0\n`.repeat(3_000)}`)
      await expect.poll(copying, SOON).toBe(1)
      removal = admin.delete(`/api/v01/admin/exams/${examId}`)
      await expect.poll(waiting, SOON).toBe(1)
    })
    expect(status).toBe(200)
    expect(await removal).toMatchObject({ status: 200, body: { message: /with 3000 questions/ } })
  })
})

/** Imports that are under way, or left a transaction open. */
const copying = async () =>
  (
    await service.sql`
    select 1 from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()
       and (query like '%copy questions%' and state = 'active' or state like 'idle in transaction%')`
  ).length
const waiting = async () =>
  (
    await service.sql`
    select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  ).length

/** Uploads a CSV of unknown length piece by piece; the status that came back. */
async function stream(
  produce: (write: (piece: string | Uint8Array) => Promise<void>, abort: () => void) => Promise<void>,
  by = admin,
): Promise<number> {
  const upload = request(by.url + PATH, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${by.accessToken}`,
      'content-type': 'multipart/form-data; boundary=b',
    },
  })
  const answered = new Promise<number>((resolve, reject) => {
    upload.on('error', reject)
    upload.on('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
  })
  answered.catch(() => {})
  const write = (piece: string | Uint8Array) =>
    new Promise<void>((resolve) => upload.write(piece, () => resolve()))
  await write('--b\r\ncontent-disposition: form-data; name="csv_file"; filename="q.csv"\r\n\r\n')
  await produce(write, () => upload.destroy())
  if (!upload.destroyed) upload.end('\r\n--b--\r\n')
  return answered
}
