import type { ChangeFrame, ChatMessage, Conversation, ReactionsFrame, ResumeAck } from './types.ts'

export interface LedgerEvents {
  /** A message was made or changed; in the order of versions. */
  message(conversationId: number, message: ChatMessage): void
  /** Somebody has reacted to a message, in the order of versions. */
  reactions(frame: ReactionsFrame): void
  /** How many unread messages mention this person can't be told from here. */
  recount(conversationId: number): void
  /** Too many changes were missed: list the messages again. */
  gap(conversationId: number): void
  /** A conversation became known, or a newer version of it without its messages: those fetched may be out of date. */
  renewed(conversationId: number): void
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
  readonly #now: () => number
  readonly #events: LedgerEvents
  #waiting: ChangeFrame[] | undefined
  #leftOut: number[] = []

  /** `now`: the service's time. */
  constructor(userId: number, now: () => number, events: LedgerEvents) {
    this.#userId = userId
    this.#now = now
    this.#events = events
  }

  isMuted(settings: Conversation['settings']): boolean {
    return this.#mutedFor(settings) > 0
  }

  /** Milliseconds until a mute ends by itself; Infinity: there is none. */
  untilUnmute(): number {
    return Math.min(
      ...this.list().map(({ settings }) => this.#mutedFor(settings) || Number.POSITIVE_INFINITY),
    )
  }

  #mutedFor({ muted_until }: Conversation['settings']): number {
    return muted_until === null ? 0 : Math.max(0, Date.parse(muted_until) - this.#now())
  }

  /** Pinned ones first, then latest activity first. */
  list(): Conversation[] {
    return [...this.conversations.values()].sort(
      (one, other) =>
        Number(other.settings.pinned) - Number(one.settings.pinned) ||
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
  finish(resumed: ResumeAck): boolean {
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
    for (const [key, state] of Object.entries(resumed.conversations)) {
      const { version, last_read_seq, unread, settings, unread_mentions } = state
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
        settings,
        unread_mentions,
        last_read_seq: readSeq,
        last_seq: Math.max(known.last_seq, last_read_seq + unread),
      })
    }
    // Messages that are newer than the ack are applied in the order of their versions; they may have come before the
    // missed ones. The whole message goes before a reaction of the same version, which lacks the changes before it.
    const changes = frames
      .flatMap((frame) => (frame.type === 'reactions' || 'message' in frame ? [frame] : []))
      .sort(
        (one, other) =>
          versionOf(one) - versionOf(other) ||
          Number(one.type === 'reactions') - Number(other.type === 'reactions'),
      )
    for (const frame of changes) {
      const known = this.conversations.get(frame.conversation_id)
      if (known && versionOf(frame) <= known.version) this.#apply(known, frame, true)
      else if (known) isMissing = this.take(frame) || isMissing
    }
    for (const frame of whole) {
      const { conversation } = frame
      const known = this.conversations.get(conversation.id)
      if (frame.removed || !known || !('version' in conversation)) continue
      // Settings have no version. Those of the ack are newer, unless the frame came right before it: then they are
      // read.
      const { settings } = known
      if (JSON.stringify(conversation.settings) !== JSON.stringify(settings)) this.#events.recount(known.id)
      isMissing = this.take({ ...frame, conversation: { ...conversation, settings } }) || isMissing
    }
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
        if (known && 'version' in conversation && conversation.version < known.version) {
          // Settings have no version: the latest frame has the latest ones.
          this.#set({ ...known, settings: conversation.settings })
          return false
        }
        this.#takeWhole(frame, true)
        return false
      }
      default: {
        const known = this.conversations.get(frame.conversation_id)
        if (!known || versionOf(frame) > known.version + 1) return true
        this.#apply(known, frame)
        return false
      }
    }
  }

  /** Takes over all conversations as they were read by HTTP, where no socket opens. */
  takeAll(conversations: Conversation[]): void {
    if (this.#waiting) return
    const ids = new Set(conversations.map(({ id }) => id))
    for (const id of this.conversations.keys())
      if (!ids.has(id)) this.#takeWhole({ type: 'conversation', conversation: { id }, removed: true })
    for (const conversation of conversations) {
      const known = this.conversations.get(conversation.id)
      if (known && known.version >= conversation.version) this.preview(conversation)
      else this.#takeWhole({ type: 'conversation', conversation }, true)
    }
  }

  /** This person has read up to this message; the service may not know it yet. */
  markRead(conversationId: number, seq: number): void {
    const known = this.conversations.get(conversationId)
    if (known && seq > known.last_read_seq) this.#set({ ...known, last_read_seq: seq })
  }

  /** Takes a conversation from the list over; false if it is older than the frames. */
  preview(conversation: Conversation): boolean {
    const known = this.conversations.get(conversation.id)
    if (!known) return true
    if (conversation.version < known.version) return false
    const readSeq = Math.max(known.last_read_seq, conversation.last_read_seq)
    this.#set({ ...conversation, version: known.version, last_read_seq: readSeq })
    return true
  }

  /** `isMissed`: it comes from a resume whose ack is taken over already. */
  #apply(known: Conversation, frame: MessageFrame, isMissed = false): void {
    const version = Math.max(known.version, versionOf(frame))
    if (frame.type === 'reactions') {
      this.#set({ ...known, version })
      this.#events.reactions(frame)
      return
    }
    const { message } = frame
    // A conversation of the same version may have overtaken it.
    const isNew = message.seq > known.last_seq
    const isOwn = message.sender_id === this.#userId
    const isUnread = !isOwn && message.seq > known.last_read_seq
    const isMentioned = isUnread && message.mentions.includes(this.#userId)
    if (version > known.version || isNew || isMissed)
      this.#set({
        ...known,
        version,
        last_seq: Math.max(known.last_seq, message.seq),
        // The sender of a message has read everything before it.
        last_read_seq: isOwn ? Math.max(known.last_read_seq, message.seq) : known.last_read_seq,
        last_message:
          message.seq < known.last_seq
            ? known.last_message
            : {
                message: message.message,
                created_at: message.created_at,
                attachments: message.attachments.length,
              },
        unread_mentions: known.unread_mentions + Number(isNew && isMentioned),
        settings: isNew ? this.#unarchive(known.settings) : known.settings,
      })
    this.#events.message(known.id, message)
    if (!isNew && version > known.version && (isMentioned || (isUnread && known.unread_mentions > 0)))
      this.#events.recount(known.id)
  }

  /** A new message brings an archived conversation back, unless it is muted. */
  #unarchive(settings: Conversation['settings']): Conversation['settings'] {
    return settings.archived && !this.isMuted(settings) ? { ...settings, archived: false } : settings
  }

  #takeWhole({ conversation, removed }: ChangeFrame & { type: 'conversation' }, isNext = false): void {
    if (removed || !('version' in conversation)) {
      if (this.conversations.delete(conversation.id)) this.#events.removed(conversation.id)
      return
    }
    const known = this.conversations.get(conversation.id)
    if (!known) {
      this.#set(conversation)
      this.#events.renewed(conversation.id)
      return
    }
    const isNewer = conversation.last_seq >= known.last_seq
    if (conversation.last_read_seq < known.last_read_seq && conversation.unread_mentions > 0)
      this.#events.recount(conversation.id)
    this.#set({
      ...conversation,
      // During a resume it may come before earlier messages.
      version: isNext ? conversation.version : known.version,
      last_seq: Math.max(known.last_seq, conversation.last_seq),
      last_read_seq: Math.max(known.last_read_seq, conversation.last_read_seq),
      last_message: isNewer ? conversation.last_message : known.last_message,
    })
    if (isNext && conversation.version > known.version) this.#events.renewed(conversation.id)
  }

  #takeRead({ conversation_id, user_id, up_to_seq }: ChangeFrame & { type: 'read' }): void {
    if (user_id === this.#userId) {
      this.markRead(conversation_id, up_to_seq)
      if (this.conversations.get(conversation_id)?.unread_mentions) this.#events.recount(conversation_id)
    }
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
    const unread_mentions = Math.min(unread, conversation.unread_mentions)
    this.conversations.set(conversation.id, { ...conversation, unread, unread_mentions })
  }
}

/** A change of one message. */
type MessageFrame = Exclude<ChangeFrame, { type: 'conversation' | 'read' | 'gap' }>

function versionOf(frame: MessageFrame): number {
  return frame.type === 'reactions' ? frame.version : frame.message.version
}

/** The time of the last message, comparable as text; '' without one. */
function lastActivity({ last_message }: Conversation): string {
  return last_message?.created_at ?? ''
}
