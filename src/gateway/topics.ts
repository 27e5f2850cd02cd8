import type { ServerFrame } from '../../schemas/events.schemas.ts'
import type { Bus, Subscription } from '../bus/bus.ts'
import type { ClientTopic, CommentEvent, FrameEvent, JobEvent, Topic } from '../bus/events.ts'
import type { Tallies } from '../bus/tallies.ts'
import type { Core } from '../core.ts'
import { AppError } from '../errors.ts'
import type { Claims } from '../tokens/tokens.ts'
import { encodeFrame } from './frame.ts'

/** Topics that one person may subscribe to at once, over all of their sockets. */
const LIMIT = 200

/** A kind of topic that clients subscribe to: the word before the colon. */
export interface TopicKind<Event> {
  /** Throws an AppError if this person may not subscribe to it. */
  admit?(topic: ClientTopic, claims: Claims): Promise<void>
  /** Calls `listener` with the topic's events, where these are not the bus's own. */
  listen?(topic: ClientTopic, listener: (event: Event) => void): Subscription
  /** Whether this person may see the event: what a topic shows may have been hidden since they subscribed. */
  maySee(event: Event, claims: Claims): Promise<boolean>
  /** As this person sees it; without a person, as everybody but its owner does. */
  toFrame(event: Event, readerId?: number): ServerFrame
  /** The event's owner, if their frame differs from the others'. */
  ownerOf?(event: Event): number
}

export interface TopicKinds {
  question: TopicKind<CommentEvent>
  ai_job: TopicKind<JobEvent>
  class: TopicKind<FrameEvent>
  live: TopicKind<FrameEvent>
}

type TopicEvent = CommentEvent | JobEvent
/** Those whose events are the bus's own. */
type BusTopic = Exclude<Extract<ClientTopic, Topic>, `live:${number}`>

/** The socket that subscribes. */
interface Reader {
  readonly claims: Claims
  write(frame: Buffer): void
}

/** The topics that one socket has subscribed to. */
export class SocketTopics {
  readonly #bus: Bus
  readonly #tallies: Tallies
  readonly #reader: Reader
  readonly #subscriptions = new Map<ClientTopic, Subscription>()
  /** The last event to be delivered: they keep their order. */
  #delivered = Promise.resolve()
  #isClosed = false

  constructor({ bus, tallies }: Pick<Core, 'bus' | 'tallies'>, reader: Reader) {
    this.#bus = bus
    this.#tallies = tallies
    this.#reader = reader
  }

  get #tally(): string {
    return `topics:${this.#reader.claims.userId}`
  }

  /** Resolves once events of the topic will arrive. 409 `too_many`. */
  async add(topic: ClientTopic, kind: TopicKind<TopicEvent>): Promise<void> {
    if (this.#subscriptions.has(topic)) return
    if (!(await this.#tallies.take(this.#tally, LIMIT))) throw new AppError('too_many')
    if (this.#isClosed || this.#subscriptions.has(topic)) {
      this.#tallies.release(this.#tally)
      return
    }
    const listener = (event: TopicEvent) => {
      this.#delivered = this.#delivered.then(() => this.#deliver(topic, kind, event))
    }
    const subscription = kind.listen
      ? kind.listen(topic, listener)
      : this.#bus.subscribe(topic as BusTopic, listener)
    this.#subscriptions.set(topic, subscription)
    await subscription.ready
  }

  /** Never rejects: the next event waits for it. */
  async #deliver(topic: ClientTopic, kind: TopicKind<TopicEvent>, event: TopicEvent): Promise<void> {
    // The event, or whether they may see it, couldn't be read: they are told that something may be missing.
    const frame = await this.#frameOf(kind, event).catch(() => encodeFrame({ type: 'resync' }))
    if (frame && this.#subscriptions.has(topic)) this.#reader.write(frame)
  }

  /** undefined if they may not see it. */
  async #frameOf(kind: TopicKind<TopicEvent>, event: TopicEvent): Promise<Buffer | undefined> {
    const { claims } = this.#reader
    return (await kind.maySee(event, claims)) ? encodeFor(kind, event, claims.userId) : undefined
  }

  remove(topic: ClientTopic): void {
    const subscription = this.#subscriptions.get(topic)
    if (!subscription) return
    subscription.close()
    this.#subscriptions.delete(topic)
    this.#tallies.release(this.#tally)
  }

  close(): void {
    this.#isClosed = true
    for (const topic of [...this.#subscriptions.keys()]) this.remove(topic)
  }
}

/** All listeners of this node get the same event object, so its frame is encoded once for everybody but its owner. */
const encoded = new WeakMap<TopicEvent, Buffer>()

function encodeFor(kind: TopicKind<TopicEvent>, event: TopicEvent, readerId: number): Buffer {
  if (kind.ownerOf?.(event) === readerId) return encodeFrame(kind.toFrame(event, readerId))
  let frame = encoded.get(event)
  if (!frame) {
    frame = encodeFrame(kind.toFrame(event))
    encoded.set(event, frame)
  }
  return frame
}
