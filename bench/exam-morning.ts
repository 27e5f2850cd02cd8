import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { createExam } from './exam.ts'
import {
  cpuSeconds,
  find,
  programCpuSeconds,
  quantile,
  type Report,
  residentMemory,
  table,
} from './measure.ts'
import { type Morning, SAVE_MS, savedAnswers, type Told, UNANSWERED, type Waited } from './morning-plan.ts'
import { createWorld, populate, type Server, type World } from './world.ts'

const EXAM = 1
/** A process opens at most 20,000 files on many machines, and half of the students hold a socket. */
const STUDENTS_A_PROCESS = 25_000
/** Above this number, starts spread over ten minutes; else over one. */
const MANY = 10_000
/** The end of the time, of all at once, lies so far ahead of when it is set. */
const AHEAD_MS = 10_000
/** `GRACE_MS` of the service. */
const GRACE_MS = 30_000
const PROBES_EVERY_MS = 20
const PROBED = ['/exams', '/attempts', '/chat/unread']
const IMAGE_BYTES = 40_000
const PAGE = 5_000

/**
 * The morning of an exam: everybody starts, reads the paper, and saves twice a minute; a node is killed in the middle,
 * and the time of all ends at one second. Needs REDIS_URL.
 */
export async function benchExamMorning(students: number[], minutes: number): Promise<Report> {
  if (!process.env.REDIS_URL)
    return { text: '### An exam’s morning\n\nNot measured: REDIS_URL is not set.\n', findings: [] }
  const reports = []
  for (const each of students) reports.push(await morningOf(each, minutes))
  return {
    text: reports.map(({ text }) => text).join('\n'),
    findings: reports.flatMap(({ findings }) => findings),
  }
}

async function morningOf(students: number, minutes: number): Promise<Report> {
  const world = await createWorld()
  try {
    await populate(world.sql, students + 1, 1)
    await createExam(world, EXAM)
    await addImages(world)
    const processes = Math.ceil(students / STUDENTS_A_PROCESS)
    const startNode = () => world.start('service', { REDIS_URL: process.env.REDIS_URL as string })
    const nodes: Server[] = []
    while (nodes.length < Math.max(2, processes)) nodes.push(await startNode())
    const startMinutes = students > MANY ? 10 : 1
    const sides: Server[] = []
    for (let side = 0; side < processes; side++) {
      const size = Math.ceil(students / processes)
      const morning: Morning = {
        first: side * size + 1,
        students: Math.min(size, students - side * size),
        examId: EXAM,
        startWithinMs: startMinutes * 60_000,
        nodes: nodes.map(({ url }) => url),
      }
      sides.push(await world.start('students', { MORNING: JSON.stringify(morning) }))
    }
    const orderAll = (orders: object) => {
      for (const side of sides) side.process.send(orders)
    }

    const began = await readStand(world, nodes, sides)
    await sleep(startMinutes * 60_000 + SAVE_MS)
    const plateau = await readStand(world, nodes, sides)
    await sleep((minutes * 60_000) / 2)
    const middle = await readStand(world, nodes, sides)
    const killedAt = Date.now()
    const killed = nodes.shift() as Server
    await killed.kill()
    // As a proxy that looks each second.
    await sleep(1_000)
    orderAll({ nodes: nodes.map(({ url }) => url) })
    await sleep(10_000)
    nodes.push(await startNode())
    orderAll({ nodes: nodes.map(({ url }) => url) })
    await sleep((minutes * 60_000) / 2)
    const top = await readStand(world, nodes, sides)

    const telling = sides.map((side) => once(side.process, 'message') as Promise<[Told]>)
    orderAll({ isOver: true })
    const told = (await Promise.all(telling)).map(([each]) => each)
    const kept = await compare(
      world,
      told.flatMap(({ acknowledged }) => acknowledged),
    )
    const end = await endAll(world, nodes[0] as Server, students)
    return describe({ students, minutes, nodes: nodes.length, told, kept, end, killedAt }, [
      began,
      plateau,
      middle,
      top,
    ])
  } finally {
    await world.close()
  }
}

async function addImages({ sql, dataDir }: World): Promise<void> {
  const folder = path.join(dataDir, 'files/Physics')
  await mkdir(folder, { recursive: true })
  for (const n of [1, 2]) {
    await writeFile(path.join(folder, `${n}.png`), randomBytes(IMAGE_BYTES))
    await sql`update questions set image_path = ${`Physics/${n}.png`} where id = ${n}`
  }
}

/**
 * Processor time so far of the nodes, of PostgreSQL and of the students, memory, and what the attempts' table went
 * through.
 */
interface Stand {
  at: number
  cpu: { nodes: number; database: number; students: number }
  megabytes: number
  updates: number
  heapOnly: number
  tableMegabytes: number
  walMegabytes: number
}

async function readStand({ sql }: World, nodes: Server[], sides: Server[]): Promise<Stand> {
  const sum = (servers: Server[], of: (pid: number) => number) =>
    servers.reduce((total, { pid }) => total + of(pid), 0)
  const [row] = await sql<[Omit<Stand, 'at' | 'cpu' | 'megabytes'>]>`
    select n_tup_upd::float8 as updates, n_tup_hot_upd::float8 as "heapOnly",
           pg_total_relation_size('attempts') / 1e6::float8 as "tableMegabytes",
           (pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') / 1e6)::float8 as "walMegabytes"
      from pg_stat_user_tables where relname = 'attempts'`
  return {
    at: performance.now(),
    cpu: {
      nodes: sum(nodes, cpuSeconds),
      database: programCpuSeconds('postgres'),
      students: sum(sides, cpuSeconds),
    },
    megabytes: sum(nodes, residentMemory) / nodes.length,
    ...row,
  }
}

/** Students whose attempt lacks an acknowledged save, and students with more than one attempt. */
async function compare({ sql }: World, acknowledged: number[]): Promise<{ lost: number; doubled: number }> {
  let lost = 0
  let doubled = 0
  for (let first = 1; first <= acknowledged.length; first += PAGE) {
    const last = Math.min(first + PAGE - 1, acknowledged.length)
    const rows = await sql<{ userId: number; answers: object; revision: number }[]>`
      select user_id as "userId", answers, revision::int from attempts
       where exam_id = ${EXAM} and user_id between ${first} and ${last}`
    const attempts = Map.groupBy(rows, ({ userId }) => userId)
    for (let userId = first; userId <= last; userId++) {
      const [attempt, ...others] = attempts.get(userId) ?? []
      if (others.length > 0) doubled += 1
      const turns = acknowledged[userId - 1] ?? 0
      // One more may have been saved, whose acknowledgement nobody awaited.
      const isKept = [turns, turns + 1].some(
        (count) =>
          count === attempt?.revision && isDeepStrictEqual(attempt.answers, answersAfter(userId, count)),
      )
      if (!isKept) lost += 1
    }
  }
  return { lost, doubled }
}

function answersAfter(userId: number, turns: number): object {
  const saves = Array.from({ length: turns }, (_, index) => savedAnswers(EXAM, userId, index + 1))
  return Object.assign({}, ...saves)
}

/** Lets the time of all attempts end at one second. Others go on reading meanwhile. */
async function endAll({ sql, tokenOf }: World, { url }: Server, students: number) {
  const endsAt = Date.now() + AHEAD_MS
  await sql`update attempts set ends_at = to_timestamp(${(endsAt - GRACE_MS) / 1_000}::float8)`
  const prepared = Date.now() - endsAt
  await sleep(Math.max(0, -prepared))
  const latencies: number[] = []
  const headers = { authorization: `Bearer ${tokenOf(students + 1)}` }
  let refused = 0
  let isOver = false
  const probing = (async () => {
    for (let turn = 0; !isOver; turn++) {
      const asked = performance.now()
      const answer = await fetch(`${url}/api/v01${PROBED[turn % PROBED.length]}`, { headers })
      await answer.arrayBuffer()
      if (!answer.ok) refused += 1
      latencies.push(performance.now() - asked)
      await sleep(PROBES_EVERY_MS)
    }
  })()
  for (let left = 1; left > 0; ) {
    await sleep(250)
    const [row] = await sql<[{ left: number }]>`
      select count(*)::int as left from attempts where exam_id = ${EXAM} and submitted_at is null`
    left = row.left
  }
  const seconds = (Date.now() - Math.max(endsAt, endsAt + prepared)) / 1_000
  isOver = true
  await probing
  return { seconds, p99: quantile(latencies, 0.99), refused }
}

interface Outcome {
  students: number
  minutes: number
  nodes: number
  told: Told[]
  kept: { lost: number; doubled: number }
  end: { seconds: number; p99: number; refused: number }
  killedAt: number
}

function describe(
  { students, minutes, nodes, told, kept, end, killedAt }: Outcome,
  [began, plateau, middle, top]: [Stand, Stand, Stand, Stand],
): Report {
  const count = students.toLocaleString('en-US')
  const latencies = (kind: Waited) => told.flatMap(({ waited }) => waited[kind])
  const refusals = new Map<string, number>()
  for (const each of told)
    for (const [why, times] of Object.entries(each.refusals))
      refusals.set(why, (refusals.get(why) ?? 0) + times)
  const unanswered = refusals.get(UNANSWERED) ?? 0
  refusals.delete(UNANSWERED)
  const failed = [...refusals.values()].reduce((sum, times) => sum + times, 0)
  const rates = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) =>
      told.reduce((sum, { perSecond }) => sum + (perSecond[from + index] ?? 0), 0),
    )
  const killed = Math.floor(killedAt / 1_000)
  const usual = rates(killed - 20, killed).reduce((sum, rate) => sum + rate, 0) / 20
  const back = rates(killed + 1, killed + 60).findIndex((rate) => rate >= 0.95 * usual) + 1
  const seconds = (middle.at - plateau.at) / 1_000
  const cpu = (who: keyof Stand['cpu']) => (middle.cpu[who] - plateau.cpu[who]) / seconds
  const saves = usual * seconds
  const cpuASave = (who: keyof Stand['cpu']) => ((cpu(who) * seconds) / saves) * 1e6
  const starts = latencies('start')
  const text = `### An exam’s morning, ${count} students

${count} attempts on ${nodes} nodes, a paper of 65 questions with two images, half of the students with a socket; all begin within ${students > MANY ? 'ten minutes' : 'a minute'} and save every ${SAVE_MS / 1_000} s
for ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}. Every time counts from when the student wanted it. In the middle a node is killed, and ten seconds later another one is added.

${table(
  ['', 'requests', 'p50 ms', 'p99 ms', 'slowest ms'],
  (['start', 'paper', 'image', 'save'] as const).map((kind) => [
    kind,
    latencies(kind).length.toLocaleString('en-US'),
    ...[0.5, 0.99, 1].map((share) => quantile(latencies(kind), share).toFixed(1)),
  ]),
)}

- Refused: ${failed === 0 ? 'none' : [...refusals].map(([why, times]) => `${why} × ${times}`).join(', ')}. Without an answer, around the kill: ${unanswered}. Sockets that broke and came back: ${told.reduce((sum, { broken }) => sum + broken, 0).toLocaleString('en-US')}.
- ${usual.toFixed(0)} saves a second. A save costs ${cpuASave('nodes').toFixed(0)} µs of the nodes' processor time, ${cpuASave('database').toFixed(0)} of PostgreSQL's, ${cpuASave('students').toFixed(0)} of the load's; busy cores: ${cpu('nodes').toFixed(2)}, ${cpu('database').toFixed(2)} and ${cpu('students').toFixed(2)}.
- After the kill the rate was back after ${back} s.
- Acknowledged and not stored: ${kept.lost}; students with two attempts: ${kept.doubled}.
- Memory of a node: ${plateau.megabytes.toFixed(0)} MB once all had begun, ${middle.megabytes.toFixed(0)} before the kill. The attempts' table: ${plateau.tableMegabytes.toFixed(0)}, then ${top.tableMegabytes.toFixed(0)} MB; ${(((top.heapOnly - plateau.heapOnly) / (top.updates - plateau.updates)) * 100).toFixed(0)} % of its updates were heap-only; ${((top.walMegabytes - began.walMegabytes) / ((top.at - began.at) / 1_000)).toFixed(1)} MB of WAL a second.
- The time of all ended at one second: all were graded ${end.seconds.toFixed(1)} s later; others' requests p99 ${end.p99.toFixed(0)} ms meanwhile, ${end.refused} refused.
`
  return {
    text,
    findings: [
      find(`${count} students: p99 of a start`, quantile(starts, 0.99), 'ms', '≤', 1_000, 0),
      find(`${count} students: p99 of a save`, quantile(latencies('save'), 0.99), 'ms', '≤', 250, 0),
      find(`${count} students: refused`, failed, '', '≤', 0, 0),
      find(`${count} students: acknowledged saves lost`, kept.lost, '', '≤', 0, 0),
      find(`${count} students: back after a kill`, back, 's', '≤', 10, 0),
      find(`${count} attempts end at one second: all graded after`, end.seconds, 's', '≤', 60, 0),
      find('… and others’ requests meanwhile, p99', end.p99, 'ms', '≤', 300, 0),
    ],
  }
}
