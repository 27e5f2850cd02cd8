import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { CONNECTIONS, describeLoads, load } from './load.ts'
import { find, interleave, medianRatio, quantile, type Report, ratioOf, table } from './measure.ts'
import { MIXTURE, QUESTIONS } from './morning-plan.ts'
import { createWorld, populate, type Server, type World } from './world.ts'

const STUDENTS = 1_000
/** How often a student's client saves, and how long the exam lasts. */
const SYNC_SECONDS = 3
const SITTING_SECONDS = 15
/** The exams, each with the seconds within which all students start it and the aim for their p99. */
const MORNINGS = [
  { exam: 1, seconds: 1, aimMs: 1_000 },
  { exam: 2, seconds: 10, aimMs: 50 },
]

/** Exam days: all start in the same seconds, then save every few seconds. Then the highest rate of saves. */
export async function benchExam(rounds: number, seconds: number): Promise<Report> {
  const world = await createWorld()
  try {
    await populate(world.sql, STUDENTS, 2)
    for (const { exam } of MORNINGS) await createExam(world, exam)
    const tokens = Array.from({ length: STUDENTS }, (_, index) => world.tokenOf(index + 1))
    const service = await world.start('service')
    const reports: Report[] = []
    for (const morning of MORNINGS) reports.push(await examDay(service, tokens, morning))
    reports.push(await mostSyncs(world, service, tokens, rounds, seconds))
    return {
      text: reports.map(({ text }) => text).join('\n'),
      findings: reports.flatMap(({ findings }) => findings),
      ratios: reports.flatMap(({ ratios = [] }) => ratios),
    }
  } finally {
    await world.close()
  }
}

export async function createExam({ sql }: World, id: number): Promise<void> {
  await sql`
    insert into exams (id, name, published, duration_minutes) values (${id}, ${`Exam ${id}`}, true, 180)`
  await sql`
    insert into questions (id, exam_id, question_text, question_type, correct_answer)
    select ${(id - 1) * QUESTIONS}::int + n, ${id}::int, repeat('Consider the integral $\\int_0^1 x^2\\,dx$. ', 8),
           case when n <= ${MIXTURE[0]}::int then 'MCQ' when n <= ${MIXTURE[1]}::int then 'MSQ' else 'NUMERIC' end,
           case when n <= ${MIXTURE[0]}::int then 'B' when n <= ${MIXTURE[1]}::int then 'A,C' else '1.5' end
      from generate_series(1, ${QUESTIONS}::int) n`
}

/** What a client saves: a few answers, and which questions are marked. */
export function answersOf(exam: number, turn: number): string {
  const first = (exam - 1) * QUESTIONS + 1
  const at = (offset: number, range: number) => first + ((turn * 7 + offset) % range)
  const answers = {
    [at(0, 40)]: 'ABCD'.charAt(turn % 4),
    [40 + at(1, 10)]: ['A', 'D'],
    [50 + at(2, 15)]: '-1.25',
  }
  return JSON.stringify({ answers, markedForReview: [at(3, 40), at(4, 40)] })
}

async function examDay(
  server: Server,
  tokens: string[],
  { exam, seconds, aimMs }: (typeof MORNINGS)[number],
): Promise<Report> {
  const agent = new Agent({ keepAlive: true })
  const latencies = { start: [] as number[], paper: [] as number[], save: [] as number[] }
  const failures: string[] = []

  async function call(
    name: keyof typeof latencies,
    student: number,
    method: string,
    path: string,
    body = '{}',
  ) {
    const started = performance.now()
    const headers = { authorization: `Bearer ${tokens[student]}`, 'content-type': 'application/json' }
    const sent = request(`${server.url}/api/v01/exams/${exam}/${path}`, { agent, method, headers })
    sent.end(method === 'GET' ? undefined : body)
    try {
      const [answer] = await once(sent, 'response')
      answer.resume()
      await once(answer, 'end')
      if (answer.statusCode >= 300) failures.push(`${name}: ${answer.statusCode}`)
    } catch (error) {
      failures.push(`${name}: ${error}`)
    }
    latencies[name].push(performance.now() - started)
  }

  await Promise.all(
    tokens.map(async (_, student) => {
      await sleep(Math.random() * seconds * 1_000)
      await call('start', student, 'POST', 'start')
      await call('paper', student, 'GET', 'paper')
      for (let turn = 0; turn < SITTING_SECONDS / SYNC_SECONDS; turn++) {
        await sleep(SYNC_SECONDS * 1_000)
        await call('save', student, 'PUT', 'answers', answersOf(exam, student + turn))
      }
    }),
  )
  agent.destroy()
  const text = `### An exam day, starts within ${seconds} s

${STUDENTS} students start the same ${QUESTIONS}-question exam within ${seconds} s on one node, read its paper, and save every ${SYNC_SECONDS} s.
Failed: ${failures.length === 0 ? 'none' : `${failures.length} (${[...new Set(failures)].join(', ')})`}.

${table(
  ['', 'requests', 'p50 ms', 'p99 ms', 'slowest ms'],
  Object.entries(latencies).map(([name, values]) => [
    name,
    String(values.length),
    ...[0.5, 0.99, 1].map((share) => quantile(values, share).toFixed(1)),
  ]),
)}
`
  const slowest = quantile(latencies.start, 0.99)
  return { text, findings: [find(`1,000 starts within ${seconds} s: p99 in ms`, slowest, '', '≤', aimMs, 0)] }
}

async function mostSyncs(
  world: World,
  server: Server,
  tokens: string[],
  rounds: number,
  seconds: number,
): Promise<Report> {
  const service = { name: 'the service', server }
  const shared = {
    name: 'bare route, shared statements',
    server: await world.start('bare-save', { SHARED: '1' }),
  }
  const single = { name: 'bare route, a statement each', server: await world.start('bare-save') }
  const cases = [service, shared, single]

  let turn = 0
  const save = (server: Server, duration: number) =>
    load(server, duration, (request) => {
      turn += 1
      request.method = 'PUT'
      request.path = '/api/v01/exams/1/answers'
      request.headers = {
        authorization: `Bearer ${tokens[turn % STUDENTS]}`,
        'content-type': 'application/json',
      }
      request.body = answersOf(1, turn)
    })

  for (const each of cases) await save(each.server, 2)
  const results = await interleave(cases, rounds, (each) => save(each.server, seconds))
  const loadsOf = (each: (typeof cases)[number]) => results.get(each) ?? []
  const rates = (each: (typeof cases)[number]) => loadsOf(each).map(({ perSecond }) => perSecond)
  const ratio = (other: (typeof cases)[number]) => medianRatio(rates(service), rates(other))
  const cpu = (each: (typeof cases)[number]) => loadsOf(each).map((load) => load.cpu)
  const text = `### Saving answers

${CONNECTIONS} connections, ${STUDENTS} active attempts, PostgreSQL ${world.databaseVersion}; ${rounds} rounds of ${seconds} s; median (least–most).
A ratio is the median over the rounds of the service's rate by the other's.

${table(
  ['', 'syncs/s', 'p50 ms', 'p99 ms', 'Node CPU µs a sync', 'service ÷ this'],
  cases.map((each) => [each.name, ...describeLoads(loadsOf(each)), ratio(each).toFixed(2)]),
)}
`
  return {
    text,
    ratios: [ratioOf('CPU of a saved answer ÷ bare route with shared statements', cpu(service), cpu(shared))],
    findings: [find('syncs a second ÷ bare route', ratio(shared), 'shared statements', '≥', 0.9)],
  }
}
