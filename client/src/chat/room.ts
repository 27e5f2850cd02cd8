import { atom, type ReadableAtom } from 'nanostores'
import type { Client } from '../index.ts'
import { reactedBy, withReactions } from './reactions.ts'
import { toPending, toShown } from './shown-messages.ts'
import type { ChatMessage, Outgoing, Reacting, ReactionsFrame, RoomMessage } from './types.ts'

const PAGE = 50
/** Most pages that are listed again after a gap; older messages are fetched again by scrolling. */
const REFILL_PAGES = 10
const RETRY_MS = 3_000

export interface RoomState {
  /** `gone`: the person is no longer a member. */
  status: 'loading' | 'ready' | 'gone'
  /** `more` can fetch older messages. */
  hasMore: boolean
  /** `newer` can fetch newer messages: after a `jump`, until the newest one is there. */
  hasNewer: boolean
}

/**
 * The newest messages of one conversation, without gaps, and those that are not sent yet; after a `jump` those around
 * an older one.
 */
export class Room {
  readonly id: number
  readonly #state = atom<RoomState>({ status: 'loading', hasMore: false, hasNewer: false })
  readonly $state: ReadableAtom<RoomState> = this.#state
  readonly #messages = atom<readonly RoomMessage[]>([])
  readonly $messages: ReadableAtom<readonly RoomMessage[]> = this.#messages
  readonly #readBy = atom<Readonly<Record<number, number>>>({})
  /** How far each member has read, by user id; empty until the room is ready. */
  readonly $readBy: ReadableAtom<Readonly<Record<number, number>>> = this.#readBy
  readonly #client: Client
  readonly #onShown: () => void
  readonly #outgoing: ReadableAtom<readonly Outgoing[]>
  readonly #reacting: ReadableAtom<readonly Reacting[]>
  readonly #stops: (() => void)[]
  #stored: readonly ChatMessage[] = []
  /** Messages that came while a page was being fetched, because the page may be older. */
  #early: (ChatMessage | ReactionsFrame)[] | undefined
  /** The message around which the next fetch is; undefined: the newest ones. */
  #around: number | undefined
  #filling: Promise<void> | undefined
  /** They wait for the next fetch. */
  #readers: (() => void)[] = []
  /** Ends the requests of the fetch under way. */
  #abort = new AbortController()
  #refill = false
  #cancelRetry: (() => void) | undefined
  #isClosed = false

  constructor(
    client: Client,
    id: number,
    $outgoing: ReadableAtom<readonly Outgoing[]>,
    $reacting: ReadableAtom<readonly Reacting[]>,
    onShown: () => void,
  ) {
    this.#client = client
    this.#onShown = onShown
    this.id = id
    this.#outgoing = $outgoing
    this.#reacting = $reacting
    const show = () => this.#show(this.#stored)
    this.#stops = [$outgoing.listen(show), $reacting.listen(show)]
  }

  get #newest(): ChatMessage | undefined {
    return this.#stored[this.#stored.length - 1]
  }

  /** Whether it has a stored message, or never will; above the first one it would be found by scrolling. */
  has(seq: number): boolean {
    const { status, hasNewer } = this.#state.get()
    return status === 'gone' || hasNewer || (this.#newest?.seq ?? 0) >= seq
  }

  /** Whether it shows a message as it was at this version or later, or doesn't show it. */
  hasVersion(messageId: number, version: number): boolean {
    const message = this.#stored.find(({ id }) => id === messageId)
    return !message || message.version >= version
  }

  /** Whether somebody looks at it. */
  get isWatched(): boolean {
    return this.$messages.lc > 0 || this.$state.lc > 0
  }

  /** Fetches a page of older messages, if there is one. */
  async more(): Promise<void> {
    await this.#filling
    const [oldest] = this.#stored
    if (!oldest || !this.#state.get().hasMore) return
    const page = await this.#page({ before: oldest.created_at })
    const messages = this.#stored
    if (!page) return this.fill()
    // Everything was fetched again meanwhile.
    if (messages[0]?.seq !== oldest.seq) return
    this.#show([...page.messages, ...messages])
    this.#state.set({ ...this.#state.get(), hasMore: page.has_more })
  }

  /** Shows the messages around one, wherever it is; false if it isn't there. */
  async jump(messageId: number): Promise<boolean> {
    const isThere = () => this.#stored.some(({ id }) => id === messageId)
    if (isThere()) return true
    this.#around = messageId
    await this.fill()
    this.#around = undefined
    return isThere()
  }

  /** Fetches a page of newer messages, if there is one. */
  async newer(): Promise<void> {
    await this.#filling
    const newest = this.#newest
    if (!newest || this.#early || !this.#state.get().hasNewer) return
    const early: (ChatMessage | ReactionsFrame)[] = []
    this.#early = early
    const page = await this.#page({ around: newest.id }).finally(() => {
      if (this.#early === early) this.#early = undefined
    })
    if (!page) return this.fill()
    // Everything was fetched again meanwhile.
    if (this.#newest !== newest) return
    this.#show([...this.#stored, ...page.messages.filter(({ seq }) => seq > newest.seq)])
    this.#state.set({ ...this.#state.get(), hasNewer: page.has_newer ?? false })
    this.#takeEarly(early)
  }

  /** Back to the newest messages. */
  async latest(): Promise<void> {
    if (!this.#state.get().hasNewer) return
    this.#state.set({ ...this.#state.get(), hasNewer: false })
    this.#stored = []
    await this.fill()
  }

  /** Fetches all shown messages again and replaces them in one step. */
  fill(): Promise<void> {
    this.#refill = true
    this.#filling ??= this.#fill()
    return this.#filling
  }

  /** Resolves once all that it shows was asked for after this call, or it shows nothing any more. */
  read(): Promise<void> {
    return new Promise((resolve) => {
      this.#readers.push(resolve)
      void this.fill()
    })
  }

  take(change: ChatMessage | ReactionsFrame): void {
    // Whoever writes has read everything before.
    if ('seq' in change) this.takeRead(change.sender_id, change.seq)
    if (this.#early) this.#early.push(change)
    else if (!this.#store(change)) void this.fill()
  }

  takeRead(userId: number, seq: number): void {
    const readBy = this.#readBy.get()
    if ((readBy[userId] ?? 0) < seq) this.#readBy.set({ ...readBy, [userId]: seq })
  }

  /** After a reconnect: fetches at once what could not be fetched, and what was read meanwhile. */
  catchUp(): void {
    const isFilled = this.#state.get().status === 'ready' && !this.#cancelRetry && !this.#filling
    if (isFilled) return void this.readMembers()
    const isFilling = this.#filling !== undefined
    void this.fill()
    // A page that was asked for on the dead line would be waited for, and hold back what the new one brings.
    if (isFilling) this.#abort.abort()
  }

  /** The person is no longer a member. If they become one again, `fill` brings it back. */
  leave(): void {
    this.#empty('gone')
  }

  close(): void {
    this.#isClosed = true
    for (const stop of this.#stops) stop()
    this.#empty('gone')
  }

  /** Shows these, and then what is not sent yet. */
  #show(stored: readonly ChatMessage[]): void {
    this.#stored = stored
    const user = this.#client.session.$user.get()
    const outgoing = this.#outgoing.get().filter(({ conversationId }) => conversationId === this.id)
    const reacting = this.#reacting.get()
    this.#messages.set([
      ...stored.map((message) => {
        const pending = reacting.filter(({ messageId }) => messageId === message.id)
        const shown = toShown(message)
        return pending.length > 0
          ? { ...shown, reactions: reactedBy(user?.id ?? 0, shown.reactions, pending) }
          : shown
      }),
      ...(this.#state.get().hasNewer ? [] : toPending(outgoing, stored, user)),
    ])
  }

  #empty(status: RoomState['status']): void {
    this.#cancelRetry?.()
    this.#cancelRetry = undefined
    this.#refill = false
    this.#state.set({ status, hasMore: false, hasNewer: false })
    this.#show([])
    this.#readBy.set({})
    this.#onShown()
    for (const tell of this.#readers.splice(0)) tell()
  }

  async #fill(): Promise<void> {
    this.#cancelRetry?.()
    this.#cancelRetry = undefined
    while (this.#refill && !this.#isClosed) {
      this.#refill = false
      this.#early = []
      this.#abort = new AbortController()
      const readers = this.#readers.splice(0)
      try {
        await this.#fillAll(this.#abort.signal)
        for (const tell of readers) tell()
      } catch {
        this.#readers.push(...readers)
        if (this.#refill) continue
        this.#early = undefined
        this.#filling = undefined
        this.#retry(() => this.fill())
        return
      }
      const early = this.#early
      this.#early = undefined
      this.#takeEarly(early)
    }
    // At once, so that what is asked for from here on is not taken for done.
    this.#filling = undefined
    this.#onShown()
  }

  #takeEarly(early: (ChatMessage | ReactionsFrame)[]): void {
    for (const change of early) if (!this.#store(change)) void this.fill()
  }

  async #fillAll(signal: AbortSignal): Promise<void> {
    const place = this.#stored[Math.floor(this.#stored.length / 2)]?.id
    const around = this.#around ?? (this.#state.get().hasNewer ? place : undefined)
    const there = around === undefined ? undefined : await this.#page({ around }, signal)
    if (there) return this.#fillWith(there.messages, there)
    let page = await this.#page({}, signal)
    let messages = page?.messages ?? []
    for (let pages = 1; page?.has_more && pages < REFILL_PAGES; pages++) {
      const [oldest] = messages
      // `more` may have added a page meanwhile.
      const first = this.#stored[0]?.seq ?? Number.POSITIVE_INFINITY
      if (!oldest || oldest.seq <= first) break
      page = await this.#page({ before: oldest.created_at }, signal)
      messages = [...(page?.messages ?? []), ...messages]
    }
    // Somebody who has become a member again meanwhile is told so: then it is fetched once more.
    if (!page && !this.#refill) this.leave()
    if (page) this.#fillWith(messages, page)
  }

  #fillWith(messages: ChatMessage[], page: { has_more: boolean; has_newer?: boolean }): void {
    if (this.#isClosed) return
    this.#state.set({ status: 'ready', hasMore: page.has_more, hasNewer: page.has_newer ?? false })
    this.#show(messages)
    void this.readMembers()
  }

  /** Reads how far everybody has read, which may have changed unheard. */
  async readMembers(): Promise<void> {
    const params = { path: { id: this.id } }
    try {
      const { data } = await this.#client.GET('/api/v01/chat/conversations/{id}', { params })
      for (const { id, last_read_seq } of data?.conversation.members ?? []) this.takeRead(id, last_read_seq)
    } catch {
      this.#retry(() => this.readMembers())
    }
  }

  #retry(work: () => Promise<void>): void {
    this.#cancelRetry?.()
    if (this.#isClosed) return
    this.#cancelRetry = this.#client.platform.after(RETRY_MS, () => {
      this.#cancelRetry = undefined
      void work()
    })
  }

  /** undefined: the person is no longer a member. */
  async #page(from: { before?: string; around?: number }, signal?: AbortSignal) {
    const { data, error } = await this.#client.GET('/api/v01/chat/conversations/{id}/messages', {
      params: { path: { id: this.id }, query: { peek: true, limit: PAGE, ...from } },
      ...(signal && { signal }),
    })
    if (data) return data
    if (error.code !== 'not_found') throw new Error(error.code)
    return undefined
  }

  /** False if a message before it is missing. */
  #store(change: ChatMessage | ReactionsFrame): boolean {
    const { status, hasNewer } = this.#state.get()
    // The page that will be fetched contains it.
    if (status !== 'ready') return true
    const messages = this.#stored
    const index =
      'seq' in change
        ? change.seq - (messages[0]?.seq ?? 1)
        : messages.findIndex(({ id }) => id === change.message_id)
    if (index >= messages.length && hasNewer) return true
    if (index > messages.length) return false
    const known = messages[index]
    if (index < 0 || (known && known.version >= change.version)) return true
    const changed = [...messages]
    if ('seq' in change) changed[index] = change
    else if (known) changed[index] = withReactions(known, change, this.#client.session.$user.get()?.id)
    this.#show(changed)
    this.#onShown()
    return true
  }
}
