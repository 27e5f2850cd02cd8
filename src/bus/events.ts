import type { ChatMessage } from '../../schemas/chat.ts'
import type { CommentEntry } from '../../schemas/discussions.ts'
import type { ServerFrame } from '../../schemas/events.ts'

/**
 * A message as its sender may see it. Each reader's node adds `is_own`, and leaves out what only the sender may know.
 */
export type SharedMessage = Omit<ChatMessage, 'is_own'>

/**
 * What happened in a conversation. Events with a `version` are its history: nodes deliver them in that
 * order and read what they missed from the database. The others are hints about the present.
 */
export type ConversationEvent =
  | MessageChange
  /** Its members or its name changed: nodes read who is in it now before they deliver anything later. */
  | { kind: 'members'; version: number }
  | ({ kind: 'read'; upToSeq: number } & Doing)
  | ({ kind: 'typing' } & Doing)

/** What a member does at the moment. */
export interface Doing {
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

/** What concerns one person, on all of their devices. */
export type UserEvent =
  /** A frame for all of their sockets. */
  | FrameEvent
  /** They became a member, or what they may do there changed: their sockets listen to it from now on. */
  | { kind: 'conversation'; conversationId: number }
  /** Their unread or request counters changed; `conversationId` if only one conversation changed them. */
  | { kind: 'counters'; conversationId?: number }

/** Somebody came online or went offline; only these people are told. */
export interface PresenceEvent {
  kind: 'presence'
  userId: number
  online: boolean
  audience: number[]
}

/** A comment as every reader may see it; each reader's node adds `is_own`. */
export type SharedComment = Omit<CommentEntry, 'is_own'>
export type CommentAction = 'created' | 'edited' | 'deleted' | 'pinned' | 'best_answer'

/** What happened to a comment of the question. */
export interface CommentEvent {
  kind: 'comment'
  action: CommentAction
  comment: SharedComment
}

/** Sessions were revoked: nodes read them from the database now rather than at the next poll. */
export interface RevocationEvent {
  kind: 'revoked'
}

/** What happens at an exam, for the students whom it concerns. */
export type ExamEvent =
  /** Its results became visible to students, or are hidden again. */
  | { kind: 'results_released'; examId: number; released: boolean }
  /** The ends of attempts under way have changed. In milliseconds since the epoch; null: no end. */
  | {
      kind: 'attempt_times'
      examId: number
      times: { userId: number; attemptId: number; endsAt: number | null }[]
    }
  /** A regrade changed results that students may see. */
  | { kind: 'results_changed'; examId: number; results: { userId: number; attemptId: number }[] }

/** Attempts that lock help began or ended: the help of these people, or of everybody, has to be looked up again. */
export interface HelpEvent {
  kind: 'help'
  userIds?: number[]
}

/** A frame for everybody who subscribed to the topic. */
export interface FrameEvent {
  kind: 'frame'
  frame: ServerFrame
}

/** Topics and what is told on each. */
export interface Topics {
  [conversation: `conversation:${number}`]: ConversationEvent
  [user: `user:${number}`]: UserEvent
  [question: `question:${number}`]: CommentEvent
  [job: `ai_job:${string}`]: FrameEvent
  presence: PresenceEvent
  revocations: RevocationEvent
  exams: ExamEvent
  help: HelpEvent
}
export type Topic = keyof Topics
/** Topics that a client may ask for by name. */
export type ClientTopic = Extract<Topic, `question:${number}` | `ai_job:${string}`>
