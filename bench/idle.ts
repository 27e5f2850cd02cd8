import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { find, interleave, median, type Report, summarise, table } from './measure.ts'
import { openSocket } from './sockets.ts'
import { createWorld, populate } from './world.ts'

const SOCKETS = 10_000
/** Sockets opened before measuring, so that what a process needs only once isn't counted. */
const FIRST = 100
const AT_ONCE = 50
const COLLECTED_MS = 1_500

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
      const before = await residentKilobytes(server.pid)
      const started = performance.now()
      await open(SOCKETS)
      const seconds = (performance.now() - started) / 1_000
      const kilobytes = ((await residentKilobytes(server.pid)) - before) / (SOCKETS - FIRST)
      for (const socket of sockets) socket.destroy()
      await server.stop()
      return { kilobytes, perSecond: (SOCKETS - FIRST) / seconds }
    })
    const weights = cases.map((each) => (results.get(each) ?? []).map(({ kilobytes }) => kilobytes))
    const text = `### Idle sockets

${SOCKETS.toLocaleString('en-US')} sockets of as many people, ${AT_ONCE} opened at a time.

${table(
  ['', 'KB a socket', 'connects/s'],
  cases.map((each, index) => [
    each.name,
    summarise(weights[index] as number[], 1),
    summarise((results.get(each) ?? []).map(({ perSecond }) => perSecond)),
  ]),
)}
`
    const [own, raw] = weights.map(median) as [number, number]
    return { text, findings: [find('KB of an idle socket', own, `raw ws ${raw.toFixed(1)}`, '≤', 12, 1)] }
  } finally {
    await world.close()
  }
}

/** Memory after a garbage collection, which the servers run on this signal. */
async function residentKilobytes(pid: number): Promise<number> {
  process.kill(pid, 'SIGUSR2')
  await setTimeout(COLLECTED_MS)
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1])
}
