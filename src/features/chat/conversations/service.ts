import { randomUUID } from 'node:crypto'
import type { Conversation, ConversationDetail } from '../../../../schemas/chat.ts'
import { MAX_INT } from '../../../../schemas/common.ts'
import type { Core } from '../../../core.ts'
import { AppError } from '../../../errors.ts'
import * as store from './store.ts'

/** Somebody's conversations; with `ids` only those of them. */
export async function listConversations(core: Core, userId: number, ids?: number[]): Promise<Conversation[]> {
  const rows = await store.listConversations(core.db, [userId], ids)
  return (await present(core, rows)).map(([, conversation]) => conversation)
}

/** One conversation as each of these people sees it; people who are not in it are left out. */
export async function viewConversation(
  core: Core,
  userIds: number[],
  conversationId: number,
): Promise<Map<number, Conversation>> {
  return new Map(await present(core, await store.listConversations(core.db, userIds, [conversationId])))
}

/** A conversation with its members. 404 for others than members. */
export async function getConversation(
  core: Core,
  userId: number,
  conversationId: number,
): Promise<ConversationDetail> {
  const conversation = (await viewConversation(core, [userId], conversationId)).get(userId)
  if (!conversation) throw new AppError('not_found')
  const members = await store.listMembers(core.db, conversationId, userId)
  const online = await core.presence.online(
    members.filter(({ id, isVisible }) => isVisible || id === userId).map(({ id }) => id),
  )
  return {
    ...conversation,
    members: members.map(({ id, username, fullName, lastReadSeq, isVisible }, index) => ({
      id,
      username,
      full_name: fullName,
      online: online.has(id),
      is_owner: conversation.is_group && index === 0,
      // How far somebody has read is shown to those who may see their presence.
      last_read_seq: isVisible || id === userId ? lastReadSeq : 0,
    })),
  }
}

async function present(core: Core, rows: store.ConversationRow[]): Promise<[number, Conversation][]> {
  const online = await core.presence.online([...new Set(rows.flatMap((row) => row.visibleIds))])
  return rows.map((row) => [
    row.readerId,
    toConversation(
      row,
      row.visibleIds.some((id) => online.has(id)),
    ),
  ])
}

/** 404 if there is no such conversation, or this person is not in it. */
export async function requireMember(core: Core, conversationId: number, userId: number) {
  const member = await store.findMember(core.db, conversationId, userId)
  if (!member) throw new AppError('not_found')
  return member
}

/**
 * Shows the other members that somebody is typing, at most twice per interval of messages; a repetition before that is
 * ignored. 404, 403 `not_connected`.
 */
export async function tellTyping(core: Core, userId: number, conversationId: number): Promise<void> {
  const { canSend } = await requireMember(core, conversationId, userId)
  if (!canSend) throw new AppError('not_connected')
  const slot = `typing:${userId}:${conversationId}`
  const { state } = await core.rateSlots.take(slot, randomUUID(), core.config.chat.sendIntervalMs / 2)
  if (state === 'refused') return
  const hiddenFrom = await store.listBlockedMembers(core.db, conversationId, userId)
  core.bus.publish(`conversation:${conversationId}`, { kind: 'typing', userId, hiddenFrom })
}

/** Moves the reader's pointer forward, by default to the newest message; answers how many messages are still unread. */
export async function markRead(
  core: Core,
  userId: number,
  conversationId: number,
  upToSeq = MAX_INT,
): Promise<number> {
  const moved = await store.advancePointer(core.db, conversationId, userId, upToSeq)
  const { lastSeq, lastReadSeq } = moved ?? (await requireMember(core, conversationId, userId))
  if (moved) {
    const hiddenFrom = await store.listBlockedMembers(core.db, conversationId, userId)
    core.bus.publish(`conversation:${conversationId}`, {
      kind: 'read',
      userId,
      upToSeq: lastReadSeq,
      hiddenFrom,
    })
  }
  // Published even if nothing has moved: the node that moved it may have died before it told anybody.
  core.bus.publish(`user:${userId}`, { kind: 'counters', conversationId })
  return lastSeq - lastReadSeq
}

function toConversation(row: store.ConversationRow, online: boolean): Conversation {
  return {
    id: row.id,
    name: row.name,
    is_group: row.isGroup,
    unread: row.lastSeq - row.lastReadSeq,
    online,
    last_message:
      row.lastMessage === null || row.lastMessageAt === null
        ? null
        : { message: row.lastMessage, created_at: row.lastMessageAt.toISOString() },
    user_id: row.userId,
    conn_id: row.connectionId,
    member_count: row.memberCount,
    last_seq: row.lastSeq,
    last_read_seq: row.lastReadSeq,
    version: row.version,
    can_send: row.canSend,
  }
}
