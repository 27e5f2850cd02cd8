import type { ChatMessage } from '../../schemas/chat.ts'
import type { ServerFrame } from '../../schemas/events.ts'

/** A message as every member may see it; whose own it is, each reader's node adds. */
export type SharedMessage = Omit<ChatMessage, 'is_own'>

/**
 * What happened in a conversation. Events with a `version` are its history: nodes deliver them in that
 * order and read what they missed from the database. The others are hints about the present.
 */
export type ConversationEvent =
  | {
      kind: 'message' | 'message_edited' | 'message_deleted'
      version: number
      message: SharedMessage
      /** The same send again: told once more, though its version is not new. */
      repeated?: true
    }
  | { kind: 'read'; userId: number; upToSeq: number }

/** What concerns one person, on all of their devices. */
export type UserEvent =
  /** A frame for all of their sockets. */
  | FrameEvent
  /** They became a member: their sockets listen to that conversation from now on. */
  | { kind: 'joined'; conversationId: number }
  /** Their unread or request counters changed. */
  | { kind: 'counters' }

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
  [question: `question:${number}`]: FrameEvent
  [job: `ai_job:${string}`]: FrameEvent
  revocations: RevocationEvent
  exams: ExamEvent
}
export type Topic = keyof Topics
/** Topics that a client may ask for by name. */
export type ClientTopic = Extract<Topic, `question:${number}` | `ai_job:${string}`>
