import type { Subscription } from '../bus/bus.ts'
import type { UserEvent } from '../bus/events.ts'
import type { Core } from '../core.ts'
import type { Connection } from './connection.ts'
import type { Greeting, Live, LivePlugin } from './live-plugin.ts'
import { type People, type Person, sendTo } from './person.ts'

/**
 * Time between pings (docs/protocol/realtime.md#heartbeat). A socket without any sign of life for twice as long is
 * closed.
 */
export const HEARTBEAT_SECONDS = 25
const TICK_MS = 1_000
/** Seconds before its token expires that a client is warned (docs/protocol/realtime.md#tokens). */
const EXPIRY_NOTICE_SECONDS = 60

/** A person with the gateway's own state. */
interface ConnectedPerson extends Person {
  readonly connections: Set<Connection>
  readonly subscription: Subscription
  /** Resolves once the events of all features reach the person. */
  ready: Promise<void>
}

/** All sockets of this node, by person: their heartbeats, expiring tokens, and closing. */
export class Sockets implements People {
  readonly #core: Core
  readonly #parts: Live[]
  readonly #people = new Map<number, ConnectedPerson>()
  /** Each with the second of the heartbeat in which it is pinged, so that pings are spread evenly. */
  readonly #connections = new Map<Connection, number>()
  readonly #timer: NodeJS.Timeout
  /** When this node shuts down, by `now()`; undefined while it does not. */
  #leavesAt: number | undefined
  #nextBeat = 0
  #tick = 0

  constructor(core: Core, plugins: readonly LivePlugin[]) {
    this.#core = core
    this.#parts = plugins.map((plugin) => plugin(core, this))
    this.#timer = setInterval(() => this.#checkLife(), TICK_MS).unref()
    core.sessions.onRevoked((sessionId, minGeneration) => {
      for (const connection of this.#connections.keys()) {
        const { claims } = connection
        if (claims.sessionId === sessionId && claims.generation < minGeneration)
          connection.close('tokenEnded')
      }
    })
    core.draining.addEventListener('abort', () => this.#drain())
  }

  get parts(): readonly Live[] {
    return this.#parts
  }

  /** Milliseconds of the process's own clock, for `Connection.lastSeen`. */
  now(): number {
    return performance.now()
  }

  all(): Person[] {
    return [...this.#people.values()]
  }

  find(userId: number): Person | undefined {
    return this.#people.get(userId)
  }

  /**
   * Connects this socket to its events: when it resolves, all later events will arrive. Answers the fields of
   * `ready`.
   */
  async add(connection: Connection): Promise<Required<Greeting>> {
    const { userId } = connection.claims
    const person = this.#people.get(userId) ?? this.#addPerson(userId)
    person.connections.add(connection)
    this.#connections.set(connection, this.#nextBeat)
    this.#nextBeat = (this.#nextBeat + 1) % HEARTBEAT_SECONDS
    if (this.#leavesAt !== undefined) this.#sendAway(connection, Math.random(), this.#leavesAt)
    await person.ready
    const greetings = await Promise.all(this.#parts.map((part) => part.greet?.(person, connection)))
    return Object.assign({ unread: 0, requests: 0, unread_notices: 0, news: [] }, ...greetings)
  }

  remove(connection: Connection): void {
    const person = this.#people.get(connection.claims.userId)
    this.#connections.delete(connection)
    if (!person?.connections.delete(connection) || person.connections.size > 0) return
    this.#people.delete(person.userId)
    person.subscription.close()
    for (const part of this.#parts) part.leave?.(person)
  }

  /** Asks all peers to connect to another node, and drops those that don't answer. */
  closeAll(): void {
    clearInterval(this.#timer)
    this.#leavesAt = this.now()
    for (const part of this.#parts) part.close?.()
    for (const connection of this.#connections.keys()) connection.close('restarting')
  }

  #addPerson(userId: number): ConnectedPerson {
    const subscription = this.#core.bus.subscribe(`user:${userId}`, (event) => this.#receive(person, event))
    const person: ConnectedPerson = { userId, subscription, connections: new Set(), ready: Promise.resolve() }
    this.#people.set(userId, person)
    const arriving = this.#parts.map((part) => part.arrive?.(person))
    person.ready = Promise.all([subscription.ready, ...arriving]).then(() => {})
    return person
  }

  #receive(person: Person, event: UserEvent): void {
    if (event.kind === 'frame') sendTo(person, event.frame)
    else for (const part of this.#parts) part.receive?.(person, event)
  }

  /** Closes the sockets one by one, so that their owners don't return all at once. */
  #drain(): void {
    const connections = [...this.#connections.keys()]
    this.#leavesAt = this.now() + this.#core.config.drainDelayMs
    for (const [index, connection] of connections.entries())
      this.#sendAway(connection, index / connections.length, this.#leavesAt)
  }

  /** Closes the socket after this part of the remaining time. */
  #sendAway(connection: Connection, part: number, leavesAt: number): void {
    const left = Math.max(0, leavesAt - this.now())
    setTimeout(() => connection.close('restarting'), part * left).unref()
  }

  #checkLife(): void {
    this.#tick = (this.#tick + 1) % HEARTBEAT_SECONDS
    const now = this.now()
    const epochSeconds = this.#core.clock() / 1_000
    for (const [connection, beat] of this.#connections) {
      const { expiresAt } = connection.claims
      if (expiresAt <= epochSeconds) connection.close('tokenEnded')
      else if (now - connection.lastSeen > 2 * HEARTBEAT_SECONDS * 1_000) connection.terminate()
      else {
        if (expiresAt - epochSeconds <= EXPIRY_NOTICE_SECONDS) connection.warnOfExpiry(epochSeconds)
        if (beat === this.#tick) connection.ping()
      }
    }
  }
}
