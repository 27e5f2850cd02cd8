import type { ChatMessage, ReactionTotal } from '../../schemas/chat.schemas.ts'
import type { CommentEntry } from '../../schemas/discussions.schemas.ts'
import type { ServerFrame } from '../../schemas/events.schemas.ts'

/**
 * A message with everything that its sender may see. Each reader's node adds `is_own`, and removes what only the sender
 * may see.
 */
export type SharedMessage = Omit<ChatMessage, 'is_own' | 'reactions'> & { reactions: StoredReaction[] }

/** An emoji on a message, and everybody who uses it, in the order of reacting. */
export interface StoredReaction {
  emoji: string
  user_ids: number[]
}

/**
 * A change of a conversation. Events with a `version` are its history: nodes deliver them in that order and read missed
 * ones from the database. Events without a version may be lost.
 */
export type ConversationEvent =
  | MessageChange
  | ReactionChange
  /** The members or the name changed: nodes read the members before they deliver anything later. */
  | { kind: 'members'; version: number }
  | ({ kind: 'read'; upToSeq: number } & MemberActivity)
  | ({ kind: 'typing' } & MemberActivity)

/** A member who reads or types. */
export interface MemberActivity {
  userId: number
  /** Members who must not know, because one of the two has blocked the other. */
  hiddenFrom: number[]
}

export interface MessageChange {
  kind: 'message' | 'message_edited' | 'message_deleted'
  version: number
  message: SharedMessage
  /** A repeat of a send: it is published again, although its version is not new. */
  repeated?: true
}

/** Somebody has added or removed an emoji. It is missed as a change of the message. */
export interface ReactionChange {
  kind: 'reactions'
  version: number
  messageId: number
  reactions: ReactionTotal[]
  userId: number
  emoji: string
  added: boolean
}

/** Events for one person, on all of their devices. */
export type UserEvent =
  /** A frame for all of their sockets. */
  | FrameEvent
  /** The person became a member, or their rights there changed: their sockets get its changes from now on. */
  | { kind: 'conversation'; conversationId: number }
  /** The person's counters changed; `conversationId` if only one conversation changed them. */
  | { kind: 'counters'; conversationId?: number }
  /** What of practice waits for the person has changed. */
  | { kind: 'practice' }

/** Somebody came online or went offline; only `audience` is told. */
export interface PresenceEvent {
  kind: 'presence'
  userId: number
  online: boolean
  audience: number[]
}

/** A comment without `is_own`, which each reader's node adds. */
export type SharedComment = Omit<CommentEntry, 'is_own'>
export type CommentAction = 'created' | 'edited' | 'deleted' | 'pinned' | 'best_answer'

/** A change of one of the question's comments. */
export interface CommentEvent {
  kind: 'comment'
  action: CommentAction
  comment: SharedComment
}

/** Sessions were revoked: nodes read them from the database now rather than at the next poll. */
export interface RevocationEvent {
  kind: 'revoked'
}

/** Events of an exam, for its students. */
export type ExamEvent =
  /** Its results became visible to students, or are hidden again. */
  | { kind: 'results_released'; examId: number; released: boolean }
  /** The ends of active attempts have changed: milliseconds since the epoch; null: no end. */
  | {
      kind: 'attempt_times'
      examId: number
      times: { userId: number; attemptId: number; endsAt: number | null }[]
    }
  /** A teacher tells people who are taking it something. */
  | { kind: 'exam_message'; examId: number; text: string; at: string; userIds: number[] }
  /** Somebody watches it: nodes tell what changes of it, for a while. */
  | { kind: 'watched'; examId: number }
  /** A regrade changed results that students may see. */
  | { kind: 'results_changed'; examId: number; results: { userId: number; attemptId: number }[] }

/** Notices were written: nodes tell those of these people who have a socket there. */
export interface NoticesEvent {
  kind: 'notices'
  written: { id: number; userId: number }[]
}

/** Attempts that lock help began or ended: nodes read the locks of these people, or of everybody, again. */
export interface HelpEvent {
  kind: 'help'
  userIds?: number[]
}

/** A frame for everybody who subscribed to the topic. */
export interface FrameEvent {
  kind: 'frame'
  frame: ServerFrame
}

/** What a live room shows of these people has changed. */
export interface LiveEvent {
  kind: 'attempts'
  userIds: number[]
}

/** Events of a generation job. */
export type JobEvent =
  | FrameEvent
  /** It has taken more tokens, which no frame shows. */
  | { kind: 'usage' }

/** The topics and their events. */
export interface Topics {
  [conversation: `conversation:${number}`]: ConversationEvent
  [user: `user:${number}`]: UserEvent
  [question: `question:${number}`]: CommentEvent
  [job: `ai_job:${string}`]: JobEvent
  [members: `class:${number}`]: FrameEvent
  [exam: `live:${number}`]: LiveEvent
  presence: PresenceEvent
  revocations: RevocationEvent
  exams: ExamEvent
  help: HelpEvent
  notices: NoticesEvent
}
export type Topic = keyof Topics
/** Topics that clients may subscribe to. */
export type ClientTopic =
  | Extract<Topic, `question:${number}` | `ai_job:${string}` | `class:${number}` | `live:${number}`>
  /** Of a class. */
  | `live:${number}:${number}`

type TopicName<T extends Topic = Topic> = T extends `${infer Name}:${string}` ? Name : T
type KindOf<Name extends TopicName> = {
  [T in Topic]: TopicName<T> extends Name ? Topics[T]['kind'] : never
}[Topic]

/**
 * What this version understands. Nodes of two versions run side by side: events only get new kinds and new optional
 * fields, and a node ignores kinds that it doesn't know. What it misses of a conversation it notices by the version.
 */
const KINDS: { [Name in TopicName]: Record<KindOf<Name>, true> } = {
  conversation: {
    message: true,
    message_edited: true,
    message_deleted: true,
    reactions: true,
    members: true,
    read: true,
    typing: true,
  },
  user: { frame: true, conversation: true, counters: true, practice: true },
  question: { comment: true },
  ai_job: { frame: true, usage: true },
  class: { frame: true },
  live: { attempts: true },
  presence: { presence: true },
  revocations: { revoked: true },
  exams: {
    results_released: true,
    attempt_times: true,
    results_changed: true,
    exam_message: true,
    watched: true,
  },
  help: { help: true },
  notices: { notices: true },
}

export function isKnownKind(topic: Topic, kind: string): boolean {
  const [name = ''] = topic.split(':', 1)
  return Object.hasOwn(KINDS, name) && Object.hasOwn(KINDS[name as TopicName], kind)
}
