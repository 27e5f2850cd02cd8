import { readdirSync, readFileSync } from 'node:fs'
import net from 'node:net'
import { setImmediate, setTimeout } from 'node:timers/promises'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Client, PASSWORD } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { hugePng, makeImage } from '../support/content/images.ts'
import { startService, type TestService } from '../support/service.ts'

// Small files that take much work to decode must not delay other people.
let service: TestService
let admin: Client
let person: Client
let page: number

beforeAll(async () => {
  service = await startService()
  admin = await service.admin()
  person = await service.person()
  const notebook = await person.post('/api/v01/notebooks', { title: 'Photographs' }, 201)
  const made = await person.post(`/api/v01/notebooks/${notebook.body.notebook.id}/pages`, {}, 201)
  page = made.body.page.id
})
afterAll(() => service.close())

const addAsset = (bytes: Uint8Array) =>
  person.request('POST', `/api/v01/pages/${page}/assets`, form({}, { field: 'image', name: 'a.png', bytes }))
const login = async () => {
  const began = performance.now()
  await service.guest().post('/api/v01/auth/login', { username: person.username, password: PASSWORD }, 200)
  return performance.now() - began
}

test('an image with too long a side, too many pixels or too many frames is refused at once', async () => {
  const frames = 600
  const film = await sharp(
    Buffer.alloc(8 * 8 * frames * 3, 1).map((_, n) => n % 251),
    {
      raw: { width: 8, height: 8 * frames, channels: 3, pageHeight: 8 },
    },
  )
    .gif()
    .toBuffer()
  for (const bytes of [hugePng(1, 24_999_999), hugePng(24_999_999, 1), hugePng(16_384, 16_384), film]) {
    const began = performance.now()
    const { status, body } = await addAsset(bytes)
    expect(status).toBe(400)
    expect(body.errors?.[0]).toEqual({
      path: '/image',
      message: expect.stringMatching(/too large|could not be read/),
    })
    expect(performance.now() - began).toBeLessThan(2_000)
  }
  expect((await addAsset(await makeImage('png', { width: 3_000, height: 2_000 }))).status).toBe(201)
})

test('while many large images are decoded, everybody else can log in', async () => {
  const large = hugePng(5_000, 5_000)
  const uploads = Array.from({ length: 8 }, () => addAsset(large))
  const inFolder = form(
    { subject_folder_id: 'Large' },
    ...['a', 'b', 'c', 'd'].map((name) => ({ field: 'images', name: `${name}.png`, bytes: large })),
  )
  const many = admin.request('POST', '/api/v01/admin/images', inFolder)
  for (let tries = 0; tries < 5; tries++) expect(await login()).toBeLessThan(3_000)
  for (const { status } of await Promise.all(uploads)) expect(status).toBe(201)
  expect((await many).body).toMatchObject({ uploaded: 4, failed: [] })
})

test('an image that is truncated after a valid beginning is refused', async () => {
  const whole = Buffer.from(await makeImage('jpeg', { width: 400, height: 400 }))
  for (const bytes of [whole.subarray(0, whole.length / 2), Buffer.from(hugePng(100, 100)).subarray(0, 60)])
    expect((await addAsset(bytes)).body.errors?.[0]?.message).toBe('The image could not be read')
})

test('of one person’s uploads two are read at once, and nobody else waits for them', async () => {
  const { hostname, port } = new URL(service.urls[0] as string)
  const head = [
    `POST /api/v01/pages/${page}/assets HTTP/1.1`,
    `host: ${hostname}`,
    `authorization: Bearer ${person.accessToken}`,
    'content-type: multipart/form-data; boundary=x',
    'content-length: 100000000',
    '',
    '--x',
    'content-disposition: form-data; name="image"; filename="a.png"',
    '',
    '',
  ].join('\r\n')
  // More than socket buffers hold for a connection that nobody reads from.
  const begin = () => {
    const socket = net.connect(Number(port), hostname)
    // The service cuts those that wait for too long.
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    socket.write(head)
    socket.write(Buffer.alloc(30_000_000))
    return socket
  }
  // A third of the service's five connections to the database.
  const share = 2
  const sockets = Array.from({ length: 5 }, begin)
  const isRead = (socket: net.Socket) =>
    socket.writableLength === 0 && socket.bytesRead === 0 && !socket.destroyed
  const countRead = () => sockets.filter(isRead).length
  await expect.poll(countRead).toBe(share)
  const other = await service.person()
  const notebook = await other.post('/api/v01/notebooks', { title: 'Mine' }, 201)
  const own = await other.post(`/api/v01/notebooks/${notebook.body.notebook.id}/pages`, {}, 201)
  const upload = (client: Client, id: number, bytes: Uint8Array) =>
    client.request(
      'POST',
      `/api/v01/pages/${id}/assets`,
      form({}, { field: 'image', name: 'a.png', bytes }),
      201,
    )
  const image = await makeImage('png')
  await upload(other, own.body.page.id, image)
  expect(countRead()).toBeLessThanOrEqual(share)
  for (const socket of sockets) socket.destroy()
  await upload(person, page, image)
})

test('a decoder that is slow to start refuses no image, and one that doesn’t start says that the service is busy', async () => {
  const image = await makeImage()
  for (const [pauseMs, wanted] of [
    [6_000, 201],
    [undefined, 503],
  ] as const) {
    const decoder = await stopNewDecoder(() => addAsset(image))
    if (pauseMs) {
      await setTimeout(pauseMs)
      process.kill(decoder.pid, 'SIGCONT')
    }
    const { status, headers, body } = await decoder.answer
    expect(status, JSON.stringify(body)).toBe(wanted)
    if (wanted === 503) {
      expect(body).toMatchObject({ code: 'unavailable' })
      expect(headers.get('retry-after')).toMatch(/^\d+$/)
    }
  }
  expect((await addAsset(image)).status).toBe(201)
}, 60_000)

/** Ends the decoders that wait, and stops the next one as soon as it exists. */
async function stopNewDecoder<Answer>(ask: () => Promise<Answer>) {
  for (const pid of listChildren())
    if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('image-decoder-process')) {
      process.kill(pid, 'SIGKILL')
      await expect.poll(listChildren).not.toContain(pid)
    }
  const before = listChildren()
  const answer = ask()
  for (;;) {
    const pid = listChildren().find((each) => !before.includes(each))
    if (pid !== undefined) {
      process.kill(pid, 'SIGSTOP')
      return { pid, answer }
    }
    await setImmediate()
  }
}

/** The processes that this one has started. */
function listChildren(): number[] {
  return readdirSync('/proc/self/task').flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  )
}
