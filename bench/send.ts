import { once } from 'node:events'
import { connect } from 'node:net'
import { CONNECTIONS, describeLoads, load } from './load.ts'
import { find, interleave, median, medianRatio, type Report, ratioOf, summarise, table } from './measure.ts'
import { pgbench } from './pgbench.ts'
import { createWorld, populate, type Server } from './world.ts'

const PEOPLE = 512
const TEXT = 'The half-life question in set 3 has two right options, see the note.'
/** A message as people write them. */
export const BODY = JSON.stringify({ message: TEXT })
/** Sends of each round that wait for the one before. */
const LONE_SENDS = 500

/** A conversation that no server writes to, for rows without anything around them. */
const APART = 1_000_000
const PLAIN_INSERT = `\\set seq random(1, 2000000000)
insert into messages (conversation_id, seq, version, sender_id, message, created_at)
values (${APART}, :seq, :seq, 1, '${TEXT}', now()) on conflict do nothing returning id, created_at;
`

/** Messages sent over HTTP by many people in many direct conversations, and by one person, one after another. */
export async function benchSends(rounds: number, seconds: number): Promise<Report> {
  const world = await createWorld()
  try {
    await populate(world.sql, PEOPLE, 2)
    await world.sql`insert into conversations (id, is_group) values (${APART}, false)`
    const tokens = Array.from({ length: PEOPLE }, (_, index) => world.tokenOf(index + 1))
    let turn = 0
    const send = (server: Server, duration: number) =>
      load(server, duration, (request) => {
        // A step that shares no factor with the number of people, so that neighbours don't meet.
        turn = (turn + 37) % PEOPLE
        request.method = 'POST'
        request.path = pathOf(turn + 1)
        request.headers = { authorization: `Bearer ${tokens[turn]}`, 'content-type': 'application/json' }
        request.body = BODY
      })

    const service = { name: 'the service', server: await world.start('service') }
    const shared = {
      name: 'bare route, shared statements',
      server: await world.start('bare-send', { SHARED: '1' }),
    }
    const single = { name: 'bare route, a statement each', server: await world.start('bare-send') }
    const cases = [service, shared, single]
    for (const { server } of cases) await send(server, 2)
    const inserts: (number | undefined)[] = []
    const results = await interleave(cases, rounds, async (each) => {
      if (each === service)
        inserts.push(await pgbench(world.databaseUrl, PLAIN_INSERT, { connections: CONNECTIONS, seconds }))
      return send(each.server, seconds)
    })
    const lone = await interleave(cases, rounds + 1, ({ server }) =>
      sendOneByOne(server.url, tokens[0] as string),
    )

    const loadsOf = (each: (typeof cases)[number]) => results.get(each) ?? []
    const rates = (each: (typeof cases)[number]) => loadsOf(each).map(({ perSecond }) => perSecond)
    const ratio = (other: (typeof cases)[number]) => medianRatio(rates(service), rates(other))
    const cpu = (each: (typeof cases)[number]) => loadsOf(each).map((load) => load.cpu)
    // The first round warms this path up.
    const latency = (each: (typeof cases)[number]) => (lone.get(each) ?? []).slice(1)
    const plain = inserts.filter((perSecond) => perSecond !== undefined)
    const toPlain = medianRatio(rates(service), plain)
    const text = `### Persisted send over HTTP

${CONNECTIONS} connections, PostgreSQL ${world.databaseVersion}; ${rounds} rounds of ${seconds} s; median (least–most). A ratio is the
median over the rounds of the service's rate by the other's.

${table(
  ['', 'sends/s', 'p50 ms', 'p99 ms', 'Node CPU µs a send', 'service ÷ this', 'one connection: p50 ms'],
  [
    ...cases.map((each) => [
      each.name,
      ...describeLoads(loadsOf(each)),
      ratio(each).toFixed(2),
      summarise(latency(each), 2),
    ]),
    ...(plain.length > 0
      ? [['pgbench, a plain insert', summarise(plain), '', '', '', toPlain.toFixed(2), '']]
      : []),
  ],
)}
`
    return {
      text,
      ratios: [ratioOf('CPU of a send ÷ bare route with shared statements', cpu(service), cpu(shared))],
      findings: [
        find('sends a second ÷ bare route', ratio(shared), 'shared statements', '≥', 0.9),
        find('sends a second ÷ bare route', ratio(single), 'a statement each', '≥', 1),
        ...(plain.length > 0 ? [find('sends a second ÷ pgbench', toPlain, 'a plain insert', '≥', 1)] : []),
        find(
          'a send, one connection: p50 ÷ bare route',
          medianRatio(latency(service), latency(shared)),
          `${median(latency(shared)).toFixed(2)} ms`,
          '≤',
          1.1,
        ),
      ],
    }
  } finally {
    await world.close()
  }
}

export function pathOf(person: number): string {
  return `/api/v01/chat/conversations/${Math.ceil(person / 2)}/messages`
}

/** The median of milliseconds, over a plain connection, so that little of it is the client's own. */
async function sendOneByOne(url: string, token: string): Promise<number> {
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.setNoDelay()
  const request = `POST ${pathOf(1)} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`
  const times: number[] = []
  for (let send = 0; send < LONE_SENDS; send++) {
    const began = performance.now()
    socket.write(request)
    // An answer is small enough to come in one piece.
    const [answer] = (await once(socket, 'data')) as [Buffer]
    times.push(performance.now() - began)
    if (!answer.toString('latin1').startsWith('HTTP/1.1 201')) throw new Error(answer.toString())
  }
  socket.destroy()
  return median(times)
}
