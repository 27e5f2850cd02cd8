/**
 * Compares the CSV import with PostgreSQL's COPY of the same prepared rows: rows per second, memory of the service, and
 * how long another route takes meanwhile. Needs DATABASE_URL: it makes a database on that server, and drops it.
 *
 *   DATABASE_URL=postgres://… npx node bench/csv-import.ts [rows]
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { quantile, residentMemory } from './measure.ts'
import { startOwnService } from './own-service.ts'

const ROWS = Number(process.argv[2] ?? 100_000)
const ROUNDS = 3
const HEADER =
  'exam_id,question_text,option_a,option_b,option_c,option_d,correct_answer,question_type,image_path,positive_marks,negative_marks,tolerance'

const service = await startOwnService()
const { url, sql } = service
try {
  await sql`insert into users (id, username, email, full_name, role) values (1, 'one', 'one@example.org', 'One', 'user')`
  const headers = service.headersOf(1)
  const created = await fetch(`${url}/api/v01/admin/exams`, {
    method: 'POST',
    headers,
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
  const quiet = await answerTimes(headers, new Promise((resolve) => setTimeout(resolve, 2_000)))
  const before = residentMemory(service.pid)
  let highest = before
  const watching = setInterval(() => {
    highest = Math.max(highest, residentMemory(service.pid))
  }, 20)
  const busy: number[] = []
  const imported = await bestOf(async () => {
    const form = new FormData()
    form.append('csv_file', new Blob([csv]), 'questions.csv')
    const importing = fetch(`${url}/api/v01/admin/questions/import-csv`, {
      method: 'POST',
      headers: { authorization: headers.authorization },
      body: form,
    })
    busy.push(...(await answerTimes(headers, importing)))
    const answer = (await (await importing).json()) as { inserted: number }
    if (answer.inserted !== ROWS) throw new Error(JSON.stringify(answer).slice(0, 400))
  })
  clearInterval(watching)

  console.table({
    'COPY, rows ready-made': { 'rows/s': Math.round(ROWS / copied), ratio: 1 },
    'CSV import': { 'rows/s': Math.round(ROWS / imported), ratio: Number((copied / imported).toFixed(2)) },
  })
  const [low, high] = [Math.round(before), Math.round(highest)]
  console.log(`memory of the service: ${low} MB before, at most ${high} MB, +${high - low} MB`)
  console.log(
    `another route meanwhile: p50 ${quantile(busy, 0.5).toFixed(1)} ms, p99 ${quantile(busy, 0.99).toFixed(1)} ms`,
  )
  console.log(
    `the same without import: p50 ${quantile(quiet, 0.5).toFixed(1)} ms, p99 ${quantile(quiet, 0.99).toFixed(1)} ms`,
  )
} finally {
  await service.close()
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
async function answerTimes(headers: Record<string, string>, end: Promise<unknown>): Promise<number[]> {
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
