import { randomUUID } from 'node:crypto'
import type { ChatMessage, EditBody, MessagesQuery, SendBody } from '../../../../schemas/chat.schemas.ts'
import type { Core } from '../../../core.ts'
import type { Executor } from '../../../db/database-client.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { instantOf } from '../../../formats/local-time.ts'
import { perNode } from '../../../per-node.ts'
import { chat as measured } from '../../../telemetry/metrics.ts'
import { readUnlocked, requireHelp } from '../../help-lock/help-lock.service.ts'
import { trySweepDiscardedFiles } from '../../uploads/discarded-uploads.ts'
import { markRead, requireMember } from '../conversations/conversations.service.ts'
import * as conversations from '../conversations/conversations.store.ts'
import { requireUnsent } from './attachments.service.ts'
import { deleteAttachmentsOf } from './attachments.store.ts'
import { readHistory } from './message-history.service.ts'
import { toChange, toMessage, toMessageFor } from './message-mapping.ts'
import * as store from './messages.store.ts'
import { findEarlier, findFirst, whileUnderWay } from './repeated-sends.ts'
import { createSender } from './sending.service.ts'
import { isRich, type NamedSend, type Send, type SentRow, type StoredSend } from './sending.store.ts'

const DEFAULT_PAGE = 50
const LARGEST_PAGE = 100

const senderOf = perNode(({ db }) => createSender(db))

export interface SendResult {
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
): Promise<SendResult> {
  const mistake = findMistake(input)
  if (mistake) {
    // Somebody whose help is locked is told that first.
    await requireHelp(core, senderId)
    throw mistake
  }
  const send = toSend(senderId, conversationId, input)
  const slot = await takeSlot(core, send)
  if (slot.state === 'refused') return repeatOrRefuse(core, send, slot.retryAfterMs)
  const { sent, first } = await storeOrFindFirst(core, send, slot.state === 'held').catch(async (error) => {
    await slot.release()
    throw error
  })
  if (sent) return sent
  // The slot stays closed for the interval of the first send, even if a repeat has taken it.
  if (first.ageMs >= core.config.chat.sendIntervalMs) await slot.release()
  return repeat(core, senderId, first)
}

/** Why this can't be sent, although its schema lets it through. */
function findMistake({ message, attachment_ids: files = [] }: SendBody): AppError | undefined {
  if (!message && files.length === 0) return invalidField('/message', 'is required')
  return new Set(files).size < files.length ? new AppError('invalid_attachment') : undefined
}

function toSend(senderId: number, conversationId: number, input: SendBody): Send {
  return {
    conversationId,
    senderId,
    message: input.message ?? '',
    clientId: input.client_id?.toLowerCase() ?? null,
    replyToId: input.reply_to_id ?? null,
    attachmentIds: input.attachment_ids ?? [],
    mentions: [...new Set(input.mentions)],
  }
}

/** How repeats of a send find it; undefined: without a `client_id` there are none. */
function namedOf({ senderId, clientId }: Send): NamedSend | undefined {
  return clientId === null ? undefined : { senderId, clientId }
}

/** The sender's slot, or a refusal. `release` frees it, except where an earlier send with this `client_id` has taken it. */
async function takeSlot({ rateSlots, config }: Core, { senderId, clientId }: Send) {
  const name = `chat:${senderId}`
  const holder = clientId ?? randomUUID()
  const taken = await rateSlots.take(name, holder, config.chat.sendIntervalMs)
  const release = async () => {
    if (taken.state === 'taken') await rateSlots.release(name, holder)
  }
  return { ...taken, release }
}

/** Too soon after another message: only what is stored already is answered. */
async function repeatOrRefuse(core: Core, send: Send, retryAfterMs: number): Promise<SendResult> {
  await requireHelp(core, send.senderId)
  const named = namedOf(send)
  const first = named && (await findFirst(core, named))
  if (first) return repeat(core, send.senderId, first)
  throw new AppError('rate_limited', { retryAfter: retryAfterMs / 1_000 })
}

/** Stores and publishes the message, unless one with its `client_id` is stored already: `first` is that one. */
async function storeOrFindFirst(
  core: Core,
  send: Send,
  isRepeatExpected: boolean,
): Promise<{ sent: SendResult; first?: never } | { sent?: never; first: StoredSend }> {
  const named = namedOf(send)
  const earlier = named && (await findEarlier(core, named, isRepeatExpected))
  if (earlier) {
    await requireHelp(core, send.senderId)
    return { first: earlier }
  }
  const storing = storeAndPublish(core, send)
  const sent = await (named ? whileUnderWay(core, named, storing) : storing)
  if (sent !== 'repeated') return { sent }
  const first = named && (await findFirst(core, named))
  // The conversation of the first send was deleted, or its sender isn't in it any more.
  if (!first) throw new AppError('not_found')
  return { first }
}

async function storeAndPublish(core: Core, send: Send): Promise<SendResult | 'repeated'> {
  const row = (await senderOf(core)(send)) ?? (await retryOrRefuse(core, send))
  if (row === 'repeated') return row
  const plain = { isEdited: false, isDeleted: false, reactions: null, attachments: null, mentions: null }
  const stored = isRich(send) ? await store.findMessage(core.db, row.id) : { ...send, ...row, ...plain }
  // The conversation was deleted meanwhile.
  if (!stored) throw new AppError('not_found')
  const change = toChange(core, stored)
  measured.messages.inc()
  core.bus.publish(`conversation:${send.conversationId}`, change)
  return { message: toMessageFor(send.senderId, change.message), repeated: false }
}

async function retryOrRefuse(core: Core, send: Send): Promise<SentRow | 'repeated'> {
  await requireHelp(core, send.senderId)
  const member = await conversations.findMember(core.db, send.conversationId, send.senderId)
  if (!member) throw new AppError('not_found')
  if (!member.canSend) throw new AppError('not_connected')
  // The permission or the quoted message came into being while the first statement was waiting.
  const row = await senderOf(core)(send)
  if (row) return row
  if (send.attachmentIds.length > 0) {
    const named = namedOf(send)
    // The first send has its files.
    if (named && (await findFirst(core, named))) return 'repeated'
    await requireUnsent(core, send)
  }
  throw new AppError('invalid_reply')
}

/** Published again: the node that stored it may have died before it published. */
function repeat(core: Core, senderId: number, first: store.MessageRow): SendResult {
  core.bus.publish(`conversation:${first.conversationId}`, { ...toChange(core, first), repeated: true })
  return { message: toMessage(core, first, senderId), repeated: true }
}

/**
 * A page of messages, oldest to newest. Without `before` and `around` it is the newest, which marks the conversation as
 * read. 404 also for a message that is not in it.
 */
export async function listMessages(core: Core, userId: number, conversationId: number, query: MessagesQuery) {
  const limit = Math.min(query.limit ?? DEFAULT_PAGE, LARGEST_PAGE)
  if (query.around !== undefined) return listAround(core, userId, conversationId, query.around, limit)
  const before = query.before === undefined ? undefined : instantOf(query.before)
  const read = () => store.listMessages(core.db, userId, conversationId, before, limit + 1)
  const rows = await readUnlocked(core, userId, read, ({ length }) => length > 0)
  if (rows.length === 0) await requireMember(core, conversationId, userId)
  const page = rows.slice(-limit)
  const newest = page.at(-1)
  if (!before && !query.peek && newest) await markRead(core, userId, conversationId, newest.seq)
  return {
    messages: page.map((row) => toMessage(core, row, userId)),
    has_more: rows.length > limit,
  }
}

async function listAround(core: Core, userId: number, conversationId: number, id: number, limit: number) {
  const older = Math.floor((limit - 1) / 2)
  const newer = limit - 1 - older
  // One more on each side shows whether there are further ones.
  const read = () => store.listMessagesAround(core.db, userId, conversationId, id, older + 1, newer + 1)
  const rows = await readUnlocked(core, userId, read, ({ length }) => length > 0)
  const at = rows.findIndex((row) => row.id === id)
  if (at < 0) throw new AppError('not_found')
  const page = rows.slice(Math.max(at - older, 0), at + newer + 1)
  return {
    messages: page.map((row) => toMessage(core, row, userId)),
    has_more: at > older,
    has_newer: rows.length - 1 - at > newer,
  }
}

/**
 * Every message that was created, edited or deleted after the version `since`; the answer's `version` is the next
 * `since`. If the reader's `since` never existed, it is the conversation's own.
 */
export async function listChanges(core: Core, userId: number, conversationId: number, since: number) {
  const history = await readHistory(core, conversationId, since, [userId])
  if (!history.memberIds.has(userId)) throw new AppError('not_found')
  return {
    messages: history.changes.map(({ message }) => toMessageFor(userId, message)),
    version: Math.min(history.version, history.newest),
    has_more: history.hasMore,
  }
}

/** Changes one's own message. 404 also for a tombstone, 403 `not_owner`, `not_connected`. */
export async function editMessage(
  core: Core,
  userId: number,
  messageId: number,
  { message: text, mentions }: EditBody,
): Promise<ChatMessage> {
  const row = await changeOwnMessage(core, userId, messageId, async (tx, message, version) => {
    if (message.isDeleted) throw new AppError('not_found')
    if (!message.canSend) throw new AppError('not_connected')
    if (text === '' && !message.attachments) throw invalidField('/message', 'is required')
    const mentioned =
      mentions && (await store.keepMembers(tx, message.conversationId, [...new Set(mentions)]))
    await store.updateMessage(tx, messageId, {
      message: text,
      editedAt: new Date(core.clock()),
      version,
      ...(mentioned ? { mentions: mentioned.length > 0 ? mentioned : null } : {}),
    })
  })
  return toMessage(core, row, userId)
}

/** Replaces one's own message by a tombstone without text; does nothing if it is deleted already. */
export async function deleteMessage(core: Core, userId: number, messageId: number): Promise<void> {
  const found = await store.findMessageFor(core.db, messageId, userId)
  if (found?.isDeleted && found.senderId === userId) return
  await changeOwnMessage(core, userId, messageId, async (tx, _message, version) => {
    await store.updateMessage(tx, messageId, toTombstone(core, version))
    await deleteAttachmentsOf(tx, messageId)
  })
  if (found?.attachments) await trySweepDiscardedFiles(core)
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
export async function removeReportedMessage(
  core: Core,
  tx: Executor,
  messageId: number,
): Promise<() => void> {
  const found = await store.findMessage(tx, messageId)
  if (!found || found.isDeleted) return () => {}
  const version = await conversations.takeVersion(tx, found.conversationId, 'message')
  await store.updateMessage(tx, messageId, toTombstone(core, version))
  await deleteAttachmentsOf(tx, messageId)
  const row = await store.findMessage(tx, messageId)
  return () => {
    if (row) core.bus.publish(`conversation:${row.conversationId}`, toChange(core, row))
  }
}

/** Lets the files of a deleted message go, in the transaction that decides the last report of it. */
export function releaseAttachments(tx: Executor, messageId: number): Promise<void> {
  return deleteAttachmentsOf(tx, messageId)
}

/** What is left of a deleted message. */
function toTombstone({ clock }: Core, version: number) {
  return {
    message: '',
    deletedAt: new Date(clock()),
    reactions: null,
    attachments: null,
    mentions: null,
    version,
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
  core.bus.publish(`conversation:${row.conversationId}`, toChange(core, row))
  return row
}
