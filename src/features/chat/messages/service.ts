import { randomUUID } from 'node:crypto'
import type { ChatMessage, MessagesQuery, SendBody } from '../../../../schemas/chat.ts'
import type { Core } from '../../../core.ts'
import type { Executor } from '../../../db/client.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { readInstant } from '../../../formats/local-time.ts'
import { perNode } from '../../../per-node.ts'
import { chat as measured } from '../../../telemetry/metrics.ts'
import { requireHelp } from '../../help-lock/service.ts'
import { markRead, requireMember } from '../conversations/service.ts'
import * as conversations from '../conversations/store.ts'
import { readHistory } from './history.ts'
import { showTo, toChange, toMessage, toSharedMessage } from './mapping.ts'
import { findEarlier, findFirst, whileUnderWay } from './repeats.ts'
import { createSender } from './sending.ts'
import * as store from './store.ts'

const DEFAULT_PAGE = 50
const LARGEST_PAGE = 100

const senderOf = perNode(({ db }) => createSender(db))

export interface Sent {
  message: ChatMessage
  /** True if the `client_id` was known and nothing was stored. */
  repeated: boolean
}

/**
 * Stores a message, publishes it after the commit and answers it. A repeat with the same `client_id` stores nothing: it
 * publishes the first message once more and answers that. Only a stored message uses the sender's slot
 * (docs/protocol/http.md#limits).
 */
export async function sendMessage(
  core: Core,
  senderId: number,
  conversationId: number,
  input: SendBody,
): Promise<Sent> {
  const clientId = input.client_id?.toLowerCase()
  const named = clientId === undefined ? undefined : { senderId, clientId }
  const slot = `chat:${senderId}`
  const holder = clientId ?? randomUUID()
  const taken = await core.rateSlots.take(slot, holder, core.config.chat.sendIntervalMs)
  if (taken.state === 'refused') {
    await requireHelp(core, senderId)
    const first = named && (await findFirst(core, named))
    if (first) return repeat(core, senderId, first)
    throw new AppError('rate_limited', { retryAfter: taken.retryAfterMs / 1_000 })
  }
  let first: store.StoredSend | undefined
  try {
    first = named && (await findEarlier(core, named, taken.state === 'held'))
    if (first) await requireHelp(core, senderId)
    else {
      const storing = storeAndPublish(core, senderId, conversationId, input)
      const sent = await (named ? whileUnderWay(core, named, storing) : storing)
      if (sent !== 'repeated') return sent
      first = named && (await findFirst(core, named))
      // The conversation was deleted meanwhile.
      if (!first) throw new AppError('not_found')
    }
  } catch (error) {
    if (taken.state === 'taken') await core.rateSlots.release(slot, holder)
    throw error
  }
  // The slot stays closed for the interval of the first send, even if a repeat has taken it.
  if (taken.state === 'taken' && first.ageMs >= core.config.chat.sendIntervalMs)
    await core.rateSlots.release(slot, holder)
  return repeat(core, senderId, first)
}

async function storeAndPublish(
  core: Core,
  senderId: number,
  conversationId: number,
  input: SendBody,
): Promise<Sent | 'repeated'> {
  const send = {
    conversationId,
    senderId,
    message: input.message,
    clientId: input.client_id?.toLowerCase() ?? null,
    replyToId: input.reply_to_id ?? null,
    // The statement cuts it to 100 code points, which 200 code units hold at least.
    replyToText: input.reply_to_text?.slice(0, 200) ?? null,
    replyToName: input.reply_to_name ?? null,
  }
  const row = (await senderOf(core)(send)) ?? (await retryOrRefuse(core, send))
  if (row === 'repeated') return row
  const message = toSharedMessage({
    ...send,
    ...row,
    isEdited: false,
    isDeleted: false,
  })
  measured.messages.add()
  core.bus.publish(`conversation:${conversationId}`, toChange(message))
  return { message: showTo(senderId, message), repeated: false }
}

async function retryOrRefuse(core: Core, send: store.Send): Promise<store.SentRow | 'repeated'> {
  await requireHelp(core, send.senderId)
  const member = await conversations.findMember(core.db, send.conversationId, send.senderId)
  if (!member) throw new AppError('not_found')
  if (!member.canSend) throw new AppError('not_connected')
  // The permission or the quoted message came into being while the first statement was waiting.
  const row = await senderOf(core)(send)
  if (!row) throw new AppError('invalid_reply')
  return row
}

/** Published again: the node that stored it may have died before it published. */
function repeat(core: Core, senderId: number, first: store.MessageRow): Sent {
  const message = toSharedMessage(first)
  core.bus.publish(`conversation:${first.conversationId}`, { ...toChange(message), repeated: true })
  return { message: showTo(senderId, message), repeated: true }
}

/** A page of messages, oldest to newest. Without `before` it is the newest, which marks the conversation as read. */
export async function listMessages(core: Core, userId: number, conversationId: number, query: MessagesQuery) {
  await requireMember(core, conversationId, userId)
  const limit = Math.min(query.limit ?? DEFAULT_PAGE, LARGEST_PAGE)
  const before = query.before === undefined ? undefined : readBefore(query.before)
  const rows = await store.listMessages(core.db, conversationId, before, limit + 1)
  const page = rows.slice(-limit)
  const newest = page.at(-1)
  if (!before && !query.peek && newest) await markRead(core, userId, conversationId, newest.seq)
  return {
    messages: page.map((row) => toMessage(row, userId)),
    has_more: rows.length > limit,
  }
}

function readBefore(text: string): Date {
  const instant = readInstant(text)
  if (instant) return instant
  throw invalidField('/before', 'must be a time such as 2026-11-20T10:15:00.000Z')
}

/**
 * Every message that was created, edited or deleted after the version `since`; the answer's `version` is the next
 * `since`.
 */
export async function listChanges(core: Core, userId: number, conversationId: number, since: number) {
  const { memberIds, changes, version, hasMore } = await readHistory(core, conversationId, since, [userId])
  if (!memberIds.has(userId)) throw new AppError('not_found')
  return {
    messages: changes.map(({ message }) => showTo(userId, message)),
    version,
    has_more: hasMore,
  }
}

/** Changes one's own message. 404 also for a tombstone, 403 `not_owner`, `not_connected`. */
export async function editMessage(
  core: Core,
  userId: number,
  messageId: number,
  text: string,
): Promise<ChatMessage> {
  await core.pace.wait(userId)
  const row = await changeOwnMessage(core, userId, messageId, async (tx, message, version) => {
    if (message.isDeleted) throw new AppError('not_found')
    if (!message.canSend) throw new AppError('not_connected')
    await store.updateMessage(tx, messageId, { message: text, editedAt: new Date(core.clock()), version })
  })
  return toMessage(row, userId)
}

/** Replaces one's own message by a tombstone without text; does nothing if it is deleted already. */
export async function deleteMessage(core: Core, userId: number, messageId: number): Promise<void> {
  const found = await store.findMessageFor(core.db, messageId, userId)
  if (found?.isDeleted && found.senderId === userId) return
  await changeOwnMessage(core, userId, messageId, (tx, _message, version) =>
    store.updateMessage(tx, messageId, { message: '', deletedAt: new Date(core.clock()), version }),
  )
}

/** A message that this person can see; 404 for any other and for a tombstone. */
export async function getVisibleMessage(core: Core, userId: number, messageId: number) {
  const message = await store.findMessageFor(core.db, messageId, userId)
  if (!message || message.isDeleted) throw new AppError('not_found')
  return message
}

/**
 * Replaces anybody's message by a tombstone. The answer is a function that publishes this, to be called after the
 * commit.
 */
export async function removeMessage(core: Core, tx: Executor, messageId: number): Promise<() => void> {
  const found = await store.findMessage(tx, messageId)
  if (!found || found.isDeleted) return () => {}
  const version = await conversations.takeVersion(tx, found.conversationId, 'message')
  await store.updateMessage(tx, messageId, { message: '', deletedAt: new Date(core.clock()), version })
  const row = await store.findMessage(tx, messageId)
  return () => {
    if (row) core.bus.publish(`conversation:${row.conversationId}`, toChange(toSharedMessage(row)))
  }
}

async function changeOwnMessage(
  core: Core,
  userId: number,
  messageId: number,
  change: (tx: Executor, message: store.MessageRow & { canSend: boolean }, version: number) => Promise<void>,
): Promise<store.MessageRow> {
  const row = await core.db.transaction(async (tx) => {
    const found = await store.findMessageFor(tx, messageId, userId)
    if (!found) throw new AppError('not_found')
    const version = await conversations.takeVersion(tx, found.conversationId, 'message')
    // Read again after the lock: nobody else can change it now.
    const message = await store.findMessageFor(tx, messageId, userId)
    if (!message) throw new AppError('not_found')
    if (message.senderId !== userId) throw new AppError('not_owner')
    await change(tx, message, version)
    return store.findMessageFor(tx, messageId, userId)
  })
  if (!row) throw new AppError('not_found')
  core.bus.publish(`conversation:${row.conversationId}`, toChange(toSharedMessage(row)))
  return row
}
