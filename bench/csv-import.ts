/**
 * Compares the CSV import with PostgreSQL's COPY of the same prepared rows: rows per second, memory of the service, and
 * how long another route takes meanwhile. Needs DATABASE_URL: it makes a database on that server, and drops it.
 *
 *   DATABASE_URL=postgres://… npx node bench/csv-import.ts [rows]
 */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import postgres from 'postgres'
import { quantile } from './measure.ts'

const ROWS = Number(process.argv[2] ?? 100_000)
const ROUNDS = 3
const HEADER =
  'exam_id,question_text,option_a,option_b,option_c,option_d,correct_answer,question_type,image_path,positive_marks,negative_marks,tolerance'

const given = process.env.DATABASE_URL
if (!given) throw new Error('DATABASE_URL is not set')
const name = `exam_bench_${process.pid}`
const maintenance = postgres(given, { max: 1, onnotice: () => {} })
await maintenance.unsafe(`create database ${name}`)
const databaseUrl = new URL(given)
databaseUrl.pathname = `/${name}`

const dataDir = await mkdtemp(path.join(tmpdir(), 'exam-practice-bench-'))
const server = spawn(process.execPath, ['src/main.ts'], {
  env: { ...process.env, DATABASE_URL: databaseUrl.href, PORT: '0', DATA_DIR: dataDir, NODE_ENV: '' },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const sql = postgres(databaseUrl.href, { max: 2, onnotice: () => {} })
try {
  const url = await readAddress()
  const token = await makeAdmin(url)
  const headers = { authorization: `Bearer ${token}` }
  const created = await fetch(`${url}/api/v01/admin/exams`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Bench' }),
  })
  const { exam } = (await created.json()) as { exam: { id: number } }

  const rows = Array.from({ length: ROWS }, (_, n) => [
    exam.id,
    `A body of mass ${n} kg, "at rest", slides down $\\frac{h}{${n + 1}}$: how fast is it at the bottom, without friction?`,
    `$\\sqrt{${n}gh}$`,
    '$2gh$',
    `${n} m/s`,
    'none of these',
    'ABCD'[n % 4] as string,
    'MCQ',
    '',
    4,
    1,
    0,
  ])
  const csv = Buffer.from(
    `${HEADER}\r\n${rows.map((row) => row.map((field) => `"${String(field).replaceAll('"', '""')}"`).join(',')).join('\r\n')}\r\n`,
  )
  const ready = Buffer.from(
    rows
      .map(
        (row) =>
          `${row.map((field) => (field === '' ? '\\N' : String(field).replaceAll('\\', '\\\\'))).join('\t')}\n`,
      )
      .join(''),
  )
  console.log(`${ROWS} rows, ${(csv.length / 1e6).toFixed(1)} MB of CSV, best of ${ROUNDS}`)

  const copied = await bestOf(async () => {
    await sql.begin(async (tx) => {
      const table = await tx`copy questions (${tx(HEADER.split(','))}) from stdin`.writable()
      await pipeline(Readable.from(slices(ready)), table)
    })
  })
  const quiet = await answerTimes(url, headers, new Promise((resolve) => setTimeout(resolve, 2_000)))
  const before = await residentMemory()
  let highest = before
  const watching = setInterval(async () => {
    highest = Math.max(highest, await residentMemory())
  }, 20)
  const busy: number[] = []
  const imported = await bestOf(async () => {
    const form = new FormData()
    form.append('csv_file', new Blob([csv]), 'questions.csv')
    const importing = fetch(`${url}/api/v01/admin/questions/import-csv`, {
      method: 'POST',
      headers,
      body: form,
    })
    busy.push(...(await answerTimes(url, headers, importing)))
    const answer = (await (await importing).json()) as { inserted: number }
    if (answer.inserted !== ROWS) throw new Error(JSON.stringify(answer).slice(0, 400))
  })
  clearInterval(watching)

  console.table({
    'COPY, rows ready-made': { 'rows/s': Math.round(ROWS / copied), ratio: 1 },
    'CSV import': { 'rows/s': Math.round(ROWS / imported), ratio: Number((copied / imported).toFixed(2)) },
  })
  console.log(`memory of the service: ${before} MB before, at most ${highest} MB, +${highest - before} MB`)
  console.log(
    `another route meanwhile: p50 ${quantile(busy, 0.5).toFixed(1)} ms, p99 ${quantile(busy, 0.99).toFixed(1)} ms`,
  )
  console.log(
    `the same without import: p50 ${quantile(quiet, 0.5).toFixed(1)} ms, p99 ${quantile(quiet, 0.99).toFixed(1)} ms`,
  )
} finally {
  server.kill()
  await sql.end({ timeout: 3 })
  await maintenance.unsafe(`drop database ${name} with (force)`)
  await maintenance.end()
  await rm(dataDir, { recursive: true, force: true })
}

/** Seconds of the fastest round; the table is emptied before each. */
async function bestOf(work: () => Promise<void>): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    await sql`delete from questions`
    await sql`vacuum questions`
    const started = performance.now()
    await work()
    best = Math.min(best, (performance.now() - started) / 1_000)
  }
  return best
}

async function* slices(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}

/** Sends one request after another until `end`; the milliseconds that each took. */
async function answerTimes(
  url: string,
  headers: Record<string, string>,
  end: Promise<unknown>,
): Promise<number[]> {
  let ended = false
  void end.finally(() => {
    ended = true
  })
  const times: number[] = []
  while (!ended) {
    const started = performance.now()
    await (await fetch(`${url}/api/v01/chat/unread`, { headers })).text()
    times.push(performance.now() - started)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return times
}

/** In MB. */
async function residentMemory(): Promise<number> {
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024)
}

async function readAddress(): Promise<string> {
  for await (const line of createInterface(server.stdout)) {
    const [, address] = /ready at (http:\/\/[^"\s]+)/.exec(line) ?? []
    if (address) {
      server.stdout.resume()
      return address
    }
  }
  throw new Error('the service did not start')
}

async function makeAdmin(url: string): Promise<string> {
  const account = { username: 'bench', email: 'bench@example.org', password: 'a password for the bench' }
  const post = (path: string) =>
    fetch(`${url}/api/v01/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(account),
    })
  await post('register')
  await sql`update users set role = 'admin'`
  const { data } = (await (await post('login')).json()) as { data: { access_token: string } }
  return data.access_token
}
