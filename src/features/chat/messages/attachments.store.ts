import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Executor } from '../../../db/database-client.ts'
import { isAnyOf, only, query } from '../../../db/query.ts'
import { attachments } from '../../../db/tables/chat.tables.ts'

export type AttachmentRow = typeof attachments.$inferSelect

/** Whether a file may still be sent; `attachment` names its row. */
export const IS_FRESH = `attachment.file_key is not null and attachment.created_at > now() - interval '1 day'`
/** How long it is known that a file is gone. */
const FORGOTTEN_DAYS = 30

export async function insertAttachment(
  tx: Executor,
  row: typeof attachments.$inferInsert,
): Promise<AttachmentRow> {
  return only(await tx.insert(attachments).values(row).returning())
}

/** Whether somebody may see a file. */
const maySee = (userId: number) => sql`
  ${attachments.fileKey} is not null
  and exists (select from conversation_members member
               where member.conversation_id = ${attachments.conversationId} and member.user_id = ${userId})
  and (exists (select from messages where messages.id = ${attachments.messageId} and deleted_at is null)
       or (${attachments.messageId} is null and ${attachments.ownerId} = ${userId}))`

/** A file that this person may see: a member's, of a message that isn't deleted, or one's own. */
export async function findAttachmentFor(
  db: Executor,
  id: number,
  userId: number,
): Promise<AttachmentRow | undefined> {
  const [row] = await db
    .select()
    .from(attachments)
    .where(and(eq(attachments.id, id), maySee(userId)))
  return row
}

/** The files of these messages. A message that was deleted has some only while an open report keeps them. */
export async function listAttachmentsOf(db: Executor, messageIds: number[]): Promise<AttachmentRow[]> {
  return db
    .select()
    .from(attachments)
    .where(isAnyOf(attachments.messageId, messageIds))
    .orderBy(attachments.id)
}

/** False if it is sent, or gone. */
export async function deleteUnsent(db: Executor, id: number, ownerId: number): Promise<boolean> {
  const gone = await db
    .delete(attachments)
    .where(and(eq(attachments.id, id), eq(attachments.ownerId, ownerId), isNull(attachments.messageId)))
    .returning({ id: attachments.id })
  return gone.length > 0
}

/** Of these files of one's own, those that are not sent, and whether each is gone. */
export async function listUnsent(
  db: Executor,
  {
    conversationId,
    senderId,
    attachmentIds,
  }: { conversationId: number; senderId: number; attachmentIds: number[] },
): Promise<{ id: number; isGone: boolean }[]> {
  return query<{ id: number; isGone: boolean }>(
    db,
    { id: 'integer', isGone: 'boolean' },
    sql`
    select id, not (${sql.raw(IS_FRESH)}) as "isGone" from attachments attachment
     where ${isAnyOf(sql`id`, attachmentIds)} and conversation_id = ${conversationId} and owner_id = ${senderId}
       and message_id is null`,
  )
}

/** Deletes the files of a deleted message; an open report of it keeps them. */
export async function deleteAttachmentsOf(tx: Executor, messageId: number): Promise<void> {
  await tx.execute(sql`
    delete from attachments using messages
     where message_id = ${messageId} and messages.id = message_id and messages.deleted_at is not null
       and not exists (select from reports where reports.message_id = ${messageId} and reports.status = 'open')`)
}

/** Lets files go that were not sent within a day. Their rows stay for a while, to say so. */
export async function expireUnsent(db: Executor): Promise<void> {
  await db.execute(sql`
    update attachments attachment set file_key = null, thumbnail_key = null
     where message_id is null and file_key is not null and not (${sql.raw(IS_FRESH)})`)
  await db.execute(sql`
    delete from attachments
     where message_id is null and file_key is null
       and created_at < now() - make_interval(days => ${FORGOTTEN_DAYS})`)
}
