import { randomUUID } from 'node:crypto'
import type { ChatMessage, Conversation, Counters, MessagesQuery, SendBody } from '../../../schemas/chat.ts'
import type { SharedMessage } from '../../bus/events.ts'
import type { Core } from '../../core.ts'
import { violates } from '../../db/errors.ts'
import { AppError } from '../../errors.ts'
import { storeMessage } from './sending.ts'
import * as store from './store.ts'
import { toConversation, toMessage, toSharedMessage } from './wire.ts'

const DEFAULT_PAGE = 50
const LARGEST_PAGE = 100

/** Messages in an answer to `changes`; a client that missed more of a conversation lists it afresh. */
const CHANGES_LIMIT = 500

export interface Sent {
  message: ChatMessage
  /** True where the `client_id` was known: nothing was stored. */
  repeated: boolean
}

/**
 * Stores a message and tells the conversation's members. Acknowledged only after the commit; the same
 * `client_id` again answers the first message, tells it once more and stores nothing. Only a stored message
 * uses up its sender's slot (contract §6). 429 `rate_limited`, 404, 403 `not_connected`, 400 `invalid_reply`.
 */
export async function sendMessage(
  core: Core,
  senderId: number,
  conversationId: number,
  input: SendBody,
): Promise<Sent> {
  const slot = `chat:${senderId}`
  const holder = input.client_id ?? randomUUID()
  const taken = await core.rateSlots.take(slot, holder, core.config.chat.sendInterval)
  if (taken.state === 'refused') {
    const first = await findRepeated(core, senderId, input)
    if (first) return repeat(core, senderId, first)
    throw new AppError('rate_limited', { retryAfter: taken.retryAfterMs / 1_000 })
  }
  try {
    return await storeAndPublish(core, senderId, conversationId, input)
  } catch (error) {
    const first = violates(error, 'messages_sender_id_client_id_key')
      ? await findRepeated(core, senderId, input)
      : undefined
    // The slot stays shut for the first send's own time, whichever of its repeats found it open.
    if (taken.state === 'taken' && !first?.is_recent) await core.rateSlots.release(slot, holder)
    if (first) return repeat(core, senderId, first)
    throw error
  }
}

async function storeAndPublish(
  core: Core,
  senderId: number,
  conversationId: number,
  input: SendBody,
): Promise<Sent> {
  const send = {
    conversationId,
    senderId,
    message: input.message,
    clientId: input.client_id ?? null,
    replyToId: input.reply_to_id ?? null,
    replyToText: input.reply_to_text ?? null,
    replyToName: input.reply_to_name ?? null,
  }
  const row = await storeMessage(core.db, send)
  if (!row) throw await explainRefusal(core, send)
  const message = toSharedMessage({
    ...row,
    conversation_id: conversationId,
    sender_id: senderId,
    message: input.message,
    is_edited: false,
    is_deleted: false,
    reply_to_id: send.replyToId,
  })
  core.bus.publish(`conversation:${conversationId}`, { kind: 'message', version: message.version, message })
  return { message: { ...message, is_own: true }, repeated: false }
}

async function explainRefusal(core: Core, send: store.Send): Promise<AppError> {
  const member = await store.findMember(core.db, send.conversationId, send.senderId)
  if (!member) return new AppError('not_found')
  return new AppError(member.canSend ? 'invalid_reply' : 'not_connected')
}

function findRepeated(core: Core, senderId: number, input: SendBody) {
  if (input.client_id === undefined) return undefined
  return store.findMessageByClientId(core.db, senderId, input.client_id, core.config.chat.sendInterval)
}

/** Told again, since the node that stored it may have died before it could tell. */
function repeat(core: Core, senderId: number, first: store.MessageRow): Sent {
  const message = toSharedMessage(first)
  core.bus.publish(`conversation:${first.conversation_id}`, {
    kind: kindOf(message),
    version: message.version,
    message,
    repeated: true,
  })
  return { message: { ...message, is_own: message.sender_id === senderId }, repeated: true }
}

/** Which event stands for a message's latest change. */
export function kindOf(message: Pick<SharedMessage, 'is_deleted' | 'is_edited'>) {
  if (message.is_deleted) return 'message_deleted'
  return message.is_edited ? 'message_edited' : 'message'
}

/** A page of messages, oldest to newest. Without `before` it is the newest, which marks the conversation as read. */
export async function listMessages(core: Core, userId: number, conversationId: number, query: MessagesQuery) {
  await requireMember(core, conversationId, userId)
  const limit = Math.min(query.limit ?? DEFAULT_PAGE, LARGEST_PAGE)
  const before = query.before === undefined ? undefined : readInstant(query.before)
  const rows = await store.listMessages(core.db, conversationId, before, limit + 1)
  const page = rows.slice(-limit)
  const newest = page.at(-1)
  if (!before && !query.peek && newest) await markRead(core, userId, conversationId, newest.seq)
  return {
    success: true as const,
    messages: page.map((row) => toMessage(row, userId)),
    has_more: rows.length > limit,
  }
}

function readInstant(text: string): Date {
  const instant = new Date(text)
  if (!Number.isNaN(instant.getTime())) return instant
  throw new AppError('validation_failed', {
    details: { errors: [{ path: '/before', message: 'is no point in time' }] },
  })
}

/** Every message created, edited or deleted after a version; `version` is where the reader stands afterwards. */
export async function listChanges(core: Core, userId: number, conversationId: number, since: number) {
  await requireMember(core, conversationId, userId)
  const { messages, ...page } = await readChanges(core, conversationId, since)
  return {
    success: true as const,
    messages: messages.map((message) => ({ ...message, is_own: message.sender_id === userId })),
    ...page,
  }
}

/** The same for a caller that has made sure of the membership. */
export async function readChanges(core: Core, conversationId: number, since: number) {
  // The version first: a change that is made in between is in the messages, never skipped.
  const current = await store.findVersion(core.db, conversationId)
  const rows = await store.listChanges(core.db, conversationId, since, CHANGES_LIMIT + 1)
  const messages = rows.slice(0, CHANGES_LIMIT).map(toSharedMessage)
  const last = messages.at(-1)?.version ?? since
  const hasMore = rows.length > CHANGES_LIMIT
  return { messages, version: hasMore ? last : Math.max(last, current), has_more: hasMore }
}

/** Moves the reader's pointer forward, to the newest message unless told otherwise. Answers what is unread there. */
export async function markRead(
  core: Core,
  userId: number,
  conversationId: number,
  upToSeq = Number.MAX_SAFE_INTEGER,
) {
  const target = Math.min(upToSeq, 2_147_483_647)
  const moved = await store.advancePointer(core.db, conversationId, userId, target)
  if (!moved) {
    const { lastSeq, lastReadSeq } = await requireMember(core, conversationId, userId)
    return lastSeq - lastReadSeq
  }
  core.bus.publish(`conversation:${conversationId}`, { kind: 'read', userId, upToSeq: moved.lastReadSeq })
  core.bus.publish(`user:${userId}`, { kind: 'counters' })
  return moved.lastSeq - moved.lastReadSeq
}

export async function listConversations(core: Core, userId: number): Promise<Conversation[]> {
  return present(await store.listConversations(core.db, userId))
}

export async function findConversation(
  core: Core,
  userId: number,
  conversationId: number,
): Promise<Conversation | undefined> {
  return present(await store.listConversations(core.db, userId, conversationId))[0]
}

function present(rows: store.ConversationRow[]): Conversation[] {
  return rows.map((row) => toConversation(row, false))
}

/** The conversations that these people are in and the version of each. */
export function listMemberships(core: Core, userIds: number[]) {
  return store.listMemberships(core.db, userIds)
}

/** The versions of these conversations. */
export async function listVersions(core: Core, conversationIds: number[]) {
  return conversationIds.length === 0 ? [] : store.listVersions(core.db, conversationIds)
}

/** Unread messages and pending requests of many people at once. */
export async function countersOf(core: Core, userIds: number[]): Promise<Map<number, Counters>> {
  const rows = await store.listCounters(core.db, userIds)
  return new Map(rows.map(({ user_id, unread, requests }) => [user_id, { unread, requests }]))
}

async function requireMember(core: Core, conversationId: number, userId: number) {
  const member = await store.findMember(core.db, conversationId, userId)
  if (!member) throw new AppError('not_found')
  return member
}
