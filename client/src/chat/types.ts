import type { ServerFrames } from '../generated/frames.ts'
import type { SendState } from '../outbox/outbox.ts'

export type ChatMessage = ServerFrames['message']['message']
export type Conversation = Extract<ServerFrames['conversation']['conversation'], { name: string }>
export type Reaction = ChatMessage['reactions'][number]
export type ReactionsFrame = ServerFrames['reactions']
export type ConnectionRequest = ServerFrames['connection_request']['request']

/** The frames that change a conversation, its messages, or somebody's read pointer. */
export type ChangeFrame = ServerFrames[
  | 'message'
  | 'message_edited'
  | 'message_deleted'
  | 'reactions'
  | 'conversation'
  | 'read'
  | 'gap']

/** The content of the ack of a `resume`. */
export interface ResumeAck {
  conversations: Record<
    string,
    Pick<Conversation, 'version' | 'last_read_seq' | 'unread' | 'settings' | 'unread_mentions'>
  >
}

/** A message as somebody writes it. */
export interface Draft {
  message: string
  reply_to_id?: number
  reply_to_text?: string
  reply_to_name?: string
  /** Ids of members. */
  mentions?: number[]
  /** Files to send with it: it is sent once they are uploaded, without holding back what is written later. */
  files?: readonly File[]
}

/** A reaction that somebody adds or takes back, which the service may not know yet. */
export interface Reacting {
  conversationId: number
  messageId: number
  emoji: string
  added: boolean
}

/** How much of a message's files is sent, from 0 to 1. */
export interface Upload {
  clientId: string
  share: number
}

/** A message that is not sent yet. */
export interface Outgoing extends Draft {
  /** The id by which the service recognises a repetition, so that it is never stored twice. */
  clientId: string
  conversationId: number
  createdAt: string
  state: SendState
  /** Why it failed: a code of the service, or `unusable`: the store could not keep its files. */
  error?: string | undefined
  /** As the service stored it, once it is sent. */
  stored?: ChatMessage | undefined
}

/**
 * A message as a room shows it: first the stored ones in the service's order, then the unsent ones in the order of
 * writing.
 */
export interface RoomMessage extends Omit<ChatMessage, 'id' | 'seq'> {
  /** Stays the same from writing on, also when the message is stored. */
  key: string
  state: SendState
  /** null until the message is stored. */
  id: number | null
  seq: number | null
  error?: string | undefined
  /** Of a message that isn't stored yet, the files that it will have. */
  files?: readonly File[] | undefined
}
