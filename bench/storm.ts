import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { halveSpeed } from './half-speed.ts'
import {
  cpuSeconds,
  find,
  interleave,
  longestHold,
  median,
  type Report,
  summarise,
  table,
} from './measure.ts'
import { ask, openStubbornly } from './sockets.ts'
import { createWorld, populate } from './world.ts'

const SOCKETS = 5_000
const BEHIND = 3

interface Speed {
  name: string
  isHalved: boolean
}
const FULL: Speed = { name: 'at full speed', isHalved: false }
const HALF: Speed = { name: 'node at half speed', isHalved: true }
const SPEEDS = [FULL, HALF]

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
    let sockets: Socket[] = []
    const open = async (index: number, refused: () => void) => {
      const socket = await openStubbornly(server.url, world.tokenOf(index + 1), refused)
      sockets.push(socket)
      return socket
    }
    for (let index = 0; index < SOCKETS; index += 100)
      await Promise.all(Array.from({ length: 100 }, (_, n) => open(index + n, () => {})))

    let version = 0
    const storm = async ({ isHalved }: Speed) => {
      for (const socket of sockets) socket.destroy()
      sockets = []
      await world.sql`
        insert into messages (conversation_id, seq, version, sender_id, message, created_at)
        select id, last_seq + n, version + n, id, 'while you were away', clock_timestamp() + n * interval '1 ms'
          from conversations, generate_series(1, ${BEHIND}::int) n`
      await world.sql`
        update conversations set last_seq = last_seq + ${BEHIND}, version = version + ${BEHIND}`
      const statements = await countStatements()
      await longestHold(server.url)
      const cpu = cpuSeconds(server.pid)
      const restoreSpeed = isHalved ? halveSpeed(server.pid) : async () => {}
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
      await restoreSpeed()
      version += BEHIND
      return {
        seconds,
        refused,
        cpu: cpuSeconds(server.pid) - cpu,
        held: await longestHold(server.url),
        statements: ((await countStatements()) - statements) / SOCKETS,
      }
    }
    const results = await interleave(SPEEDS, Math.min(rounds, 3), storm)
    type Column = keyof Awaited<ReturnType<typeof storm>>
    const valuesOf = (speed: Speed, name: Column) => (results.get(speed) ?? []).map((result) => result[name])
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
  SPEEDS.map((speed) => {
    const column = (name: Column, digits: number) => summarise(valuesOf(speed, name), digits)
    return [
      speed.name,
      column('seconds', 1),
      column('refused', 0),
      column('statements', 2),
      column('cpu', 1),
      column('held', 0),
    ]
  }),
)}
`
    const typical = (speed: Speed, name: Column) => median(valuesOf(speed, name))
    const most = (speed: Speed, name: Column) => Math.max(...valuesOf(speed, name))
    return {
      text,
      ratios: [{ name: 'statements of a socket that returns', values: valuesOf(FULL, 'statements') }],
      findings: [
        find('a storm: seconds until all have resumed', typical(FULL, 'seconds'), '', '≤', 10, 1),
        find('a storm: refused', most(FULL, 'refused'), '', '≤', 0, 0),
        find('a storm: statements a socket', typical(FULL, 'statements'), '', '≤', 1),
        find('a storm: event loop held, ms', typical(FULL, 'held'), '', '≤', 200, 0),
        find('a storm: seconds until all have resumed', typical(HALF, 'seconds'), HALF.name, '≤', 10, 1),
        find('a storm: refused', most(HALF, 'refused'), HALF.name, '≤', 0, 0),
      ],
    }
  } finally {
    await world.close()
  }
}
