import type {
  AssistantConversation,
  ConversationListQuery,
  MessagePageQuery,
  StudyChatMessage,
} from '../../../schemas/assistant.schemas.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import * as store from './assistant.store.ts'
import { countToday, LIMITS } from './tutor-quota.service.ts'

const CONVERSATIONS = { page: 20, largest: 50 }
const MESSAGES = { page: 50, largest: 100 }

/** Latest change first. The first page also contains how much of the day's quota is used. */
export async function listConversations(core: Core, userId: number, query: ConversationListQuery) {
  const limit = Math.min(query.limit ?? CONVERSATIONS.page, CONVERSATIONS.largest)
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor)
  const [rows, today] = await Promise.all([
    store.listConversations(core.db, userId, { search: query.search ?? '', after, limit: limit + 1 }),
    after ? undefined : countToday(core, userId),
  ])
  const conversations = rows.slice(0, limit)
  const last = conversations.at(-1)
  const hasMore = rows.length > limit
  const nextCursor = hasMore && last ? `${Date.parse(last.updatedAt)}-${last.id}` : null
  if (!today) return { conversations, hasMore, nextCursor }
  return {
    dailyLimit: LIMITS.daily,
    questionsUsed: today.answered,
    conversations,
    hasMoreConversations: hasMore,
    nextCursor,
  }
}

function readCursor(cursor: string): store.ConversationCursor {
  const [updatedAt, id] = cursor.split('-').map(Number)
  return { updatedAt: new Date(updatedAt ?? 0), id: id ?? 0 }
}

/** The newest page without a cursor; each page oldest to newest. */
export async function listMessages(
  core: Core,
  userId: number,
  conversationId: number,
  query: MessagePageQuery,
) {
  const conversation = await store.findConversation(core.db, userId, conversationId)
  if (!conversation) throw new AppError('not_found')
  const limit = Math.min(query.limit ?? MESSAGES.page, MESSAGES.largest)
  const before = query.cursor === undefined ? undefined : Number(query.cursor)
  const rows = await store.listMessages(core.db, conversationId, before, limit + 1)
  const hasMore = rows.length > limit
  const page = rows.slice(-limit)
  return {
    messages: page.map((row) => ({ ...toMessage(row), sources: row.sources })),
    hasMore,
    conversation: toConversation(conversation),
    nextCursor: hasMore ? String(page[0]?.id) : null,
  }
}

export async function renameConversation(
  core: Core,
  userId: number,
  id: number,
  title: string,
): Promise<AssistantConversation> {
  const change = { title, updatedAt: new Date(core.clock()) }
  const row = await store.renameConversation(core.db, userId, id, change)
  if (!row) throw new AppError('not_found')
  return toConversation(row)
}

/** Deletes a conversation with its messages; the day's quota stays used. */
export async function deleteConversation(core: Core, userId: number, id: number): Promise<void> {
  if (!(await store.deleteConversation(core.db, userId, id))) throw new AppError('not_found')
}

function toConversation(row: store.AssistantConversationRow): AssistantConversation {
  return {
    id: row.id,
    title: row.title,
    class_id: row.classId,
    messageCount: row.messageCount,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/** What both generations show. */
export function toMessage({
  id,
  text,
  isUser,
  createdAt,
}: Omit<store.AssistantMessageRow, 'sources'>): StudyChatMessage {
  return { id, text, isUser, timestamp: createdAt.toISOString() }
}
