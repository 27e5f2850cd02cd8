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

  /** Tells where deliveries start: `version` was read after `listening`, so nothing later is missed. */
  startAt(version: number): void {
    if (this.#version !== undefined) return
    this.#version = version
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
    if (this.#version !== undefined && !this.#catchingUp) this.#deliverWaiting()
  }

  #deliverWaiting(): void {
    for (let change = this.#waiting.shift(); change; change = this.#waiting.shift()) {
      const version = this.#version ?? 0
      if (change.version === version + 1) {
        this.#version = change.version
        this.#deliver(change.kind, change.message)
      } else if (change.version > version + 1) {
        void this.#catchUp(version)
        return
      } else if (change.repeated) this.#deliver(change.kind, change.message)
    }
  }

  /** Reads what came after `version` and delivers it, then goes on with what arrived meanwhile. */
  async #catchUp(version: number): Promise<void> {
    this.#catchingUp = true
    try {
      const missed = await chat.readChanges(this.#core, this.id, version)
      for (const message of missed.messages) this.#deliver(chat.kindOf(message), message)
      this.#version = Math.max(version, missed.version)
    } catch (error) {
      // The clients see the gap by its `seq` and resume; this node goes on from the next event.
      this.#core.log.warn({ err: error, conversation_id: this.id }, 'missed changes could not be read')
      this.#version = Math.max(version, (this.#waiting[0]?.version ?? 0) - 1)
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
