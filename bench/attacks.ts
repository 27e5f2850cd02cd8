import { Agent, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { installedBalancers, startBalancer } from '../test/support/outside/balancers.ts'
import { ATTACKS, startAttack } from './attacker.ts'
import { createExam } from './exam.ts'
import { find, longestHold, quantile, type Report, readMetric, residentMemory, table } from './measure.ts'
import { createWorld, populate, type Server, type World } from './world.ts'

const PEOPLE = 2_000
const PROBE_EVERY_MS = 30
/** Between two attacks, so that each begins on a service at rest. */
const REST_MS = 2_000

interface Probe {
  name: string
  method: 'GET' | 'POST'
  path: string
  body?: string
  agent: Agent | false
}

/** What other people do meanwhile: on a connection that they have, and on new ones. */
const kept = new Agent({ keepAlive: true })
const PROBES: Probe[] = [
  { name: 'reads', method: 'GET', path: '/api/v01/chat/unread', agent: kept },
  { name: 'reads on a new connection', method: 'GET', path: '/api/v01/chat/unread', agent: false },
  {
    name: 'sends',
    method: 'POST',
    path: '/api/v01/chat/conversations/2/messages',
    body: '{"message":"Hello"}',
    agent: kept,
  },
]

/** Milliseconds of one request; throws if it fails. */
async function ask(url: string, token: string, { method, path, body, agent }: Probe): Promise<number> {
  const began = performance.now()
  await new Promise<void>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const asked = request(new URL(path, url), { method, headers, agent }, (answer) => {
      if (Number(answer.statusCode) >= 400) reject(new Error(`${method} ${path}: ${answer.statusCode}`))
      answer.resume().on('end', resolve)
    })
    asked.on('error', reject).end(body)
  })
  return performance.now() - began
}

/** Milliseconds of a probe's requests, one after another until `end`; NaN for each that failed. */
async function repeat(url: string, token: string, probe: Probe, end: number): Promise<number[]> {
  const times: number[] = []
  while (performance.now() < end) {
    const next = setTimeout(PROBE_EVERY_MS)
    times.push(await ask(url, token, probe).catch(() => Number.NaN))
    await next
  }
  return times
}

/** MB that are in use, after a garbage collection. */
async function memoryInUse({ url, pid }: Server): Promise<number> {
  process.kill(pid, 'SIGUSR2')
  const names = ['nodejs_heap_size_used_bytes', 'nodejs_external_memory_bytes']
  const [heap = 0, external = 0] = await Promise.all(names.map((name) => readMetric(url, name)))
  return (heap + external) / 1_024 / 1_024
}

/**
 * How long others' requests take beside each attack of one person, and what it leaves behind: on a node alone, and
 * behind each of the proxies that are installed, as they are shipped.
 */
export async function benchAttacks(_rounds: number, seconds: number): Promise<Report> {
  const world = await createWorld()
  const report: Report = { text: '', findings: [] }
  try {
    await populate(world.sql, PEOPLE, 2)
    await createExam(world, 1)
    await createNotebook(world)
    await createTexts(world)
    for (const proxy of [undefined, ...installedBalancers]) {
      const server = await world.start('service', proxy ? { TRUST_PROXY: '1' } : {})
      const port = Number(new URL(server.url).port)
      const front = proxy ? await startBalancer(proxy, [port, port]) : undefined
      const { text, findings } = await attackAll(world, server, proxy, front?.url ?? server.url, seconds)
      report.text += text
      report.findings.push(...findings)
      await front?.stop()
      await server.stop()
    }
    return report
  } finally {
    await world.close()
  }
}

async function attackAll(
  world: World,
  server: Server,
  proxy: string | undefined,
  url: string,
  seconds: number,
): Promise<Report> {
  const watch = async (attack?: string) => {
    const stop = attack && startAttack(attack, { url, token: world.tokenOf(1) })
    await longestHold(server.url)
    const end = performance.now() + seconds * 1_000
    const times = await Promise.all(PROBES.map((probe) => repeat(url, world.tokenOf(3), probe, end)))
    const held = await longestHold(server.url)
    if (stop) await stop()
    await setTimeout(REST_MS)
    return { times, held, memory: await memoryInUse(server), resident: residentMemory(server.pid) }
  }
  // Lets the service grow to its usual memory first.
  await watch()
  const rows = []
  const slowest: number[] = []
  let failed = 0
  for (const attack of [undefined, ...Object.keys(ATTACKS)]) {
    const { times, held, memory, resident } = await watch(attack)
    const answered = times.map((each) => each.filter((time) => !Number.isNaN(time)))
    const missing = times.flat().length - answered.flat().length
    failed += missing
    slowest.push(Math.max(...answered.flat()))
    rows.push([
      attack ?? 'nothing',
      ...answered.map((each) => [0.5, 0.99, 1].map((q) => quantile(each, q).toFixed(0)).join(' / ')),
      String(missing),
      held.toFixed(0),
      memory.toFixed(0),
      resident.toFixed(0),
    ])
  }
  const head = [
    'what one person does',
    ...PROBES.map(({ name }) => name),
    'failed',
    'event loop held',
    'MB in use after it',
    'resident',
  ]
  const where = proxy ? `behind ${proxy}` : 'a node alone'
  return {
    text: `### Others beside one attacker, ${where}\n\n${seconds} s each; ms: p50 / p99 / slowest.\n\n${table(head, rows)}\n\n`,
    findings: [
      find(
        `attacks, ${where}: others' slowest request, ms`,
        Math.max(...slowest),
        '',
        '≤',
        proxy ? 1_000 : 2_000,
        0,
      ),
      find(`attacks, ${where}: others' requests that failed`, failed, '', '≤', 0, 0),
    ],
  }
}

/** Messages of person 1 that are one short word over and over. */
async function createTexts({ sql }: World): Promise<void> {
  await sql`
    insert into messages (conversation_id, seq, version, sender_id, message, created_at)
    select 1, n, n, 1, ${'a '.repeat(2_000)}, now() from generate_series(1, 500) n`
  await sql`update conversations set last_seq = 500, version = 500 where id = 1`
}

/** A notebook of 60 pages with 150 objects each, which belongs to person 1. */
async function createNotebook({ sql }: World): Promise<void> {
  await sql`insert into notebooks (id, owner_id, title) values (1, 1, 'A large one')`
  await sql`insert into pages (id, notebook_id, title, position) select n, 1, 'A page', n from generate_series(1, 60) n`
  await sql`
    insert into page_objects (page_id, object_id, data)
    select page, 'o' || n, json_build_object('id', 'o' || n, 'text', repeat('x', 400))::text
      from generate_series(1, 60) page, generate_series(1, 150) n`
  const pages = await sql<{ page_id: number; ids: number[] }[]>`
    select page_id, array_agg(id order by id) as ids from page_objects group by page_id`
  for (const { page_id, ids } of pages)
    await sql`
      update pages set object_count = 150, stack = ${Buffer.from(Int32Array.from(ids).buffer)} where id = ${page_id}`
}
