import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openPage } from '../support/browser.ts'
import { form } from '../support/content/forms.ts'
import { hugePng, makeImage } from '../support/content/images.ts'
import { connectedPair, startService, type TestService } from '../support/service.ts'

let service: TestService
let browser: Browser
beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
})
afterAll(async () => {
  await browser.close()
  await service.close()
})

const CHAT = '/api/v01/chat'
const SCRIPT = "alert('XSS')"
const PAGE = `<!doctype html><html><body onload="${SCRIPT}"><script>${SCRIPT}</script></body></html>`
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="${SCRIPT}"><script>${SCRIPT}</script></svg>`
/** The only types that browsers show. */
const SHOWN = /^image\/(png|jpeg|gif|webp)$/

interface Hostile {
  name: string
  bytes: Uint8Array | string
}

test('of a hundred hostile files none runs, and none is served as what it isn’t', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const files = await makeHostileFiles()
  expect(files.length).toBeGreaterThanOrEqual(100)
  const path = `${CHAT}/conversations/${conversationId}/attachments` as const
  const addresses: string[] = []
  for (const { name, bytes } of files) {
    const label = JSON.stringify(name)
    const answer = await alice.request('POST', path, form({}, { field: 'file', name, bytes }))
    expect([201, 400], label).toContain(answer.status)
    if (answer.status !== 201) continue
    const { attachment } = answer.body
    expect([...attachment.name].length, label).toBeLessThanOrEqual(200)
    expect(attachment.name, label).not.toMatch(/[/\\\p{Cc}\u202A-\u202E\u2066-\u2069]|^\.*$/u)
    for (const url of [attachment.url, attachment.thumbnail_url ?? '']) {
      if (url === '') continue
      const served = await alice.fetch('GET', url)
      const content = new Uint8Array(await served.arrayBuffer())
      const header = (of: string) => served.headers.get(of) ?? ''
      expect(served.status, label).toBe(200)
      expect(header('content-security-policy'), label).toContain('sandbox')
      expect(header('x-content-type-options'), label).toBe('nosniff')
      const isInline = header('content-disposition').startsWith('inline')
      // Only what a decoder has encoded anew is shown, and nothing of it is the sender's own text.
      expect(isInline, label).toBe(attachment.thumbnail_url !== null)
      if (!isInline) continue
      expect(header('content-type'), label).toMatch(SHOWN)
      expect(`image/${(await sharp(content).metadata()).format}`, label).toBe(header('content-type'))
      expect(Buffer.from(content).toString('latin1'), label).not.toContain('XSS')
    }
    addresses.push(attachment.url)
    const body = { message: '', attachment_ids: [attachment.id] }
    await alice.post(`${CHAT}/conversations/${conversationId}/messages`, body, 201)
  }

  // A browser that opens each of them runs none, in a frame of the service's own pages neither.
  const { page, context, problems } = await openPage(browser, bob.url)
  await page.goto('/login')
  const origin = new URL(bob.url).origin
  for (const address of addresses) await page.goto(new URL(address, origin).href).catch(() => {})
  await page.goto('/login')
  expect(problems.filter((problem) => problem.startsWith('ran:'))).toEqual([])
  await context.close()
})

async function makeHostileFiles(): Promise<Hostile[]> {
  const images = await Promise.all(
    (['png', 'jpeg', 'gif', 'webp'] as const).map(async (format) => ({
      format,
      bytes: Buffer.from(await makeImage(format, { width: 16, height: 16 })),
    })),
  )
  const ends = ['.png', '.jpg', '.gif', '.webp', '.html', '.svg', '.xhtml', '.js', '.pdf', '']
  const disguised = ends.flatMap((end) => [
    { name: `page${end}`, bytes: PAGE },
    { name: `drawing${end}`, bytes: SVG },
  ])
  const drawings = [
    `<?xml version="1.0"?>${SVG}`,
    `\uFEFF${SVG}`,
    `<!-- ${'x'.repeat(5_000)} -->${SVG}`,
    Buffer.from(`\uFEFF${SVG}`, 'utf16le'),
    gzipSync(SVG),
    `<?xml-stylesheet href="javascript:${SCRIPT}"?>${SVG}`,
  ].map((bytes, index) => ({ name: `drawing ${index}.svg`, bytes }))
  const polyglots = images.flatMap(({ format, bytes }) => [
    { name: `after.${format}`, bytes: Buffer.concat([bytes, Buffer.from(PAGE)]) },
    { name: `after.html`, bytes: Buffer.concat([bytes, Buffer.from(PAGE)]) },
    { name: `before.${format}`, bytes: Buffer.concat([Buffer.from(PAGE), bytes]) },
    { name: `signature.${format}`, bytes: Buffer.concat([bytes.subarray(0, 16), Buffer.from(PAGE)]) },
    { name: `archive.${format}`, bytes: Buffer.concat([bytes, Buffer.from('PK\x03\x04'), Buffer.from(SVG)]) },
  ])
  const scripts = [
    `GIF89a=1;${SCRIPT}//`,
    `GIF89a/*${'\0'.repeat(64)}*/=1;${SCRIPT}`,
    `BM=1;${SCRIPT}`,
    `%PDF-1.7\n${PAGE}`,
    `PK\x03\x04${PAGE}`,
    `MZ${PAGE}`,
  ].map((bytes, index) => ({ name: `script ${index}.gif`, bytes }))
  const described = await Promise.all(
    (['png', 'jpeg', 'webp'] as const).map(async (format) => ({
      name: `described.${format}`,
      bytes: await sharp({ create: { width: 16, height: 16, channels: 3, background: 'red' } })
        .withExif({ IFD0: { ImageDescription: PAGE, Artist: PAGE } })
        .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${PAGE}</x:xmpmeta>`)
        .toFormat(format)
        .toBuffer(),
    })),
  )
  const cut = images.flatMap(({ format, bytes }) =>
    [0.25, 0.5, 0.75, 0.95].map((share) => ({
      name: `cut ${share}.${format}`,
      bytes: bytes.subarray(0, Math.ceil(bytes.length * share)),
    })),
  )
  // The length of the first chunk says more, and less, than there is.
  const lengths = [0, 1, 0x7fffffff, 0xffffffff].map((length) => {
    const [{ bytes } = { bytes: Buffer.alloc(0) }] = images
    const wrong = Buffer.from(bytes)
    wrong.writeUInt32BE(length, 8)
    return { name: `length ${length}.png`, bytes: wrong }
  })
  const huge = [
    [16_384, 16_384],
    [65_535, 500],
    [1, 100_000],
    [100_000, 1],
    [0, 0],
  ].map(([width = 0, height = 0]) => ({
    name: `huge ${width} ${height}.png`,
    bytes: hugePng(width, height),
  }))
  const names = [
    '../../../../etc/passwd',
    '..\\..\\windows\\system32\\evil.exe',
    '/etc/shadow',
    'C:\\autoexec.bat',
    '.',
    '..',
    '....',
    '.htaccess',
    'two\r\nset-cookie: a=b.txt',
    'quote".txt',
    "it's; filename=evil.html",
    'null\0.png',
    '\u202Egnp.exe',
    'photo\u2066.html\u2069.png',
    ' ',
    `${'long'.repeat(200)}.html`,
    `x.${'long'.repeat(200)}`,
    '💥'.repeat(300),
    '<img src=x onerror=alert("XSS")>.png',
    'con.txt',
    '%2e%2e%2fescaped',
    'ﬁle：name？.txt',
  ].map((name) => ({ name, bytes: PAGE }))
  return [
    ...disguised,
    ...drawings,
    ...polyglots,
    ...scripts,
    ...described,
    ...cut,
    ...lengths,
    ...huge,
    ...names,
  ]
}
