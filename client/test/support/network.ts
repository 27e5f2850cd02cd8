import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

type Kind = 'http' | 'socket'

interface Way {
  client: Socket
  service: Socket
  kind: Kind | undefined
  isFrozen: boolean
  /** When the last bytes of the service have gone on. */
  last: Promise<void>
}

/** The way from one device to the service, with whatever can go wrong on it. */
export class Network {
  /** Where new connections go. */
  target: string
  /** False: nothing new gets through. */
  isUp = true
  /** Milliseconds that the service's bytes take, by what they belong to: so one can overtake the other. */
  readonly delays: Record<Kind, number> = { http: 0, socket: 0 }
  /** So many of the next requests are cut off before they arrive, or before their answer does. */
  loseRequests = 0
  loseAnswers = 0
  readonly #ways = new Set<Way>()
  readonly #server = createServer((client) => this.#open(client))

  private constructor(target: string) {
    this.target = target
  }

  static async start(target: string): Promise<Network> {
    const network = new Network(target)
    network.#server.listen(0, '127.0.0.1')
    await once(network.#server, 'listening')
    return network
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** What was open ends, as when a node leaves behind a proxy. */
  moveTo(target: string): void {
    this.target = target
    this.cut()
  }

  down(): void {
    this.isUp = false
  }

  spoil(what: 'loseRequests' | 'loseAnswers', count: number): void {
    this[what] += count
  }

  delay(kind: Kind, ms: number): void {
    this.delays[kind] = ms
  }

  cut(): void {
    for (const way of this.#ways) end(way)
  }

  /** What is open now stays so and carries nothing any more, as after a change of networks. */
  freeze(): void {
    for (const way of this.#ways) way.isFrozen = true
  }

  /** Everything works again; what was frozen stays dead. */
  heal(): void {
    this.isUp = true
    this.delays.http = this.delays.socket = this.loseAnswers = this.loseRequests = 0
  }

  close(): void {
    this.#server.close()
    this.cut()
  }

  #open(client: Socket): void {
    if (!this.isUp) {
      client.destroy()
      return
    }
    const { hostname, port } = new URL(this.target)
    const way: Way = {
      client,
      service: connect(Number(port), hostname),
      kind: undefined,
      isFrozen: false,
      last: Promise.resolve(),
    }
    this.#ways.add(way)
    const over = () => {
      this.#ways.delete(way)
      if (!way.isFrozen) end(way)
    }
    for (const side of [way.client, way.service]) side.on('error', () => {}).on('close', over)
    way.client.on('data', (bytes) => this.#request(way, bytes))
    way.service.on('data', (bytes) => this.#answer(way, bytes))
  }

  #request(way: Way, bytes: Buffer): void {
    way.kind ??= bytes.toString('latin1').startsWith('GET /api/v01/ws') ? 'socket' : 'http'
    if (way.isFrozen) return
    if (this.loseRequests > 0) {
      this.loseRequests -= 1
      end(way)
    } else way.service.write(bytes)
  }

  #answer(way: Way, bytes: Buffer): void {
    if (way.isFrozen) return
    if (this.loseAnswers > 0) {
      this.loseAnswers -= 1
      end(way)
      return
    }
    // One after another: bytes of the same connection never overtake each other.
    const { last } = way
    way.last = sleep(this.delays[way.kind ?? 'http']).then(async () => {
      await last
      if (!way.isFrozen && !way.client.destroyed) way.client.write(bytes)
    })
  }
}

function end({ client, service }: Way): void {
  client.destroy()
  service.destroy()
}
