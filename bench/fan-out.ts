import type { Socket } from 'node:net'
import { cpuSeconds, find, interleave, medianRatio, type Report, summarise, table } from './measure.ts'
import { openSocket, SIGN_OF_LIFE } from './sockets.ts'
import { createWorld, populate, type Server } from './world.ts'

const PEOPLE = 250
const DEVICES = 4
const SIZES = [100, PEOPLE * DEVICES]
/** Text that every message contains once, and no other frame: counting it counts deliveries. */
const MARK = '^'.charCodeAt(0)
const TEXT = 'The half-life question in set 3 has two right options, see the note. ^'

/** The sockets of a group on one server; counts the messages that arrive. */
class Audience {
  readonly #server: Server
  readonly #sockets: Socket[] = []
  #received = 0
  #version = 0
  #wake = () => {}

  constructor(server: Server) {
    this.#server = server
  }

  async open(tokens: string[]): Promise<void> {
    for (const token of tokens) this.#sockets.push(await this.#connect(token))
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Publishes one message after another, each when everybody has the one before. */
  async run(seconds: number): Promise<{ perSecond: number; cpu: number }> {
    for (const socket of this.#sockets) socket.write(SIGN_OF_LIFE)
    const before = cpuSeconds(this.#server.pid)
    const started = performance.now()
    let deliveries = 0
    while (performance.now() - started < seconds * 1_000) {
      await this.#publish()
      deliveries += this.#sockets.length
    }
    const elapsed = (performance.now() - started) / 1_000
    return {
      perSecond: deliveries / elapsed,
      cpu: ((cpuSeconds(this.#server.pid) - before) / deliveries) * 1e6,
    }
  }

  async #publish(): Promise<void> {
    this.#received = 0
    this.#version += 1
    const version = this.#version
    const message = {
      id: version,
      seq: version,
      version,
      sender_id: 1,
      sender_name: 'Person 1',
      message: TEXT,
      created_at: '2026-11-20T10:15:00.000Z',
      is_edited: false,
      is_deleted: false,
      reply_to_id: null,
      reply_to_text: null,
      reply_to_name: null,
    }
    const arrived = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    this.#server.process.send({ kind: 'message', version, message })
    await arrived
  }

  async #connect(token: string): Promise<Socket> {
    const socket = await openSocket(this.#server.url, token)
    socket.on('data', (bytes) => {
      for (let at = bytes.indexOf(MARK); at !== -1; at = bytes.indexOf(MARK, at + 1)) this.#received += 1
      if (this.#received === this.#sockets.length) this.#wake()
    })
    return socket
  }
}

/** CPU time of the server for each delivery of a group's message, with one message on its way at a time. */
export async function benchFanOut(rounds: number, seconds: number): Promise<Report> {
  const world = await createWorld()
  try {
    await populate(world.sql, PEOPLE, PEOPLE)
    const tokens = Array.from({ length: PEOPLE * DEVICES }, (_, index) =>
      world.tokenOf(Math.floor(index / DEVICES) + 1),
    )
    const cases = await Promise.all(
      SIZES.flatMap((size) =>
        ['service', 'raw-fan-out'].map(async (name) => {
          const audience = new Audience(await world.start(name))
          await audience.open(tokens.slice(0, size))
          return { name, size, audience }
        }),
      ),
    )
    for (const { audience } of cases) await audience.run(1.5)
    const results = await interleave(cases, rounds, ({ audience }) => audience.run(seconds))
    for (const { audience } of cases) audience.close()

    const columnOf = (size: number) => (name: string, value: 'perSecond' | 'cpu') =>
      (results.get(cases.find((each) => each.name === name && each.size === size) as never) ?? []).map(
        (result) => result[value],
      )
    const ratio = (size: number) =>
      medianRatio(columnOf(size)('service', 'cpu'), columnOf(size)('raw-fan-out', 'cpu'))
    const rows = SIZES.map((size) => {
      const column = columnOf(size)
      return [
        `${size} sockets`,
        summarise(column('service', 'cpu'), 2),
        summarise(column('raw-fan-out', 'cpu'), 2),
        ratio(size).toFixed(2),
        summarise(column('service', 'perSecond')),
        summarise(column('raw-fan-out', 'perSecond')),
      ]
    })
    const text = `### Fan-out, one message in flight

One group of ${PEOPLE} people with ${DEVICES} devices each; ${rounds} rounds of ${seconds} s; median (least–most). The ratio is the median over the
rounds of the two servers' CPU time a delivery.

${table(
  [
    '',
    'service, CPU µs a delivery',
    'raw `ws` loop',
    'service ÷ raw',
    'service, deliveries/s',
    'raw `ws` loop',
  ],
  rows,
)}
`
    return {
      text,
      findings: SIZES.map((size) =>
        find(
          `CPU a delivery to ${size} sockets ÷ raw loop`,
          ratio(size),
          'the same frame to each',
          '≤',
          1.15,
        ),
      ),
    }
  } finally {
    await world.close()
  }
}
