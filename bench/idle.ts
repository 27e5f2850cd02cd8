import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import {
  cpuSeconds,
  find,
  interleave,
  median,
  quantile,
  type Report,
  ratioOf,
  residentMemory,
  summarise,
  table,
} from './measure.ts'
import { openSocket } from './sockets.ts'
import { createWorld, populate } from './world.ts'

const SOCKETS = 10_000
/** Sockets opened before measuring, so that what a process needs only once isn't counted. */
const FIRST = 100
const AT_ONCE = 50
const COLLECTED_MS = 1_500
/** Pause between two requests for a list, and their number, without the sockets and beside them. */
const ASKED_EVERY_MS = 10
const ASKED = 1_000

/** Memory of an idle socket; each belongs to another person, in groups of 250. */
export async function benchIdle(rounds: number): Promise<Report> {
  const world = await createWorld()
  try {
    await populate(world.sql, SOCKETS, 250)
    const tokens = Array.from({ length: SOCKETS }, (_, index) => world.tokenOf(index + 1))
    const cases = [
      { name: 'the service', server: 'service' },
      { name: 'raw `ws`', server: 'raw-fan-out' },
    ]
    const results = await interleave(cases, Math.min(rounds, 3), async ({ server: name }) => {
      const server = await world.start(name)
      const sockets: Socket[] = []
      const open = async (until: number) => {
        while (sockets.length < until)
          sockets.push(
            ...(await Promise.all(
              tokens
                .slice(sockets.length, sockets.length + AT_ONCE)
                .map((token) => openSocket(server.url, token)),
            )),
          )
      }
      await open(FIRST)
      const list = () => timeList(server.url, tokens[0] as string)
      const alone = name === 'service' ? await list() : []
      const before = await residentKilobytes(server.pid)
      const started = performance.now()
      const cpuBefore = cpuSeconds(server.pid)
      await open(SOCKETS)
      const cpu = ((cpuSeconds(server.pid) - cpuBefore) / (SOCKETS - FIRST)) * 1e6
      const seconds = (performance.now() - started) / 1_000
      const kilobytes = ((await residentKilobytes(server.pid)) - before) / (SOCKETS - FIRST)
      const beside = name === 'service' ? await list() : []
      for (const socket of sockets) socket.destroy()
      await server.stop()
      return { kilobytes, cpu, perSecond: (SOCKETS - FIRST) / seconds, alone, beside }
    })
    const weights = cases.map((each) => (results.get(each) ?? []).map(({ kilobytes }) => kilobytes))
    const cpus = cases.map((each) => (results.get(each) ?? []).map(({ cpu }) => cpu))
    const own = results.get(cases[0] as (typeof cases)[number]) ?? []
    const lists = {
      'no sockets': own.flatMap(({ alone }) => alone),
      [`${SOCKETS.toLocaleString('en-US')} sockets`]: own.flatMap(({ beside }) => beside),
    }
    const text = `### Idle sockets

${SOCKETS.toLocaleString('en-US')} sockets of as many people, ${AT_ONCE} opened at a time.

${table(
  ['', 'KB a socket', 'CPU µs to open one', 'connects/s'],
  cases.map((each, index) => [
    each.name,
    summarise(weights[index] as number[], 1),
    summarise(cpus[index] as number[]),
    summarise((results.get(each) ?? []).map(({ perSecond }) => perSecond)),
  ]),
)}

The list of conversations, asked for ${1_000 / ASKED_EVERY_MS} times a second:

${table(
  ['beside', 'p50 ms', 'p99 ms', 'slowest ms'],
  Object.entries(lists).map(([name, times]) => [
    name,
    ...[0.5, 0.99, 1].map((share) => quantile(times, share).toFixed(1)),
  ]),
)}
`
    const [weight, raw] = weights.map(median) as [number, number]
    const beside = (name: string, [own = [], others = []]: number[][]) => ratioOf(name, own, others)
    return {
      text,
      ratios: [
        beside('memory of an idle socket ÷ raw ws', weights),
        beside('CPU of opening a socket ÷ raw ws', cpus),
      ],
      findings: [find('KB of an idle socket', weight, `raw ws ${raw.toFixed(1)}`, '≤', 12, 1)],
    }
  } finally {
    await world.close()
  }
}

/** Milliseconds of each request for the list of conversations. Requests don't wait for earlier answers. */
function timeList(url: string, token: string): Promise<number[]> {
  return Promise.all(
    Array.from({ length: ASKED }, async (_, n) => {
      await setTimeout(n * ASKED_EVERY_MS)
      const asked = performance.now()
      const answer = await fetch(`${url}/api/v01/chat/conversations`, {
        headers: { authorization: `Bearer ${token}` },
      })
      await answer.text()
      if (!answer.ok) throw new Error(`a list: ${answer.status}`)
      return performance.now() - asked
    }),
  )
}

/** Memory after a garbage collection, which the servers run on this signal. */
async function residentKilobytes(pid: number): Promise<number> {
  process.kill(pid, 'SIGUSR2')
  await setTimeout(COLLECTED_MS)
  return residentMemory(pid) * 1_024
}
