import { atom, computed, type ReadableAtom } from 'nanostores'
import type { Client } from '../index.ts'
import type { User } from '../session/grant.ts'
import type { ChatMessage, Outgoing, RoomMessage } from './types.ts'

const PAGE = 50
/** Most pages that are listed again after a gap; older messages are fetched again by scrolling. */
const REFILL_PAGES = 10
const RETRY_MS = 3_000

export interface RoomState {
  /** `gone`: the person is no longer a member. */
  status: 'loading' | 'ready' | 'gone'
  /** `more` can fetch older messages. */
  hasMore: boolean
}

/** The newest messages of one conversation, without gaps, and those that are not sent yet. */
export class Room {
  readonly id: number
  readonly $state: ReadableAtom<RoomState>
  readonly $messages: ReadableAtom<readonly RoomMessage[]>
  /** How far each member has read, by user id; empty until the room is ready. */
  readonly $readBy: ReadableAtom<Readonly<Record<number, number>>>
  readonly #client: Client
  readonly #onFilled: () => void
  readonly #state = atom<RoomState>({ status: 'loading', hasMore: false })
  readonly #stored = atom<readonly ChatMessage[]>([])
  readonly #readBy = atom<Readonly<Record<number, number>>>({})
  /** Messages that came while a page was being fetched, because the page may be older. */
  #early: ChatMessage[] | undefined
  #filling: Promise<void> | undefined
  #refill = false
  #cancelRetry: (() => void) | undefined
  #isClosed = false

  constructor(
    client: Client,
    id: number,
    $outgoing: ReadableAtom<readonly Outgoing[]>,
    onFilled: () => void,
  ) {
    this.#client = client
    this.#onFilled = onFilled
    this.id = id
    this.$state = this.#state
    this.$readBy = this.#readBy
    this.$messages = computed([this.#stored, $outgoing], (stored, outgoing) => [
      ...stored.map(toShown),
      ...toPending(
        outgoing.filter((each) => each.conversationId === id),
        stored,
        client.session.$user.get(),
      ),
    ])
    void this.fill()
  }

  /** Whether messages are being fetched; new ones are shown after that. */
  get isFilling(): boolean {
    const isWaiting = this.#early !== undefined || this.#cancelRetry !== undefined
    return isWaiting || this.#state.get().status === 'loading'
  }

  /** Fetches a page of older messages, if there is one. */
  async more(): Promise<void> {
    await this.#filling
    const [oldest] = this.#stored.get()
    if (!oldest || !this.#state.get().hasMore) return
    const page = await this.#page(oldest.created_at)
    const messages = this.#stored.get()
    // Everything was fetched again meanwhile.
    if (!page || messages[0]?.seq !== oldest.seq) return
    this.#stored.set([...page.messages, ...messages])
    this.#state.set({ ...this.#state.get(), hasMore: page.has_more })
  }

  /** Fetches all shown messages again and replaces them in one step. */
  fill(): Promise<void> {
    this.#refill = true
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = undefined
    })
    return this.#filling
  }

  take(message: ChatMessage): void {
    if (this.#early) this.#early.push(message)
    else if (!this.#store(message)) void this.fill()
  }

  takeRead(userId: number, seq: number): void {
    const readBy = this.#readBy.get()
    if ((readBy[userId] ?? 0) < seq) this.#readBy.set({ ...readBy, [userId]: seq })
  }

  /** After a reconnect: tries again at once what could not be fetched. */
  retry(): void {
    if (this.#cancelRetry) void this.fill()
  }

  close(status: 'gone' | undefined = undefined): void {
    this.#isClosed = true
    this.#cancelRetry?.()
    if (status) this.#state.set({ status, hasMore: false })
    this.#stored.set([])
  }

  async #fill(): Promise<void> {
    this.#cancelRetry?.()
    this.#cancelRetry = undefined
    while (this.#refill && !this.#isClosed) {
      this.#refill = false
      const from = this.#stored.get()[0]?.seq ?? Number.POSITIVE_INFINITY
      this.#early = []
      try {
        await this.#fillFrom(from)
      } catch {
        this.#early = undefined
        this.#cancelRetry = this.#client.platform.after(RETRY_MS, () => void this.fill())
        return
      }
      const early = this.#early
      this.#early = undefined
      for (const message of early) if (!this.#store(message)) this.#refill = true
    }
    this.#onFilled()
  }

  async #fillFrom(from: number): Promise<void> {
    let page = await this.#page()
    let messages = page?.messages ?? []
    for (let pages = 1; page?.has_more && pages < REFILL_PAGES; pages++) {
      const [oldest] = messages
      if (!oldest || oldest.seq <= from) break
      page = await this.#page(oldest.created_at)
      messages = [...(page?.messages ?? []), ...messages]
    }
    if (!page || this.#isClosed) return
    this.#stored.set(messages)
    this.#state.set({ status: 'ready', hasMore: page.has_more })
    void this.#readMembers().catch(() => {})
  }

  async #readMembers(): Promise<void> {
    const params = { path: { id: this.id } }
    const { data } = await this.#client.GET('/api/v01/chat/conversations/{id}', { params })
    for (const { id, last_read_seq } of data?.conversation.members ?? []) this.takeRead(id, last_read_seq)
  }

  /** undefined: the person is no longer a member. */
  async #page(before?: string) {
    const { data, error, response } = await this.#client.GET('/api/v01/chat/conversations/{id}/messages', {
      params: { path: { id: this.id }, query: { peek: true, limit: PAGE, ...(before ? { before } : {}) } },
    })
    if (data) return data
    if (response.status === 404) {
      this.close('gone')
      return undefined
    }
    throw new Error(error?.code)
  }

  /** False if a message before it is missing. */
  #store(message: ChatMessage): boolean {
    // The page that will be fetched contains it.
    if (this.#state.get().status === 'loading') return true
    const messages = this.#stored.get()
    const first = messages[0]?.seq ?? 1
    const index = message.seq - first
    if (index > messages.length) return false
    const known = messages[index]
    if (index < 0 || (known && known.version >= message.version)) return true
    const changed = [...messages]
    changed[index] = message
    this.#stored.set(changed)
    return true
  }
}

const shown = new WeakMap<ChatMessage, RoomMessage>()

/** The same object for the same message, because user interfaces compare by identity. */
function toShown(message: ChatMessage): RoomMessage {
  const known = shown.get(message)
  if (known) return known
  const made: RoomMessage = { ...message, key: message.client_id ?? `${message.id}`, state: 'sent' }
  shown.set(message, made)
  return made
}

function toPending(
  outgoing: readonly Outgoing[],
  stored: readonly ChatMessage[],
  writer: User | null | undefined,
): RoomMessage[] {
  if (outgoing.length === 0) return []
  const arrived = new Set(stored.map(({ client_id }) => client_id))
  return outgoing
    .filter(({ clientId }) => !arrived.has(clientId))
    .map((each) => ({
      ...toUnsent(each, writer),
      key: each.clientId,
      state: each.state,
      error: each.error,
    }))
}

function toUnsent(
  { clientId, message, createdAt, reply_to_id, reply_to_text, reply_to_name }: Outgoing,
  writer: User | null | undefined,
) {
  return {
    id: null,
    seq: null,
    version: 0,
    client_id: clientId,
    sender_id: writer?.id ?? 0,
    sender_name: writer?.full_name ?? '',
    message,
    created_at: createdAt,
    is_own: true,
    is_edited: false,
    is_deleted: false,
    reply_to_id: reply_to_id ?? null,
    reply_to_text: reply_to_text ?? null,
    reply_to_name: reply_to_name ?? null,
  }
}
