import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { ServiceNode } from '../../src/process/node.ts'
import type { Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { form } from '../support/content/forms.ts'
import { makeImage } from '../support/content/images.ts'
import { holdLocks } from '../support/locks.ts'
import { memoryInUse } from '../support/memory.ts'
import { LoopbackS3 } from '../support/outside/s3.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { startService, type TestService, withService } from '../support/service.ts'

/** The deadline of requests in milliseconds, whatever is slow: body, reader or storage. */
const DEADLINE_MS = 1_000
let service: TestService
let s3: LoopbackS3
let admin: Client

beforeAll(async () => {
  s3 = await LoopbackS3.start()
  const { accessKeyId, secretAccessKey, endpoint } = s3
  service = await startService({
    config: {
      requestTimeoutMs: DEADLINE_MS,
      storage: {
        kind: 's3',
        bucket: 'exams',
        region: 'us-east-1',
        sessionToken: undefined,
        endpoint,
        accessKeyId,
        secretAccessKey,
      },
    },
  })
  admin = await service.admin()
})
afterAll(async () => {
  await service.close()
  await s3.close()
})

interface RawConnection {
  socket: Socket
  /** What has been received so far. */
  text(): string
  /** Resolves with the connection's lifetime in milliseconds when the service has ended it. */
  closed: Promise<number>
}

async function open(): Promise<RawConnection> {
  const { hostname, port } = new URL(service.urls[0] as string)
  const began = performance.now()
  const socket = connect({ host: hostname, port: Number(port) })
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', () => {})
  // Not `events.once`, which would reject when the service resets the connection.
  const closed = new Promise<number>((resolve) =>
    socket.once('close', () => resolve(performance.now() - began)),
  )
  await once(socket, 'connect')
  return { socket, text: () => text, closed }
}

const head = (path: string, type: string, length: number, token?: string) =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    `Content-Type: ${type}`,
    `Content-Length: ${length}`,
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    '',
    '',
  ].join('\r\n')

const IMAGES = '/api/v01/admin/images'
const beginOfForm = (filename: string) =>
  `--b\r\ncontent-disposition: form-data; name="subject_folder_id"\r\n\r\nSlow\r\n--b\r\ncontent-disposition: form-data; name="images"; filename="${filename}"\r\n\r\n`

test('a body that stalls is answered at the deadline, and its connection ends with the answer', async () => {
  const stalled: [path: string, type: string, length?: number][] = [
    ['/api/v01/auth/login', 'application/json', 60_000],
    ['/login', 'application/x-www-form-urlencoded', 9_000],
    [IMAGES, 'multipart/form-data; boundary=b'],
    ['/api/v01/admin/questions/import-csv', 'multipart/form-data; boundary=b'],
    ['/api/v01/admin/categories', 'multipart/form-data; boundary=b'],
    ['/nowhere', 'application/json', 60_000],
  ]
  await Promise.all(
    stalled.map(async ([path, type, length = 900_000]) => {
      const { socket, text, closed } = await open()
      socket.write(head(path, type, length, admin.accessToken))
      socket.write(type.startsWith('multipart') ? beginOfForm('a.png') : '{"username":"')
      expect(await closed, path).toBeLessThan(2.5 * DEADLINE_MS)
      expect(text(), path).toMatch(/^HTTP\/1.1 503 .*^connection: close/ims)
      // The login form is answered with a page.
      if (path !== '/login') expect(text(), path).toContain('"code":"unavailable"')
    }),
  )
})

test('a body that only drips is answered at the deadline', async () => {
  const { socket, text, closed } = await open()
  socket.write(
    head(IMAGES, 'multipart/form-data; boundary=b', 900_000, admin.accessToken) + beginOfForm('a.png'),
  )
  const drip = setInterval(() => socket.write('x'), 50)
  expect(await closed).toBeLessThan(2.5 * DEADLINE_MS)
  clearInterval(drip)
  expect(text()).toMatch(/^HTTP\/1.1 503 /)
})

test('an upload that keeps coming may take longer', async () => {
  const { socket, text } = await open()
  const image = Buffer.concat([await makeImage('png'), Buffer.alloc(200_000)])
  const body = Buffer.concat([Buffer.from(beginOfForm('slow.png')), image, Buffer.from('\r\n--b--\r\n')])
  socket.write(head(IMAGES, 'multipart/form-data; boundary=b', body.length, admin.accessToken))
  for (let at = 0; at < body.length; at += 20_000) {
    socket.write(body.subarray(at, at + 20_000))
    await setTimeout(0.2 * DEADLINE_MS)
  }
  await expect.poll(text, { timeout: 8_000 }).toMatch(/^HTTP\/1.1 200 /)
})

test('an upload that waits for its turn does not count as stalled', async () => {
  const path = '/api/v01/admin/questions/import-csv'
  const { examId } = await createExam(service.sql)
  const header =
    'exam_id,question_text,option_a,option_b,option_c,option_d,correct_answer,question_type,image_path,positive_marks,negative_marks,tolerance\n'
  const row = `${examId},Which one?,a,b,,,A,MCQ,,4,1,0\n`
  const { socket, text } = await open()
  const rows = header + row.repeat(2_000)
  const body = Buffer.from(
    `--b\r\ncontent-disposition: form-data; name="csv_file"; filename="q.csv"\r\n\r\n${rows}\r\n--b--\r\n`,
  )
  socket.write(head(path, 'multipart/form-data; boundary=b', body.length, admin.accessToken))
  const later = new FormData()
  later.append('csv_file', new Blob([header + row.repeat(7_900)]), 'q.csv')
  let waiting: Promise<{ status: number }> | undefined
  for (let at = 0; at < body.length; at += 5_000) {
    socket.write(body.subarray(at, at + 5_000))
    await setTimeout(0.2 * DEADLINE_MS)
    waiting ??= admin.request('POST', path, later)
  }
  await expect.poll(text).toMatch(/^HTTP\/1.1 200 /)
  expect((await waiting)?.status).toBe(200)
})

test('a body whose request is refused already is not read for long', async () => {
  const { socket, text, closed } = await open()
  socket.write(head(IMAGES, 'multipart/form-data; boundary=b', 1 << 30))
  const drip = setInterval(() => socket.write(Buffer.alloc(1_000)), 50)
  expect(await closed).toBeLessThan(1.5 * DEADLINE_MS)
  clearInterval(drip)
  expect(text()).toMatch(/^HTTP\/1.1 401 /)
})

test('the connection ends if the headers stall', async () => {
  const { socket, closed } = await open()
  socket.write('GET /healthz HTTP/1.1\r\nHost:')
  expect(await closed).toBeLessThan(3 * DEADLINE_MS)
})

test('images of an upload may take longer to store than other requests; without its client no more are stored', async () => {
  const files = await Promise.all(
    Array.from({ length: 10 }, async (_, n) => ({
      field: 'images',
      name: `${n}.png`,
      bytes: await makeImage('png'),
    })),
  )
  s3.delay = 0.4 * DEADLINE_MS
  onTestFinished(() => {
    s3.delay = 0
  })
  const all = await admin.request('POST', IMAGES, form({ subject_folder_id: 'Slow' }, ...files), 200)
  expect(all.body).toMatchObject({ uploaded: 10, failed: [] })
  const before = s3.objects.size
  const body = form({ subject_folder_id: 'Left' }, ...files)
  await expect(
    admin.fetch('POST', IMAGES, { body, signal: AbortSignal.timeout(DEADLINE_MS) }),
  ).rejects.toThrow()
  // What was under way when the client left has ended by then.
  await setTimeout(DEADLINE_MS)
  const stored = s3.objects.size
  expect(stored - before).toBeLessThan(6)
  await setTimeout(DEADLINE_MS)
  expect(s3.objects.size).toBe(stored)
})

test('a file that is opened only after the deadline is closed', async () => {
  const { id } = (await admin.post('/api/v01/admin/exams', { name: 'Late' }, 201)).body.exam
  const question = form({ exam_id: id, image_path: 'Late/q.png' })
  const { question_id } = (await admin.request('POST', '/api/v01/admin/questions', question, 201)).body
  const { image_url } = (await admin.get(`/api/v01/admin/questions/${question_id}`, 200)).body.question
  const opened = Promise.withResolvers<Readable>()
  const found = { contentType: 'image/png', size: 4, version: '1', read: () => opened.promise }
  vi.spyOn((service.nodes[0] as ServiceNode).core.files, 'find').mockResolvedValueOnce(found)
  await admin.get(String(image_url), 503)
  const file = Readable.from(['late'])
  opened.resolve(file)
  await expect.poll(() => file.destroyed).toBe(true)
})

test('a client that doesn’t read its answers is disconnected', async () => {
  const { server } = (service.nodes[0] as ServiceNode).app
  const connections = () => promisify(server.getConnections.bind(server))()
  const before = await connections()
  const { socket } = await open()
  socket.pause()
  socket.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20))
  await expect.poll(connections, { timeout: 2 * DEADLINE_MS }).toBe(before + 1)
  await expect.poll(connections, { timeout: 6 * DEADLINE_MS }).toBe(before)
})

test('a request that is answered at the deadline leaves one short line in the log, though its handler goes on', async () => {
  const lines: object[] = []
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line)) })
  const { person, sql } = await withService({ config: { requestTimeoutMs: DEADLINE_MS }, log })
  const writer = await person()
  const release = await holdLocks(sql, (tx) => tx`select from users where id = ${writer.id} for update`)
  await writer.post('/api/v01/notebooks', { title: 'Late' }, 503)
  await release()
  await expect.poll(async () => (await writer.get('/api/v01/notebooks', 200)).body.notebooks).toHaveLength(1)
  expect(lines).toEqual([expect.objectContaining({ level: 40, code: 'unavailable', msg: 'request refused' })])
  expect(lines[0]).not.toHaveProperty('err')
})

test('a login that is refused after its deadline leaves one short line in the log', async () => {
  const lines: object[] = []
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line)) })
  const { guest, sql } = await withService({ config: { requestTimeoutMs: DEADLINE_MS }, log })
  const release = await holdLocks(sql, (tx) => tx`lock table login_failures in access exclusive mode`)
  await guest().post('/api/v01/auth/login', { username: 'nobody', password: 'a guess' }, 503)
  await release()
  const countFailures = async () => (await sql`select from login_failures where identifier = 'nobody'`).length
  await expect.poll(countFailures).toBe(1)
  // The next answer comes after everything that the late refusal wrote.
  await guest().post('/api/v01/auth/login', { username: 'nobody', password: 'a guess' }, 401)
  expect(lines).toEqual([expect.objectContaining({ level: 40, code: 'unavailable', msg: 'request refused' })])
})

test('stalled bodies take little memory, which is freed', async () => {
  const body = Buffer.from(`{"username":"${'x'.repeat(900_000)}`)
  const before = await memoryInUse()
  const all = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const raw = await open()
      raw.socket.write(head('/api/v01/auth/login', 'application/json', 1_000_000))
      raw.socket.write(body)
      return raw
    }),
  )
  // Only a few bodies of one sender are read at a time.
  await setTimeout(DEADLINE_MS / 2)
  const most = await memoryInUse()
  await Promise.all(all.map(({ closed }) => closed))
  expect(most - before).toBeLessThan(40)
  await expect
    .poll(async () => (await memoryInUse()) - before, { timeout: PATIENCE_MS, interval: 200 })
    .toBeLessThan(20)
})
