/**
 * Runs one node for long, at half of the load that it can serve, and shows whether memory, open files or the delay of
 * the event loop grow. Prints a table and draws a chart. Needs Linux (`/proc`).
 *
 *   npm run soak -- [--minutes=30] [--rate=300] [--chart=docs/images/soak.svg]
 *
 * `--rate`: requests per second, for machines that are too busy to find out what the node can serve.
 */
import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Curve, drawChart } from './chart.ts'
import { median, table } from './measure.ts'
import { openStubbornly } from './sockets.ts'
import { createWorld, populate, type World } from './world.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    rate: { type: 'string' },
    chart: { type: 'string', default: 'docs/images/soak.svg' },
  },
})
const PEOPLE = 400
const GROUP = 4
const SOCKETS = 400
/** Longest life of a socket in milliseconds; each comes back then. */
const SOCKET_LIFE_MS = 120_000
const SAMPLES = 120
/** Half of an access token's lifetime. */
const TOKEN_USED_MS = 30 * 60_000
/** Simultaneous requests, and the duration of each of two runs, to find out what the node can serve. */
const AT_ONCE = 32
const TRIAL_MS = 10_000

interface Sample {
  minute: number
  residentMb: number
  heapMb: number
  files: number
  delayMs: number
  perSecond: number
}

const world = await createWorld()
try {
  await populate(world.sql, PEOPLE, GROUP)
  await addExam(world)
  const server = await world.start('service')
  /** Kept, and replaced before they expire, as clients do. */
  const signed = new Map<number, { token: string; at: number }>()
  function tokenOf(userId: number): string {
    const known = signed.get(userId)
    if (known && performance.now() - known.at < TOKEN_USED_MS) return known.token
    const token = world.tokenOf(userId)
    signed.set(userId, { token, at: performance.now() })
    return token
  }
  let requests = 0
  let failed = 0

  async function ask(userId: number, method: string, path: string, body?: object): Promise<void> {
    const response = await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${tokenOf(userId)}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    await response.arrayBuffer()
    if (response.ok) requests += 1
    else failed += 1
  }

  /** What people do: half of the requests are chat, a third exams. */
  function act(): Promise<void> {
    const userId = 1 + Math.floor(Math.random() * PEOPLE)
    const conversation = Math.ceil(userId / GROUP)
    const messages = `/api/v01/chat/conversations/${conversation}/messages`
    const kind = Math.random()
    if (kind < 0.5) return ask(userId, 'POST', messages, { message: `It is ${Date.now()}` })
    if (kind < 0.8) return ask(userId, 'PUT', '/api/v01/exams/1/answers', { answers: { 1: 'B' } })
    if (kind < 0.9) return ask(userId, 'GET', '/api/v01/chat/conversations')
    return ask(userId, 'GET', messages)
  }

  /** Requests per second that the warm node answers to many clients without pauses. */
  async function findCapacity(): Promise<number> {
    const warmAt = performance.now() + TRIAL_MS
    const end = warmAt + TRIAL_MS
    let answered = 0
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (performance.now() < end) {
          await act()
          if (performance.now() > warmAt) answered += 1
        }
      }),
    )
    return answered / (TRIAL_MS / 1_000)
  }

  for (let userId = 1; userId <= PEOPLE; userId++) await ask(userId, 'POST', '/api/v01/exams/1/start', {})
  let done = false
  const sockets = Array.from({ length: SOCKETS }, (_, n) => keepSocket(1 + (n % PEOPLE)))
  async function keepSocket(userId: number): Promise<void> {
    while (!done) {
      const socket: Socket = await openStubbornly(server.url, tokenOf(userId), () => {})
      socket.resume()
      const end = performance.now() + Math.random() * SOCKET_LIFE_MS
      while (!done && !socket.destroyed && performance.now() < end) await sleep(1_000)
      socket.destroy()
    }
  }

  const rate = values.rate ? Number(values.rate) : (await findCapacity()) / 2
  console.log(`${rate.toFixed(0)} requests a second, ${SOCKETS} sockets, ${values.minutes} minutes`)

  const began = performance.now()
  const end = began + Number(values.minutes) * 60_000
  const everyMs = (end - began) / SAMPLES
  const samples: Sample[] = []
  const sampling = (async () => {
    for (let n = 1; n <= SAMPLES; n++) {
      const before = requests
      await sleep(Math.max(0, began + n * everyMs - performance.now()))
      const text = await (await fetch(`${server.url}/metrics`)).text()
      const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
      samples.push({
        minute: (performance.now() - began) / 60_000,
        residentMb: read('process_resident_memory_bytes') / 1e6,
        heapMb: read('nodejs_heap_size_used_bytes') / 1e6,
        files: readdirSync(`/proc/${server.pid}/fd`).length,
        delayMs: read('nodejs_eventloop_lag_p99_seconds') * 1_000,
        perSecond: (requests - before) / (everyMs / 1_000),
      })
    }
  })()
  // The rate doesn't depend on how long answers take, but only so many requests may wait.
  const waiting = new Set<Promise<void>>()
  for (let asked = 0; performance.now() < end; ) {
    const due = ((performance.now() - began) / 1_000) * rate
    for (; asked < due; asked++) {
      if (waiting.size >= AT_ONCE * 4) await Promise.race(waiting)
      const action = act().finally(() => waiting.delete(action))
      waiting.add(action)
    }
    await sleep(5)
  }
  await Promise.all([...waiting, sampling])
  done = true
  await Promise.all(sockets)

  console.log(`${requests} requests were answered, ${failed} refused\n\n${summaryOf(samples)}`)
  await writeFile(values.chart, drawChart(titleOf(samples), curvesOf(samples)))
} finally {
  await world.close()
}

async function addExam({ sql }: World): Promise<void> {
  await sql`insert into exams (id, name, published) values (1, 'An exam', true)`
  await sql`insert into questions (id, exam_id, question_text, correct_answer) values (1, 1, 'Which?', 'B')`
}

/** Compares the second tenth of the run, when everything is warm, with the last tenth. */
function summaryOf(samples: Sample[]): string {
  const tenth = Math.floor(samples.length / 10)
  const row = (name: string, read: (sample: Sample) => number) => [
    name,
    median(samples.slice(tenth, 2 * tenth).map(read)).toFixed(1),
    median(samples.slice(-tenth).map(read)).toFixed(1),
    Math.max(...samples.map(read)).toFixed(1),
  ]
  return table(
    ['', 'after a tenth', 'at the end', 'most'],
    [
      row('resident memory, MB', ({ residentMb }) => residentMb),
      row('JavaScript heap, MB', ({ heapMb }) => heapMb),
      row('open files', ({ files }) => files),
      row('event-loop delay p99, ms', ({ delayMs }) => delayMs),
      row('requests a second', ({ perSecond }) => perSecond),
    ],
  )
}

function titleOf(samples: Sample[]): string {
  const rate = median(samples.map(({ perSecond }) => perSecond)).toFixed(0)
  return `One node, ${values.minutes} minutes: ${rate} requests a second, ${SOCKETS} sockets`
}

function curvesOf(samples: Sample[]): Curve[] {
  const curve = (name: string, unit: string, read: (sample: Sample) => number): Curve => ({
    name,
    unit,
    points: samples.map((sample) => [sample.minute, read(sample)]),
  })
  return [
    curve('resident memory', 'MB', ({ residentMb }) => residentMb),
    curve('JavaScript heap', 'MB', ({ heapMb }) => heapMb),
    curve('open files', '', ({ files }) => files),
    curve('event-loop delay, p99', 'ms', ({ delayMs }) => delayMs),
  ]
}
