import { and, eq, or, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Executor } from '../../db/database-client.ts'
import { query } from '../../db/query.ts'
import { accommodations } from '../../db/tables/accommodations.tables.ts'
import { accessRequests, passwordResets } from '../../db/tables/account.tables.ts'
import {
  assistantConversations,
  assistantMessages,
  assistantQuestions,
} from '../../db/tables/assistant.tables.ts'
import { attempts } from '../../db/tables/attempts.tables.ts'
import { auditEntries } from '../../db/tables/audit.tables.ts'
import {
  attachments,
  blocks,
  connections,
  conversationMembers,
  conversations,
  groupAdditions,
  isArchived,
  messages,
} from '../../db/tables/chat.tables.ts'
import { classes, classInvitations, classMembers } from '../../db/tables/classes.tables.ts'
import { challenges } from '../../db/tables/corrections.tables.ts'
import { comments } from '../../db/tables/discussions.tables.ts'
import { exams } from '../../db/tables/exams.tables.ts'
import { generationJobs } from '../../db/tables/generation.tables.ts'
import { assets, notebookInteractions, notebooks, pages } from '../../db/tables/notes.tables.ts'
import { practiceCards, practiceReviews, practiceSettings } from '../../db/tables/practice.tables.ts'
import { pushSettings, pushSubscriptions } from '../../db/tables/push.tables.ts'
import { reports } from '../../db/tables/reports.tables.ts'
import { identities, sessions } from '../../db/tables/sign-in.tables.ts'
import { users } from '../../db/tables/users.tables.ts'
import { foldedCase } from '../../db/text-search.ts'
import { columnsOf, rowsOf, type Source } from './account-export-rows.store.ts'

export const profile = rowsOf(users, users.id, users.id, (db) =>
  db
    .select({
      id: users.id,
      username: users.username,
      email: users.email,
      email_verified: users.emailVerified,
      email_contested: users.emailContested,
      full_name: users.fullName,
      role: users.role,
      google_subject: users.googleSubject,
      has_password: sql<boolean>`${users.passwordHash} is not null`,
      suspended_at: users.suspendedAt,
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

export const ownIdentities = columnsOf(
  identities,
  identities.id,
  identities.userId,
  'issuer subject created_at',
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

export const ownPracticeSettings = columnsOf(
  practiceSettings,
  practiceSettings.since,
  practiceSettings.userId,
  'since new_per_day retention',
)

export const ownPracticeCards = columnsOf(
  practiceCards,
  practiceCards.questionId,
  practiceCards.userId,
  'question_id exam_id state due last_review stability difficulty reps lapses introduced_at',
)

export const ownPracticeReviews = columnsOf(
  practiceReviews,
  practiceReviews.clientId,
  practiceReviews.userId,
  'client_id question_id exam_id attempt_id answered_at arrived_at answer outcome sure rating took_ms scheduler undone_at',
)

export const ownClasses = rowsOf(classMembers, classMembers.classId, classMembers.userId, (db) =>
  db
    .select({
      class_id: classMembers.classId,
      name: classes.name,
      role: classMembers.role,
      joined_at: classMembers.joinedAt,
      left_at: classMembers.leftAt,
    })
    .from(classMembers)
    .innerJoin(classes, eq(classes.id, classMembers.classId))
    .$dynamic(),
)

/** Only of an address that is known to be theirs. */
export const ownClassInvitations = columnsOf(
  classInvitations,
  classInvitations.id,
  (userId) => sql`${foldedCase(classInvitations.email)} = (
    select ${foldedCase(users.email)} from users where users.id = ${userId} and users.email_verified)`,
  'class_id email full_name role invited_at',
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
        muted_until: conversationMembers.mutedUntil,
        archived: isArchived(sql`conversation_members`, sql`conversations`),
        pinned: conversationMembers.pinned,
      })
      .from(conversations)
      .leftJoin(
        conversationMembers,
        and(eq(conversationMembers.conversationId, conversations.id), eq(conversationMembers.userId, userId)),
      )
      .$dynamic(),
)

export type ChatFileRow = typeof attachments.$inferSelect

export const ownMessages = columnsOf(
  messages,
  messages.id,
  messages.senderId,
  'id conversation_id seq client_id message reply_to_id reply_to_text reply_to_name mentions created_at edited_at deleted_at',
)

/** Files that somebody sent, or has not sent yet. */
export const chatFiles: Source<ChatFileRow> = rowsOf(attachments, attachments.id, attachments.ownerId, (db) =>
  db.select().from(attachments).$dynamic(),
)

/** Messages that somebody has reacted to, with what. */
export const ownReactions = rowsOf(
  messages,
  messages.id,
  (userId) => sql`${messages.reactions} @> ${JSON.stringify([{ user_ids: [userId] }])}::jsonb`,
  (db, userId) =>
    db
      .select({
        message_id: messages.id,
        conversation_id: messages.conversationId,
        emoji: sql<string[]>`array(
          select reaction->>'emoji' from jsonb_array_elements(${messages.reactions}) reaction
           where reaction->'user_ids' @> ${userId}::text::jsonb)`,
      })
      .from(messages)
      .$dynamic(),
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

export const ownPushSettings = columnsOf(
  pushSettings,
  pushSettings.userId,
  pushSettings.userId,
  'messages exams practice practice_hour preview language time_zone',
)

export const ownPushSubscriptions = columnsOf(
  pushSubscriptions,
  pushSubscriptions.id,
  pushSubscriptions.userId,
  'id session_id endpoint created_at last_used_at failing_since',
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
    { data: 'text' },
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
  'id at action subject_type subject_id class_id summary ip',
)
