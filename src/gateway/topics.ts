import type { ServerFrame } from '../../schemas/events.ts'
import type { Bus, Subscription } from '../bus/bus.ts'
import type { ClientTopic, CommentEvent, FrameEvent } from '../bus/events.ts'
import { AppError } from '../errors.ts'
import { encodeFrame } from './frame.ts'

/** Topics that one socket may listen to at once. */
const LIMIT = 100

/** What one socket asked to hear of beyond its owner's own conversations. */
export class SocketTopics {
  readonly #bus: Bus
  readonly #readerId: number
  readonly #write: (frame: Buffer) => void
  readonly #subscriptions = new Map<ClientTopic, Subscription>()

  constructor(bus: Bus, readerId: number, write: (frame: Buffer) => void) {
    this.#bus = bus
    this.#readerId = readerId
    this.#write = write
  }

  /** Resolves once events of the topic will arrive. */
  async add(topic: ClientTopic): Promise<void> {
    if (this.#subscriptions.has(topic)) return
    if (this.#subscriptions.size >= LIMIT)
      throw new AppError('validation_failed', { message: `At most ${LIMIT} topics at once` })
    const subscription = this.#bus.subscribe(topic, (event: CommentEvent | FrameEvent) =>
      this.#write(encodeFor(event, this.#readerId)),
    )
    this.#subscriptions.set(topic, subscription)
    await subscription.ready
  }

  remove(topic: ClientTopic): void {
    this.#subscriptions.get(topic)?.close()
    this.#subscriptions.delete(topic)
  }

  close(): void {
    for (const subscription of this.#subscriptions.values()) subscription.close()
    this.#subscriptions.clear()
  }
}

/** An event is one object to all listeners of this node, and one frame to all readers but a comment's author. */
const encoded = new WeakMap<CommentEvent | FrameEvent, Buffer>()

function encodeFor(event: CommentEvent | FrameEvent, readerId: number): Buffer {
  if (event.kind === 'comment' && event.comment.user_id === readerId)
    return encodeFrame(commentFrame(event, true))
  let frame = encoded.get(event)
  if (!frame) {
    frame = encodeFrame(event.kind === 'comment' ? commentFrame(event, false) : event.frame)
    encoded.set(event, frame)
  }
  return frame
}

function commentFrame({ action, comment }: CommentEvent, isOwn: boolean): ServerFrame {
  return {
    type: 'comment',
    question_id: comment.question_id,
    action,
    comment: { ...comment, is_own: isOwn, ...(action === 'created' ? { replies: [] } : {}) },
  }
}
