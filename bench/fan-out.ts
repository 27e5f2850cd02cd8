import type { Socket } from 'node:net'
import type { MessageChange, ReactionChange } from '../src/bus/events.ts'
import { messageEvent } from './events.ts'
import {
  cpuSeconds,
  find,
  interleave,
  medianRatio,
  type Report,
  ratioOf,
  summarise,
  table,
} from './measure.ts'
import { openSocket, SIGN_OF_LIFE } from './sockets.ts'
import { createWorld, populate, type Server } from './world.ts'

const PEOPLE = 250
const DEVICES = 4
const SIZES = [100, PEOPLE * DEVICES]
/** What every message and reaction contains once, and no other frame: counting it counts deliveries. */
const MARK = '^'.charCodeAt(0)
const WHATS = ['messages', 'reactions', 'raw loop'] as const
type What = (typeof WHATS)[number]
const TEXT = 'The half-life question in set 3 has two right options, see the note. ^'

const message = (version: number) => messageEvent(version, TEXT)

function reaction(version: number): ReactionChange {
  const reactions = [...'👍🎉🤔'].map((emoji, index) => ({ emoji, count: 1, user_ids: [1 + index] }))
  return { kind: 'reactions', version, messageId: 1, reactions, userId: 1, emoji: '^', added: true }
}

/** The sockets of a group on one server; counts the events that arrive. */
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

  /** Publishes one event after another, each when everybody has the one before. */
  async run(
    seconds: number,
    event: (version: number) => MessageChange | ReactionChange = message,
  ): Promise<{ perSecond: number; cpu: number }> {
    for (const socket of this.#sockets) socket.write(SIGN_OF_LIFE)
    const before = cpuSeconds(this.#server.pid)
    const started = performance.now()
    let deliveries = 0
    while (performance.now() - started < seconds * 1_000) {
      await this.#publish(event)
      deliveries += this.#sockets.length
    }
    const elapsed = (performance.now() - started) / 1_000
    return {
      perSecond: deliveries / elapsed,
      cpu: ((cpuSeconds(this.#server.pid) - before) / deliveries) * 1e6,
    }
  }

  async #publish(event: (version: number) => object): Promise<void> {
    this.#received = 0
    this.#version += 1
    const arrived = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    this.#server.process.send(event(this.#version))
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

/** CPU time of the server for each delivery of a group's message or reaction, with one on its way at a time. */
export async function benchFanOut(rounds: number, seconds: number): Promise<Report> {
  const world = await createWorld()
  try {
    await populate(world.sql, PEOPLE, PEOPLE)
    const tokens = Array.from({ length: PEOPLE * DEVICES }, (_, index) =>
      world.tokenOf(Math.floor(index / DEVICES) + 1),
    )
    const open = async (server: string, size: number) => {
      const audience = new Audience(await world.start(server))
      await audience.open(tokens.slice(0, size))
      return audience
    }
    const cases: { what: What; size: number; audience: Audience; event: typeof message | typeof reaction }[] =
      []
    for (const size of SIZES) {
      const service = await open('service', size)
      cases.push({ what: 'messages', size, audience: service, event: message })
      cases.push({ what: 'reactions', size, audience: service, event: reaction })
      cases.push({ what: 'raw loop', size, audience: await open('raw-fan-out', size), event: message })
    }
    for (const { audience, event } of cases) await audience.run(1.5, event)
    const results = await interleave(cases, rounds, ({ audience, event }) => audience.run(seconds, event))
    for (const { audience } of cases) audience.close()

    const column = (size: number, what: What, value: 'perSecond' | 'cpu') => {
      const found = cases.find((each) => each.what === what && each.size === size)
      return ((found && results.get(found)) ?? []).map((result) => result[value])
    }
    const ratio = (size: number, what: What, other: What) =>
      medianRatio(column(size, what, 'cpu'), column(size, other, 'cpu'))
    const text = `### Fan-out, one event in flight

One group of ${PEOPLE} people with ${DEVICES} devices each; ${rounds} rounds of ${seconds} s; median (least–most). The ratios are medians over the
rounds of two CPU times a delivery. Reactions come to a message with three emoji.

${table(
  ['CPU µs a delivery', ...WHATS, 'messages ÷ raw', 'reactions ÷ messages'],
  SIZES.map((size) => [
    `${size} sockets`,
    ...WHATS.map((what) => summarise(column(size, what, 'cpu'), 2)),
    ratio(size, 'messages', 'raw loop').toFixed(2),
    ratio(size, 'reactions', 'messages').toFixed(2),
  ]),
)}

${table(
  ['deliveries a second', ...WHATS],
  SIZES.map((size) => [
    `${size} sockets`,
    ...WHATS.map((what) => summarise(column(size, what, 'perSecond'))),
  ]),
)}
`
    return {
      text,
      ratios: SIZES.map((size) =>
        ratioOf(
          `CPU of a delivery to ${size} sockets ÷ raw loop`,
          column(size, 'messages', 'cpu'),
          column(size, 'raw loop', 'cpu'),
        ),
      ),
      findings: SIZES.flatMap((size) => [
        find(
          `CPU a delivery to ${size} sockets ÷ raw loop`,
          ratio(size, 'messages', 'raw loop'),
          'the same frame to each',
          '≤',
          1.15,
        ),
        find(
          '… of a reaction ÷ of a message',
          ratio(size, 'reactions', 'messages'),
          `${size} sockets`,
          '≤',
          1.1,
        ),
      ]),
    }
  } finally {
    await world.close()
  }
}
