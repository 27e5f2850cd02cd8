import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { constants, deflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { PassagesAnswer } from '../../schemas/materials.schemas.ts'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam } from '../support/content/exams.ts'
import { form } from '../support/content/forms.ts'
import { textPdf } from '../support/content/text-pdf.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let admin: Client
let teacher: Client
let ann: Client
let stranger: Client
let classId: number
beforeAll(async () => {
  service = await startService({ nodes: 2 })
  const people = [service.admin(), service.person(), service.person(), service.person()]
  ;[admin, teacher, ann, stranger] = (await Promise.all(people)) as [Client, Client, Client, Client]
})
afterAll(() => service.close())
beforeEach(async () => {
  classId = await createClass(service.sql, { teachers: [teacher], students: [ann] })
})

const at = () => `/api/v01/classes/${classId}/materials` as const
const elsewhere = (person: Client) => person.at(service.urls[1] as string)

async function give(bytes: Uint8Array | string, name = 'script.txt', status = 201, by = teacher) {
  return by.request('POST', at(), form({}, { field: 'file', name, bytes }), status)
}

/** Gives a file, and waits until it is read. */
async function read(bytes: Uint8Array | string, name?: string) {
  const { body } = await give(bytes, name)
  return whenRead(body.material.id)
}

async function whenRead(id: number) {
  await expect
    .poll(async () => (await ann.get(`${at()}/${id}`, 200)).body.material.status, { timeout: 30_000 })
    .not.toBe('reading')
  return (await ann.get(`${at()}/${id}`, 200)).body.material
}

/** `search` could also be the number of a material, so the type of the answer is said here. */
const search = async (query: string, by = ann, classOf = classId) => {
  const { body } = await by.get(`/api/v01/classes/${classOf}/materials/search?${query}`, 200)
  return (body as PassagesAnswer).passages
}
const find = (q: string, by = ann) => search(`q=${encodeURIComponent(q)}`, by)

describe('a material', () => {
  test('is given, read, told of, found, renamed and deleted', {
    meta: { costly: 'reads a PDF' },
  }, async () => {
    const socket = await elsewhere(ann).socket()
    await socket.ask({ type: 'subscribe', topic: `class:${classId}` })
    const { body } = await give(
      textPdf(['The derivative of a sum. It is the sum of the deri-\nvatives.', '', 'Integrals come later.']),
      'Analysis.pdf',
    )
    expect(body.material).toMatchObject({
      title: 'Analysis.pdf',
      type: 'pdf',
      status: 'reading',
      pages: null,
    })
    const material = await whenRead(body.material.id)
    expect(material).toMatchObject({ status: 'ready', pages: 3, unreadable_pages: 1, error: null })
    await expect
      .poll(() => socket.frames.filter((frame) => frame.type === 'material'))
      .toMatchObject([
        { class_id: classId, material: { status: 'reading' }, deleted: false },
        { class_id: classId, material: { status: 'ready' }, deleted: false },
      ])
    const file = await ann.fetch('GET', material.url)
    expect(file.headers.get('content-disposition')).toBe("inline; filename*=UTF-8''Analysis.pdf")
    expect(file.headers.get('content-type')).toBe('application/pdf')

    const [passage] = await find('DERIVATIVES')
    expect(passage).toMatchObject({ material_id: material.id, title: 'Analysis.pdf', page: 1 })
    expect(
      passage?.matches.map(([start = 0, length = 0]) => passage.text.slice(start, start + length)),
    ).toEqual(['derivatives'])
    expect(await find('intégrals')).toMatchObject([
      { page: 3, text: 'Integrals come later.', matches: [[0, 9]] },
    ])
    expect(await find('?!')).toEqual([])

    const one = `${at()}/${material.id}` as const
    await ann.patch(one, { title: 'Mine' }, 403)
    await stranger.patch(one, { title: 'Mine' }, 404)
    expect((await admin.patch(one, { title: ' Analysis I ' }, 200)).body.material.title).toBe('Analysis I')
    expect(await find('intégrals')).toMatchObject([{ title: 'Analysis I' }])
    await teacher.delete(one, 200)
    await teacher.delete(one, 404)
    expect(await find('intégrals')).toEqual([])
    expect((await ann.get(at(), 200)).body.materials).toEqual([])
    await expect.poll(async () => (await ann.fetch('GET', material.url)).status).toBe(404)
    expect(await service.sql`select from class_words where class_id = ${classId} and passages <> 0`).toEqual(
      [],
    )
    const log = (await admin.get(`/api/v01/admin/audit?class_id=${classId}`, 200)).body.entries
    expect(log.map(({ action }) => action)).toEqual(['material.delete', 'material.change', 'material.create'])
  })

  test('is divided by the headings of its Markdown, or is one page', async () => {
    const text = 'Before.\n\n# Sums\n\nOne.\n\n```\n# no heading\n```\n\nMatrices\n===\nTwo.\n'
    expect(await read(text, 'notes.MD')).toMatchObject({ type: 'markdown', pages: 3, unreadable_pages: 0 })
    expect(await find('heading')).toMatchObject([{ page: 2 }])
    expect(await find('two')).toMatchObject([{ page: 3 }])
    expect(await read(text, 'notes.txt')).toMatchObject({ type: 'text', pages: 1 })
    // What stands before the first heading is no part if it is blank.
    expect(await read('\n \n# Sums\nThree', 'b.markdown')).toMatchObject({ pages: 1 })
  })

  test('is refused or failed with a reason', { meta: { costly: 'reads several PDFs' } }, async () => {
    await give('', 'a.txt', 400)
    await give(Buffer.from([0, 1, 2, 3]), 'a.txt', 415)
    await give(Buffer.from([0xff, 0xfe, 0x41]), 'a.markdown', 415)
    await give('a'.repeat(2 * 1024 * 1024 + 1), 'a.txt', 413)
    await give('x', 'a.txt', 403, ann)
    await give('x', 'a.txt', 404, stranger)
    await give('x', `${'n'.repeat(300)}.txt`, 201, admin)
    expect(await read(textPdf(['', '']), 'scan.pdf')).toMatchObject({
      status: 'failed',
      unreadable_pages: 2,
      error: expect.stringContaining('no text'),
    })
    expect(await read('%PDF-1.7 nothing else', 'a.txt')).toMatchObject({ type: 'pdf', status: 'failed' })
    expect(await read(textPdf(Array(501).fill('')), 'long.pdf')).toMatchObject({
      status: 'failed',
      error: 'It has more than 500 pages',
    })
    await service.sql`update classes set archived = true where id = ${classId}`
    expect((await give('x', 'a.txt', 409)).body.code).toBe('class_archived')
  })

  test('fails at once with a true reason where the database can’t hold what was read', async () => {
    await service.sql.unsafe(`
      create function refuse_passage() returns trigger language plpgsql as
        $$ begin raise exception 'too long' using errcode = '54000'; end $$;
      create trigger refuse_passage before insert on material_passages for each row
        when (new.text like 'Unstorable%') execute function refuse_passage()`)
    const material = await read('Unstorable text')
    expect(material).toMatchObject({
      status: 'failed',
      error: 'Its text can’t be stored so that it could be searched',
    })
    expect(await service.sql`select attempt from materials where id = ${material.id}`).toEqual([
      { attempt: 1 },
    ])
    expect(await read('Other text')).toMatchObject({ status: 'ready' })
  })

  test('is one of two hundred, however many come at once', async () => {
    await service.sql`
      insert into materials (class_id, title, type, size, file_key, status)
      select ${classId}, 'Full', 'text', 1, 'Attachments/none', 'ready' from generate_series(1, 198)`
    const tries = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        (n % 2 ? elsewhere(teacher) : teacher).request(
          'POST',
          at(),
          form({}, { field: 'file', name: 'a.txt', bytes: 'A text' }),
        ),
      ),
    )
    expect(tries.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409])
    await service.sql`delete from materials where class_id = ${classId} and file_key = 'Attachments/none'`
    await service.sql`update materials set size = ${1024 ** 3 - 5} where class_id = ${classId} and id = (
      select min(id) from materials where class_id = ${classId})`
    expect((await give('A text of more', 'a.txt', 409)).body.code).toBe('too_many')
  })

  test('goes within a minute of its class', { meta: { costly: 'waits for a sweep' } }, async () => {
    const material = await read('A text')
    await admin.delete(`/api/v01/admin/classes/${classId}`, 200)
    await expect
      .poll(() => service.sql`select from materials where id = ${material.id}`, { timeout: 30_000 })
      .toEqual([])
    await expect.poll(async () => (await ann.fetch('GET', material.url)).status).toBe(404)
  })

  test('that unpacks to gigabytes fails, and what comes after it is read', {
    meta: { costly: 'unpacks much' },
  }, async () => {
    const bomb = bombPdf(3 * 1024 ** 3)
    expect(bomb.length).toBeLessThan(8 * 1024 ** 2)
    const before = process.memoryUsage().rss
    expect(await read(bomb, 'bomb.pdf')).toMatchObject({ status: 'failed', error: 'It could not be read' })
    expect(process.memoryUsage().rss - before).toBeLessThan(1024 ** 3)
    expect(await read('Harmless')).toMatchObject({ status: 'ready' })
  })
})

/** A page whose content is so many blanks. */
function bombPdf(size: number): Buffer {
  const piece = deflateRawSync(Buffer.alloc(64 * 1024 ** 2, ' '), { finishFlush: constants.Z_FULL_FLUSH })
  const pieces = Array.from({ length: Math.ceil(size / 64 / 1024 ** 2) }, () => piece)
  const packed = Buffer.concat([Buffer.from([0x78, 0x9c]), ...pieces, Buffer.from([0x03, 0x00])])
  const [head, tail] = textPdf(['X'])
    .toString('latin1')
    .split(/<<\/Length \d+>>\nstream\n[\s\S]*\nendstream/)
  return Buffer.concat([
    Buffer.from(`${head}<</Length ${packed.length} /Filter /FlateDecode>>\nstream\n`, 'latin1'),
    packed,
    Buffer.from(`\nendstream${tail}`, 'latin1'),
  ])
}

describe('a search', () => {
  test('finds what has all words first, then most of them, in any script', async () => {
    await read('# A\nalpha beta gamma\n# B\nalpha beta\n# C\nalpha\n# D\n数学分析入門', 'a.markdown')
    expect((await find('Älpha, gamma; beta')).map(({ page }) => page)).toEqual([1, 2, 3])
    expect(await find('分析')).toMatchObject([{ page: 4, matches: [[6, 2]] }])
    expect(await find('学')).toMatchObject([{ page: 4 }])
    for (const query of ['', 'q=', `q=${'x'.repeat(201)}`, 'q=a&limit=0', 'q=a&limit=21'])
      await ann.get(`${at()}/search?${query}` as `${ReturnType<typeof at>}/search`, 400)
    expect(await search('q=alpha&limit=1')).toHaveLength(1)
  })

  test('is for members of the class alone, and for nobody whose help is locked', async () => {
    await read('A secret of this class')
    const former = await service.person()
    const other = await createClass(service.sql, { students: [stranger] })
    await service.sql`
      insert into class_members (class_id, user_id, role, left_at) values (${classId}, ${former.id}, 'student', now())`
    for (const nobody of [stranger, former]) {
      await nobody.get(at(), 404)
      await nobody.get(`${at()}/search?q=secret` as `${ReturnType<typeof at>}/search`, 404)
    }
    await service.guest().get(at(), 401)
    expect(await search('q=secret', stranger, other)).toEqual([])
    expect(await find('secret', admin)).toHaveLength(1)
    const { examId } = await createExam(service.sql, { lock_help: true })
    await ann.post(`/api/v01/exams/${examId}/start`, {}, 201)
    for (const path of [at(), `${at()}/search?q=secret`])
      expect((await ann.get(path as ReturnType<typeof at>, 403)).body.code).toBe('exam_in_progress')
  })
})

test('reading is done by the thread alone: nothing of it is imported by the service', async () => {
  const source = await readFile(path.resolve(import.meta.dirname, '../../src/formats/reading.ts'), 'utf8')
  expect(source).not.toMatch(/from '\.\/(pdf-pages|passages|words|plain-text)\.ts'/)
})
