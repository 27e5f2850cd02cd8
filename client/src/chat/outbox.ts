import { atom, type ReadableAtom } from 'nanostores'
import { exchange } from '../http/request.ts'
import type { Client } from '../index.ts'
import type { Channel } from '../platform.ts'
import { CACHES } from '../session/session.ts'
import { fullJitter } from '../socket/backoff.ts'
import { openChannel } from '../tabs.ts'
import type { ChatMessage, Draft, Outgoing } from './types.ts'

/** The pause after a refusal that ends at some time, such as with an exam, without a frame that reports it. */
const LOCKED_MS = 30_000
/** Temporary refusals; after any other one this message can never be sent. */
const PASSING = new Set(['authentication_required', 'token_expired_or_invalid', 'exam_in_progress'])

type OutboxMessage = { key: string; entry: Outgoing | null }

/**
 * The unsent messages of one account, from all tabs, in the order of writing. A message is stored before `add` returns.
 * The leading tab sends them one after another, waits for each answer, and repeats with the same `client_id`: so no
 * message is lost, stored twice, or overtaken.
 */
export class Outbox {
  readonly $entries: ReadableAtom<readonly Outgoing[]>
  readonly #shown = atom<readonly Outgoing[]>([])
  readonly #client: Client
  readonly #isShown: (conversationId: number, version: number) => boolean
  readonly #prefix: string
  readonly #entries = new Map<string, Outgoing>()
  readonly #tabs: Channel
  readonly #restored: Promise<void>
  readonly #unlisten: () => void
  #lastTime = 0
  #attempt = 0
  #isSending = false
  #cancelWait: (() => void) | undefined
  #isClosed = false

  /** `isShown`: whether the room shows this version already, so that a sent message can be removed here. */
  constructor(client: Client, userId: number, isShown: (conversationId: number, version: number) => boolean) {
    this.#client = client
    this.#isShown = isShown
    this.#prefix = `${CACHES}${userId}/outbox/`
    this.$entries = this.#shown
    const name = `exam-practice:${client.baseUrl}:outbox:${userId}`
    const hear = (told: unknown) => this.#hear(told as OutboxMessage)
    this.#tabs = openChannel(client.platform, name, hear, () => void this.#restore())
    this.#restored = this.#restore()
    this.#unlisten = client.live.$leads.subscribe(() => this.flush())
  }

  /** Resolves with the `client_id` once the message is stored on this machine. */
  async add(conversationId: number, draft: Draft): Promise<string> {
    await this.#restored
    const { platform } = this.#client
    const clientId = platform.uuid()
    // Always increases, even if the clock is set back.
    this.#lastTime = Math.max(this.#lastTime + 1, platform.now())
    const entry: Outgoing = {
      ...draft,
      clientId,
      conversationId,
      createdAt: new Date(platform.now()).toISOString(),
      state: 'queued',
    }
    await this.#keep(`${this.#prefix}${String(this.#lastTime).padStart(15, '0')}-${clientId}`, entry)
    void this.#send()
    return clientId
  }

  /** Puts a failed message back into the queue, at its old place. */
  async retry(clientId: string): Promise<void> {
    const [key, entry] = this.#find(clientId) ?? []
    if (!key || entry?.state !== 'failed') return
    const { error: _, ...again } = entry
    await this.#keep(key, { ...again, state: 'queued' })
    this.flush()
  }

  /** Removes a message; if it is being sent, the service may have stored it. */
  async discard(clientId: string): Promise<void> {
    const [key] = this.#find(clientId) ?? []
    if (key) await this.#drop(key)
  }

  /** Removes sent messages that the room shows by now. */
  advance(conversationId: number): void {
    if ([...this.#entries.values()].some((entry) => entry.conversationId === conversationId && entry.stored))
      this.#show()
  }

  /** Sends at once what waits for another try, if this tab leads. */
  flush(): void {
    this.#cancelWait?.()
    this.#cancelWait = undefined
    void this.#send()
  }

  close(): void {
    this.#isClosed = true
    this.#cancelWait?.()
    this.#unlisten()
    this.#tabs.close()
    this.#shown.set([])
  }

  async #send(): Promise<void> {
    await this.#restored
    if (this.#isSending) return
    this.#isSending = true
    try {
      while (!this.#isClosed && !this.#cancelWait && this.#client.live.$leads.get()) {
        const next = [...this.#entries].find(([, { state }]) => state === 'queued' || state === 'sending')
        if (!next) return
        await this.#sendOne(...next)
      }
    } finally {
      this.#isSending = false
    }
  }

  async #sendOne(key: string, entry: Outgoing): Promise<void> {
    this.#change(key, { ...entry, state: 'sending' })
    const { conversationId, clientId, message, reply_to_id, reply_to_text, reply_to_name } = entry
    const body = { message, client_id: clientId, reply_to_id, reply_to_text, reply_to_name }
    const answer = await exchange(this.#client, 'POST', `chat/conversations/${conversationId}/messages`, body)
    if (this.#isClosed || !this.#entries.has(key)) return
    const code = answer?.body.code
    if (!answer || answer.status >= 500 || answer.status === 429 || PASSING.has(code))
      this.#wait(key, entry, answer?.retryAfter ?? (PASSING.has(code) ? LOCKED_MS : 0))
    else if (answer.status < 300) await this.#sent(key, entry, answer.body.message)
    else {
      await this.#keep(key, { ...entry, state: 'failed', error: code })
    }
  }

  async #sent(key: string, entry: Outgoing, stored: ChatMessage): Promise<void> {
    this.#attempt = 0
    this.#change(key, { ...entry, state: 'sent', stored })
    await this.#client.platform.store.delete(key)
  }

  #wait(key: string, entry: Outgoing, atLeast: number): void {
    this.#attempt += 1
    this.#client.diagnostics.note('outbox.wait', this.#attempt)
    this.#change(key, { ...entry, state: 'queued' })
    const ms = atLeast + fullJitter(this.#client.platform, this.#attempt)
    this.#cancelWait = this.#client.platform.after(ms, () => this.flush())
  }

  async #keep(key: string, entry: Outgoing): Promise<void> {
    await this.#client.platform.store.set(key, entry)
    this.#change(key, entry)
  }

  async #drop(key: string): Promise<void> {
    await this.#client.platform.store.delete(key)
    this.#entries.delete(key)
    this.#show()
    this.#tabs.post({ key, entry: null } satisfies OutboxMessage)
  }

  #change(key: string, entry: Outgoing): void {
    this.#entries.set(key, entry)
    this.#show()
    this.#tabs.post({ key, entry } satisfies OutboxMessage)
  }

  #hear({ key, entry }: OutboxMessage): void {
    if (entry) this.#entries.set(key, entry)
    else this.#entries.delete(key)
    this.#comeAfter(key)
    this.#show()
    if (entry?.state === 'queued') void this.#send()
  }

  async #restore(): Promise<void> {
    for (const [key, kept] of await this.#client.platform.store.list(this.#prefix)) {
      const entry = kept as Outgoing
      if (!this.#entries.has(key)) this.#entries.set(key, entry)
      this.#comeAfter(key)
    }
    this.#show()
  }

  /** Messages that are written from now on get later keys than this one. */
  #comeAfter(key: string): void {
    this.#lastTime = Math.max(this.#lastTime, Number(key.slice(this.#prefix.length).split('-')[0]))
  }

  #find(clientId: string): [string, Outgoing] | undefined {
    return [...this.#entries].find(([, entry]) => entry.clientId === clientId)
  }

  #show(): void {
    const sorted = [...this.#entries].sort(([one], [other]) => (one < other ? -1 : 1))
    this.#entries.clear()
    for (const [key, entry] of sorted) {
      const { conversationId, stored } = entry
      if (!stored || !this.#isShown(conversationId, stored.version)) this.#entries.set(key, entry)
    }
    this.#shown.set([...this.#entries.values()])
  }
}
