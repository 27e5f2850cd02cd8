import { and, count, eq, inArray, isNull, ne, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { comments } from '../../db/tables/discussions.ts'
import { questions } from '../../db/tables/exams.ts'
import { users } from '../../db/tables/users.ts'

/** A comment with its author's name. */
export type CommentRow = typeof comments.$inferSelect & { username: string }

export async function findQuestion(
  db: Executor,
  id: number,
): Promise<{ id: number; examId: number } | undefined> {
  const [row] = await db
    .select({ id: questions.id, examId: questions.examId })
    .from(questions)
    .where(eq(questions.id, id))
  return row
}

/** Held until the transaction ends; new comments don't wait for it. */
export async function lockQuestion(tx: Executor, id: number): Promise<void> {
  await tx.select({ id: questions.id }).from(questions).where(eq(questions.id, id)).for('no key update')
}

/** Every comment of a question, oldest first; undefined where there is no such question. */
export async function listComments(db: Executor, questionId: number): Promise<CommentRow[] | undefined> {
  const rows = await db
    .select({ comment: comments, username: users.username })
    .from(questions)
    .leftJoin(comments, eq(comments.questionId, questions.id))
    .leftJoin(users, eq(users.id, comments.authorId))
    .where(eq(questions.id, questionId))
    .orderBy(comments.id)
  if (rows.length === 0) return undefined
  return rows.flatMap(({ comment, username }) => (comment ? [{ ...comment, username: username ?? '' }] : []))
}

export async function findComment(db: Executor, id: number): Promise<CommentRow | undefined> {
  const [row] = await db
    .select({ comment: comments, username: users.username })
    .from(comments)
    .innerJoin(users, eq(users.id, comments.authorId))
    .where(eq(comments.id, id))
  return row && { ...row.comment, username: row.username }
}

/** Locked until the transaction ends, against replies too. */
export async function findCommentForUpdate(tx: Executor, id: number) {
  const [row] = await tx.select().from(comments).where(eq(comments.id, id)).for('update')
  return row
}

export async function insertComment(db: Executor, comment: typeof comments.$inferInsert): Promise<number> {
  const [row] = await db.insert(comments).values(comment).returning({ id: comments.id })
  return (row as { id: number }).id
}

/** Changes a comment that is not deleted; false if there is none such. */
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

/** Pins or unpins, or turns it over where `pinned` is not given; false if there is no such comment. */
export async function updatePinned(db: Executor, id: number, pinned: boolean | undefined): Promise<boolean> {
  const changed = await db
    .update(comments)
    .set({ isPinned: pinned ?? sql`not ${comments.isPinned}` })
    .where(and(eq(comments.id, id), isNull(comments.deletedAt)))
    .returning({ id: comments.id })
  return changed.length > 0
}

/** Takes the mark from every other comment of the question; the ids of those that had it. */
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

/** Leaves a tombstone: nothing of the comment but its place. */
export async function emptyComment(tx: Executor, id: number, deletedAt: Date): Promise<void> {
  await tx
    .update(comments)
    .set({ message: '', isPinned: false, isBestAnswer: false, deletedAt })
    .where(eq(comments.id, id))
}

export async function deleteComment(tx: Executor, id: number): Promise<void> {
  await tx.delete(comments).where(eq(comments.id, id))
}

/** Comments of each question that has any, tombstones apart. */
export async function countComments(
  db: Executor,
  questionIds: number[],
): Promise<{ questionId: number; count: number }[]> {
  return db
    .select({ questionId: comments.questionId, count: count() })
    .from(comments)
    .where(and(inArray(comments.questionId, questionIds), isNull(comments.deletedAt)))
    .groupBy(comments.questionId)
}
