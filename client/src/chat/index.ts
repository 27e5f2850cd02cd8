import { atom, computed, type ReadableAtom } from 'nanostores'
import type { ServerFrame } from '../generated/frames.ts'
import type { Client } from '../index.ts'
import { fullJitter } from '../socket/backoff.ts'
import { Disconnected, Refused } from '../socket/errors.ts'
import { Ledger } from './ledger.ts'
import { Outbox } from './outbox.ts'
import { Presence } from './presence.ts'
import { Room } from './room.ts'
import type { ConnectionRequest, Conversation, Draft, Outgoing, Resumed } from './types.ts'

export type { Room, RoomState } from './room.ts'
export type {
  ChatMessage,
  ConnectionRequest,
  Conversation,
  Draft,
  Outgoing,
  RoomMessage,
  SendState,
} from './types.ts'

/** Most rooms that are kept up to date, whether shown or not. */
const MOST_ROOMS = 20
/** Shorter than the others show that somebody is typing, and far below the service's limit of frames. */
const TYPING_EVERY_MS = 3_000

export function createChat(client: Client): Chat {
  return new Chat(client)
}

/** Everything that belongs to the signed-in account. */
interface Account {
  ledger: Ledger
  outbox: Outbox
  rooms: Map<number, Room>
  /** Read pointers that the service does not know yet, by conversation. */
  reads: Map<number, number>
  unlisten(): void
}

/** The conversations of the signed-in person, as stores that are kept up to date. */
export class Chat {
  /** Latest activity first; undefined until they have been read. */
  readonly $conversations: ReadableAtom<readonly Conversation[] | undefined>
  /** The number of unread messages in all conversations. */
  readonly $unread: ReadableAtom<number>
  /** Pending requests of others to connect. */
  readonly $requests: ReadableAtom<readonly ConnectionRequest[]>
  /** By user id. */
  readonly $online: ReadableAtom<Readonly<Record<number, boolean>>>
  /** Who is typing, by conversation. */
  readonly $typing: ReadableAtom<Readonly<Record<number, readonly number[]>>>
  /** Messages that are not sent yet, in all conversations. */
  readonly $outgoing: ReadableAtom<readonly Outgoing[]>
  readonly #client: Client
  readonly #listed = atom<readonly Conversation[] | undefined>(undefined)
  readonly #requests = atom<readonly ConnectionRequest[]>([])
  readonly #outgoing = atom<readonly Outgoing[]>([])
  readonly #presence: Presence
  readonly #unwatch: () => void
  #userId: number | undefined
  #account: Account | undefined
  #resuming = false
  #resumeAgain = false
  readonly #typedAt = new Map<number, number>()

  constructor(client: Client) {
    this.#client = client
    this.#presence = new Presence(client)
    this.$online = this.#presence.$online
    this.$typing = this.#presence.$typing
    this.$requests = this.#requests
    this.$outgoing = this.#outgoing
    this.$conversations = computed([this.#listed, this.#presence.$online], (listed, online) =>
      listed?.map((each) =>
        each.user_id === null ? each : { ...each, online: online[each.user_id] ?? each.online },
      ),
    )
    this.$unread = computed(
      this.#listed,
      (listed) => listed?.reduce((sum, { unread }) => sum + unread, 0) ?? 0,
    )
    this.#unwatch = client.session.$user.subscribe((user) => this.#become(user?.id))
  }

  /** A conversation's messages: fetched at the first call and kept up to date from then on. */
  room(conversationId: number): Room {
    const { rooms, outbox } = this.#here()
    const room =
      rooms.get(conversationId) ??
      new Room(this.#client, conversationId, outbox.$entries, () => outbox.advance(conversationId))
    // The room that was used last moves to the end; if there are too many, the first one is dropped.
    rooms.delete(conversationId)
    rooms.set(conversationId, room)
    for (const [id, each] of rooms) {
      if (rooms.size <= MOST_ROOMS) break
      each.close()
      rooms.delete(id)
    }
    return room
  }

  /**
   * Resolves with the message's `client_id` once it is stored on this machine: from then on it is sent, even after a
   * restart.
   */
  send(conversationId: number, draft: Draft | string): Promise<string> {
    const { outbox } = this.#here()
    return outbox.add(conversationId, typeof draft === 'string' ? { message: draft } : draft)
  }

  /** Sends a failed message again. */
  retry(clientId: string): Promise<void> {
    return this.#here().outbox.retry(clientId)
  }

  /** Removes a message that failed or was not sent yet. */
  discard(clientId: string): Promise<void> {
    return this.#here().outbox.discard(clientId)
  }

  /** The person has read a conversation, up to a message or all of it. Shown at once, sent as soon as possible. */
  read(conversationId: number, upToSeq?: number): void {
    const { ledger, reads } = this.#here()
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
    this.#unwatch()
    this.#become(undefined)
  }

  #here(): Account {
    if (!this.#account) throw new Error('Nobody is signed in')
    return this.#account
  }

  #become(userId: number | undefined): void {
    if (userId === this.#userId) return
    this.#userId = userId
    const left = this.#account
    this.#account = undefined
    left?.unlisten()
    left?.outbox.close()
    for (const room of left?.rooms.values() ?? []) room.close('gone')
    this.#presence.clear()
    this.#listed.set(undefined)
    this.#requests.set([])
    this.#outgoing.set([])
    if (userId !== undefined) this.#begin(userId)
  }

  #begin(userId: number): void {
    const rooms = new Map<number, Room>()
    const ledger = new Ledger(userId, {
      message: (id, message) => {
        this.#presence.quiet(id, message.sender_id)
        rooms.get(id)?.take(message)
      },
      gap: (id) => {
        void rooms.get(id)?.fill()
        void this.#refresh(id)
      },
      added: (id) => void rooms.get(id)?.fill(),
      removed: (id) => {
        rooms.get(id)?.close('gone')
        rooms.delete(id)
      },
      read: (id, reader, seq) => rooms.get(id)?.takeRead(reader, seq),
    })
    const outbox = new Outbox(this.#client, userId, (id, version) => {
      const room = rooms.get(id)
      return !room?.isFilling && (ledger.conversations.get(id)?.version ?? 0) >= version
    })
    const unsubscribe = outbox.$entries.subscribe((entries) => this.#outgoing.set(entries))
    // Set before listening, because an open connection sends `ready` at once.
    this.#account = { ledger, outbox, rooms, reads: new Map(), unlisten: unsubscribe }
    const unlisten = this.#client.live.listen((frame) => this.#take(frame))
    this.#account.unlisten = () => {
      unlisten()
      unsubscribe()
    }
  }

  #take(frame: ServerFrame): void {
    const { ledger, outbox, rooms } = this.#here()
    switch (frame.type) {
      case 'ready':
      case 'resync':
        void this.#resume()
        void this.#presence.read().catch(() => {})
        void this.#readRequests()
        for (const room of rooms.values()) room.retry()
        outbox.flush()
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
      case 'conversation':
      case 'read':
      case 'gap':
        if (ledger.take(frame)) void this.#resume()
        else this.#publish()
        if ('conversation_id' in frame) outbox.advance(frame.conversation_id)
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
        this.#resumeAgain ||= account.ledger.finish(ack as unknown as Resumed)
        this.#publish()
        for (const id of account.ledger.conversations.keys()) account.outbox.advance(id)
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
    const { reads } = this.#here()
    for (const [id, seq] of reads) {
      const told = await this.#client.live
        .request({ type: 'read', conversation_id: id, up_to_seq: seq })
        .catch((error) => error)
      if (told instanceof Disconnected) return
      if (reads.get(id) === seq) reads.delete(id)
    }
  }

  async #readRequests(): Promise<void> {
    const account = this.#account
    const { data } = await this.#client
      .GET('/api/v01/chat/connections/requests')
      .catch(() => ({ data: undefined }))
    if (data && account === this.#account) this.#requests.set(data.requests)
  }

  /** Reads the last message of a conversation, which is unknown after a gap. */
  async #refresh(id: number): Promise<void> {
    const account = this.#account
    const { data } = await this.#client
      .GET('/api/v01/chat/conversations/{id}', { params: { path: { id } } })
      .catch(() => ({ data: undefined }))
    if (!data || account !== this.#account) return
    const { members: _, ...conversation } = data.conversation
    account?.ledger.preview(conversation)
    this.#publish()
  }

  #publish(): void {
    if (this.#account) this.#listed.set(this.#account.ledger.list())
  }
}
