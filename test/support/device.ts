import type { Message } from '../../client/src/generated/openapi.ts'
import type { Client } from './client.ts'
import { type Frame, openSocket, type TestSocket } from './socket.ts'

interface ConversationState {
  name: string
  pinned: boolean
  isGroup: boolean
  /** False until its messages have been listed. */
  isListed: boolean
  /** By `seq`. */
  messages: Map<number, ShownMessage & { id: number; version: number; senderId: number }>
}

/** What a client shows of a message. */
export interface ShownMessage {
  /** null for a tombstone. */
  text: string | null
  /** Each emoji with its number. */
  reactions: string
  files: number
  mentions: number[]
}

/** What a client shows. Tests compare it with what the service stores. */
export interface DeviceView {
  conversations: Record<string, { name: string; pinned: boolean; messages: ShownMessage[] }>
  unread: number
  unreadAll: number
  mentions: number
  requests: number
  online: Record<string, boolean>
}

export function showMessage({
  message,
  is_deleted,
  reactions,
  attachments,
  mentions,
}: Message): ShownMessage {
  return {
    text: is_deleted ? null : message,
    reactions: describeReactions(reactions),
    files: attachments.length,
    mentions,
  }
}

function describeReactions(reactions: { emoji: string; count: number }[]): string {
  return reactions.map(({ emoji, count }) => `${emoji}${count}`).join(' ')
}

/**
 * One device of a person, as docs/protocol/realtime.md#resume tells clients to work: it applies frames, resumes after
 * each connection and where it sees a gap, and lists conversations that it doesn't know. It asks for nothing else, so
 * what it shows at the end is what the service told it.
 */
export class Device {
  readonly person: Client
  readonly conversations = new Map<number, ConversationState>()
  /** Descriptions of frames that should never have come. */
  readonly violations: string[] = []
  /**
   * Gaps that it saw, after which it resumed. There can be some where events were lost: a message that was edited
   * before the node read the missed changes comes as one later change.
   */
  readonly gaps: string[] = []
  #unread = 0
  #unreadAll = 0
  #mentions = 0
  #requests = 0
  #online = new Map<string, boolean>()
  /** Presence from frames since the newest request for presence: they are newer than its answer. */
  #onlineSince = new Map<string, boolean>()
  /** The version of each conversation up to which nothing is missing. */
  #versions = new Map<number, number>()
  /** The newest versions since a `resume` that is under way. */
  #newer = new Map<number, number>()
  #resuming = 0
  #removed = new Set<number>()
  #loading: Promise<unknown>[] = []
  #socket: TestSocket | undefined

  constructor(person: Client) {
    this.person = person
  }

  get isConnected(): boolean {
    return this.#socket?.ws.readyState === this.#socket?.ws.OPEN && this.#socket !== undefined
  }

  get socket(): TestSocket | undefined {
    return this.isConnected ? this.#socket : undefined
  }

  async connect(url: string): Promise<void> {
    this.drop()
    this.#removed.clear()
    const socket = await openSocket({ url, token: this.person.accessToken })
    this.#socket = socket
    const take = (frame: Frame) => {
      if (this.#socket === socket) this.#take(frame, url)
    }
    this.#catchUp(url)
    for (const frame of socket.frames) take(frame)
    socket.ws.on('message', (data) => take(JSON.parse(data.toString())))
  }

  drop(): void {
    this.#socket?.ws.terminate()
    this.#socket = undefined
    this.#resuming = 0
    this.#newer.clear()
  }

  async settled(): Promise<void> {
    while (this.#loading.length > 0) await Promise.all(this.#loading.splice(0))
  }

  shown(): DeviceView {
    return {
      conversations: Object.fromEntries(
        [...this.conversations].map(([id, { name, pinned, messages }]) => [
          id,
          {
            name,
            pinned,
            messages: [...messages]
              .sort(([one], [other]) => one - other)
              .map(([, { text, reactions, files, mentions }]) => ({ text, reactions, files, mentions })),
          },
        ]),
      ),
      unread: this.#unread,
      unreadAll: this.#unreadAll,
      mentions: this.#mentions,
      requests: this.#requests,
      online: Object.fromEntries(this.#online),
    }
  }

  #catchUp(url: string): void {
    this.#resuming += 1
    // It has no version of conversations that aren't listed yet. The service tells of those that still exist.
    for (const [id, { isListed }] of this.conversations) if (!isListed) this.conversations.delete(id)
    this.#socket?.send({ type: 'resume', ref: 'resume', conversations: Object.fromEntries(this.#versions) })
    const since = new Map<string, boolean>()
    this.#onlineSince = since
    this.#load(async () => {
      const { body } = await this.person.at(url).get('/api/v01/chat/presence', 200)
      if (since !== this.#onlineSince) return
      this.#online = new Map([...Object.entries(body.status as Record<string, boolean>), ...since])
    })
  }

  #take(frame: Frame, url: string): void {
    switch (frame.type) {
      case 'ready':
      case 'unread':
        this.#unread = frame.unread
        this.#unreadAll = frame.unread_all
        this.#mentions = frame.mentions
        this.#requests = frame.requests
        return
      case 'presence':
        this.#online.set(String(frame.user_id), frame.online)
        this.#onlineSince.set(String(frame.user_id), frame.online)
        return
      case 'resync':
        this.#catchUp(url)
        return
      case 'ack':
        this.#takeSettings(frame.conversations)
        if (frame.ref === 'resume' && --this.#resuming === 0) {
          for (const [id, version] of this.#newer) this.#reach(id, version)
          this.#newer.clear()
        }
        return
      case 'error':
        if (frame.ref === 'resume') this.violations.push(`resume failed: ${frame.code}`)
        return
      case 'gap':
        this.#versions.delete(frame.conversation_id)
        this.#list(frame.conversation_id, frame.version, url)
        return
      case 'conversation':
        this.#takeConversation(frame, url)
        return
      case 'message':
      case 'message_edited':
      case 'message_deleted':
        this.#takeMessage(frame, url)
        return
      case 'reactions':
        this.#takeReactions(frame)
    }
  }

  #takeConversation({ conversation, removed }: Frame, url: string): void {
    const { id, name, is_group, version, settings } = conversation
    if (removed) {
      this.conversations.delete(id)
      this.#versions.delete(id)
      this.#newer.delete(id)
      this.#removed.add(id)
      return
    }
    this.#removed.delete(id)
    const known = this.conversations.get(id)
    if (known) {
      known.name = name
      known.pinned = settings.pinned
      this.#reach(id, version)
    } else
      this.conversations.set(id, {
        name,
        pinned: settings.pinned,
        isGroup: is_group,
        isListed: false,
        messages: new Map(),
      })
    if (!this.conversations.get(id)?.isListed) this.#list(id, version, url)
  }

  #takeSettings(states: Record<string, { settings: { pinned: boolean } }> = {}): void {
    for (const [id, { settings }] of Object.entries(states)) {
      const known = this.conversations.get(Number(id))
      if (known) known.pinned = settings.pinned
    }
  }

  #takeMessage({ type, conversation_id, message }: Frame, url: string): void {
    if (this.#removed.has(conversation_id))
      this.violations.push(`a ${type} of conversation ${conversation_id} after leaving it`)
    const known = this.conversations.get(conversation_id)
    if (!known) return
    if (message.is_own !== (message.sender_id === this.person.id)) this.violations.push('a wrong is_own')
    const newest = Math.max(0, ...known.messages.keys())
    if (type === 'message' && known.isListed && message.seq > newest + 1 && this.#resuming === 0) {
      this.gaps.push(`seq ${message.seq} after ${newest} in conversation ${conversation_id}`)
      this.#catchUp(url)
    }
    this.#store(known, message)
    this.#reach(conversation_id, message.version)
  }

  #takeReactions({ conversation_id, message_id, version, reactions }: Frame): void {
    if (this.#removed.has(conversation_id))
      this.violations.push(`reactions in conversation ${conversation_id} after leaving it`)
    const known = this.conversations.get(conversation_id)
    if (!known) return
    for (const [seq, message] of known.messages)
      if (message.id === message_id && message.version < version)
        known.messages.set(seq, { ...message, version, reactions: describeReactions(reactions) })
    this.#reach(conversation_id, version)
  }

  #store(known: ConversationState, message: Message): void {
    const { id, seq, version, sender_id } = message
    if ((known.messages.get(seq)?.version ?? 0) >= version) return
    known.messages.set(seq, { id, version, ...showMessage(message), senderId: sender_id })
  }

  /** While resuming, older changes may still be on their way; while listing, older messages. */
  #reach(conversationId: number, version: number): void {
    if (!this.conversations.get(conversationId)?.isListed) return
    const reached = this.#resuming > 0 ? this.#newer : this.#versions
    reached.set(conversationId, Math.max(version, reached.get(conversationId) ?? 0))
  }

  #list(conversationId: number, version: number, url: string): void {
    const conversation = this.conversations.get(conversationId)
    if (!conversation) return
    conversation.isListed = false
    this.#load(async (socket) => {
      let before = ''
      for (;;) {
        const path =
          `/api/v01/chat/conversations/${conversationId}/messages?limit=100&peek=true${before}` as const
        const { status, body } = await this.person.at(url).get(path)
        if (status !== 200) return
        for (const message of body.messages) this.#store(conversation, message)
        if (!body.has_more) break
        before = `&before=${body.messages[0]?.created_at}`
      }
      // Meanwhile the person may have left and joined it again, or a later connection may have to list it.
      if (this.conversations.get(conversationId) !== conversation || this.#socket !== socket) return
      conversation.isListed = true
      this.#versions.set(conversationId, Math.max(version, this.#versions.get(conversationId) ?? 0))
    })
  }

  #load(work: (socket: TestSocket | undefined) => Promise<void>): void {
    const socket = this.#socket
    this.#loading.push(
      work(socket).catch((error) => {
        // Its node has ended; the next connection begins with what is known then.
        if (this.#socket === socket && this.isConnected) this.violations.push(String(error))
      }),
    )
  }
}
