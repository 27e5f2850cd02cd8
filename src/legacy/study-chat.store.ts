import { and, desc, eq, inArray } from 'drizzle-orm'
import type { Executor } from '../db/database-client.ts'
import { assistantConversations, assistantMessages } from '../db/tables/assistant.tables.ts'

/** The newest messages of a person's study chat, oldest first. */
export async function listStudyChat(db: Executor, userId: number, limit: number) {
  const chat = db.select({ id: assistantConversations.id }).from(assistantConversations).where(own(userId))
  const rows = await db
    .select()
    .from(assistantMessages)
    .where(inArray(assistantMessages.conversationId, chat))
    .orderBy(desc(assistantMessages.id))
    .limit(limit)
  return rows.reverse()
}

export async function deleteStudyChat(db: Executor, userId: number): Promise<void> {
  await db.delete(assistantConversations).where(own(userId))
}

function own(userId: number) {
  return and(eq(assistantConversations.userId, userId), eq(assistantConversations.kind, 'study_chat'))
}
