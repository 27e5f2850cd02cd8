import { and, eq, or, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Executor } from '../../../db/client.ts'
import { query } from '../../../db/query.ts'
import {
  assistantConversations,
  assistantMessages,
  assistantQuestions,
} from '../../../db/tables/assistant.ts'
import { auditEntries } from '../../../db/tables/audit.ts'
import {
  blocks,
  connections,
  conversationMembers,
  conversations,
  groupAdditions,
  messages,
} from '../../../db/tables/chat.ts'
import { comments } from '../../../db/tables/discussions.ts'
import { accommodations } from '../../../db/tables/exams/accommodations.ts'
import { attempts } from '../../../db/tables/exams/attempts.ts'
import { challenges } from '../../../db/tables/exams/corrections.ts'
import { exams } from '../../../db/tables/exams/exams.ts'
import { generationJobs } from '../../../db/tables/exams/generation.ts'
import { assets, notebookInteractions, notebooks, pages } from '../../../db/tables/notes.ts'
import { accessRequests, passwordResets } from '../../../db/tables/people/account.ts'
import { sessions } from '../../../db/tables/people/sign-in.ts'
import { users } from '../../../db/tables/people/users.ts'
import { reports } from '../../../db/tables/reports.ts'
import { columnsOf, rowsOf, type Source } from './rows/store.ts'

export const profile = rowsOf(users, users.id, users.id, (db) =>
  db
    .select({
      id: users.id,
      username: users.username,
      email: users.email,
      email_verified: users.emailVerified,
      full_name: users.fullName,
      role: users.role,
      google_subject: users.googleSubject,
      has_password: sql<boolean>`${users.passwordHash} is not null`,
      created_at: users.createdAt,
      updated_at: users.updatedAt,
      password_reset_requested_at: passwordResets.requestedAt,
      put_into_groups: { day: groupAdditions.day, count: groupAdditions.count },
    })
    .from(users)
    .leftJoin(passwordResets, eq(passwordResets.userId, users.id))
    .leftJoin(groupAdditions, eq(groupAdditions.userId, users.id))
    .$dynamic(),
)

export const ownSessions = columnsOf(
  sessions,
  sessions.id,
  sessions.userId,
  'id kind ip user_agent created_at last_used_at expires_at',
)

export const ownAccessRequests = columnsOf(
  accessRequests,
  accessRequests.id,
  accessRequests.userId,
  'id current_access requested_access status user_reason admin_reason created_at processed_at',
)

/** Attempts with their exams, which decide whether the results may be seen. */
export const ownAttempts = rowsOf(attempts, attempts.id, attempts.userId, (db) =>
  db
    .select({ attempt: attempts, exam: exams })
    .from(attempts)
    .innerJoin(exams, eq(exams.id, attempts.examId))
    .$dynamic(),
)

export const ownChallenges = columnsOf(
  challenges,
  challenges.id,
  (userId) => sql`${challenges.attemptId} in (select id from attempts where user_id = ${userId})`,
  'id attempt_id question_id message status reply created_at resolved_at',
)

export const ownAccommodations = rowsOf(accommodations, accommodations.examId, accommodations.userId, (db) =>
  db
    .select({
      exam_id: accommodations.examId,
      exam_name: exams.name,
      extra_time_percent: accommodations.extraTimePercent,
      opens_at: accommodations.opensAt,
      closes_at: accommodations.closesAt,
      updated_at: accommodations.updatedAt,
    })
    .from(accommodations)
    .innerJoin(exams, eq(exams.id, accommodations.examId))
    .$dynamic(),
)

export const tutorConversations = columnsOf(
  assistantConversations,
  assistantConversations.id,
  assistantConversations.userId,
  'id kind title message_count created_at updated_at',
)

export const tutorMessages = columnsOf(
  assistantMessages,
  assistantMessages.id,
  assistantMessages.userId,
  'id conversation_id is_user text created_at',
)

export const tutorQuestions = columnsOf(
  assistantQuestions,
  assistantQuestions.id,
  assistantQuestions.userId,
  'id conversation_id asked_at hung_up model input_tokens cached_tokens output_tokens',
)

/** Conversations that somebody is in, and groups that they made and have left. */
export const ownConversations = rowsOf(
  conversations,
  conversations.id,
  (userId) => sql`${conversations.id} in (
    select conversation_id from conversation_members where user_id = ${userId}
    union select id from conversations where creator_id = ${userId})`,
  (db, userId) =>
    db
      .select({
        id: conversations.id,
        is_group: conversations.isGroup,
        name: conversations.name,
        with: sql<string | null>`(
          select other.username from conversation_members member join users other on other.id = member.user_id
           where member.conversation_id = ${conversations.id} and other.id <> ${userId} and not ${conversations.isGroup}
           limit 1)`,
        is_creator: sql<boolean>`coalesce(${conversations.creatorId} = ${userId}, false)`,
        joined_at: conversationMembers.joinedAt,
        last_read_seq: conversationMembers.lastReadSeq,
        can_send: conversationMembers.canSend,
      })
      .from(conversations)
      .leftJoin(
        conversationMembers,
        and(eq(conversationMembers.conversationId, conversations.id), eq(conversationMembers.userId, userId)),
      )
      .$dynamic(),
)

export const ownMessages = columnsOf(
  messages,
  messages.id,
  messages.senderId,
  'id conversation_id seq client_id message reply_to_id reply_to_text reply_to_name created_at edited_at deleted_at',
)

const requester = alias(users, 'requester')
const recipient = alias(users, 'recipient')

export const ownConnections = rowsOf(
  connections,
  connections.id,
  (userId) => or(eq(connections.requesterId, userId), eq(connections.recipientId, userId)),
  (db) =>
    db
      .select({
        id: connections.id,
        requester_id: connections.requesterId,
        requester: requester.username,
        recipient_id: connections.recipientId,
        recipient: recipient.username,
        status: connections.status,
        conversation_id: connections.conversationId,
        created_at: connections.createdAt,
      })
      .from(connections)
      .innerJoin(requester, eq(requester.id, connections.requesterId))
      .innerJoin(recipient, eq(recipient.id, connections.recipientId))
      .$dynamic(),
)

export const ownBlocks = rowsOf(blocks, blocks.blockedId, blocks.blockerId, (db) =>
  db
    .select({ user_id: blocks.blockedId, username: users.username, created_at: blocks.createdAt })
    .from(blocks)
    .innerJoin(users, eq(users.id, blocks.blockedId))
    .$dynamic(),
)

export const ownComments = columnsOf(
  comments,
  comments.id,
  comments.authorId,
  'id question_id parent_id message is_pinned is_best_answer created_at edited_at deleted_at',
)

export const ownReports = columnsOf(
  reports,
  reports.id,
  reports.reporterId,
  'id kind message_id comment_id reason status created_at resolved_at',
)

export const ownNotebooks = columnsOf(
  notebooks,
  notebooks.id,
  notebooks.ownerId,
  'id title description is_public created_at updated_at',
)

/** `stack`: the ids of its objects. */
export type NotePageRow = { stack: number[] }

export const notePages = columnsOf<NotePageRow>(
  pages,
  pages.id,
  (userId) => sql`${pages.notebookId} in (select id from notebooks where owner_id = ${userId})`,
  'id notebook_id title position version created_at updated_at stack',
)

/** The JSON of these objects in this order; deleted ones are left out. */
export async function listObjects(db: Executor, ids: number[]): Promise<string[]> {
  const rows = await query<{ data: string }>(
    db,
    sql`
    select data from unnest(${sql.param(ids)}::int[]) with ordinality as place(id, n)
      join page_objects using (id)
     where data is not null
     order by n`,
  )
  return rows.map(({ data }) => data)
}

export type NoteImageRow = typeof assets.$inferSelect

export const noteImages: Source<NoteImageRow> = rowsOf(
  assets,
  assets.id,
  (userId) => sql`${assets.pageId} in (
    select pages.id from pages join notebooks on notebooks.id = notebook_id where owner_id = ${userId})`,
  (db) => db.select().from(assets).$dynamic(),
)

export const ownInteractions = rowsOf(
  notebookInteractions,
  notebookInteractions.notebookId,
  notebookInteractions.userId,
  (db) =>
    db
      .select({
        notebook_id: notebookInteractions.notebookId,
        title: notebooks.title,
        kinds: sql<string[]>`array_agg(${notebookInteractions.kind} order by ${notebookInteractions.kind})`,
      })
      .from(notebookInteractions)
      .innerJoin(notebooks, eq(notebooks.id, notebookInteractions.notebookId))
      .groupBy(notebookInteractions.notebookId, notebooks.title)
      .$dynamic(),
)

export const ownJobs = columnsOf(
  generationJobs,
  generationJobs.id,
  generationJobs.userId,
  'id exam_id request status message error question_count input_tokens cached_tokens output_tokens created_at finished_at',
)

export const ownChanges = columnsOf(
  auditEntries,
  auditEntries.id,
  auditEntries.actorId,
  'id at action subject_type subject_id summary ip',
)
