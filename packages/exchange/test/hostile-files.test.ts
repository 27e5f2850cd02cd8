import { randomFillSync } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type Item, readInThread } from '../src/index.ts'
import { makeZip } from './reading.ts'

/** Each takes less than a second on an idle machine; a successful attack would take minutes. */
const SOON_MS = 15_000
const MIB = 1024 * 1024

async function read(content: string | Uint8Array, signal = new AbortController().signal): Promise<Item[]> {
  // A buffer of its own, since it goes to the thread.
  const bytes = new Uint8Array(Buffer.from(content).subarray())
  const items: Item[] = []
  for await (const batch of readInThread({ bytes, format: undefined }, signal)) items.push(...batch.items)
  return items
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

const HOSTILE: [name: string, bytes: () => Promise<string | Uint8Array>, code?: 'too_large'][] = [
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
    'too_large',
  ],
  ['more than 200 MiB unpacked', async () => makeZip(await big()), 'too_large'],
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
  test.each(HOSTILE)('%s', async (_name, make, code: string = 'unreadable') => {
    const bytes = await make()
    const began = performance.now()
    await expect(read(bytes)).rejects.toMatchObject({ name: 'FileError', code })
    expect(performance.now() - began).toBeLessThan(SOON_MS)
  })
})

test('a formula whose parts are nested sixty times, and a text of endless scripts, are read quickly', async () => {
  const nested = `${'<mover>'.repeat(60)}<mi>x</mi>${'<mo>^</mo></mover>'.repeat(60)}`
  for (const text of [`<math>${nested}</math>`, '<sup>x</sup>'.repeat(300_000)]) {
    const began = performance.now()
    expect(await read(moodle(`<![CDATA[${text}]]>`))).toHaveLength(1)
    expect(performance.now() - began).toBeLessThan(SOON_MS)
  }
})

test('reading ends when it is aborted, with the reason', async () => {
  const abort = new AbortController()
  abort.abort(new Error('nobody waits for it'))
  await expect(read(moodle('x'), abort.signal)).rejects.toThrow('nobody waits for it')
})
