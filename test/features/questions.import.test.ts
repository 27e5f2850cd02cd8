import { randomUUID } from 'node:crypto'
import { readdir, readlink } from 'node:fs/promises'
import { request } from 'node:http'
import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { form } from '../support/content/forms.ts'
import { startProcess } from '../support/processes/process.ts'
import { sharedService } from '../support/service.ts'

const PATH = '/api/v01/admin/questions/import-csv'
const HEADER =
  'exam_id,question_text,option_a,option_b,option_c,option_d,correct_answer,question_type,image_path,positive_marks,negative_marks,tolerance'
let examId: number
const service = await sharedService()
const admin = await service.admin()
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
  test('is imported unchanged, with BOM, CRLF, quoted newlines, LaTeX, tabs and any Unicode', async () => {
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

  test.each([
    [';', 'auto'],
    ['\t', 'auto'],
    [';', 'csv'],
  ])('with %j between its fields is read, in both ways, decimal commas too', async (delimiter, format) => {
    const header = HEADER.replaceAll(',', delimiter)
    const row = [examId, '"a, b; c"', 'x;y', '', '', '', '0,25', 'NUMERIC', '', '2,5', '-0,5', '0,01']
    const typed = [examId, 'How much?', '', '', '', '', '0,25', 'Short', '', '2,5', '-0,5', '']
    const rows = [row.map((cell) => (cell === 'x;y' ? '"x;y"' : cell)), typed]
    const csv = `\ufeff${header}\r\n${rows.map((cells) => cells.join(delimiter)).join('\r\n')}\r\n`
    expect((await send(csv, 200)).body).toMatchObject({ inserted: 2, skipped: 0 })
    const file = { field: 'file', name: 'questions.csv', bytes: csv }
    const path = `/api/v01/admin/exams/${examId}/import?format=${format}`
    expect((await admin.request('POST', path, form({}, file))).body).toMatchObject({
      inserted: 2,
      format: 'csv',
    })
    const question = { question_text: 'a, b; c', option_a: 'x;y', correct_answer: '0.25' }
    const numbers = { positive_marks: 2.5, negative_marks: 0.5, tolerance: 0.01 }
    const short = { question_type: 'SHORT', correct_answer: '0,25', positive_marks: 2.5, negative_marks: 0.5 }
    expect(await stored()).toMatchObject(
      Array(2)
        .fill([{ ...question, ...numbers }, short])
        .flat(),
    )
  })

  test('skips invalid rows, and names them by the number that a spreadsheet shows, with the reason', async () => {
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
      'Row 8: question_type is not one of MCQ, MSQ, NUMERIC, SHORT, MATCHING, ORDERING, GAPS, FORMULA',
      'Row 9: exam_id is no exam',
      'Row 10: positive_marks is not a number from 0 to 10000',
    ])
    expect((await stored()).map(({ question_text }) => question_text)).toEqual([
      'two\nlines',
      'short',
      'last',
    ])
  })

  test('is imported with minuses of negative marks, odd image paths and surplus fields', async () => {
    const paths = [
      'https://example.org/q.png',
      '../../etc/passwd',
      'a/b/c.png',
      'Notes/x.png',
      'category/x.png',
      'q 1',
    ]
    const rows = [
      `${examId},minus,,,,,A,MCQ,,4,-1,0`,
      `${examId},typographic,,,,,A,MCQ,,4,−0.5,0`,
      `${examId},surplus,,,,,A,MCQ,,4,1,0,more,and more`,
      ...paths.map((path) => `${examId},${path},,,,,A,MCQ,${path},4,1,0`),
    ]
    const bad = [
      `${examId},x,,,,,A,MCQ,,-4,1,0`,
      `${examId},x,,,,,A,MCQ,,4,--1,0`,
      `${examId},x,,,,,A,MCQ,,4,1,-1`,
    ]
    const { body } = await send([HEADER, ...rows, ...bad].join('\n'), 200)
    expect(body).toMatchObject({ inserted: rows.length, skipped: bad.length })
    const all = await stored()
    expect(all.slice(0, 3).map(({ negative_marks }) => negative_marks)).toEqual([1, 0.5, 1])
    expect(all.slice(3).map(({ image_path }) => image_path)).toEqual(paths)
    const { questions } = (await admin.get(`/api/v01/admin/questions?exam_id=${examId}`, 200)).body
    for (const question of questions) expect(question.image_url).toBeNull()

    await admin.patch(`/api/v01/admin/exams/${examId}`, { is_published: true }, 200)
    const student = await service.person()
    const { attempt_id } = (await student.post(`/api/v01/exams/${examId}/start`, {}, 201)).body
    const paper = (await student.get(`/api/v01/exams/${examId}/paper`, 200)).body
    for (const question of paper.questions) expect(question.image_url).toBeNull()
    await student.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    const { review } = (await student.get(`/api/v01/attempts/${attempt_id}`, 200)).body
    for (const question of review) expect(question.image_url).toBeNull()

    // An edit of another field leaves such a path, sent back as it was read or left out; a new path is checked.
    const id = questions.at(-1)?.id
    const edit = (fields: Record<string, string>, status: number) =>
      admin.request('PATCH', `/api/v01/admin/questions/${id}`, form(fields), status)
    await edit({ question_text: 'edited' }, 200)
    expect((await stored()).at(-1)).toMatchObject({ question_text: 'edited', image_path: 'q 1' })
    await edit({ question_text: 'again', image_path: 'q 1' }, 200)
    expect((await stored()).at(-1)).toMatchObject({ question_text: 'again', image_path: 'q 1' })
    await edit({ image_path: 'Notes/x.png' }, 400)
  })

  test('that is truncated is refused as a whole', async () => {
    const whole = `--b\r\ncontent-disposition: form-data; name="csv_file"; filename="q.csv"\r\n\r\n${HEADER}\n${examId},text,,,,,A,MCQ,,4,1,0\n`
    const type = { 'content-type': 'multipart/form-data; boundary=b' }
    for (const cut of [whole.length, whole.length - 20, 120, 60, 20, 3])
      expect(
        (await admin.request('POST', PATH, whole.slice(0, cut), 400, type)).body.code,
        String(cut),
      ).toMatch(/^(invalid_request|validation_failed)$/)
    expect(await count()).toBe(0)
  })

  test('may have its columns in any order, beside others', async () => {
    const columns = HEADER.split(',').reverse()
    const values: Record<string, string> = { exam_id: String(examId), question_text: 'reversed' }
    const csv = `note,${columns.map((column) => ` ${column.toUpperCase()} `)}\r\nx,${columns.map((column) => values[column] ?? '')}\r\n`
    expect((await send(csv, 200)).body.inserted).toBe(1)
  })

  test('without a column is refused by the name of the column, an empty file by all of them', async () => {
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

  test('names the first 10,000 rows that it skips, tells of 1,000 why, and counts all', async () => {
    const { body } = await send([HEADER, ...Array.from({ length: 10_050 }, () => '999999,x')].join('\n'), 200)
    expect(body).toMatchObject({ inserted: 0, skipped: 10_050 })
    const { errors, details } = body as Record<'errors' | 'details', string[]>
    expect([errors.length, errors.at(0), errors.at(-1)]).toEqual([
      10_000,
      'Row 2: skipped',
      'Row 10001: skipped',
    ])
    expect(details).toHaveLength(1_000)
  })

  test('with a header alone imports nothing', async () => {
    expect((await send(HEADER, 200)).body).toMatchObject({ inserted: 0, skipped: 0, errors: null })
  })

  test.each([
    ['a quote that is never closed', 'text,"never closed'],
    ['a quote in the middle', 'text,"a"b'],
    ['a record without end', `text,"${'x'.repeat(2 * 1024 * 1024)}`],
  ])('that is malformed by %s is refused as a whole', async (_name, tail) => {
    const good = `${examId},good,,,,,A,MCQ,,4,1,0\n`.repeat(5_000)
    const refused = await send(`${HEADER}\n${good}${examId},${tail}\n`, 400)
    expect(refused.body.code).toBe('invalid_csv')
    expect(await count()).toBe(0)
  })

  test('in another encoding is refused as a whole, rather than imported garbled', async () => {
    const latin1 = Buffer.from(`${HEADER}\n${examId},90\xb0,,,,,A,MCQ,,4,1,0\n`, 'latin1')
    expect((await send(latin1, 400)).body).toMatchObject({
      code: 'invalid_csv',
      message: 'The file is not encoded in UTF-8',
    })
    expect(await count()).toBe(0)
  })

  test('longer than 50 MiB is 413, with and without its length announced, and leaves nothing', {
    timeout: 120_000,
    meta: { costly: 'sends files of 50 MiB' },
  }, async () => {
    // Nearly all rows are skipped, since how fast PostgreSQL stores them is not the point here.
    const good = `${examId},good,,,,,A,MCQ,,4,1,0\n`.repeat(1_000)
    const row = `999999,"${'x'.repeat(500_000)}",,,,,A,MCQ,,4,1,0\n`
    const bytes = Buffer.from(
      `${HEADER}\n${good}${row.repeat(Math.ceil((50 * 1024 * 1024 + 1) / row.length))}`,
    )
    expect((await send(bytes, 413)).body.code).toBe('payload_too_large')
    const unannounced = await stream(async (write) => {
      for (let at = 0; at < bytes.length; at += 1 << 20) await write(bytes.subarray(at, at + (1 << 20)))
    })
    expect(unannounced).toBe(413)
    expect(await count()).toBe(0)
  })

  test('whose sender hangs up halfway leaves neither rows nor an open transaction', async () => {
    const row = `${examId},"${'x'.repeat(1_000)}",,,,,A,MCQ,,4,1,0\n`
    const upload = stream(async (write, abort) => {
      await write(`${HEADER}\n${row.repeat(3_000)}`)
      await expect.poll(countSpools).toBe(1)
      expect(await countImports()).toBe(0)
      abort()
    })
    await expect(upload).rejects.toThrow('socket hang up')
    await expect.poll(countSpools).toBe(0)
    expect(await countImports()).toBe(0)
    expect(await count()).toBe(0)
    expect((await send(`${HEADER}\n${row}`, 200)).body.inserted).toBe(1)
  })

  test.each([
    ['csv_file', (): string => PATH],
    ['file', (): string => `/api/v01/admin/exams/${examId}/import`],
  ])(
    'in %s whose sender hangs up while it is stored is not stored',
    { meta: { costly: 'sends a large file' } },
    async (field, path) => {
      const { sql } = service
      await sql`
      create function rest() returns trigger language plpgsql as 'begin perform pg_sleep(0.005); return new; end'`
      await sql`create trigger slow before insert on questions for each row execute function rest()`
      try {
        // More than fits into the buffers of the connection to the database.
        const row = `${examId},"${'x'.repeat(5_000)}",,,,,A,MCQ,,4,1,0\n`
        const bytes = `${HEADER}\n${row.repeat(6_000)}`
        const hangUp = new AbortController()
        const body = form({}, { field, name: 'questions.csv', bytes, type: 'text/csv' })
        const upload = admin.fetch('POST', path(), { body, signal: hangUp.signal })
        await expect.poll(countImports).toBe(1)
        hangUp.abort()
        await expect(upload).rejects.toThrow('abort')
        await expect.poll(countImports).toBe(0)
        await expect.poll(countSpools).toBe(0)
        expect(await count()).toBe(0)
      } finally {
        await sql`drop function rest cascade`
      }
    },
  )

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
      // What was sent before this request has been read before it is answered.
      await by.get('/healthz', 200)
      expect(await other.exit('SIGKILL')).toBe('SIGKILL')
    }, by)
    await expect(upload).rejects.toThrow(/hang up|ECONNRESET|EPIPE/)
    await expect.poll(countImports).toBe(0)
    expect(await count()).toBe(0)
  })

  test('with a key is imported in each place and by each person, even if their keys are the same', async () => {
    const key = randomUUID()
    const csv = `${HEADER}\n${examId},text,,,,,A,MCQ,,4,1,0\n`
    const send = (by: Client, path: `/${string}`, field: string, status: number) =>
      by.request('POST', `${path}?key=${key}`, form({}, { field, name: 'questions.csv', bytes: csv }), status)
    const other = (await createExam(service.sql, { questions: [] })).examId
    expect((await send(admin, PATH, 'csv_file', 200)).body).toMatchObject({ inserted: 1 })
    for (const id of [examId, other]) {
      const { body } = await send(admin, `/api/v01/admin/exams/${id}/import`, 'file', 201)
      expect(body).toMatchObject({ format: 'csv', inserted: 1 })
    }
    await send(await service.admin(), PATH, 'csv_file', 200)
    expect(await count()).toBe(3)
  })

  test('with a key is imported once: by requests at once, by repeats, and after a failure', async () => {
    const key = randomUUID()
    const again = (csv: string, status: number) =>
      admin.request(
        'POST',
        `${PATH}?key=${key}`,
        form({}, { field: 'csv_file', name: 'questions.csv', bytes: csv, type: 'text/csv' }),
        status,
      )
    await again('no header', 400)
    const csv = `${HEADER}\n${`${examId},text,,,,,A,MCQ,,4,1,0\n`.repeat(500)}`
    const answers = await Promise.all([again(csv, 200), again(csv, 200)])
    answers.push(await again(csv, 200))
    for (const { body } of answers) expect(body).toMatchObject({ success: true, inserted: 500, skipped: 0 })
    expect(await count()).toBe(500)

    // The same holds for the import of one exam. After a day the key counts as new.
    const file = () => form({}, { field: 'file', name: 'questions.csv', bytes: csv })
    const examImport = `/api/v01/admin/exams/${examId}/import?key=${randomUUID()}` as const
    const [first, second] = [
      await admin.request('POST', examImport, file(), 201),
      await admin.request('POST', examImport, file(), 201),
    ]
    expect(first.body).toMatchObject({ format: 'csv', inserted: 500 })
    expect(second.body).toEqual(first.body)
    expect(await count()).toBe(1_000)
    await service.sql`update imports set created_at = created_at - interval '25 hours'`
    await again(csv, 200)
    expect(await count()).toBe(1_500)
  })

  test('remembers what a file calls its questions, whatever that is', async () => {
    const gift = '::a\0b:: Say why {}\n\n::sum:: 1 + 1? {=2 ~3}'
    const cut = `<quiz><question type="${'a'.repeat(39)}😀"><name><text>x</text></name></question></quiz>`
    const path = `/api/v01/admin/exams/${examId}/import?key=` as const
    const send = (key: string, bytes: string) =>
      admin.request('POST', `${path}${key}`, form({}, { field: 'file', name: 'questions', bytes }), 201)
    for (const [file, detail] of [
      [gift, 'Question 1 (ab): it asks for an essay'],
      [cut, `Question 1 (x): it is of a type that is not known here (${'a'.repeat(39)}\uFFFD)`],
    ] as const) {
      const key = randomUUID()
      const first = await send(key, file)
      expect(first.body.details).toEqual([detail])
      expect((await send(key, file)).body).toEqual(first.body)
    }
  })

  test('waits for an earlier import of the same person, and for nobody else’s', async () => {
    const csv = `${HEADER}\n${examId},text,,,,,A,MCQ,,4,1,0\n`
    const other = await service.admin()
    let later: Promise<{ status: number }> | undefined
    let isLaterDone = false
    await stream(async (write) => {
      await write(`${HEADER}\n${`${examId},text,,,,,A,MCQ,,4,1,0\n`.repeat(3_000)}`)
      await expect.poll(countSpools).toBe(1)
      later = send(csv, 200).finally(() => {
        isLaterDone = true
      })
      const file = { field: 'csv_file', name: 'questions.csv', bytes: csv, type: 'text/csv' }
      for (let n = 0; n < 3; n++) await other.request('POST', PATH, form({}, file), 200)
      expect(isLaterDone).toBe(false)
    })
    await later
    expect(await count()).toBe(3_004)
  })

  test('holds no exam while it arrives; if one is deleted meanwhile it is to be sent again', async () => {
    const row = `${examId},text,,,,,A,MCQ,,4,1,0\n`
    const status = await stream(async (write) => {
      await write(`${HEADER}\n${row.repeat(3_000)}`)
      await expect.poll(countSpools).toBe(1)
      await admin.delete(`/api/v01/admin/exams/${examId}`, 200)
    })
    expect(status).toBe(503)
    expect((await send(`${HEADER}\n${row}`, 200)).body).toMatchObject({ inserted: 0, skipped: 1 })
  })
})

/** How many files of imports this process holds open: they have no names any more. */
async function countSpools(): Promise<number> {
  const folder = '/proc/self/fd'
  const links = await Promise.all(
    (await readdir(folder)).map((file) => readlink(path.join(folder, file)).catch(() => '')),
  )
  return links.filter((link) => link.includes('/exam-practice-') && link.endsWith(' (deleted)')).length
}

/** How many imports write to the database or have left a transaction open. */
const countImports = async () =>
  (
    await service.sql`
    select 1 from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()
       and (query like '%copy questions%' and state = 'active' or state like 'idle in transaction%')`
  ).length
/** Uploads a CSV piece by piece without announcing its length; answers the status. */
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
