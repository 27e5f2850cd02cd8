import { Agent, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { ATTACKS, startAttack } from './attacker.ts'
import { createExam } from './exam.ts'
import { find, longestHold, quantile, type Report, residentMemory, table } from './measure.ts'
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
async function ask({ url }: Server, token: string, { method, path, body, agent }: Probe): Promise<number> {
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

/** How long others' requests take beside each attack of one person, and what it leaves behind. */
export async function benchAttacks(_rounds: number, seconds: number): Promise<Report> {
  const world = await createWorld()
  try {
    await populate(world.sql, PEOPLE, 2)
    await createExam(world)
    await createNotebook(world)
    const server = await world.start('service')
    const watch = async (attack?: string) => {
      const stop = attack && startAttack(attack, { url: server.url, token: world.tokenOf(1) })
      const results = PROBES.map(() => ({ times: [] as number[], failed: 0 }))
      await longestHold(server.url)
      const end = performance.now() + seconds * 1_000
      const probe = async (each: Probe, result: { times: number[]; failed: number }) => {
        while (performance.now() < end) {
          const next = setTimeout(PROBE_EVERY_MS)
          await ask(server, world.tokenOf(3), each).then(
            (took) => result.times.push(took),
            () => {
              result.failed += 1
            },
          )
          await next
        }
      }
      await Promise.all(PROBES.map((each, n) => probe(each, results[n] as (typeof results)[number])))
      const held = await longestHold(server.url)
      if (stop) await stop()
      await setTimeout(REST_MS)
      return { results, held, memory: residentMemory(server.pid) }
    }
    await watch()
    const rows = []
    const slowest: number[] = []
    let failures = 0
    for (const attack of [undefined, ...Object.keys(ATTACKS)]) {
      const { results, held, memory } = await watch(attack)
      const failed = results.reduce((sum, each) => sum + each.failed, 0)
      failures += failed
      slowest.push(...results.map(({ times }) => Math.max(...times)))
      rows.push([
        attack ?? 'nobody',
        ...results.map(
          ({ times }) =>
            `${quantile(times, 0.5).toFixed(0)} / ${quantile(times, 0.99).toFixed(0)} / ${Math.max(...times).toFixed(0)}`,
        ),
        String(failed),
        held.toFixed(0),
        memory.toFixed(0),
      ])
    }
    const head = [
      'what one person does',
      ...PROBES.map(({ name }) => `${name}: p50 / p99 / slowest, ms`),
      'failed',
      'event loop held, ms',
      'MB after it',
    ]
    return {
      text: `### Others beside one attacker\n\n${seconds} s each.\n\n${table(head, rows)}\n`,
      findings: [
        find("attacks: others' slowest request, ms", Math.max(...slowest), '', '≤', 1_000, 0),
        find("attacks: others' requests that failed", failures, '', '≤', 0, 0),
      ],
    }
  } finally {
    await world.close()
  }
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
