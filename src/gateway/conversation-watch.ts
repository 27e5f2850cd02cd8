import type { Subscription } from '../bus/bus.ts'
import type { ConversationEvent, SharedMessage } from '../bus/events.ts'
import type { Core } from '../core.ts'
import * as chat from '../features/chat/service.ts'
import { encodeFrame } from './frame.ts'
import type { Person } from './person.ts'

type Change = Extract<ConversationEvent, { version: number }>

/**
 * A conversation that somebody on this node listens to. Its changes reach their sockets in the order of
 * their versions: an event that is not the next one makes the node read what it missed from the database
 * first, so neither a lost event nor one overtaken by another leaves a gap.
 */
export class ConversationWatch {
  readonly id: number
  readonly people = new Set<Person>()
  readonly #core: Core
  readonly #subscription: Subscription
  readonly #onCountersChanged: (person: Person, conversationId: number) => void
  /** The last version that was delivered here; undefined until it is known. */
  #version: number | undefined
  /** A version that is known to exist and to be delivered. */
  #newest = 0
  #waiting: Change[] = []
  #catchingUp = false

  constructor(core: Core, id: number, onCountersChanged: (person: Person, conversationId: number) => void) {
    this.#core = core
    this.id = id
    this.#onCountersChanged = onCountersChanged
    this.#subscription = core.bus.subscribe(`conversation:${id}`, (event) => this.#receive(event))
  }

  get listening(): Promise<void> {
    return this.#subscription.ready
  }

  /**
   * Tells that the conversation has come to `version`, read after `listening`. Deliveries start there; once
   * they have, whatever is missing up to it is read and delivered.
   */
  reached(version: number): void {
    this.#version ??= version
    this.#newest = Math.max(this.#newest, version)
    this.#deliverWaiting()
  }

  close(): void {
    this.#subscription.close()
  }

  #receive(event: ConversationEvent): void {
    if (event.kind === 'read') {
      const frame = encodeFrame({
        type: 'read',
        conversation_id: this.id,
        user_id: event.userId,
        up_to_seq: event.upToSeq,
      })
      for (const person of this.people) for (const connection of person.connections) connection.write(frame)
      return
    }
    this.#waiting.push(event)
    this.#deliverWaiting()
  }

  #deliverWaiting(): void {
    if (this.#version === undefined || this.#catchingUp) return
    for (let change = this.#waiting.shift(); change; change = this.#waiting.shift()) {
      if (change.version === this.#version + 1) {
        this.#version = change.version
        this.#deliver(change.kind, change.message)
      } else if (change.version > this.#version) {
        this.#newest = Math.max(this.#newest, change.version)
        break
      } else if (change.repeated) this.#deliver(change.kind, change.message)
    }
    if (this.#newest > this.#version) void this.#catchUp(this.#version)
  }

  /** Reads what came after `version` and delivers it, then goes on with what arrived meanwhile. */
  async #catchUp(version: number): Promise<void> {
    this.#catchingUp = true
    this.#newest = 0
    try {
      const missed = await chat.readChanges(this.#core, this.id, version)
      for (const message of missed.messages) this.#deliver(chat.kindOf(message), message)
      this.#version = Math.max(version, missed.version)
      if (missed.has_more) this.#newest = missed.version + 1
    } catch (error) {
      // The next event or check tries again.
      this.#core.log.warn({ err: error, conversation_id: this.id }, 'missed changes could not be read')
    }
    this.#catchingUp = false
    this.#deliverWaiting()
  }

  #deliver(kind: Change['kind'], message: SharedMessage): void {
    const frame = (isOwn: boolean) =>
      encodeFrame({ type: kind, conversation_id: this.id, message: { ...message, is_own: isOwn } })
    const others = frame(false)
    for (const person of this.people) {
      const bytes = person.userId === message.sender_id ? frame(true) : others
      for (const connection of person.connections) connection.writeChange(this.id, message.version, bytes)
      if (kind === 'message') this.#onCountersChanged(person, this.id)
    }
  }
}
