import type { Subscription } from '../bus/bus.ts'
import type { ExamEvent, UserEvent } from '../bus/events.ts'
import type { Core } from '../core.ts'
import * as attempts from '../features/attempts/service.ts'
import type { LiveSessions } from '../features/auth/live-sessions.ts'
import { listMemberships, listNewMemberships, listVersions } from '../features/chat/conversations.ts'
import { DRAIN_MS } from '../http/draining.ts'
import { every, type Periodic } from '../periodic.ts'
import type { Connection } from './connection.ts'
import { ConversationWatch, type WatchListener } from './conversation-watch.ts'
import { CounterUpdates } from './counters.ts'
import { encodeFrame } from './frame.ts'
import type { Person } from './person.ts'
import { PresenceUpdates, showPresence } from './presence-updates.ts'

/** Seconds between pings (realtime.md); a socket that shows no life for two of these is dropped. */
export const HEARTBEAT_SECONDS = 25
const TICK_MS = 1_000
/** Seconds before the end of its token that a client is told of it (realtime.md). */
const EXPIRY_NOTICE = 60
/** How often the watched conversations are compared with the database. */
const CHECK_MS = 5_000
/** How far back such a check looks for people who came to a conversation: some may fail while the database is away. */
const NEW_MEMBERSHIP_SECONDS = 120

/** A person together with what this node does for them. */
interface Present extends Person {
  readonly watches: Set<ConversationWatch>
  readonly subscription: Subscription
  /** Resolves once every conversation of theirs is listened to. */
  ready: Promise<void>
}

/** Every socket of this node, by person and by conversation, and what makes events reach them. */
export class Hub {
  readonly #core: Core
  readonly #people = new Map<number, Present>()
  readonly #watches = new Map<number, ConversationWatch>()
  /** With the second of the heartbeat in which each is pinged: spread, so that pings don't come in bursts. */
  readonly #connections = new Map<Connection, number>()
  readonly #counters: CounterUpdates
  readonly #presence: PresenceUpdates
  readonly #watchListener: WatchListener = {
    countersChanged: (person, conversationId) => this.#counters.changed(person, conversationId),
    admitted: (person, conversationId) => {
      this.#presence.introduce(person, conversationId).catch((error: unknown) => {
        this.#core.log.warn({ err: error, conversation_id: conversationId }, 'presence could not be told')
      })
    },
    left: (person, watch) => this.#unwatch(person, watch),
  }
  readonly #timer: NodeJS.Timeout
  /** One after another, so that the last frame says what holds. */
  #resultsTold = Promise.resolve()
  readonly #mending: Periodic
  #busWasAway = false
  #nextBeat = 0
  #tick = 0

  constructor(core: Core, sessions: LiveSessions) {
    this.#core = core
    this.#counters = new CounterUpdates(core)
    this.#presence = new PresenceUpdates(core)
    core.bus.subscribe('presence', ({ userId, online, audience }) => {
      for (const id of audience) {
        const person = this.#people.get(id)
        if (person) showPresence(person, userId, online)
      }
    })
    this.#timer = setInterval(() => this.#checkLife(), TICK_MS).unref()
    sessions.onRevoked((sessionId, minGeneration) => {
      for (const connection of this.#connections.keys()) {
        const { claims } = connection
        if (claims.sessionId === sessionId && claims.generation < minGeneration)
          connection.close('tokenEnded')
      }
    })
    core.bus.subscribe('exams', (event) => {
      this.#resultsTold = this.#resultsTold.then(() => this.#tellResults(event))
    })
    this.#mending = every(CHECK_MS, 'mending what was missed', () => this.#mend(), core.log)
    core.bus.onResync(() => {
      this.#busWasAway = true
      this.#mending.soon()
    })
    core.draining.addEventListener('abort', () => this.#drain())
  }

  /** Milliseconds of the process's own clock, for `Connection.lastSeen`. */
  now(): number {
    return performance.now()
  }

  /** Makes events reach this socket. When it resolves, whatever happens from now on will. */
  async add(connection: Connection): Promise<void> {
    const { userId } = connection.claims
    const person = this.#people.get(userId) ?? this.#addPerson(userId)
    person.connections.add(connection)
    this.#connections.set(connection, this.#nextBeat)
    this.#nextBeat = (this.#nextBeat + 1) % HEARTBEAT_SECONDS
    await person.ready
    this.#counters.forget(person)
  }

  remove(connection: Connection): void {
    const person = this.#people.get(connection.claims.userId)
    this.#connections.delete(connection)
    if (!person?.connections.delete(connection) || person.connections.size > 0) return
    this.#people.delete(person.userId)
    this.#core.presence.leave(person.userId)
    person.subscription.close()
    for (const watch of person.watches) this.#unwatch(person, watch)
  }

  /** Closes the sockets one after another, so that their owners don't return all at once. */
  #drain(): void {
    const connections = [...this.#connections.keys()]
    for (const [index, connection] of connections.entries())
      setTimeout(() => connection.close('restarting'), (index / connections.length) * DRAIN_MS).unref()
  }

  /** Asks every peer to come back to another node, and drops those who don't answer. */
  closeAll(): void {
    clearInterval(this.#timer)
    void this.#mending.close()
    this.#counters.close()
    void this.#presence.close()
    for (const connection of this.#connections.keys()) connection.close('restarting')
  }

  #addPerson(userId: number): Present {
    const subscription = this.#core.bus.subscribe(`user:${userId}`, (event) => this.#receive(person, event))
    const person: Present = {
      userId,
      subscription,
      connections: new Set(),
      watches: new Set(),
      ready: Promise.resolve(),
    }
    this.#people.set(userId, person)
    this.#core.presence.arrive(userId)
    person.ready = subscription.ready.then(() => this.#watchAll([person]))
    return person
  }

  /**
   * Brings the watches of these people in line with the conversations that they are in. It listens first and
   * reads the versions then, so that no change falls between the two.
   */
  async #watchAll(people: Present[]): Promise<void> {
    const userIds = people.map(({ userId }) => userId)
    const listed = await listMemberships(this.#core, userIds)
    const idsOf = Map.groupBy(listed, ({ userId }) => userId)
    const before = people.map((person) => {
      for (const { id } of idsOf.get(person.userId) ?? []) this.#watch(person, id)
      return { person, watches: [...person.watches] }
    })
    await Promise.all(before.flatMap(({ watches }) => watches.map(({ listening }) => listening)))

    const versionsOf = Map.groupBy(await listMemberships(this.#core, userIds), ({ userId }) => userId)
    for (const { person, watches } of before) {
      const versions = new Map(versionsOf.get(person.userId)?.map(({ id, version }) => [id, version]))
      for (const watch of watches) {
        const version = versions.get(watch.id)
        // They may have gone meanwhile, or have left the conversation.
        if (!watch.holders.has(person)) continue
        if (version === undefined) watch.admit(person)
        else watch.join(person, version)
      }
    }
  }

  /**
   * Delivers what no event told: its node died before it could, or the bus was away. Then people may have
   * come to conversations and left them unheard, too, and their clients are asked to make sure by `resume`.
   */
  async #mend(): Promise<void> {
    const people = [...this.#people.values()]
    if (!this.#busWasAway) {
      const versions = await listVersions(this.#core, [...this.#watches.keys()])
      for (const { id, version } of versions) this.#watches.get(id)?.reached(version)
      await this.#admitUntold(people)
      return
    }
    this.#busWasAway = false
    try {
      await this.#watchAll(people)
    } catch (error) {
      this.#busWasAway = true
      throw error
    }
    for (const person of people) {
      this.#counters.changed(person)
      for (const connection of person.connections) connection.send({ type: 'resync' })
    }
  }

  /** Lets in those who came to a conversation that this node was not told of. */
  async #admitUntold(people: Present[]): Promise<void> {
    const userIds = people.map(({ userId }) => userId)
    for (const { userId, conversationId } of await listNewMemberships(
      this.#core,
      userIds,
      NEW_MEMBERSHIP_SECONDS,
    )) {
      const person = this.#people.get(userId)
      if (person && !this.#watches.get(conversationId)?.holders.has(person))
        void this.#admit(person, conversationId)
    }
  }

  #watch(person: Present, conversationId: number): ConversationWatch {
    let watch = this.#watches.get(conversationId)
    if (!watch) {
      watch = new ConversationWatch(this.#core, conversationId, this.#watchListener)
      this.#watches.set(conversationId, watch)
    }
    watch.holders.add(person)
    person.watches.add(watch)
    // They may have left while this was under way.
    if (this.#people.get(person.userId) !== person) this.#unwatch(person, watch)
    return watch
  }

  #unwatch(person: Person, watch: ConversationWatch): void {
    this.#people.get(person.userId)?.watches.delete(watch)
    watch.drop(person)
    watch.holders.delete(person)
    if (watch.holders.size > 0 || this.#watches.get(watch.id) !== watch) return
    this.#watches.delete(watch.id)
    watch.close()
  }

  #receive(person: Present, event: UserEvent): void {
    if (event.kind === 'counters') this.#counters.changed(person, event.conversationId)
    else if (event.kind === 'conversation') void this.#admit(person, event.conversationId)
    else {
      const frame = encodeFrame(event.frame)
      for (const connection of person.connections) connection.write(frame)
    }
  }

  async #admit(person: Present, conversationId: number): Promise<void> {
    const watch = this.#watch(person, conversationId)
    await watch.listening
    if (watch.holders.has(person)) watch.admit(person)
  }

  /** One query finds who of the people here has an attempt of that exam. */
  async #tellResults({ examId, released }: ExamEvent): Promise<void> {
    try {
      const frame = encodeFrame({ type: 'results_released', exam_id: examId, released })
      for (const userId of await attempts.listStudents(this.#core, examId, [...this.#people.keys()]))
        for (const connection of this.#people.get(userId)?.connections ?? []) connection.write(frame)
    } catch (error) {
      this.#core.log.warn({ err: error, exam_id: examId }, 'the release of results could not be told')
    }
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
        if (expiresAt - epochSeconds <= EXPIRY_NOTICE) connection.warnOfExpiry(epochSeconds)
        if (beat === this.#tick) connection.ping()
      }
    }
  }
}
