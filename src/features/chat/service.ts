import { randomUUID } from 'node:crypto'
import type { ChatMessage, MessagesQuery, SendBody } from '../../../schemas/chat.ts'
import { MAX_INT } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/client.ts'
import { violates } from '../../db/errors.ts'
import { AppError, invalidField } from '../../errors.ts'
import { readHistory, requireMember } from './conversations.ts'
import * as conversations from './conversations-store.ts'
import * as store from './messages-store.ts'
import { storeMessage } from './sending.ts'
import { toChange, toMessage, toSharedMessage } from './wire.ts'

const DEFAULT_PAGE = 50
const LARGEST_PAGE = 100

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
  const holder = input.client_id?.toLowerCase() ?? randomUUID()
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
  const row = (await storeMessage(core.db, send)) ?? (await retryOrRefuse(core, send))
  const message = toSharedMessage({
    ...row,
    conversation_id: conversationId,
    sender_id: senderId,
    message: input.message,
    is_edited: false,
    is_deleted: false,
    reply_to_id: send.replyToId,
  })
  core.bus.publish(`conversation:${conversationId}`, toChange(message))
  return { message: { ...message, is_own: true }, repeated: false }
}

async function retryOrRefuse(core: Core, send: store.Send): Promise<store.SentRow> {
  const member = await conversations.findMember(core.db, send.conversationId, send.senderId)
  if (!member) throw new AppError('not_found')
  if (!member.canSend) throw new AppError('not_connected')
  // They came to be allowed, or the origin to be there, while the first statement waited for its turn.
  const row = await storeMessage(core.db, send)
  if (!row) throw new AppError('invalid_reply')
  return row
}

function findRepeated(core: Core, senderId: number, input: SendBody) {
  if (input.client_id === undefined) return undefined
  return store.findMessageByClientId(core.db, senderId, input.client_id, core.config.chat.sendInterval)
}

/** Told again, since the node that stored it may have died before it could tell. */
function repeat(core: Core, senderId: number, first: store.MessageRow): Sent {
  const message = toSharedMessage(first)
  core.bus.publish(`conversation:${first.conversation_id}`, { ...toChange(message), repeated: true })
  return { message: { ...message, is_own: message.sender_id === senderId }, repeated: true }
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
  throw invalidField('/before', 'is no point in time')
}

/** Every message created, edited or deleted after a version; `version` is where the reader stands afterwards. */
export async function listChanges(core: Core, userId: number, conversationId: number, since: number) {
  const { memberIds, changes, version, hasMore } = await readHistory(core, conversationId, since, [userId])
  if (!memberIds.has(userId)) throw new AppError('not_found')
  return {
    success: true as const,
    messages: changes.map(({ message }) => ({ ...message, is_own: message.sender_id === userId })),
    version,
    has_more: hasMore,
  }
}

/** One's own message anew. 403 `not_owner` for another's, `not_connected` where one may not send; 404, a tombstone's too. */
export async function editMessage(
  core: Core,
  userId: number,
  messageId: number,
  text: string,
): Promise<ChatMessage> {
  const row = await changeOwnMessage(core, userId, messageId, async (tx, message, version) => {
    if (message.is_deleted) throw new AppError('not_found')
    if (!message.can_send) throw new AppError('not_connected')
    await store.updateMessage(tx, messageId, { message: text, editedAt: new Date(core.clock()), version })
  })
  return toMessage(row, userId)
}

/** Leaves a tombstone with empty text of one's own message; deleted already is fine as well. 403 `not_owner`, 404. */
export async function deleteMessage(core: Core, userId: number, messageId: number): Promise<void> {
  const found = await store.findMessageFor(core.db, messageId, userId)
  if (found?.is_deleted && found.sender_id === userId) return
  await changeOwnMessage(core, userId, messageId, (tx, _message, version) =>
    store.updateMessage(tx, messageId, { message: '', deletedAt: new Date(core.clock()), version }),
  )
}

async function changeOwnMessage(
  core: Core,
  userId: number,
  messageId: number,
  change: (tx: Executor, message: store.MessageRow & { can_send: boolean }, version: number) => Promise<void>,
): Promise<store.MessageRow> {
  const row = await core.db.transaction(async (tx) => {
    const found = await store.findMessageFor(tx, messageId, userId)
    if (!found) throw new AppError('not_found')
    const version = await conversations.takeVersion(tx, found.conversation_id, 'message')
    // Read again now that nothing else can change it.
    const message = await store.findMessageFor(tx, messageId, userId)
    if (!message) throw new AppError('not_found')
    if (message.sender_id !== userId) throw new AppError('not_owner')
    await change(tx, message, version)
    return store.findMessageFor(tx, messageId, userId)
  })
  if (!row) throw new AppError('not_found')
  core.bus.publish(`conversation:${row.conversation_id}`, toChange(toSharedMessage(row)))
  return row
}

/** Shows the other members that somebody is typing. 404, 403 `not_connected`. */
export async function tellTyping(core: Core, userId: number, conversationId: number): Promise<void> {
  const { canSend } = await requireMember(core, conversationId, userId)
  if (!canSend) throw new AppError('not_connected')
  core.bus.publish(`conversation:${conversationId}`, { kind: 'typing', userId })
}

/** Moves the reader's pointer forward, to the newest message unless told otherwise. Answers what is unread there. */
export async function markRead(
  core: Core,
  userId: number,
  conversationId: number,
  upToSeq = MAX_INT,
): Promise<number> {
  const moved = await conversations.advancePointer(core.db, conversationId, userId, upToSeq)
  const { lastSeq, lastReadSeq } = moved ?? (await requireMember(core, conversationId, userId))
  if (moved)
    core.bus.publish(`conversation:${conversationId}`, { kind: 'read', userId, upToSeq: lastReadSeq })
  // Also where nothing moved: the node that moved it may have died before it could tell.
  core.bus.publish(`user:${userId}`, { kind: 'counters', conversationId })
  return lastSeq - lastReadSeq
}
