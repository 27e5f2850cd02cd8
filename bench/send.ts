import autocannon from 'autocannon'
import {
  cpuSeconds,
  find,
  interleave,
  median,
  medianRatio,
  type Report,
  summarise,
  table,
} from './measure.ts'
import { createWorld, populate, type Server } from './world.ts'

const PEOPLE = 512
const CONNECTIONS = 64
const TEXT = 'The half-life question in set 3 has two right options, see the note.'

/** Messages sent over HTTP by many people in many direct conversations. */
export async function benchSends(rounds: number, seconds: number): Promise<Report> {
  const world = await createWorld()
  try {
    await populate(world.sql, PEOPLE, 2)
    const tokens = Array.from({ length: PEOPLE }, (_, index) => world.tokenOf(index + 1))
    const load = async ({ url, pid }: Server, duration: number) => {
      let turn = 0
      const before = cpuSeconds(pid)
      const result = await autocannon({
        url,
        connections: CONNECTIONS,
        duration,
        requests: [
          {
            setupRequest(request) {
              // A step that shares no factor with the number of people, so that neighbours don't meet.
              turn = (turn + 37) % PEOPLE
              request.method = 'POST'
              request.path = `/api/v01/chat/conversations/${Math.floor(turn / 2) + 1}/messages`
              request.headers = {
                authorization: `Bearer ${tokens[turn]}`,
                'content-type': 'application/json',
              }
              request.body = JSON.stringify({ message: TEXT })
              return request
            },
          },
        ],
      })
      if (result.non2xx > 0 || result.errors > 0)
        throw new Error(`${result.non2xx} refused, ${result.errors} failed`)
      const sends = result['2xx']
      return {
        perSecond: sends / result.duration,
        p50: result.latency.p50,
        p99: result.latency.p99,
        cpu: ((cpuSeconds(pid) - before) / sends) * 1e6,
      }
    }

    const service = { name: 'the service', server: await world.start('service') }
    const shared = {
      name: 'bare route, shared statements',
      server: await world.start('bare-send', { SHARED: '1' }),
    }
    const single = { name: 'bare route, a statement each', server: await world.start('bare-send') }
    const cases = [service, shared, single]
    for (const { server } of cases) await load(server, 2)
    const results = await interleave(cases, rounds, ({ server }) => load(server, seconds))

    const column = (each: (typeof cases)[number], name: 'perSecond' | 'p50' | 'p99' | 'cpu') =>
      (results.get(each) ?? []).map((result) => result[name])
    const ratio = (other: (typeof cases)[number]) =>
      medianRatio(column(service, 'perSecond'), column(other, 'perSecond'))
    const text = `### Persisted send over HTTP

${CONNECTIONS} connections, PostgreSQL ${world.databaseVersion}; ${rounds} rounds of ${seconds} s; median (least–most). A ratio is the
median over the rounds of the service's rate by the other's.

${table(
  ['', 'sends/s', 'p50 ms', 'p99 ms', 'Node CPU µs a send', 'service ÷ this'],
  cases.map((each) => [
    each.name,
    summarise(column(each, 'perSecond')),
    median(column(each, 'p50')).toFixed(0),
    median(column(each, 'p99')).toFixed(0),
    summarise(column(each, 'cpu')),
    ratio(each).toFixed(2),
  ]),
)}
`
    return {
      text,
      findings: [
        find('sends a second ÷ bare route', ratio(shared), 'shared statements', '≥', 0.9),
        find('sends a second ÷ bare route', ratio(single), 'a statement each', '≥', 1),
      ],
    }
  } finally {
    await world.close()
  }
}
