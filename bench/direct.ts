import { cpuSeconds, summarise, table } from './measure.ts'
import { openSocket } from './sockets.ts'
import { createWorld, populate } from './world.ts'

/** Messages on their way at the same time. */
const WINDOW = 64
/** Stands once in every message and in no other frame. */
const MARK = '^'.charCodeAt(0)

/** A direct conversation over two nodes: published on one, read on the other. Needs REDIS_URL. */
export async function benchDirect(rounds: number, seconds: number): Promise<string> {
  const { REDIS_URL } = process.env
  if (!REDIS_URL) return '### Direct chat over two nodes\n\nNot measured: REDIS_URL is not set.\n'
  const world = await createWorld()
  try {
    await populate(world.sql, 2, 2)
    const [here, there] = [
      await world.start('service', { REDIS_URL }),
      await world.start('service', { REDIS_URL }),
    ]
    const socket = await openSocket(there.url, world.tokenOf(2))
    let version = 0
    let received = 0
    const publish = () => {
      version += 1
      const message = {
        id: version,
        seq: version,
        version,
        sender_id: 1,
        sender_name: 'Person 1',
        message: 'About set 3 ^',
      }
      here.process.send({
        kind: 'message',
        version,
        message: { ...message, created_at: '2026-11-20T10:15:00.000Z' },
      })
    }
    socket.on('data', (bytes) => {
      for (let at = bytes.indexOf(MARK); at !== -1; at = bytes.indexOf(MARK, at + 1)) {
        received += 1
        publish()
      }
    })
    for (let n = 0; n < WINDOW; n++) publish()
    const results = []
    for (let round = 0; round < rounds; round++) {
      const [before, cpu] = [received, cpuSeconds(here.pid) + cpuSeconds(there.pid)]
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
      const count = received - before
      results.push({
        perSecond: count / seconds,
        cpu: ((cpuSeconds(here.pid) + cpuSeconds(there.pid) - cpu) / count) * 1e6,
      })
    }
    socket.destroy()
    return `### Direct chat over two nodes

Published on one node, read on the other, ${WINDOW} on their way at the same time; CPU of both nodes, Redis apart.

${table(
  ['', 'CPU µs a delivery', 'deliveries/s'],
  [
    [
      'the service',
      summarise(
        results.map(({ cpu }) => cpu),
        1,
      ),
      summarise(results.map(({ perSecond }) => perSecond)),
    ],
  ],
)}
`
  } finally {
    await world.close()
  }
}
