import type { ChatMessage } from '../../schemas/chat.ts'
import type { CommentEntry } from '../../schemas/discussions.ts'
import type { ServerFrame } from '../../schemas/events.ts'

/** A message as every member may see it; whose own it is, each reader's node adds. */
export type SharedMessage = Omit<ChatMessage, 'is_own'>

/**
 * What happened in a conversation. Events with a `version` are its history: nodes deliver them in that
 * order and read what they missed from the database. The others are hints about the present.
 */
export type ConversationEvent =
  | MessageChange
  /** Its members or its name changed: nodes read who is in it now before they deliver anything later. */
  | { kind: 'members'; version: number }
  | { kind: 'read'; userId: number; upToSeq: number }
  | { kind: 'typing'; userId: number }

export interface MessageChange {
  kind: 'message' | 'message_edited' | 'message_deleted'
  version: number
  message: SharedMessage
  /** The same send again: told once more, though its version is not new. */
  repeated?: true
}

/** What concerns one person, on all of their devices. */
export type UserEvent =
  /** A frame for all of their sockets. */
  | FrameEvent
  /** They became a member, or what they may do there changed: their sockets listen to it from now on. */
  | { kind: 'conversation'; conversationId: number }
  /** Their unread or request counters changed, by this conversation alone if one is named. */
  | { kind: 'counters'; conversationId?: number }

/** Somebody came or went; of interest to these people alone. */
export interface PresenceEvent {
  kind: 'presence'
  userId: number
  online: boolean
  audience: number[]
}

/** A comment as every reader may see it; whose own it is, each reader's node adds. */
export type SharedComment = Omit<CommentEntry, 'is_own'>
export type CommentAction = 'created' | 'edited' | 'deleted' | 'pinned' | 'best_answer'

/** What happened to a comment of the question. */
export interface CommentEvent {
  kind: 'comment'
  action: CommentAction
  comment: SharedComment
}

/** Sessions whose tokens ended, to be read from the database at once rather than at the next poll. */
export interface RevocationEvent {
  kind: 'revoked'
}

/** An exam's results may be seen from now on, or no more. */
export interface ExamEvent {
  kind: 'results_released'
  examId: number
  released: boolean
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
}
export type Topic = keyof Topics
/** Topics that a client may ask for by name. */
export type ClientTopic = Extract<Topic, `question:${number}` | `ai_job:${string}`>
