import type { ChangeFrame, ChatMessage, Conversation, Resumed } from './types.ts'

export interface LedgerEvents {
  /** A message was made or changed; in the order of versions. */
  message(conversationId: number, message: ChatMessage): void
  /** Too many changes were missed: list the messages again. */
  gap(conversationId: number): void
  /** A conversation became known. Its messages that were fetched before may be out of date. */
  added(conversationId: number): void
  /** The person is no longer a member. */
  removed(conversationId: number): void
  /** A member has read up to this message. */
  read(conversationId: number, userId: number, seq: number): void
}

/**
 * Conversations of one `resume`: as many as always fit into one frame. The messages of further ones are listed again.
 */
const MOST_RESUMED = 2_400

/**
 * The state of each conversation, with its version. A frame is applied only if its version is the next one. During a
 * `resume` all frames wait for its ack and are applied together: a resume leaves out versions that later ones have
 * replaced, and new frames may arrive in between.
 */
export class Ledger {
  readonly conversations = new Map<number, Conversation>()
  readonly #userId: number
  readonly #events: LedgerEvents
  #waiting: ChangeFrame[] | undefined
  #leftOut: number[] = []

  constructor(userId: number, events: LedgerEvents) {
    this.#userId = userId
    this.#events = events
  }

  /** Latest activity first. */
  list(): Conversation[] {
    return [...this.conversations.values()].sort((one, other) =>
      lastActivity(other).localeCompare(lastActivity(one)),
    )
  }

  /** Begins a resume and answers the known versions; frames wait until `finish`. */
  begin(): Record<string, number> {
    this.#waiting = []
    const all = this.list()
    this.#leftOut = all.slice(MOST_RESUMED).map(({ id }) => id)
    return Object.fromEntries(all.slice(0, MOST_RESUMED).map(({ id, version }) => [id, version]))
  }

  /** The connection ended before the ack: the next resume sends everything again. */
  abort(): void {
    this.#waiting = undefined
  }

  /** Applies what came during the resume. True if something is still missing. */
  finish(resumed: Resumed): boolean {
    const frames = this.#waiting ?? []
    this.#waiting = undefined
    // Whole conversations first: a message may have come before its conversation.
    const whole = frames.filter((frame) => frame.type === 'conversation')
    for (const frame of whole) this.#takeWhole(frame)
    for (const frame of frames) {
      if (frame.type === 'read') this.#takeRead(frame)
      if (frame.type === 'gap') this.#takeGap(frame)
    }
    for (const id of this.#leftOut) this.#events.gap(id)
    let isMissing = false
    for (const [key, { version, last_read_seq, unread }] of Object.entries(resumed.conversations)) {
      const id = Number(key)
      const known = this.conversations.get(id)
      if (!known) {
        isMissing = true
        continue
      }
      const readSeq = Math.max(known.last_read_seq, last_read_seq)
      this.#set({
        ...known,
        version: Math.max(known.version, version),
        last_read_seq: readSeq,
        last_seq: Math.max(known.last_seq, last_read_seq + unread),
      })
    }
    // Messages that are newer than the ack are applied in the order of their versions; they may have come before the
    // missed ones.
    const changes = frames
      .flatMap((frame) => ('message' in frame ? [frame] : []))
      .sort((one, other) => one.message.version - other.message.version)
    for (const frame of changes) {
      const known = this.conversations.get(frame.conversation_id)
      if (known && frame.message.version <= known.version) this.#show(known, frame.message)
      else if (known) isMissing = this.take(frame) || isMissing
    }
    for (const frame of whole)
      if (!frame.removed && this.conversations.has(frame.conversation.id))
        isMissing = this.take(frame) || isMissing
    return isMissing
  }

  /** True if something is missing: then the frame isn't applied. */
  take(frame: ChangeFrame): boolean {
    if (this.#waiting) {
      this.#waiting.push(frame)
      return false
    }
    switch (frame.type) {
      case 'read':
        this.#takeRead(frame)
        return false
      case 'gap': {
        // The gap belongs to another tab's resume; this tab may know that version already.
        const known = this.conversations.get(frame.conversation_id)
        return known !== undefined && known.version < frame.version
      }
      case 'conversation': {
        const { conversation } = frame
        const known = this.conversations.get(conversation.id)
        if (known && 'version' in conversation && conversation.version > known.version + 1) return true
        if (known && 'version' in conversation && conversation.version < known.version) return false
        this.#takeWhole(frame, true)
        return false
      }
      default: {
        const { conversation_id, message } = frame
        const known = this.conversations.get(conversation_id)
        if (!known || message.version > known.version + 1) return true
        if (message.version <= known.version) return false
        this.#show(known, message, message.version)
        return false
      }
    }
  }

  /** This person has read up to this message; the service may not know it yet. */
  markRead(conversationId: number, seq: number): void {
    const known = this.conversations.get(conversationId)
    if (known && seq > known.last_read_seq) this.#set({ ...known, last_read_seq: seq })
  }

  /** Takes a conversation from the list over, unless it is older than the frames. */
  preview(conversation: Conversation): void {
    const known = this.conversations.get(conversation.id)
    if (!known || conversation.version < known.version) return
    const readSeq = Math.max(known.last_read_seq, conversation.last_read_seq)
    this.#set({ ...conversation, version: known.version, last_read_seq: readSeq })
  }

  #show(known: Conversation, message: ChatMessage, version = known.version): void {
    const isLast = message.seq >= known.last_seq
    const isOwn = message.sender_id === this.#userId
    this.#set({
      ...known,
      version,
      last_seq: Math.max(known.last_seq, message.seq),
      // The sender of a message has read everything before it.
      last_read_seq: isOwn ? Math.max(known.last_read_seq, message.seq) : known.last_read_seq,
      last_message: isLast
        ? { message: message.message, created_at: message.created_at }
        : known.last_message,
    })
    this.#events.message(known.id, message)
  }

  #takeWhole({ conversation, removed }: ChangeFrame & { type: 'conversation' }, isNext = false): void {
    if (removed || !('version' in conversation)) {
      if (this.conversations.delete(conversation.id)) this.#events.removed(conversation.id)
      return
    }
    const known = this.conversations.get(conversation.id)
    if (!known) {
      this.#set(conversation)
      this.#events.added(conversation.id)
      return
    }
    const isNewer = conversation.last_seq >= known.last_seq
    this.#set({
      ...conversation,
      // During a resume it may come before earlier messages.
      version: isNext ? conversation.version : known.version,
      last_seq: Math.max(known.last_seq, conversation.last_seq),
      last_read_seq: Math.max(known.last_read_seq, conversation.last_read_seq),
      last_message: isNewer ? conversation.last_message : known.last_message,
    })
  }

  #takeRead({ conversation_id, user_id, up_to_seq }: ChangeFrame & { type: 'read' }): void {
    if (user_id === this.#userId) this.markRead(conversation_id, up_to_seq)
    this.#events.read(conversation_id, user_id, up_to_seq)
  }

  #takeGap({ conversation_id, version }: ChangeFrame & { type: 'gap' }): void {
    const known = this.conversations.get(conversation_id)
    if (!known) return
    this.#set({ ...known, version: Math.max(known.version, version) })
    this.#events.gap(conversation_id)
  }

  #set(conversation: Conversation): void {
    const unread = Math.max(0, conversation.last_seq - conversation.last_read_seq)
    this.conversations.set(conversation.id, { ...conversation, unread })
  }
}

/** The time of the last message, comparable as text; '' without one. */
function lastActivity({ last_message }: Conversation): string {
  return last_message?.created_at ?? ''
}
