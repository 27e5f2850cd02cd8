import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { messageEvent } from './events.ts'
import {
  cpuSeconds,
  find,
  interleave,
  medianRatio,
  programCpuSeconds,
  type Report,
  summarise,
  table,
} from './measure.ts'
import { openSocket, SIGN_OF_LIFE } from './sockets.ts'
import { createWorld, populate, type Server, type World } from './world.ts'

/** Messages on their way at the same time. */
const WINDOW = 64
/** Text that every message contains once, and no other frame. */
const MARK = '^'.charCodeAt(0)

/**
 * Messages of a direct conversation, published on one node and read on another. Needs REDIS_URL; with
 * REDIS_CLUSTER_URL over a cluster too.
 */
export async function benchDirect(rounds: number, seconds: number): Promise<Report> {
  const { REDIS_URL, REDIS_CLUSTER_URL } = process.env
  if (!REDIS_URL)
    return { text: '### Direct chat over two nodes\n\nNot measured: REDIS_URL is not set.\n', findings: [] }
  const world = await createWorld()
  try {
    await populate(world.sql, 2, 2)
    const open = async (name: string, server: string, url: string) => {
      const start = () => world.start(server, { REDIS_URL: url })
      return { name, chat: await Chat.open(world, await start(), await start()) }
    }
    const service = await open('the service', 'service', REDIS_URL)
    const raw = await open('raw `ws` over Redis', 'raw-fan-out', REDIS_URL)
    const clustered =
      REDIS_CLUSTER_URL && (await open('the service over a cluster', 'service', REDIS_CLUSTER_URL))
    const cases = [service, raw, ...(clustered ? [clustered] : [])]
    for (const { chat } of cases) await chat.run(1)
    const results = await interleave(cases, rounds, ({ chat }) => chat.run(seconds))
    const column = (each: (typeof cases)[number], of: (run: Run) => number) =>
      (results.get(each) ?? []).map(of)
    const cpu = (each: (typeof cases)[number]) => column(each, (run) => run.cpu)
    const withRedis = (each: (typeof cases)[number]) => column(each, (run) => run.cpu + run.redis)
    const text = `### Direct chat over two nodes

Published on one node, read on the other, ${WINDOW} on their way at the same time; CPU of both nodes, and of Redis.

${table(
  ['', 'CPU µs a delivery', 'of Redis', 'deliveries/s'],
  cases.map((each) => [
    each.name,
    summarise(cpu(each), 1),
    summarise(
      column(each, (run) => run.redis),
      1,
    ),
    summarise(column(each, (run) => run.perSecond)),
  ]),
)}
`
    return {
      text,
      findings: [
        find(
          'CPU a delivery over two nodes ÷ raw',
          medianRatio(cpu(service), cpu(raw)),
          'raw ws over Redis',
          '≤',
          1.15,
        ),
        ...(clustered
          ? [
              find(
                'CPU a delivery over a cluster, its Redis included',
                medianRatio(withRedis(clustered), withRedis(service)),
                'one Redis',
                '≤',
                1.2,
              ),
            ]
          : []),
      ],
    }
  } finally {
    await world.close()
  }
}

/** Microseconds of CPU for a delivery: of both nodes, and of all Redis processes of this machine. */
interface Run {
  perSecond: number
  cpu: number
  redis: number
}

/** Publishes on one node, and the next message whenever one arrives on the other node. */
class Chat {
  readonly #nodes: Server[]
  readonly #reader: Socket
  #version = 0
  #received = 0
  #runs = false

  static async open(world: World, here: Server, there: Server): Promise<Chat> {
    const reader = await openSocket(there.url, world.tokenOf(2))
    const chat = new Chat([here, there], reader)
    reader.on('data', (bytes) => {
      for (let at = bytes.indexOf(MARK); at !== -1; at = bytes.indexOf(MARK, at + 1)) {
        chat.#received += 1
        if (chat.#runs) chat.#publish()
      }
    })
    return chat
  }

  constructor(nodes: Server[], reader: Socket) {
    this.#nodes = nodes
    this.#reader = reader
  }

  async run(seconds: number): Promise<Run> {
    this.#reader.write(SIGN_OF_LIFE)
    const used = () => this.#nodes.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0)
    const [before, cpu, redis] = [this.#received, used(), programCpuSeconds('redis-server')]
    this.#runs = true
    for (let n = 0; n < WINDOW; n++) this.#publish()
    await setTimeout(seconds * 1_000)
    this.#runs = false
    while (this.#received < this.#version) await setTimeout(10)
    const count = this.#received - before
    return {
      perSecond: count / seconds,
      cpu: ((used() - cpu) / count) * 1e6,
      redis: ((programCpuSeconds('redis-server') - redis) / count) * 1e6,
    }
  }

  #publish(): void {
    this.#version += 1
    this.#nodes[0]?.process.send(messageEvent(this.#version, 'About set 3 ^'))
  }
}
