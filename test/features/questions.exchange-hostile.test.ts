import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeZip } from '../../packages/exchange/test/reading.ts'
import type { Client } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { startService, type TestService } from '../support/service.ts'

/** Each takes less than a second on an idle machine; a successful attack would take minutes. */
const SOON_MS = 15_000
const MIB = 1024 * 1024

let service: TestService
let admin: Client
let examId: number
beforeAll(async () => {
  service = await startService()
  admin = await service.admin()
})
afterAll(() => service.close())
beforeEach(async () => {
  examId = (await admin.post('/api/v01/admin/exams', { name: 'Safe' }, 201)).body.exam.id
})

async function send(bytes: string | Uint8Array, status: number, query: '' | `?${string}` = '') {
  const body = form({}, { field: 'file', name: 'upload', bytes, type: 'application/octet-stream' })
  const began = performance.now()
  const answer = await admin.request('POST', `/api/v01/admin/exams/${examId}/import${query}`, body, status)
  return { body: answer.body, milliseconds: performance.now() - began }
}

const item = (body: string) =>
  `<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="i" title="i">
   <responseDeclaration identifier="RESPONSE" cardinality="single" baseType="identifier"><correctResponse><value>A</value></correctResponse></responseDeclaration>
   <itemBody>${body}<choiceInteraction responseIdentifier="RESPONSE" maxChoices="1"><simpleChoice identifier="A">a</simpleChoice><simpleChoice identifier="B">b</simpleChoice></choiceInteraction></itemBody></assessmentItem>`
const good = item('<p>good</p>')
const moodle = (text: string) =>
  `<quiz><question type="multichoice"><questiontext format="html"><text>${text}</text></questiontext><answer fraction="100"><text>a</text></answer></question></quiz>`
const laughs = `<!DOCTYPE quiz [<!ENTITY a "ha">${Array.from({ length: 30 }, (_, n) => `<!ENTITY a${n} "${`&a${n - 1 < 0 ? '' : n - 1};`.repeat(10)}">`).join('')}]>`

/** The package that reads files has more of them among its tests. */
const HOSTILE: [name: string, bytes: () => Promise<string | Uint8Array>, status?: number][] = [
  ['an entity bomb', async () => laughs + moodle('&a29;')],
  [
    'six million attributes',
    async () => moodle(`<a${Array.from({ length: 150 }, (_, n) => ` a${n}=""`).join('')}/>`.repeat(30_000)),
  ],
  ['no questions', async () => '<quiz></quiz>'],
  ['text of no known format', async () => 'just a line'],
  ['an empty file', async () => ''],
  ['one GIFT question of 8 MiB', async () => `q{=${'a\n'.repeat(4 * MIB)}~b}`],
  ['a zip bomb', async () => makeZip({ 'a.xml': good, 'b.xml': Buffer.alloc(100 * MIB, ' ') })],
  [
    'one hostile document among good ones',
    async () => makeZip({ 'a.xml': good, 'b.xml': laughs + good, 'c.xml': good }),
  ],
  [
    'more than 10,000 entries',
    async () => makeZip(Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`${n}.txt`, '']))),
    413,
  ],
]

describe('refused quickly and as a whole:', () => {
  test.each(HOSTILE)('%s', async (_name, make, status = 400) => {
    const bytes = await make()
    const { body, milliseconds } = await send(bytes, status)
    expect(body.code).toBe(status === 413 ? 'payload_too_large' : 'invalid_file')
    expect(milliseconds).toBeLessThan(SOON_MS)
    expect(await service.sql`select from questions where exam_id = ${examId}`).toHaveLength(0)
  })
})

test('a GIFT question with 150,000 tags without an end is skipped quickly', async () => {
  const { body, milliseconds } = await send(`<a${' x=<a'.repeat(150_000)}{T}`, 201, '?format=gift')
  expect(body).toMatchObject({ inserted: 0, skipped: 1 })
  expect(milliseconds).toBeLessThan(SOON_MS)
})

test('more than 50 MiB is 413', async () => {
  await send(Buffer.alloc(50 * MIB + 100_000, 'x'), 413)
})

test('while a large file is read, requests are answered and memory stays bounded', async () => {
  const before = process.memoryUsage.rss()
  let done = false
  const reading = send(
    moodle(`<![CDATA[${'<p>a b '.repeat(MIB)}]]>${'<b/>a b '.repeat(40_000)}`),
    201,
  ).finally(() => {
    done = true
  })
  let maxGrowth = 0
  while (!done) {
    await service.guest().get('/healthz', 200)
    maxGrowth = Math.max(maxGrowth, process.memoryUsage.rss() - before)
  }
  expect((await reading).body).toMatchObject({ inserted: 0, skipped: 1 })
  expect(maxGrowth).toBeLessThan(800 * MIB)
}, 90_000)
