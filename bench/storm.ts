import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { cpuSeconds, find, median, type Report, summarise, table } from './measure.ts'
import { ask, openStubbornly } from './sockets.ts'
import { createWorld, populate } from './world.ts'

const SOCKETS = 5_000
const BEHIND = 3
/** PostgreSQL updates its counters with a delay. */
const COUNTED_MS = 1_500

/** Sockets that return to one node at once; each has missed messages in a group of 250 and sends `resume`. */
export async function benchStorm(rounds: number): Promise<Report> {
  const world = await createWorld()
  try {
    await populate(world.sql, SOCKETS, 250)
    const countStatements = async () => {
      await setTimeout(COUNTED_MS)
      const [{ count }] = await world.sql<[{ count: number }]>`
        select xact_commit::int as count from pg_stat_database where datname = current_database()`
      return count
    }
    const server = await world.start('service')
    /** The longest delay of the event loop since the last call, in milliseconds. */
    const longestHold = async () => {
      const metrics = await (await fetch(`${server.url}/metrics`)).text()
      return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(metrics)?.[1]) * 1_000
    }
    let sockets: Socket[] = []
    const open = async (index: number, refused: () => void) => {
      const socket = await openStubbornly(server.url, world.tokenOf(index + 1), refused)
      sockets.push(socket)
      return socket
    }
    for (let index = 0; index < SOCKETS; index += 100)
      await Promise.all(Array.from({ length: 100 }, (_, n) => open(index + n, () => {})))

    const results: { seconds: number; refused: number; statements: number; cpu: number; held: number }[] = []
    for (let round = 0; round < Math.min(rounds, 3); round++) {
      for (const socket of sockets) socket.destroy()
      sockets = []
      const version = round * BEHIND
      await world.sql`
        insert into messages (conversation_id, seq, version, sender_id, message, created_at)
        select id, last_seq + n, version + n, id, 'while you were away', clock_timestamp() + n * interval '1 ms'
          from conversations, generate_series(1, ${BEHIND}::int) n`
      await world.sql`
        update conversations set last_seq = last_seq + ${BEHIND}, version = version + ${BEHIND}`
      const statements = await countStatements()
      await longestHold()
      const cpu = cpuSeconds(server.pid)
      const started = performance.now()
      let refused = 0
      await Promise.all(
        Array.from({ length: SOCKETS }, async (_, index) => {
          const socket = await open(index, () => {
            refused += 1
          })
          const conversation = Math.floor(index / 250) + 1
          await ask(socket, { type: 'resume', ref: 'r', conversations: { [conversation]: version } })
        }),
      )
      const seconds = (performance.now() - started) / 1_000
      const used = cpuSeconds(server.pid) - cpu
      results.push({
        seconds,
        refused,
        cpu: used,
        held: await longestHold(),
        statements: ((await countStatements()) - statements) / SOCKETS,
      })
    }
    const valuesOf = (name: keyof (typeof results)[number]) => results.map((result) => result[name])
    const column = (name: keyof (typeof results)[number], digits: number) => summarise(valuesOf(name), digits)
    const text = `### A storm

${SOCKETS.toLocaleString('en-US')} sockets of as many people return to one node at once, ${BEHIND} messages behind, and resume.

${table(
  [
    '',
    'seconds until all have resumed',
    'refused',
    'statements a socket',
    'Node CPU s',
    'event loop held, ms at most',
  ],
  [
    [
      'the service',
      column('seconds', 1),
      column('refused', 0),
      column('statements', 2),
      column('cpu', 1),
      column('held', 0),
    ],
  ],
)}
`
    const most = (name: keyof (typeof results)[number]) => Math.max(...valuesOf(name))
    return {
      text,
      findings: [
        find('a storm: seconds until all have resumed', median(valuesOf('seconds')), '', '≤', 10, 1),
        find('a storm: refused', most('refused'), '', '≤', 0, 0),
        find('a storm: statements a socket', median(valuesOf('statements')), '', '≤', 1),
        find('a storm: event loop held, ms', median(valuesOf('held')), '', '≤', 200, 0),
      ],
    }
  } finally {
    await world.close()
  }
}
