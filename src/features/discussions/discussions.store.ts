import { and, count, eq, isNull, ne, not, type SQL, sql } from 'drizzle-orm'
import type { Viewer } from '../../actor.ts'
import type { Db, Executor } from '../../db/database-client.ts'
import { isAnyOf, only, query, statement } from '../../db/query.ts'
import { given, rowOf } from '../../db/rows.ts'
import { comments } from '../../db/tables/discussions.tables.ts'
import { questions } from '../../db/tables/exams.tables.ts'
import { users } from '../../db/tables/users.tables.ts'
import { isThereFor } from '../exams/exam-access.sql.ts'
import { isHelpLocked } from '../help-lock/help-lock.sql.ts'

/** A comment with its author's name. */
export type CommentRow = typeof comments.$inferSelect & { username: string }

/** A question that this person may know; undefined otherwise. */
export async function findQuestion(
  db: Executor,
  id: number,
  by: Viewer,
): Promise<{ id: number; examId: number } | undefined> {
  const [row] = await db
    .select({ id: questions.id, examId: questions.examId })
    .from(questions)
    .where(and(eq(questions.id, id), mayKnow(by)))
  return row
}

function mayKnow({ userId, isAdmin }: Viewer): SQL | undefined {
  return isAdmin ? undefined : isKnownTo(sql`${userId}`)
}

/**
 * Whether a student may know a question: of exams that are there for them, and published or taken by them before. Where
 * an exam locks help, only those who have finished an attempt may, so that nobody reads the comments before they begin.
 */
function isKnownTo(userId: SQL): SQL {
  return sql`exists (
    select from exams where exams.id = ${questions.examId} and ${isThereFor(userId)}
       and (exams.published and not exams.lock_help
            or exists (select from attempts where attempts.exam_id = exams.id and attempts.user_id = ${userId}
                          and (not exams.lock_help or attempts.status in ('submitted', 'expired')))))`
}

/** Somebody who subscribed to a question. */
export interface QuestionReader {
  questionId: number
  userId: number
}

/** Which of these students may know the question, in their order. */
export async function listMayKnow(db: Executor, readers: QuestionReader[]): Promise<boolean[]> {
  const rows = await query<{ mayKnow: boolean }>(
    db,
    { mayKnow: 'boolean' },
    sql`
    select coalesce(${isKnownTo(sql`asked.user_id`)}, false) as "mayKnow"
      from ${given({ questionId: 'integer', userId: 'integer' }, readers, 'asked')}
      left join questions on questions.id = asked.question_id
     order by asked.ord`,
  )
  return rows.map(({ mayKnow }) => mayKnow)
}

/** Locks a question until the transaction ends; new comments don't wait for that. */
export async function lockQuestion(tx: Executor, id: number): Promise<void> {
  await tx.select({ id: questions.id }).from(questions).where(eq(questions.id, id)).for('no key update')
}

/** While an account is being erased, its comments are shown as the ghost's, to which they will belong. */
const shownUsername = sql<string>`case when ${users.deletedAt} is null then ${users.username} else ${users.fullName} end`

const COMMENT = rowOf(comments)

const listedFor = (isAdmin: boolean) =>
  statement<{ questionId: number; userId: number }, { [Name in keyof CommentRow]: CommentRow[Name] | null }>(
    { ...COMMENT.check, username: 'text' },
    ({ questionId, userId }) => sql`
    select ${COMMENT.columns('comments')}, ${shownUsername} as username
      from questions
      left join comments on comments.question_id = questions.id
      left join users on users.id = comments.author_id
     where questions.id = ${questionId} and not ${isHelpLocked(userId)}
       and ${isAdmin ? sql`true` : isKnownTo(userId)}
     order by comments.id`,
  )
const listed = { forAdmins: listedFor(true), forStudents: listedFor(false) }

/**
 * Every comment of a question, oldest first; undefined if this person may not know the question, or their help is
 * locked.
 */
export async function listComments(
  db: Db,
  questionId: number,
  { userId, isAdmin }: Viewer,
): Promise<CommentRow[] | undefined> {
  const rows = await listed[isAdmin ? 'forAdmins' : 'forStudents'](db, { questionId, userId })
  if (rows.length === 0) return undefined
  return rows.filter(isComment)
}

/** A question without comments is one row without any. */
function isComment(row: { [Name in keyof CommentRow]: CommentRow[Name] | null }): row is CommentRow {
  return row.id !== null
}

export async function findComment(db: Executor, id: number): Promise<CommentRow | undefined> {
  const [row] = await db
    .select({ comment: comments, username: shownUsername })
    .from(comments)
    .innerJoin(users, eq(users.id, comments.authorId))
    .where(eq(comments.id, id))
  return row && { ...row.comment, username: row.username }
}

/** Locks a comment until the transaction ends; replies wait. */
export async function findCommentForUpdate(tx: Executor, id: number) {
  const [row] = await tx.select().from(comments).where(eq(comments.id, id)).for('update')
  return row
}

export interface NewComment {
  questionId: number
  parentId: number | null
  authorId: number
  message: string
}

type CommentOutcome = { refusal: 'exam_in_progress' | 'too_many' } | { refusal: null; id: number }

/** Stores a comment, unless the author's help is locked or the question has `most` of theirs. */
export async function insertComment(
  db: Executor,
  comment: NewComment,
  most: number,
): Promise<CommentOutcome> {
  const { questionId, parentId, authorId, message } = comment
  return only(
    await query<CommentOutcome>(
      db,
      { refusal: 'text', id: 'integer' },
      sql`
    with decided as (
      select case when ${isHelpLocked(authorId)} then 'exam_in_progress'
                  when ${most} <= (select count(*) from comments
                                    where question_id = ${questionId} and author_id = ${authorId})
                  then 'too_many' end as refusal
    ), inserted as (
      insert into comments (question_id, parent_id, author_id, message)
      select ${questionId}::int, ${parentId}::int, ${authorId}::int, ${message}::text from decided where refusal is null
      returning id
    )
    select refusal, id from decided left join inserted on true`,
    ),
  )
}

/** Changes a comment; false if it is deleted or doesn't exist. */
export async function updateComment(
  db: Executor,
  id: number,
  change: Partial<Pick<typeof comments.$inferInsert, 'message' | 'editedAt' | 'isBestAnswer'>>,
): Promise<boolean> {
  const changed = await db
    .update(comments)
    .set(change)
    .where(and(eq(comments.id, id), isNull(comments.deletedAt)))
    .returning({ id: comments.id })
  return changed.length > 0
}

/** Pins or unpins a comment, or toggles without `pinned`; false if there is no such comment. */
export async function updatePinned(db: Executor, id: number, pinned: boolean | undefined): Promise<boolean> {
  const changed = await db
    .update(comments)
    .set({ isPinned: pinned ?? not(comments.isPinned) })
    .where(and(eq(comments.id, id), isNull(comments.deletedAt)))
    .returning({ id: comments.id })
  return changed.length > 0
}

/** Removes the mark from all other comments of the question; answers the ids of those that had it. */
export async function clearBestAnswers(
  tx: Executor,
  questionId: number,
  exceptId: number,
): Promise<number[]> {
  const cleared = await tx
    .update(comments)
    .set({ isBestAnswer: false })
    .where(and(eq(comments.questionId, questionId), comments.isBestAnswer, ne(comments.id, exceptId)))
    .returning({ id: comments.id })
  return cleared.map(({ id }) => id)
}

export async function hasReplies(db: Executor, id: number): Promise<boolean> {
  const rows = await db.select({ id: comments.id }).from(comments).where(eq(comments.parentId, id)).limit(1)
  return rows.length > 0
}

/** Replaces the comment by a tombstone, which only keeps its place. */
export async function emptyComment(tx: Executor, id: number, deletedAt: Date): Promise<void> {
  await tx
    .update(comments)
    .set({ message: '', isPinned: false, isBestAnswer: false, deletedAt })
    .where(eq(comments.id, id))
}

export async function deleteComment(tx: Executor, id: number): Promise<void> {
  await tx.delete(comments).where(eq(comments.id, id))
}

/**
 * Deletes the tombstones above a deleted comment, from this one upwards, that have no other replies. There are two
 * statements: the second one sees replies that were committed before the first one locked. The caller holds the
 * question.
 */
export async function deleteBareTombstones(tx: Executor, id: number): Promise<void> {
  const bare = sql`
    with recursive bare(id, parent_id) as (
      select id, parent_id from comments tombstone
       where id = ${id} and deleted_at is not null
         and not exists (select from comments reply where reply.parent_id = tombstone.id)
      union all
      select tombstone.id, tombstone.parent_id
        from bare join comments tombstone on tombstone.id = bare.parent_id
       where tombstone.deleted_at is not null
         and not exists (select from comments reply where reply.parent_id = tombstone.id and reply.id <> bare.id)
    )`
  await tx.execute(sql`${bare} select id from comments where id in (select id from bare) for update`)
  await tx.execute(sql`${bare} delete from comments where id in (select id from bare)`)
}

/** The number of comments of each question that has any and that this person may know of, without tombstones. */
export async function countComments(
  db: Executor,
  questionIds: number[],
  by: Viewer,
): Promise<{ questionId: number; count: number }[]> {
  return db
    .select({ questionId: comments.questionId, count: count() })
    .from(comments)
    .innerJoin(questions, eq(questions.id, comments.questionId))
    .where(and(isAnyOf(comments.questionId, questionIds), isNull(comments.deletedAt), mayKnow(by)))
    .groupBy(comments.questionId)
}
