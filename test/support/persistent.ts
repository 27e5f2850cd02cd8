import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Client } from './client.ts'
import type { Frame, TestSocket } from './socket.ts'

/** Sends as clients should: again with the same `client_id` until the service answers. */
export async function sendUntilAnswered(client: Client, conversationId: number, message: string) {
  const clientId = randomUUID()
  for (;;) {
    const answer = await client.send(conversationId, message, clientId).catch(() => undefined)
    if (answer && answer.status < 500) return answer
    await setTimeout(50)
  }
}

/**
 * A client's view of its conversations, as docs/protocol/realtime.md#resume tells clients to keep it: messages in
 * order, `resume` where one is missing, and a new connection whenever its socket ends.
 */
export class Follower {
  readonly client: Client
  /** The texts of each conversation, in the order of `seq`. */
  readonly texts = new Map<number, string[]>()
  readonly #versions = new Map<number, number>()
  #unread: number | undefined
  #socket: TestSocket | undefined
  #stopped = false

  constructor(client: Client, conversationIds: number[]) {
    this.client = client
    for (const id of conversationIds) {
      this.texts.set(id, [])
      this.#versions.set(id, 0)
    }
  }

  /** The counters of the last `unread` frame, or of `ready`. */
  get unread(): number | undefined {
    return this.#unread
  }

  /** Resolves once it is connected for the first time. */
  async start(): Promise<void> {
    while (!this.#stopped) {
      const socket = await this.client.socket().catch(() => undefined)
      // A node may also be killed between the upgrade and `ready`.
      if (!socket || socket.closed) {
        await setTimeout(50)
        continue
      }
      this.#socket = socket
      for (const frame of socket.frames) this.#take(frame)
      socket.ws.on('message', (data) => this.#take(JSON.parse(data.toString())))
      socket.ws.once('close', () => void this.start())
      this.#resume()
      return
    }
  }

  stop(): void {
    this.#stopped = true
    this.#socket?.ws.terminate()
  }

  #resume(): void {
    if (this.#socket?.ws.readyState === this.#socket?.ws.OPEN)
      this.#socket?.send({ type: 'resume', ref: 'resume', conversations: Object.fromEntries(this.#versions) })
  }

  #take(frame: Frame): void {
    if (frame.type === 'resync') this.#resume()
    if (frame.type === 'ready' || frame.type === 'unread') this.#unread = frame.unread
    if (frame.type !== 'message') return
    const texts = this.texts.get(frame.conversation_id)
    const { seq, version, message } = frame.message
    if (!texts || seq <= texts.length) return
    if (seq > texts.length + 1) {
      this.#resume()
      return
    }
    texts.push(message)
    this.#versions.set(frame.conversation_id, version)
  }
}
