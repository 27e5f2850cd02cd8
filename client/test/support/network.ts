import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

type Kind = 'http' | 'socket'

interface Connection {
  client: Socket
  service: Socket
  kind: Kind | undefined
  isFrozen: boolean
  /** When the last bytes of the service have gone on. */
  last: Promise<void>
}

/** A proxy between one device and the service that can lose, delay and freeze what passes. */
export class Network {
  /** Where new connections go. */
  target: string
  /** If false, new connections are refused. */
  isUp = true
  /** Milliseconds that the service's bytes take: HTTP answers and frames can overtake each other. */
  readonly delays: Record<Kind, number> = { http: 0, socket: 0 }
  /** How many of the next requests, or answers, end their connection instead of arriving. */
  loseRequests = 0
  loseAnswers = 0
  readonly #connections = new Set<Connection>()
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

  /** Ends open connections, as a proxy does when a node leaves. */
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
    for (const connection of this.#connections) end(connection)
  }

  /** Open connections stay open but carry nothing any more, as after a change of networks. */
  freeze(): void {
    for (const connection of this.#connections) connection.isFrozen = true
  }

  /** New connections work again; frozen ones stay dead. */
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
    const connection: Connection = {
      client,
      service: connect(Number(port), hostname),
      kind: undefined,
      isFrozen: false,
      last: Promise.resolve(),
    }
    this.#connections.add(connection)
    const over = () => {
      this.#connections.delete(connection)
      if (!connection.isFrozen) end(connection)
    }
    for (const side of [connection.client, connection.service]) side.on('error', () => {}).on('close', over)
    connection.client.on('data', (bytes) => this.#request(connection, bytes))
    connection.service.on('data', (bytes) => this.#answer(connection, bytes))
  }

  #request(connection: Connection, bytes: Buffer): void {
    connection.kind ??= bytes.toString('latin1').startsWith('GET /api/v01/ws') ? 'socket' : 'http'
    if (connection.isFrozen) return
    if (this.loseRequests > 0) {
      this.loseRequests -= 1
      end(connection)
    } else connection.service.write(bytes)
  }

  #answer(connection: Connection, bytes: Buffer): void {
    if (connection.isFrozen) return
    if (this.loseAnswers > 0) {
      this.loseAnswers -= 1
      end(connection)
      return
    }
    // One after another: bytes of the same connection never overtake each other.
    const { last } = connection
    connection.last = sleep(this.delays[connection.kind ?? 'http']).then(async () => {
      await last
      if (!connection.isFrozen && !connection.client.destroyed) connection.client.write(bytes)
    })
  }
}

function end({ client, service }: Connection): void {
  client.destroy()
  service.destroy()
}
