import type { Subscription } from '../../../bus/bus.ts'
import type { ConversationEvent, MessageChange, ReactionChange } from '../../../bus/events.ts'
import type { Core } from '../../../core.ts'
import { encodeFrame } from '../../../gateway/frame.ts'
import type { Person } from '../../../gateway/person.ts'
import { chat as measured } from '../../../telemetry/metrics.ts'
import { viewConversation } from '../conversations/conversations.service.ts'
import { readHistory } from '../messages/message-history.service.ts'
import { encodeChange, encodeRemoved } from './chat-frames.live.ts'

type VersionedEvent = Extract<ConversationEvent, { version: number }>

/** What a watch reports. */
export interface WatchListener {
  /** This conversation may have changed somebody's counters. */
  countersChanged(person: Person, conversationId: number): void
  /** `admit` has let somebody in: their sockets got the conversation and will get its changes. */
  admitted(person: Person, conversationId: number): void
  /** Somebody is no longer a member, and their sockets were told. */
  left(person: Person, watch: ConversationWatch): void
}

/**
 * A conversation whose members have sockets on this node. Its changes reach these sockets in the order of their
 * versions. When an event is not the next version, the node first reads the missing changes from the database, so a
 * lost or late event leaves no gap. Changes of the members are always read from the database, so a removed member
 * gets nothing that came later.
 */
export class ConversationWatch {
  readonly id: number
  /** The watch stays open as long as it has holders; `ConversationWatches` adds and removes them. */
  readonly holders = new Set<Person>()
  readonly #core: Core
  readonly #subscription: Subscription
  readonly #listener: WatchListener
  /** Members whose sockets get the changes. */
  readonly #people = new Set<Person>()
  /** People who join `#people` once the database has confirmed that they are members. */
  readonly #arriving = new Set<Person>()
  /** The last delivered version; undefined until the first one is known. */
  #version: number | undefined
  /** The version at which the membership of `#people` was last read. */
  #membersReadAt = 0
  /** Whether `#people` still have to be told about a change of the members or the name. */
  #membersChanged = false
  /** Events that came while the node was reading, or before the first version was known. */
  #waiting: VersionedEvent[] = []
  /** What the node does about changes that it has not got by events: `due` while it has to read, once more if it is reading. */
  #catchingUp: 'idle' | 'due' | 'reading' = 'idle'
  #settled: Promise<void> = Promise.resolve()

  constructor(core: Core, id: number, listener: WatchListener) {
    this.#core = core
    this.id = id
    this.#listener = listener
    this.#subscription = core.bus.subscribe(`conversation:${id}`, (event) => this.#receive(event))
  }

  /** The last delivered version; 0 until the first one is known. */
  get version(): number {
    return this.#version ?? 0
  }

  get listening(): Promise<void> {
    return this.#subscription.ready
  }

  /** Resolves when the node has finished reading from the database. */
  get settled(): Promise<void> {
    return this.#settled
  }

  /** Whether this person's sockets get the changes. */
  deliversTo(person: Person): boolean {
    return this.#people.has(person)
  }

  /**
   * Delivers to somebody from `version` on, at which they were a member. `version` has to be read after `listening`.
   * If the members are being read, or were read at a later version, the membership is checked again first.
   */
  join(person: Person, version: number): void {
    this.#version ??= version
    if (this.#catchingUp !== 'idle' || version < this.#membersReadAt) this.admit(person)
    else this.#people.add(person)
    this.catchUpTo(version)
  }

  /** Reads and delivers what is missing up to this version, and retries what failed before. */
  catchUpTo(version: number): void {
    this.#deliverWaiting()
    const isBehind = this.#version !== undefined && version > this.#version
    if (isBehind || this.#membersChanged || this.#arriving.size > 0) this.#read()
  }

  /** Sends somebody the conversation and delivers to them from now on; if they are no member, says that they left. */
  admit(person: Person): void {
    this.#arriving.add(person)
    this.#read()
  }

  drop(person: Person): void {
    this.#people.delete(person)
    this.#arriving.delete(person)
  }

  close(): void {
    this.#subscription.close()
  }

  #receive(event: ConversationEvent): void {
    if (event.kind === 'typing') {
      const frame = encodeFrame({ type: 'typing', conversation_id: this.id, user_id: event.userId })
      for (const { userId, connections } of this.#people) {
        if (userId === event.userId || event.hiddenFrom.includes(userId)) continue
        for (const connection of connections)
          connection.writeLatest(`typing:${this.id}:${event.userId}`, frame)
      }
    } else if (event.kind === 'read') {
      const { userId, upToSeq, hiddenFrom } = event
      const frame = encodeFrame({
        type: 'read',
        conversation_id: this.id,
        user_id: userId,
        up_to_seq: upToSeq,
      })
      for (const person of this.#people) {
        if (hiddenFrom.includes(person.userId)) continue
        for (const connection of person.connections) connection.write(frame)
      }
    } else {
      this.#waiting.push(event)
      this.#deliverWaiting()
    }
  }

  #deliverWaiting(): void {
    if (this.#version === undefined || this.#catchingUp !== 'idle') return
    for (let change = this.#waiting.shift(); change; change = this.#waiting.shift()) {
      if (change.version <= this.#version) {
        if (change.kind !== 'members' && change.kind !== 'reactions' && change.repeated) this.#deliver(change)
      } else if (change.kind !== 'members' && change.version === this.#version + 1) {
        this.#version = change.version
        this.#deliver(change)
      } else {
        this.#read()
        return
      }
    }
  }

  /** Reads what is missing. A call during a reading makes it read once more. */
  #read(): void {
    const wasIdle = this.#catchingUp === 'idle'
    this.#catchingUp = 'due'
    if (wasIdle) this.#settled = this.#readUntilDone()
  }

  async #readUntilDone(): Promise<void> {
    try {
      while (this.#catchingUp === 'due') {
        this.#catchingUp = 'reading'
        await this.#readMissing()
      }
    } catch (error) {
      // The next event or check tries again.
      this.#core.log.warn({ err: error, conversation_id: this.id }, 'a conversation could not be read')
    }
    this.#catchingUp = 'idle'
    this.#deliverWaiting()
  }

  async #readMissing(): Promise<void> {
    const arriving = [...this.#arriving]
    const asked = new Set([...this.#people, ...arriving])
    const userIds = [...asked].map(({ userId }) => userId)
    const history = await readHistory(this.#core, this.id, this.#version, userIds)
    for (const person of asked) if (!history.memberIds.has(person.userId)) this.#remove(person)
    for (const change of history.changes) this.#deliver(change)
    this.#version = history.version
    this.#membersReadAt = history.version
    this.#membersChanged ||= history.membersChanged
    if (history.hasMore) {
      this.#catchingUp = 'due'
      return
    }

    await this.#sendConversation(this.#membersChanged ? [...this.#people, ...arriving] : arriving)
    this.#membersChanged = false
    for (const person of arriving) {
      // Their last socket may have closed meanwhile.
      if (!this.#arriving.delete(person)) continue
      this.#people.add(person)
      // Messages may have arrived since they joined.
      this.#listener.countersChanged(person, this.id)
      this.#listener.admitted(person, this.id)
    }
  }

  /** Sends each of these people their own view of the conversation, with the last delivered version. */
  async #sendConversation(people: Person[]): Promise<void> {
    const userIds = people.map(({ userId }) => userId)
    if (userIds.length === 0) return
    const views = await viewConversation(this.#core, userIds, this.id)
    const version = this.#version ?? 0
    for (const person of new Set(people)) {
      const conversation = views.get(person.userId)
      if (!conversation) continue
      this.#write(
        person,
        version,
        encodeFrame({ type: 'conversation', conversation: { ...conversation, version } }),
      )
    }
  }

  #remove(person: Person): void {
    this.#write(person, Number.POSITIVE_INFINITY, encodeRemoved(this.id))
    this.#listener.countersChanged(person, this.id)
    this.#listener.left(person, this)
  }

  #deliver(change: MessageChange | ReactionChange): void {
    for (const person of this.#people) {
      this.#write(person, change.version, encodeChange(person.userId, this.id, change))
      if (change.kind !== 'reactions') this.#listener.countersChanged(person, this.id)
    }
  }

  #write({ connections }: Person, version: number, frame: Buffer): void {
    measured.deliveries.inc(connections.size)
    for (const connection of connections) connection.writeChange(this.id, version, frame)
  }
}
