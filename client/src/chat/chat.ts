import { atom, type ReadableAtom } from 'nanostores'
import type { ServerFrame } from '../generated/frames.ts'
import type { Client } from '../index.ts'
import type { Owner } from '../session/session.ts'
import { fullJitter } from '../socket/backoff.ts'
import { Disconnected, Refused } from '../socket/errors.ts'
import type { StorageState } from '../storage/storage.ts'
import { Ledger } from './ledger.ts'
import { Presence } from './presence.ts'
import { Room } from './room.ts'
import { Sending } from './sending.ts'
import type {
  ConnectionRequest,
  Conversation,
  Draft,
  Outgoing,
  Reacting,
  ResumeAck,
  Upload,
} from './types.ts'

export type { SendState } from '../outbox/outbox.ts'
export type { Room, RoomState } from './room.ts'
export type {
  ChatMessage,
  ConnectionRequest,
  Conversation,
  Draft,
  Outgoing,
  Reacting,
  Reaction,
  RoomMessage,
  Upload,
} from './types.ts'

/** Most rooms that are kept up to date besides those that somebody looks at. */
const MOST_ROOMS = 20
/** How soon, and how often, the list is read by HTTP while there is no socket. */
const LIST_AFTER_MS = 3_000
const LIST_EVERY_MS = 15_000
/** Shorter than others show that somebody is typing, and far below the service's limit of frames. */
const TYPING_EVERY_MS = 3_000

export function createChat(client: Client): Chat {
  return new Chat(client)
}

/** Everything that belongs to the signed-in account. */
interface Account {
  owner: Owner
  ledger: Ledger
  sending: Sending
  /** Read pointers that the service does not know yet, by conversation. */
  reads: Map<number, number>
  end(): void
}

/** The conversations of the signed-in person, as stores that are kept up to date. */
export class Chat {
  readonly #conversations = atom<readonly Conversation[] | undefined>(undefined)
  /** Pinned ones first, then latest activity first; archived ones among them. undefined until they have been read. */
  readonly $conversations: ReadableAtom<readonly Conversation[] | undefined> = this.#conversations
  readonly #unread = atom(0)
  /** The number of unread messages in conversations that are neither muted nor archived. */
  readonly $unread: ReadableAtom<number> = this.#unread
  readonly #mentions = atom(0)
  /** The number of unread messages that mention this person, in all conversations. */
  readonly $mentions: ReadableAtom<number> = this.#mentions
  readonly #requests = atom<readonly ConnectionRequest[]>([])
  /** Pending requests of others to connect. */
  readonly $requests: ReadableAtom<readonly ConnectionRequest[]> = this.#requests
  /** By user id. */
  readonly $online: ReadableAtom<Readonly<Record<number, boolean>>>
  /** Who is typing, by conversation. */
  readonly $typing: ReadableAtom<Readonly<Record<number, readonly number[]>>>
  readonly #outgoing = atom<readonly Outgoing[]>([])
  /** Messages that are not sent yet, in all conversations. */
  readonly $outgoing: ReadableAtom<readonly Outgoing[]> = this.#outgoing
  readonly #upload = atom<Upload | undefined>()
  /** What this page uploads now. */
  readonly $upload: ReadableAtom<Upload | undefined> = this.#upload
  readonly #client: Client
  readonly #reacting = atom<readonly Reacting[]>([])
  readonly #presence: Presence
  readonly #stops: (() => void)[]
  /** By conversation; some may be waiting until it is known who is signed in. */
  readonly #rooms = new Map<number, Room>()
  #account: Account | undefined
  #resuming = false
  #resumeAgain = false
  /** The service's clock less this machine's steady one. */
  #ahead = 0
  #cancelUnmute: (() => void) | undefined
  readonly #typedAt = new Map<number, number>()

  constructor(client: Client) {
    this.#client = client
    this.#presence = new Presence(client)
    this.$online = this.#presence.$online
    this.$typing = this.#presence.$typing
    // Before the list is known there is none to show.
    this.$online.listen(() => this.$conversations.get() && this.#publish())
    this.#stops = [
      client.platform.atEnd(() => this.close()),
      client.session.$user.subscribe(() => this.#become(client.session.owner())),
    ]
  }

  /**
   * A conversation's messages: fetched at the first call and kept up to date from then on, as long as somebody looks at
   * them. To be called each time that they are shown.
   */
  room(conversationId: number): Room {
    if (this.#client.session.$user.get() === null) throw new Error('Nobody is signed in')
    const rooms = this.#rooms
    let room = rooms.get(conversationId)
    // The room that was used last moves to the end.
    rooms.delete(conversationId)
    if (!room) {
      room = new Room(this.#client, conversationId, this.#outgoing, this.#reacting, () =>
        this.#account?.sending.settle(),
      )
      if (this.#account) void room.fill()
    }
    const idle = [...rooms].filter(([, { isWatched }]) => !isWatched)
    for (const [id, each] of idle.slice(0, Math.max(0, idle.length + 1 - MOST_ROOMS))) {
      rooms.delete(id)
      each.close()
    }
    rooms.set(conversationId, room)
    return room
  }

  /**
   * Resolves once it is decided where the message is: `durable` on this machine, or only in this page (`memory`,
   * `full`) until it is sent. Stored ones are sent even after a restart.
   */
  async send(
    conversationId: number,
    draft: Draft | string,
  ): Promise<{ clientId: string; storage: StorageState }> {
    const { sending } = await this.#ready()
    const written = typeof draft === 'string' ? { message: draft } : draft
    const { id, storage } = await sending.send(conversationId, written)
    return { clientId: id, storage }
  }

  /** Sends a failed message again; its files too, as those that were uploaded may be gone. */
  async retry(clientId: string): Promise<void> {
    await (await this.#ready()).sending.retry(clientId)
  }

  /**
   * Removes a message that failed or was not sent yet, and ends its upload. It is gone for good unless this resolves
   * with `full`: then it comes back if this page ends before the store works again.
   */
  async discard(clientId: string): Promise<StorageState> {
    return (await this.#ready()).sending.discard(clientId)
  }

  /**
   * Adds a reaction or takes it back: shown at once, sent as soon as possible. What is refused isn't shown any more.
   */
  async react(reacting: Reacting): Promise<{ storage: StorageState }> {
    return (await this.#ready()).sending.react(reacting)
  }

  /** The person has read a conversation, up to a message or all of it. Shown at once, sent as soon as possible. */
  read(conversationId: number, upToSeq?: number): void {
    if (!this.#account) return
    const { ledger, reads } = this.#account
    const known = ledger.conversations.get(conversationId)
    const seq = Math.min(upToSeq ?? Number.POSITIVE_INFINITY, known?.last_seq ?? 0)
    if (!known || seq <= known.last_read_seq) return
    ledger.markRead(conversationId, seq)
    this.#publish()
    reads.set(conversationId, seq)
    void this.#tellReads()
  }

  /** To be called at each key; the others are told every few seconds. */
  typing(conversationId: number): void {
    const now = this.#client.platform.now()
    if (Math.abs(now - (this.#typedAt.get(conversationId) ?? 0)) < TYPING_EVERY_MS) return
    this.#typedAt.set(conversationId, now)
    this.#client.live.post({ type: 'typing', conversation_id: conversationId })
  }

  close(): void {
    for (const stop of this.#stops) stop()
    this.#become(undefined)
  }

  async #ready(): Promise<Account> {
    await this.#client.session.ready
    if (!this.#account) throw new Error('Nobody is signed in')
    return this.#account
  }

  #become(owner: Owner | undefined): void {
    const left = this.#account
    if (left && owner?.stay === left.owner.stay) return
    this.#account = undefined
    if (left || this.#client.session.$user.get() === null) {
      for (const room of this.#rooms.values()) room.close()
      left?.end()
      this.#rooms.clear()
    }
    this.#presence.clear()
    this.#publish()
    this.#requests.set([])
    if (owner) this.#begin(owner)
  }

  #begin(owner: Owner): void {
    const rooms = this.#rooms
    const { platform } = this.#client
    const ledger = new Ledger(owner.userId, () => platform.steady() + this.#ahead, {
      message: (id, message) => {
        this.#presence.quiet(id, message.sender_id)
        rooms.get(id)?.take(message)
      },
      reactions: (frame) => rooms.get(frame.conversation_id)?.take(frame),
      recount: (id) => void this.#refresh(id),
      gap: (id) => {
        void rooms.get(id)?.fill()
        void this.#refresh(id)
      },
      renewed: (id) => void rooms.get(id)?.fill(),
      removed: (id) => rooms.get(id)?.leave(),
      read: (id, reader, seq) => rooms.get(id)?.takeRead(reader, seq),
    })
    const sending = new Sending(this.#client, owner, rooms, {
      $outgoing: this.#outgoing,
      $reacting: this.#reacting,
      $upload: this.#upload,
    })
    let cancel = platform.after(LIST_AFTER_MS, () => list())
    const list = () => {
      cancel = platform.after(LIST_EVERY_MS, list)
      void this.#list()
    }
    // Set before listening, because an open connection sends `ready` at once.
    this.#account = {
      owner,
      ledger,
      sending,
      reads: new Map(),
      end() {
        cancel()
        unlisten()
        sending.close()
      },
    }
    const unlisten = this.#client.live.listen((frame) => this.#take(frame))
    for (const room of rooms.values()) void room.fill()
  }

  #take(frame: ServerFrame): void {
    if (!this.#account) return
    const { ledger, sending } = this.#account
    switch (frame.type) {
      case 'ready':
      case 'resync':
        if (frame.type === 'ready')
          this.#ahead = Date.parse(frame.server_time) - this.#client.platform.steady()
        void this.#resume()
        void this.#presence.read().catch(() => {})
        void this.#readRequests()
        for (const room of this.#rooms.values()) room.catchUp()
        sending.flush()
        return
      case 'unread':
        if (frame.requests !== this.#requests.get().length) void this.#readRequests()
        return
      case 'connection_request':
        void this.#readRequests()
        return
      case 'presence':
        this.#presence.take(frame.user_id, frame.online)
        return
      case 'typing':
        this.#presence.type(frame.conversation_id, frame.user_id)
        return
      case 'message':
      case 'message_edited':
      case 'message_deleted':
      case 'reactions':
      case 'conversation':
      case 'read':
      case 'gap':
        if (ledger.take(frame)) void this.#resume()
        else this.#publish()
    }
  }

  /** Resumes until nothing is missing. One resume runs at a time; a new connection begins another. */
  async #resume(): Promise<void> {
    this.#resumeAgain = true
    if (this.#resuming) return
    this.#resuming = true
    for (let tries = 0; this.#resumeAgain && this.#account; tries++) {
      this.#resumeAgain = false
      const account = this.#account
      try {
        const ack = await this.#client.live.request({ type: 'resume', conversations: account.ledger.begin() })
        if (account !== this.#account) continue
        this.#resumeAgain ||= account.ledger.finish(ack as unknown as ResumeAck)
        this.#publish()
        void this.#tellReads()
      } catch (error) {
        account.ledger.abort()
        // The next connection resumes, and so does the end of an exam that locks help.
        if (error instanceof Disconnected || (error instanceof Refused && error.code === 'exam_in_progress'))
          continue
        this.#resumeAgain = true
      }
      // From the second resume in a row on, it waits before the next one.
      if (this.#resumeAgain)
        await new Promise<void>((resolve) =>
          this.#client.platform.after(fullJitter(this.#client.platform, tries - 2), resolve),
        )
    }
    this.#resuming = false
  }

  async #tellReads(): Promise<void> {
    const { reads } = this.#account ?? { reads: new Map() }
    for (const [id, seq] of reads) {
      const told = await this.#client.live
        .request({ type: 'read', conversation_id: id, up_to_seq: seq })
        .catch((error) => error)
      if (told instanceof Disconnected) return
      if (reads.get(id) === seq) reads.delete(id)
    }
  }

  /** Without a socket the list comes by HTTP. */
  async #list(): Promise<void> {
    const account = this.#account
    const { live, platform } = this.#client
    if (live.$status.get() === 'online' || platform.isVisible?.() === false) return
    const lists = await Promise.all(
      [false, true].map((archived) =>
        this.#client.GET('/api/v01/chat/conversations', { params: { query: { archived } } }),
      ),
    ).catch(() => [])
    const found = lists.flatMap(({ data }) => (data ? [data.conversations] : []))
    if (found.length < 2 || account !== this.#account || live.$status.get() === 'online') return
    account?.ledger.takeAll(found.flat())
    this.#publish()
    void this.#readRequests()
  }

  async #readRequests(): Promise<void> {
    const account = this.#account
    const { data } = await this.#client
      .GET('/api/v01/chat/connections/requests')
      .catch(() => ({ data: undefined }))
    if (data && account === this.#account) this.#requests.set(data.requests)
  }

  /** Reads a conversation's last message and mentions, where the frames don't tell them. */
  async #refresh(id: number): Promise<void> {
    const account = this.#account
    const { data } = await this.#client
      .GET('/api/v01/chat/conversations/{id}', { params: { path: { id } } })
      .catch(() => ({ data: undefined }))
    if (account !== this.#account || !account) return
    if (!data) return void this.#resume()
    const { members: _, ...conversation } = data.conversation
    if (!account.ledger.preview(conversation)) return this.#refresh(id)
    this.#publish()
  }

  #publish(): void {
    const listed = this.#account?.ledger.list()
    const online = this.$online.get()
    this.#conversations.set(
      listed?.map((each) =>
        each.user_id === null ? each : { ...each, online: online[each.user_id] ?? each.online },
      ),
    )
    const sum = (of: (each: Conversation) => number) => listed?.reduce((all, each) => all + of(each), 0) ?? 0
    this.#unread.set(
      sum(({ unread, settings }) =>
        settings.archived || this.#account?.ledger.isMuted(settings) ? 0 : unread,
      ),
    )
    this.#mentions.set(sum(({ unread_mentions }) => unread_mentions))
    this.#cancelUnmute?.()
    const left = this.#account?.ledger.untilUnmute() ?? Number.POSITIVE_INFINITY
    if (Number.isFinite(left)) this.#cancelUnmute = this.#client.platform.after(left, () => this.#publish())
  }
}
