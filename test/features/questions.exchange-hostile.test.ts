import { randomFillSync } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import yazl from 'yazl'
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

async function makeZip(files: Record<string, string | Uint8Array>): Promise<Buffer> {
  const zip = new yazl.ZipFile()
  for (const [name, content] of Object.entries(files))
    zip.addBuffer(Buffer.from(content), name, { compress: content.length > 0 })
  zip.end()
  const chunks: Buffer[] = []
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Replaces a name in the archive by one that no tool writes; both must have the same length. */
function rename(zip: Buffer, from: string, to: string): Buffer {
  expect(to).toHaveLength(from.length)
  return Buffer.from(zip.toString('latin1').replaceAll(from, to), 'latin1')
}

const item = (body: string) =>
  `<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="i" title="i">
   <responseDeclaration identifier="RESPONSE" cardinality="single" baseType="identifier"><correctResponse><value>A</value></correctResponse></responseDeclaration>
   <itemBody>${body}<choiceInteraction responseIdentifier="RESPONSE" maxChoices="1"><simpleChoice identifier="A">a</simpleChoice><simpleChoice identifier="B">b</simpleChoice></choiceInteraction></itemBody></assessmentItem>`
const good = item('<p>good</p>')
const moodle = (text: string) =>
  `<quiz><question type="multichoice"><questiontext format="html"><text>${text}</text></questiontext><answer fraction="100"><text>a</text></answer></question></quiz>`
const laughs = `<!DOCTYPE quiz [<!ENTITY a "ha">${Array.from({ length: 30 }, (_, n) => `<!ENTITY a${n} "${`&a${n - 1 < 0 ? '' : n - 1};`.repeat(10)}">`).join('')}]>`

const HOSTILE: [name: string, bytes: () => Promise<string | Uint8Array>, status?: number][] = [
  ['an entity bomb', async () => laughs + moodle('&a29;')],
  ['an entity of its own', async () => `<!DOCTYPE quiz [<!ENTITY x "y">]>${moodle('x')}`],
  [
    'an external entity',
    async () => `<!DOCTYPE quiz [<!ENTITY x SYSTEM "file:///etc/passwd">]>${moodle('&x;')}`,
  ],
  ['an unknown entity', async () => moodle('&nothing;')],
  ['an unknown entity that begins as one of HTML', async () => moodle('&notit;')],
  ['100,000 nested elements', async () => moodle('<a>'.repeat(100_000) + '</a>'.repeat(100_000))],
  ['100,000 nested elements of HTML', async () => moodle(`<![CDATA[${'<div>'.repeat(100_000)}]]>`)],
  ['100,000 nested elements of QTI', async () => item('<div>'.repeat(100_000) + '</div>'.repeat(100_000))],
  [
    '100,000 attributes',
    async () => moodle(`<a ${Array.from({ length: 100_000 }, (_, n) => `a${n}="1"`).join(' ')}/>`),
  ],
  [
    'six million attributes',
    async () => moodle(`<a${Array.from({ length: 150 }, (_, n) => ` a${n}=""`).join('')}/>`.repeat(30_000)),
  ],
  ['two million elements', async () => moodle('<a/>'.repeat(2_000_000))],
  ['30 MiB of entities', async () => moodle('&amp;'.repeat(6 * MIB))],
  ['30 MiB of numbered entities', async () => moodle('&#65;'.repeat(6 * MIB))],
  ['40 MiB of entities outside of any question', async () => `<quiz>${'&lt;b&gt;'.repeat(4 * MIB)}</quiz>`],
  ['a question of 20 MiB', async () => moodle('x'.repeat(20 * MIB))],
  ['30 MiB before the first element', async () => `<!--${'x - '.repeat(8 * MIB)}-->${moodle('x')}`],
  ['XML that breaks off', async () => moodle('x').slice(0, -20)],
  ['XML of another kind', async () => '<html><body>hello</body></html>'],
  ['no questions', async () => '<quiz></quiz>'],
  ['text in another encoding', async () => Buffer.from('Gr\xfc\xdfe?{=a ~b}', 'latin1')],
  [
    'XML in another encoding than it says',
    async () => Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>${moodle('Gr\xfc\xdfe')}`, 'latin1'),
  ],
  [
    'XML in an encoding that nobody knows',
    async () => `<?xml version="1.0" encoding="rot13"?>${moodle('x')}`,
  ],
  [
    'UTF-16 that is cut',
    async () => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(moodle('x'), 'utf16le').subarray(1)]),
  ],
  ['one GIFT question of 8 MiB', async () => `q{=${'a\n'.repeat(4 * MIB)}~b}`],
  ['20 MiB of backslashes', async () => `q{=a ~${'\\'.repeat(20 * MIB)}}`],
  ['text of no known format', async () => 'just a line'],
  ['an empty file', async () => ''],
  ['an archive without questions', async () => makeZip({ 'readme.txt': 'hello' })],
  ['half an archive', async () => (await makeZip({ 'a.xml': good })).subarray(0, 200)],
  ['a zip bomb', async () => makeZip({ 'a.xml': good, 'b.xml': Buffer.alloc(100 * MIB, ' ') })],
  ['an archive with a false size', async () => lyingZip()],
  [
    'a path that leaves the archive',
    async () => rename(await makeZip({ 'a.xml': good, 'xx/evil.xml': good }), 'xx/evil.xml', '../evil.xml'),
  ],
  [
    'an absolute path',
    async () => rename(await makeZip({ 'a.xml': good, 'xevil.xml': good }), 'xevil.xml', '/evil.xml'),
  ],
  [
    'one hostile document among good ones',
    async () => makeZip({ 'a.xml': good, 'b.xml': laughs + good, 'c.xml': good }),
  ],
  [
    'one hostile document that is no question',
    async () => makeZip({ 'a.xml': good, 'other.xml': `${laughs}<other/>` }),
  ],
  [
    'more than 10,000 entries',
    async () => makeZip(Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`${n}.txt`, '']))),
    413,
  ],
  ['more than 200 MiB unpacked', async () => makeZip(await big()), 413],
]

/** Eleven documents of 20 MiB, with enough noise that their compression is not suspicious. */
async function big(): Promise<Record<string, Uint8Array>> {
  const noise = Buffer.alloc(20 * MIB)
  randomFillSync(noise, 0, 2 * MIB)
  return Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`${n}.bin`, noise]))
}

/** An archive of 30 MiB whose header says 100 bytes. */
function lyingZip(): Buffer {
  const data = deflateRawSync(Buffer.alloc(30 * MIB, ' '))
  const name = Buffer.from('a.xml')
  const header = (signature: number, extra: number) => {
    const bytes = Buffer.alloc(extra)
    bytes.writeUInt32LE(signature)
    return bytes
  }
  const local = header(0x04034b50, 30)
  local.writeUInt16LE(8, 8)
  local.writeUInt32LE(data.length, 18)
  local.writeUInt32LE(100, 22)
  local.writeUInt16LE(name.length, 26)
  const central = header(0x02014b50, 46)
  central.writeUInt16LE(8, 10)
  central.writeUInt32LE(data.length, 20)
  central.writeUInt32LE(100, 24)
  central.writeUInt16LE(name.length, 28)
  const end = header(0x06054b50, 22)
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(central.length + name.length, 12)
  end.writeUInt32LE(local.length + name.length + data.length, 16)
  return Buffer.concat([local, name, data, central, name, end])
}

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

test('a formula whose parts are nested sixty times, and a text of endless scripts, are read quickly', async () => {
  const nested = `${'<mover>'.repeat(60)}<mi>x</mi>${'<mo>^</mo></mover>'.repeat(60)}`
  for (const text of [`<math>${nested}</math>`, '<sup>x</sup>'.repeat(300_000)]) {
    const question = `<question type="shortanswer"><name><text>Q</text></name>
      <questiontext format="html"><text><![CDATA[${text}]]></text></questiontext>
      <answer fraction="100"><text>x</text></answer></question>`
    const { milliseconds } = await send(`<quiz>${question}</quiz>`, 201, '?format=moodle_xml')
    expect(milliseconds).toBeLessThan(SOON_MS)
  }
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
