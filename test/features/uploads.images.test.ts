import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import path from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { hugePng, makeImage } from '../support/content/images.ts'
import { memoryInUse } from '../support/memory.ts'
import { LoopbackS3 } from '../support/outside/s3.ts'
import { startService, type TestService, withService } from '../support/service.ts'

const IMAGES = '/api/v01/admin/images'
const HOUR_MS = 3_600_000
let now = Date.UTC(2026, 0, 15, 10, 20)
let service: TestService
let admin: Client
let red: Uint8Array
let green: Uint8Array
beforeAll(async () => {
  service = await startService({ clock: () => now })
  admin = await service.admin()
  ;[red, green] = await Promise.all([makeImage('png'), makeImage('png', { colour: 'green' })])
})
afterAll(() => service.close())

const image = (name: string, bytes: Uint8Array | string) => ({ field: 'images', name, bytes })
const upload = (folder: string, ...files: ReturnType<typeof image>[]) =>
  admin.request('POST', IMAGES, form({ subject_folder_id: folder }, ...files), 200)
/** All stored files, as paths relative to the storage's folder. */
const stored = async (dataDir = service.dataDir) =>
  (await readdir(path.join(dataDir), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(path.join(dataDir, 'files'), path.join(entry.parentPath, entry.name)))
    .sort()

/** The signed address that a question with this image shows. */
async function addressOf(key: string, by = admin) {
  const exam = (await by.post('/api/v01/admin/exams', { name: 'An exam' }, 201)).body.exam.id
  const fields = { exam_id: exam, image_path: key }
  const { question_id } = (await by.request('POST', '/api/v01/admin/questions', form(fields), 201)).body
  return String((await by.get(`/api/v01/admin/questions/${question_id}`, 200)).body.question.image_url)
}

async function open(url: string, headers: Record<string, string> = {}) {
  const response = await service.guest().fetch('GET', url, { headers })
  return {
    status: response.status,
    headers: response.headers,
    bytes: new Uint8Array(await response.arrayBuffer()),
  }
}

describe('an upload', () => {
  test('stores valid images, and says why it refuses each other file', async () => {
    const whole = await makeImage('jpeg')
    const { body } = await upload(
      'Physics',
      image('a.png', red),
      image('b.JPG', whole),
      image('c.gif', await makeImage('gif')),
      image('d.webp', await makeImage('webp')),
      image('Größe ½ 😀.png', red),
      image('really-a-jpeg.png', whole),
      image('cut.jpg', whole.subarray(0, whole.length / 2)),
      image('drawing.png', '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'),
      image('drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'),
      image('script.gif', 'GIF89a/*<script>alert(1)</script>*/=1;'),
      image('page.png', '<html><script>alert(1)</script>'),
      image('empty.png', ''),
      image('large.png', randomBytes(512_001)),
      image('bomb.png', hugePng(16_384, 16_384)),
      image('program.exe', red),
      image('none', red),
    )
    expect(body).toEqual({
      success: true,
      uploaded: 6,
      failed: [
        { filename: 'cut.jpg', error: 'The image could not be read' },
        { filename: 'drawing.png', error: 'The file is not an image of an allowed type' },
        { filename: 'drawing.svg', error: 'The file extension is not allowed' },
        { filename: 'script.gif', error: 'The image could not be read' },
        { filename: 'page.png', error: 'The file is not an image of an allowed type' },
        { filename: 'empty.png', error: 'The file is empty' },
        { filename: 'large.png', error: 'The file is larger than 500 KB' },
        { filename: 'bomb.png', error: 'The image could not be read' },
        { filename: 'program.exe', error: 'The file extension is not allowed' },
        { filename: 'none', error: 'The file extension is not allowed' },
      ],
    })
    expect((await stored()).filter((key) => key.startsWith('Physics/'))).toEqual(
      ['a.png', 'b.JPG', 'c.gif', 'd.webp', 'really-a-jpeg.png', 'Größe ½ 😀.png']
        .map((name) => `Physics/${name}`)
        .sort(),
    )
    const shown = await open(await addressOf('Physics/Größe ½ 😀.png'))
    expect(shown).toMatchObject({ status: 200, bytes: red })
    expect(shown.headers.get('content-type')).toBe('image/png')
    expect(shown.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('with hostile names stays in its folder', async () => {
    const before = await stored()
    const names = [
      '../evil.png',
      '..\\evil.png',
      '/etc/evil.png',
      'C:evil.png',
      '.hidden.png',
      `${'x'.repeat(300)}.png`,
      'a/b.png',
      ' evil.png',
    ]
    const { body } = await upload(
      'Names',
      ...names.map((name) => image(name, red)),
      image('A.png', red),
      image('a.png', green),
    )
    expect(body.uploaded).toBe(1)
    expect(body.failed).toEqual([
      ...names.map((filename) => ({ filename, error: 'The file name is not allowed' })),
      { filename: 'a.png', error: 'The file name differs from A.png only in case' },
    ])
    // Names that no browser sends:
    const raw = (name: string) =>
      admin.request(
        'POST',
        IMAGES,
        Buffer.concat([
          Buffer.from(
            `--b\r\ncontent-disposition: form-data; name="subject_folder_id"\r\n\r\nNames\r\n--b\r\ncontent-disposition: form-data; name="images"; filename="${name}"\r\n\r\n`,
          ),
          red,
          Buffer.from('\r\n--b--\r\n'),
        ]),
        undefined,
        { 'content-type': 'multipart/form-data; boundary=b' },
      )
    for (const name of ['evil\0.png', '%00.png\0', '../../evil.png', '..']) {
      const answer = await raw(name)
      if (answer.status === 200) expect(answer.body.uploaded, JSON.stringify(name)).toBe(0)
      else expect(answer.status, JSON.stringify(name)).toBe(400)
    }
    expect(await stored()).toEqual([...before, 'Names/A.png'].sort())
  })

  test('into an invalid folder, without a folder or without files is refused', async () => {
    for (const folder of ['../up', 'a/b', '.', '..', '.git', 'a\\b', 'x'.repeat(201), 'a\0b']) {
      const answer = await admin.request(
        'POST',
        IMAGES,
        form({ subject_folder_id: folder }, image('a.png', red)),
        400,
      )
      expect(answer.body, folder).toMatchObject({ errors: [{ path: '/subject_folder_id' }] })
    }
    const nowhere = await admin.request('POST', IMAGES, form({}, image('a.png', red)), 400)
    expect(nowhere.body.errors?.[0]?.path).toBe('/subject_folder_id')
    const nothing = await admin.request('POST', IMAGES, form({ subject_folder_id: 'A' }), 400)
    expect(nothing.body.errors?.[0]?.path).toBe('/images')
    await admin.post(IMAGES, { subject_folder_id: 'A' }, 415)
  })

  test('may send the folder after the files', async () => {
    const data = new FormData()
    data.append('images', new Blob([red as Uint8Array<ArrayBuffer>]), 'late.png')
    data.append('subject_folder_id', 'Late')
    expect((await admin.request('POST', IMAGES, data, 200)).body.uploaded).toBe(1)
    expect(await stored()).toContain('Late/late.png')
  })

  test('names refused files that come before the folder, however many and large they are', {
    meta: { costly: 'sends many large files' },
  }, async () => {
    const data = new FormData()
    const large = new Blob([Buffer.alloc(1 << 20)])
    for (let n = 0; n < 40; n++) data.append('images', large, `${n}.png`)
    data.append('images', new Blob([red as Uint8Array<ArrayBuffer>]), 'fits.png')
    data.append('subject_folder_id', 'Last')
    const { body } = await admin.request('POST', IMAGES, data, 200)
    expect(body).toMatchObject({ uploaded: 1 })
    expect(body.failed).toHaveLength(40)
    expect(await stored()).toContain('Last/fits.png')
  })

  test('of 1,000 files is read, of more it is 413', async () => {
    const files = Array.from({ length: 1_000 }, (_, n) => image(`${n}.exe`, red))
    const { body } = await upload('Many', ...files)
    expect(body).toMatchObject({ uploaded: 0 })
    expect(body.failed).toHaveLength(1_000)
    const more = form({ subject_folder_id: 'Many' }, ...files, image('one more.exe', red))
    await admin.request('POST', IMAGES, more, 413)
  })

  test('of a very large file is read to its end without keeping it in memory', {
    meta: { costly: 'sends a very large file' },
  }, async () => {
    const before = await memoryInUse()
    let grown = 0
    const megabyte = Buffer.alloc(1 << 20)
    let left = 200
    const body = new ReadableStream({
      start: (controller) =>
        controller.enqueue(
          Buffer.from(
            '--b\r\ncontent-disposition: form-data; name="subject_folder_id"\r\n\r\nEndless\r\n--b\r\ncontent-disposition: form-data; name="images"; filename="a.png"\r\n\r\n',
          ),
        ),
      async pull(controller) {
        if (left-- > 0) return controller.enqueue(megabyte)
        grown = (await memoryInUse()) - before
        controller.enqueue(Buffer.from('\r\n--b--\r\n'))
        controller.close()
      },
    })
    const answer = await admin.request('POST', IMAGES, body, 200, {
      'content-type': 'multipart/form-data; boundary=b',
    })
    expect(answer.body).toMatchObject({
      uploaded: 0,
      failed: [{ filename: 'a.png', error: 'The file is larger than 500 KB' }],
    })
    expect(grown).toBeLessThan(100)
  })
})

describe('an address', () => {
  test('shows the new image as soon as the old one is overwritten, also to caches', async () => {
    await upload('Changing', image('q.png', red))
    const address = await addressOf('Changing/q.png')
    const old = await open(address)
    expect(old.bytes).toEqual(red)
    const etag = old.headers.get('etag') ?? ''
    expect(old.headers.get('cache-control')).toBe('private, no-cache')
    expect((await open(address, { 'if-none-match': etag })).status).toBe(304)
    await upload('Changing', image('q.png', green))
    expect((await open(address, { 'if-none-match': etag })).bytes).toEqual(green)
  })

  test('is 403 if any character is changed, and when it has expired', async () => {
    await upload('Signed', image('q.png', red))
    const address = await addressOf('Signed/q.png')
    const prefix = '/files/'.length
    for (let at = prefix; at < address.length; at++) {
      const other = address[at] === 'a' ? 'b' : 'a'
      const changed = address.slice(0, at) + other + address.slice(at + 1)
      expect((await open(changed)).status, changed).toBe(403)
    }
    for (const changed of [
      address.split('?')[0] ?? '',
      address.replace(/expires=\d+/, 'expires=99999999999'),
      address.replace('expires=', 'expires=0'),
      address.replace('q.png', '..%2fSigned%2fq.png'),
      address.replace('q.png', '..%2f..%2fjwt-secret'),
      `${address}x`,
      `${address}&expires=99999999999`,
      `${address}&signature=x`,
    ])
      expect((await open(changed)).status, changed).toBe(403)

    const started = now
    now = started + HOUR_MS - 1_000
    expect((await open(address)).status).toBe(200)
    now = started + 2 * HOUR_MS
    expect((await open(address)).status).toBe(403)
    now = started
  })

  test('of a missing image is 404', async () => {
    expect((await open(await addressOf('Signed/none.png'))).status).toBe(404)
  })
})

test('images can be stored in S3 and read from it; while it fails they are 503', async () => {
  const s3 = await LoopbackS3.start()
  try {
    const { accessKeyId, secretAccessKey, endpoint } = s3
    const storage = {
      kind: 's3' as const,
      bucket: 'exams',
      region: 'us-east-1',
      sessionToken: undefined,
      endpoint,
      accessKeyId,
      secretAccessKey,
    }
    const inS3 = await withService({ config: { storage } })
    const by = await inS3.admin()
    const file = form({ subject_folder_id: 'Physics' }, image('q 1.png', red))
    expect((await by.request('POST', IMAGES, file, 200)).body.uploaded).toBe(1)
    expect([...s3.objects.keys()]).toEqual(['/exams/Physics/q 1.png'])
    const address = await addressOf('Physics/q 1.png', by)
    const response = await by.fetch('GET', address)
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(red)
    s3.failing = 500
    expect((await by.request('POST', IMAGES, file, 503)).body.code).toBe('unavailable')
    await by.get(address, 503)
    s3.failing = undefined
  } finally {
    await s3.close()
  }
})

test('a byte of a large file costs as much as a byte of a small one', async () => {
  const files = service.nodes[0]?.core.files
  const ask = async (key: string) => {
    const address = await addressOf(key)
    return async () => {
      const began = performance.now()
      for (let count = 0; count < 20; count++)
        expect(await open(address, { range: 'bytes=0-0' })).toMatchObject({
          status: 206,
          bytes: { length: 1 },
        })
      return performance.now() - began
    }
  }
  await files?.put('Sizes/large.png', randomBytes(30 << 20), 'image/png')
  await files?.put('Sizes/small.png', randomBytes(1 << 10), 'image/png')
  const [large, small] = [await ask('Sizes/large.png'), await ask('Sizes/small.png')]
  await expect.poll(async () => (await large()) / (await small())).toBeLessThan(4)
})

test('large files that nobody reads are not held in memory', {
  meta: { costly: 'reads large files' },
}, async () => {
  const addresses: URL[] = []
  for (let count = 0; count < 10; count++) {
    const key = `Large/${count}.png`
    await service.nodes[0]?.core.files.put(key, randomBytes(20 << 20), 'image/png')
    addresses.push(new URL(await addressOf(key), service.urls[0]))
  }
  const before = await memoryInUse()
  const sockets = await Promise.all(
    addresses.map(async ({ hostname, port, pathname, search }) => {
      const socket = connect(Number(port), hostname)
      socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: x\r\n\r\n`)
      // The first bytes have arrived; from now on nobody reads.
      await once(socket, 'readable')
      return socket
    }),
  )
  expect((await memoryInUse()) - before).toBeLessThan(60)
  for (const socket of sockets) socket.destroy()
})

test('images that nobody reads are held a few at a time', {
  meta: { costly: 'reads large images' },
}, async () => {
  const raw = { width: 400, height: 400, channels: 3 } as const
  const noise = await sharp(randomBytes(400 * 400 * 3), { raw })
    .png()
    .toBuffer()
  await upload('Noise', image('noise.png', noise))
  const address = new URL(await addressOf('Noise/noise.png'), service.urls[0])
  const before = await memoryInUse()
  const asking = `GET ${address.pathname}${address.search} HTTP/1.1\r\nhost: x\r\n\r\n`
  const sockets = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const socket = connect(Number(address.port), address.hostname)
      await once(socket, 'connect')
      // The first answers fill what the system takes for a connection that nobody reads.
      socket.pause().write(asking.repeat(20))
      return socket
    }),
  )
  // Others have their turn behind them.
  for (let count = 0; count < 20; count++) await admin.get('/api/v01/chat/unread', 200)
  expect((await memoryInUse()) - before).toBeLessThan(120)
  for (const socket of sockets) socket.destroy()
})
