import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { GenerationRequest } from '../../schemas/generation.schemas.ts'
import { createAi } from '../../src/adapters/anthropic.ts'
import * as store from '../../src/features/generation/generation.store.ts'
import { countPages } from '../../src/features/generation/pdf.ts'
import type { Client } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { pdf } from '../support/content/pdf.ts'
import { startModel, type TestModel } from '../support/outside/model.ts'
import { startService, type TestService } from '../support/service.ts'

let model: TestModel
let service: TestService
let admin: Client
beforeAll(async () => {
  model = await startModel({ silenceMs: 2_000 })
  service = await startService({ config: { ai: model.ai } })
  admin = await service.admin()
})
afterAll(async () => {
  await service.close()
  await model.stub.close()
})

const newExam = async () =>
  (await admin.post('/api/v01/admin/exams', { name: 'Generated' }, 201)).body.exam.id

/**
 * Whether work holds up everything else at once for a third of its time, and noticeably. A busy machine slows both
 * down; if it stands still for a moment, the work is tried again.
 */
async function holdsUp(work: () => Promise<unknown>): Promise<boolean> {
  for (let tries = 0; tries < 3; tries++) {
    const delays = monitorEventLoopDelay({ resolution: 5 })
    delays.enable()
    // A delay is noticed at its end, between two looks.
    await setTimeout(20)
    const began = performance.now()
    await work()
    const took = performance.now() - began
    await setTimeout(20)
    delays.disable()
    if (delays.max / 1e6 < Math.max(50, took / 3)) return false
  }
  return true
}

test('the pages of a PDF are counted, also in compressed object streams', async () => {
  const inner = deflateSync('1 0 <</Type/Page/Parent 2 0 R>> <</Type /Page>> <</Type/Pages>>')
  const file = Buffer.concat([
    Buffer.from('%PDF-1.5\n5 0 obj <</Type /ObjStm /Filter /FlateDecode>>\nstream\r\n'),
    inner,
    Buffer.from('\nendstream endobj'),
  ])
  expect(await countPages(file, 100)).toBe(2)
  expect(await countPages(pdf(7), 100)).toBe(7)
  expect(await countPages(Buffer.concat([file, file]), 100)).toBe(4)
  expect(await countPages(Buffer.from('%PDF-1.7 nothing'), 100)).toBe(0)
})

test('all pages of a PDF are counted, wherever they lie', async () => {
  expect(await countPages(pdf(4_000), 10_000)).toBe(4_000)
})

test.each([
  ['blanks', ' '],
  ['what looks like the type of a page', '/Typ'],
])('a PDF of nothing but %s holds up nobody', async (_, text) => {
  const file = Buffer.from(`%PDF-1.4 /Type${text.repeat((28 << 20) / text.length)}`)
  expect(await holdsUp(() => countPages(file, 100))).toBe(false)
})

test('a small PDF that unpacks to gigabytes is dealt with at once', async () => {
  const bomb = deflateSync(Buffer.alloc(8_000_000, ' '))
  const part = Buffer.concat([Buffer.from('stream\n'), bomb, Buffer.from('\nendstream ')])
  const names = Buffer.from('%PDF-1.5 '.concat('/ObjStm '.repeat(500)))
  const parts = Array.from({ length: 500 }, () => [Buffer.from('/ObjStm '), part]).flat()
  const start = performance.now()
  expect(await countPages(Buffer.concat([names, part]), 100)).toBe(0)
  expect(await countPages(Buffer.concat(parts), 100)).toBe(0)
  expect(performance.now() - start).toBeLessThan(2_000)
})

test('a PDF of 28 MiB holds up nobody, neither while it is stored and read nor on its way to the model', async () => {
  const file = randomBytes(28 << 20)
  const { core } = service.nodes[0] as (typeof service.nodes)[number]
  const examId = await newExam()
  const job = { userId: admin.id, examId, request: {} as GenerationRequest, message: '', lastEvent: '' }
  let id = ''
  const kept = async () => {
    const stored = { ...job, totalBatches: 1, status: 'failed' as const }
    ;({ id } = await core.db.transaction((tx) => store.insertJob(tx, stored, file)))
    expect(file.equals((await store.findPdf(core.db, id)) as Buffer)).toBe(true)
  }
  expect(await holdsUp(kept)).toBe(false)
  // In one row.
  const rows =
    await service.sql`select octet_length(bytes) as size from generation_files where job_id = ${id}`
  expect(rows).toEqual([{ size: file.length }])

  // If the job ends meanwhile, nothing is read rather than a part.
  const reading = store.findPdf(core.db, id)
  await store.deleteMaterial(core.db, id)
  expect(await reading).toBeUndefined()

  // In a process of its own, since reading it takes as long.
  const code = `require('node:http').createServer((request, response) =>
    request.resume().on('end', () => response.writeHead(400).end('{}'))).listen(0, function () {
      console.log(this.address().port) })`
  const server = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void server.kill())
  const port = Number(String(await once(server.stdout, 'data')))
  const ai = createAi({ ...model.ai, baseUrl: `http://127.0.0.1:${port}` })
  const { signal } = new AbortController()
  const messages = [{ role: 'user' as const, parts: [{ pdf: file, pages: 1 }] }]
  const limits = { maxTokens: 10, deadlineMs: 30_000, retries: 0, signal, log: core.log }
  const asked = async () => {
    const writing = ai.write({ system: 's', messages, ...limits })[Symbol.asyncIterator]()
    await expect(writing.next()).rejects.toMatchObject({ code: 'model_failed' })
  }
  expect(await holdsUp(asked)).toBe(false)
})

test('a file whose parts break off after millions of bytes keeps nobody waiting', async () => {
  const bomb = deflateSync(Buffer.alloc(31 * 1024 * 1024))
  // A wrong checksum: that is noticed at the end.
  bomb[bomb.length - 1] = (bomb.at(-1) as number) ^ 1
  const part = Buffer.concat([Buffer.from('/ObjStm stream\n'), bomb, Buffer.from('\nendstream ')])
  const file = Buffer.concat([Buffer.from('%PDF-1.5 '), ...Array<Buffer>(200).fill(part)])
  let isDone = false
  const fields = form(
    { exam_id: await newExam(), mode: 'mine', mcq_count: 1 },
    { field: 'pdf_file', name: 'script.pdf', bytes: file },
  )
  const asked = admin.request('POST', '/api/v01/admin/ai/generate', fields, 202).then(() => {
    isDone = true
  })
  let longest = 0
  while (!isDone) {
    const began = performance.now()
    await admin.get('/api/v01/admin/exams', 200)
    longest = Math.max(longest, performance.now() - began)
  }
  await asked
  expect(longest).toBeLessThan(1_000)
})
