import { randomUUID } from 'node:crypto'
import {
  type Conversation,
  type ConversationDetail,
  MOST_PINNED,
  type Settings,
  type SettingsBody,
} from '../../../../schemas/chat.schemas.ts'
import { MAX_INT } from '../../../../schemas/common.ts'
import type { Core } from '../../../core.ts'
import { lockPerson } from '../../../db/locks.ts'
import { AppError } from '../../../errors.ts'
import { instantOf } from '../../../formats/local-time.ts'
import { readUnlocked } from '../../help-lock/help-lock.service.ts'
import * as store from './conversations.store.ts'
import { tellConversation } from './memberships.service.ts'

/** Somebody's conversations, latest activity first. 403 `exam_in_progress`. */
export async function listConversations(
  core: Core,
  userId: number,
  choice: store.ConversationFilter,
): Promise<Conversation[]> {
  const read = () => store.listConversations(core.db, [userId], { ...choice, unlockedFor: userId })
  const rows = await readUnlocked(core, userId, read, ({ length }) => length > 0)
  return (await toConversations(core, rows)).map(([, conversation]) => conversation)
}

/** One conversation as each of these people sees it; people who are not in it are left out. */
export async function viewConversation(
  core: Core,
  userIds: number[],
  conversationId: number,
): Promise<Map<number, Conversation>> {
  return new Map(
    await toConversations(core, await store.listConversations(core.db, userIds, { ids: [conversationId] })),
  )
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
    members: members
      .map(({ id, username, fullName, lastReadSeq, isVisible, isListed }, index) => ({
        isListed,
        member: {
          id,
          username,
          full_name: fullName,
          online: online.has(id),
          is_owner: conversation.is_group && index === 0,
          // How far somebody has read is shown to those who may see their presence.
          last_read_seq: isVisible || id === userId ? lastReadSeq : 0,
        },
      }))
      .filter(({ isListed }) => isListed)
      .map(({ member }) => member),
  }
}

async function toConversations(core: Core, rows: store.ConversationRow[]): Promise<[number, Conversation][]> {
  const online = await core.presence.online([...new Set(rows.flatMap((row) => row.visibleIds))])
  return rows.map((row) => [
    row.readerId,
    toConversation(
      row,
      row.visibleIds.some((id) => online.has(id)),
    ),
  ])
}

/**
 * Changes how one is bothered by a conversation; what isn't given stays. Nobody else is told. 404, 409 `too_many` for
 * one more that is pinned.
 */
export async function changeSettings(
  core: Core,
  userId: number,
  conversationId: number,
  change: SettingsBody,
): Promise<Settings> {
  const settings = await core.db.transaction(async (tx) => {
    await lockPerson(tx, userId)
    const before = await store.findSettings(tx, conversationId, userId)
    if (!before) throw new AppError('not_found')
    const { muted_until, archived = null, pinned = before.pinned } = change
    if (pinned && !before.pinned && (await store.countPinned(tx, userId)) >= MOST_PINNED)
      throw new AppError('too_many')
    const mutedUntil = muted_until === undefined ? before.mutedUntil : readEnd(muted_until)
    await store.updateSettings(tx, conversationId, userId, { mutedUntil, archived, pinned })
    return store.findSettings(tx, conversationId, userId)
  })
  // They have left meanwhile.
  if (!settings) throw new AppError('not_found')
  tellConversation(core, conversationId, [userId])
  return toSettings(settings)
}

function readEnd(text: string | null): string | null {
  if (text === null) return null
  return instantOf(text).toISOString()
}

export function toSettings({ mutedUntil, archived, pinned }: store.ConversationSettingsRow): Settings {
  return {
    muted_until: mutedUntil === null ? null : new Date(mutedUntil).toISOString(),
    archived,
    pinned,
  }
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
        : {
            message: row.lastMessage,
            created_at: row.lastMessageAt.toISOString(),
            attachments: row.lastFiles,
          },
    user_id: row.userId,
    conn_id: row.connectionId,
    member_count: row.memberCount,
    last_seq: row.lastSeq,
    last_read_seq: row.lastReadSeq,
    version: row.version,
    can_send: row.canSend,
    settings: toSettings(row.settings),
    unread_mentions: row.unreadMentions,
  }
}
