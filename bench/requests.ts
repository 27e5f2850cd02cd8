import { type Load, load } from './load.ts'
import { find, interleave, median, type Report, table } from './measure.ts'
import { PARTS } from './request-parts.ts'
import { createWorld, type Server } from './world.ts'

/** Microseconds that all parts together may cost. */
const MOST = 60

/** What each part of a request costs before and after the work: one more with each server. */
export async function benchRequests(rounds: number, seconds: number): Promise<Report> {
  const world = await createWorld()
  try {
    const authorization = `Bearer ${world.tokenOf(1)}`
    const servers: Server[] = []
    for (let count = 0; count <= PARTS.length; count++)
      servers.push(await world.start('request-part', { PARTS: String(count) }))
    const ask = (server: Server, duration: number) =>
      load(server, duration, (request) => {
        request.path = '/constant'
        request.headers = { authorization }
      })
    for (const server of servers) await ask(server, 1)
    const loads = await interleave(servers, rounds, (server) => ask(server, seconds))
    const cpu = servers.map((server) => (loads.get(server) as Load[]).map((each) => each.cpu))
    /** Of each round, so that what slowed down a whole round counts once. */
    const more = (at: number, than: number) =>
      median((cpu[at] as number[]).map((each, round) => each - (cpu[than]?.[round] as number)))
    const total = more(PARTS.length, 0)
    return {
      text: `### What a request costs before its work

A constant, with a token, behind one part more in each server; CPU of Node, median of ${rounds} rounds of ${seconds} s. Fastify itself with the token: ${median(cpu[0] as number[]).toFixed(0)} µs.

${table(
  ['', 'µs', 'what for'],
  [
    ...PARTS.map(({ name, purpose }, index) => [name, more(index + 1, index).toFixed(1), purpose]),
    ['all', total.toFixed(1), ''],
  ],
)}
`,
      findings: [
        find(
          'µs of a request before its work',
          total,
          `Fastify ${median(cpu[0] as number[]).toFixed(0)}`,
          '≤',
          MOST,
          1,
        ),
      ],
    }
  } finally {
    await world.close()
  }
}
