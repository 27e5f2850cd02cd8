import type { ServerFrames } from '../generated/frames.ts'

export type ChatMessage = ServerFrames['message']['message']
export type Conversation = Extract<ServerFrames['conversation']['conversation'], { name: string }>
export type ConnectionRequest = ServerFrames['connection_request']['request']

/** The frames that carry a change of a conversation's history or of somebody's place in it. */
export type ChangeFrame = ServerFrames[
  | 'message'
  | 'message_edited'
  | 'message_deleted'
  | 'conversation'
  | 'read'
  | 'gap']

/** What the ack of a `resume` says. */
export interface Resumed {
  conversations: Record<string, { version: number; last_read_seq: number; unread: number }>
}

/** What somebody writes. */
export interface Draft {
  message: string
  reply_to_id?: number
  reply_to_text?: string
  reply_to_name?: string
}

export type SendState = 'queued' | 'sending' | 'sent' | 'failed'

/** A message that is on its way, as it is kept. */
export interface Outgoing extends Draft {
  /** What the service knows it by, so that it is never stored twice. */
  clientId: string
  conversationId: number
  createdAt: string
  state: SendState
  /** Why it failed: a code of the service. */
  error?: string
  /** As the service stored it, once it is sent. */
  stored?: ChatMessage
}

/** A message as a room shows it: stored ones in the service's order, then those on their way in this person's. */
export interface RoomMessage extends Omit<ChatMessage, 'id' | 'seq'> {
  /** Stays the same from the moment of writing on. */
  key: string
  state: SendState
  /** null until its place among the others is known. */
  id: number | null
  seq: number | null
  error?: string | undefined
}
