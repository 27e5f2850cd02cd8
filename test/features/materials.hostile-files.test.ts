import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { form } from '../support/content/forms.ts'
import { HOSTILE_PDFS } from '../support/content/hostile-pdfs.ts'
import { textPdf } from '../support/content/text-pdf.ts'
import { startService, type TestService } from '../support/service.ts'

/** As long as one file may be read, and some more. */
const PATIENCE_MS = 150_000
const MOST_MEMORY = 1024 ** 3

let service: TestService
let teacher: Client
beforeAll(async () => {
  service = await startService()
  teacher = await service.person()
})
afterAll(() => service.close())

test(
  'hostile PDFs fail or lose pages, while the node serves others; what comes after them is read',
  async () => {
    const classId = await createClass(service.sql, { teachers: [teacher] })
    const at = `/api/v01/classes/${classId}/materials` as const
    const give = async (name: string, bytes: Buffer) =>
      (await teacher.request('POST', at, form({}, { field: 'file', name, bytes }), 201)).body.material.id
    const before = process.memoryUsage().rss
    const ended: Record<string, unknown> = {}
    for (const [name, bytes] of Object.entries(HOSTILE_PDFS)) {
      const id = await give('hostile.pdf', bytes)
      await expect
        .poll(async () => (await teacher.get(`${at}/${id}`, 200)).body.material.status, {
          timeout: PATIENCE_MS,
          message: name,
        })
        .not.toBe('reading')
      const { status, pages, error } = (await teacher.get(`${at}/${id}`, 200)).body.material
      ended[name] = status === 'failed' ? error : `${pages} pages`
      expect(pages ?? 0, name).toBeLessThanOrEqual(3)
    }
    expect(ended).toMatchInlineSnapshot(`
      {
        "a drawing that draws itself": "It has no text that could be read; a scan needs text recognition first",
        "a file that ends in the middle": "It could not be read",
        "a file whose table of objects lies": "3 pages",
        "a page as large as a country": "1 pages",
        "a page of three million words": "1 pages",
        "a stream that ends too soon": "It has no text that could be read; a scan needs text recognition first",
        "a stream that is longer than its file": "1 pages",
        "a stream that is no compressed one": "It has no text that could be read; a scan needs text recognition first",
        "a stream with forty filters": "It has no text that could be read; a scan needs text recognition first",
        "a tree of pages 20,000 deep": "1 pages",
        "a tree of pages that is its own branch": "2 pages",
        "a tree that says it has fewer than none": "It has no text that could be read; a scan needs text recognition first",
        "a tree that says it has two thousand million pages": "1 pages",
        "a word of five million letters": "1 pages",
        "an encrypted file": "It is locked by a password",
        "nothing but its beginning": "It could not be read",
      }
    `)
    expect(process.memoryUsage().rss - before).toBeLessThan(MOST_MEMORY)
    const id = await give('script.pdf', textPdf(['First page.', 'Second page.', 'Third page.']))
    await expect
      .poll(async () => (await teacher.get(`${at}/${id}`, 200)).body.material)
      .toMatchObject({ status: 'ready', pages: 3, unreadable_pages: 0 })
  },
  2 * PATIENCE_MS,
)
