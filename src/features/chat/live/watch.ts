import type { Subscription } from '../../../bus/bus.ts'
import type { ConversationEvent, MessageChange } from '../../../bus/events.ts'
import type { Core } from '../../../core.ts'
import { encodeFrame } from '../../../gateway/frame.ts'
import type { Person } from '../../../gateway/person.ts'
import { chat as measured } from '../../../measures.ts'
import { viewConversation } from '../conversations/service.ts'
import { readHistory } from '../messages/history.ts'
import { showTo } from '../messages/wire.ts'

/** No sender's id: what all but the sender see is the same. */
const NOBODY = 0

type Change = Extract<ConversationEvent, { version: number }>

/** What a watch lets know. */
export interface WatchListener {
  /** Somebody's counters may be other than before, because of this conversation. */
  countersChanged(person: Person, conversationId: number): void
  /** Somebody was let in by `admit`, and has been told the conversation. */
  admitted(person: Person, conversationId: number): void
  /** Somebody is in it no more, and has been told so. */
  left(person: Person, watch: ConversationWatch): void
}

/**
 * A conversation that somebody on this node listens to. Its changes reach their sockets in the order of
 * their versions: an event that is not the next one makes the node read what it missed from the database
 * first, so neither a lost event nor one overtaken by another leaves a gap. Changes of the members are
 * always read, so nothing later reaches somebody who was removed.
 */
export class ConversationWatch {
  readonly id: number
  /** Those for whose sake it is open; `ConversationWatches` keeps them. */
  readonly holders = new Set<Person>()
  readonly #core: Core
  readonly #subscription: Subscription
  readonly #listener: WatchListener
  /** Those whose sockets get what happens here. */
  readonly #people = new Set<Person>()
  /** Those who are told the conversation and let in as soon as it is read that they are members. */
  readonly #arriving = new Set<Person>()
  /** The last version that was delivered here; undefined until it is known. */
  #version: number | undefined
  /** The version up to which `#people` are known to be members. */
  #membersReadAt = 0
  /** True while `#people` have yet to be told that the members or the name changed. */
  #membersChanged = false
  #waiting: Change[] = []
  #reading = false
  #again = false
  #settled: Promise<void> = Promise.resolve()

  constructor(core: Core, id: number, listener: WatchListener) {
    this.#core = core
    this.id = id
    this.#listener = listener
    this.#subscription = core.bus.subscribe(`conversation:${id}`, (event) => this.#receive(event))
  }

  /** The last version that was delivered; 0 until it is known. */
  get version(): number {
    return this.#version ?? 0
  }

  get listening(): Promise<void> {
    return this.#subscription.ready
  }

  /** Resolves when no reading is under way any more. */
  get settled(): Promise<void> {
    return this.#settled
  }

  /** Whether what happens here reaches their sockets. */
  reaches(person: Person): boolean {
    return this.#people.has(person)
  }

  /**
   * Lets somebody in who was a member at `version`, read after `listening`; deliveries start there. Where
   * changes of the members have been read since, or are being read, they are let in by another reading.
   */
  join(person: Person, version: number): void {
    this.#version ??= version
    if (this.#reading || version < this.#membersReadAt) this.admit(person)
    else this.#people.add(person)
    this.reached(version)
  }

  /** The conversation is known to have come to this version: what is missing here is read and delivered. */
  reached(version: number): void {
    this.#deliverWaiting()
    const isBehind = this.#version !== undefined && version > this.#version
    if (isBehind || this.#membersChanged || this.#arriving.size > 0) this.#read()
  }

  /** Tells somebody the conversation and lets them in, or, where they are no member, that they left it. */
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
    if (this.#version === undefined || this.#reading) return
    for (let change = this.#waiting.shift(); change; change = this.#waiting.shift()) {
      if (change.version <= this.#version) {
        if (change.kind !== 'members' && change.repeated) this.#deliver(change)
      } else if (change.kind !== 'members' && change.version === this.#version + 1) {
        this.#version = change.version
        this.#deliver(change)
      } else {
        this.#read()
        return
      }
    }
  }

  /** One reading at a time, and another one if it was asked for meanwhile; then on with what arrived. */
  #read(): void {
    this.#again = true
    if (this.#reading) return
    this.#reading = true
    this.#settled = this.#readUntilDone()
  }

  async #readUntilDone(): Promise<void> {
    try {
      while (this.#again) {
        this.#again = false
        await this.#catchUp()
      }
    } catch (error) {
      // The next event or check tries again.
      this.#core.log.warn({ err: error, conversation_id: this.id }, 'a conversation could not be read')
    }
    this.#reading = false
    this.#deliverWaiting()
  }

  async #catchUp(): Promise<void> {
    const arriving = [...this.#arriving]
    const asked = new Set([...this.#people, ...arriving])
    const userIds = [...asked].map(({ userId }) => userId)
    const history = await readHistory(this.#core, this.id, this.#version, userIds)
    for (const person of asked) if (!history.memberIds.has(person.userId)) this.#remove(person)
    for (const change of history.changes) this.#deliver(change)
    this.#version = history.version
    this.#membersReadAt = history.version
    this.#membersChanged ||= history.membersChanged
    this.#again ||= history.hasMore
    if (history.hasMore) return

    await this.#tell(this.#membersChanged ? [...this.#people, ...arriving] : arriving)
    this.#membersChanged = false
    for (const person of arriving) {
      // Unless they went away in the meantime.
      if (!this.#arriving.delete(person)) continue
      this.#people.add(person)
      // By what was sent between their coming and now.
      this.#listener.countersChanged(person, this.id)
      this.#listener.admitted(person, this.id)
    }
  }

  /** Tells each of these people how the conversation is for them, as of the version that was delivered. */
  async #tell(people: Person[]): Promise<void> {
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
    this.#write(
      person,
      Number.POSITIVE_INFINITY,
      encodeFrame({ type: 'conversation', conversation: { id: this.id }, removed: true }),
    )
    this.#listener.countersChanged(person, this.id)
    this.#listener.left(person, this)
  }

  #deliver({ kind, message }: MessageChange): void {
    const frame = (readerId: number) =>
      encodeFrame({ type: kind, conversation_id: this.id, message: showTo(readerId, message) })
    const others = frame(NOBODY)
    for (const person of this.#people) {
      this.#write(
        person,
        message.version,
        person.userId === message.sender_id ? frame(person.userId) : others,
      )
      this.#listener.countersChanged(person, this.id)
    }
  }

  #write({ connections }: Person, version: number, frame: Buffer): void {
    measured.deliveries.add(connections.size)
    for (const connection of connections) connection.writeChange(this.id, version, frame)
  }
}
