import type { Request } from 'autocannon'
import { answersOf, createExam } from './exam.ts'
import { CONNECTIONS, load } from './load.ts'
import { find, interleave, median, programCpuSeconds, type Report, table } from './measure.ts'
import { BODY, pathOf } from './send.ts'
import { createWorld, populate, type Server } from './world.ts'

const PEOPLE = 512
const COUNTS = [1, 2, 4]
/** What a send or a save may cost with more nodes, as a multiple of its cost with one. */
const MOST = 1.15

/** Processor time of one send or save, in microseconds. */
interface Cost {
  nodes: number
  postgres: number
  redis: number
}

/** What a send and a save cost with one, two and four nodes, each of which has as much to do as the one. */
export async function benchNodes(rounds: number, seconds: number): Promise<Report> {
  const { REDIS_URL } = process.env
  if (!REDIS_URL)
    return { text: '### One, two and four nodes\n\nNot measured: REDIS_URL is not set.\n', findings: [] }
  const world = await createWorld()
  try {
    await populate(world.sql, PEOPLE, 2)
    await createExam(world, 1)
    const tokens = Array.from({ length: PEOPLE }, (_, index) => world.tokenOf(index + 1))
    const nodes: Server[] = []
    for (let n = 0; n < Math.max(...COUNTS); n++) nodes.push(await world.start('service', { REDIS_URL }))
    for (const token of tokens) await start(nodes[0] as Server, token)

    let turn = 0
    const works: Record<string, (request: Request) => void> = {
      send: (request) => {
        request.method = 'POST'
        request.path = pathOf(turn + 1)
        request.body = BODY
      },
      save: (request) => {
        request.method = 'PUT'
        request.path = '/api/v01/exams/1/answers'
        request.body = answersOf(1, turn)
      },
    }
    const run = async ({ name, count }: { name: string; count: number }, duration: number): Promise<Cost> => {
      const before = [programCpuSeconds('postgres'), programCpuSeconds('redis-server')] as const
      const loads = await Promise.all(
        nodes.slice(0, count).map((node) =>
          load(node, duration, (request) => {
            // A step that shares no factor with the number of people, so that neighbours don't meet.
            turn = (turn + 37) % PEOPLE
            request.headers = {
              authorization: `Bearer ${tokens[turn]}`,
              'content-type': 'application/json',
            }
            works[name]?.(request)
          }),
        ),
      )
      const answered = loads.reduce((sum, each) => sum + each.answered, 0)
      return {
        nodes: loads.reduce((sum, each) => sum + each.cpu * each.answered, 0) / answered,
        postgres: ((programCpuSeconds('postgres') - before[0]) / answered) * 1e6,
        redis: ((programCpuSeconds('redis-server') - before[1]) / answered) * 1e6,
      }
    }
    const cases = Object.keys(works).flatMap((name) => COUNTS.map((count) => ({ name, count })))
    for (const each of cases) await run(each, 2)
    const results = await interleave(cases, rounds, (each) => run(each, seconds))

    const columns = cases.map((each) => {
      const costs = results.get(each) ?? []
      return { ...each, costs, all: costs.map(({ nodes, postgres, redis }) => nodes + postgres + redis) }
    })
    const ratioOf = ({ name, all }: (typeof columns)[number]) => {
      const one = columns.find((other) => other.name === name && other.count === 1)
      return median(all.map((each, round) => each / (one?.all[round] as number)))
    }
    return {
      text: `### One, two and four nodes

${CONNECTIONS} connections a node, PostgreSQL ${world.databaseVersion}, one Redis; CPU in µs, median of ${rounds} rounds of ${seconds} s.

${table(
  ['', 'nodes', 'CPU of the nodes', 'of PostgreSQL', 'of Redis', 'all, beside one node'],
  columns.map((column) => [
    column.name,
    String(column.count),
    ...(['nodes', 'postgres', 'redis'] as const).map((part) =>
      median(column.costs.map((cost) => cost[part])).toFixed(0),
    ),
    ratioOf(column).toFixed(2),
  ]),
)}
`,
      findings: columns
        .filter(({ count }) => count > 1)
        .map((column) =>
          find(`a ${column.name} with ${column.count} nodes ÷ with one: CPU`, ratioOf(column), '', '≤', MOST),
        ),
    }
  } finally {
    await world.close()
  }
}

async function start({ url }: Server, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/api/v01/exams/1/start`, { method: 'POST', headers, body: '{}' })
  if (!answer.ok) throw new Error(`start: ${answer.status}`)
}
