import { randomUUID } from 'node:crypto'
import type { Comment, PostCommentBody } from '../../../schemas/discussions.ts'
import type { CommentAction } from '../../bus/events.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/client.ts'
import { AppError, invalidField } from '../../errors.ts'
import * as store from './store.ts'
import { arrangeThread, type Thread, toComment, toSharedComment } from './thread.ts'

/**
 * Stores a comment and tells the question's subscribers. Only a stored one uses up its author's slot
 * (contract §6). 429 `rate_limited`, 404, 400 for an exam or a parent that is not the question's.
 */
export async function postComment(
  core: Core,
  authorId: number,
  questionId: number,
  input: PostCommentBody,
): Promise<Comment> {
  const slot = `discussion:${authorId}`
  const holder = randomUUID()
  const taken = await core.rateSlots.take(slot, holder, core.config.discussions.postInterval)
  if (taken.state === 'refused')
    throw new AppError('rate_limited', { retryAfter: taken.retryAfterMs / 1_000 })
  try {
    return await storeAndPublish(core, authorId, questionId, input)
  } catch (error) {
    await core.rateSlots.release(slot, holder)
    throw error
  }
}

async function storeAndPublish(
  core: Core,
  authorId: number,
  questionId: number,
  input: PostCommentBody,
): Promise<Comment> {
  const parentId = input.parent_id ?? null
  const question = await store.findQuestion(core.db, questionId)
  if (!question) throw new AppError('not_found')
  if (input.exam_id != null && input.exam_id !== question.examId)
    throw invalidField('/exam_id', 'is not the exam of this question')
  if (parentId !== null && (await store.findComment(core.db, parentId))?.questionId !== questionId)
    throw invalidField('/parent_id', 'is no comment of this question')
  const id = await store.insertComment(core.db, { questionId, parentId, authorId, message: input.message })
  const row = await requireComment(core.db, id)
  publish(core, row, 'created')
  return toComment(row, authorId)
}

/** The whole discussion of a question, to any depth, from one query. 404 for an unknown question. */
export async function readDiscussion(
  core: Core,
  readerId: number,
  questionId: number,
): Promise<Thread & { count: number }> {
  const rows = await store.listComments(core.db, questionId)
  if (!rows) throw new AppError('not_found')
  const count = rows.filter(({ deletedAt }) => deletedAt === null).length
  return { ...arrangeThread(rows, readerId), count }
}

/** The edited comment with its replies. 404, 403 `not_owner`. */
export async function editComment(
  core: Core,
  userId: number,
  commentId: number,
  message: string,
): Promise<Comment> {
  const { questionId, authorId } = await requireComment(core.db, commentId)
  if (authorId !== userId) throw new AppError('not_owner')
  const edited = await store.updateComment(core.db, commentId, {
    message,
    editedAt: new Date(core.clock()),
  })
  if (!edited) throw new AppError('not_found')
  publish(core, await requireComment(core.db, commentId), 'edited')
  const comment = (await readDiscussion(core, userId, questionId)).byId.get(commentId)
  if (!comment) throw new AppError('not_found')
  return comment
}

/**
 * Removes a comment, or leaves a tombstone where it has replies; the author's right, and any administrator's.
 * 404, 403 `not_owner`.
 */
export async function deleteComment(
  core: Core,
  caller: { userId: number; isAdmin: boolean },
  commentId: number,
): Promise<void> {
  const deletedAt = new Date(core.clock())
  const comment = await core.db.transaction(async (tx) => {
    const found = await requireComment(tx, commentId)
    if (found.authorId !== caller.userId && !caller.isAdmin) throw new AppError('not_owner')
    if (!(await removeComment(tx, commentId, deletedAt))) throw new AppError('not_found')
    return found
  })
  const tombstone = { ...comment, message: '', isPinned: false, isBestAnswer: false, deletedAt }
  publish(core, tombstone, 'deleted')
}

/** False where it is gone already. Tombstones above it that stood for nothing else go with it. */
async function removeComment(tx: Executor, id: number, deletedAt: Date): Promise<boolean> {
  const comment = await store.findCommentForUpdate(tx, id)
  if (!comment || comment.deletedAt) return false
  if (await store.hasReplies(tx, id)) {
    await store.emptyComment(tx, id, deletedAt)
    return true
  }
  await store.deleteComment(tx, id)
  for (let above = comment.parentId; above !== null; ) {
    const parent = await store.findCommentForUpdate(tx, above)
    if (!parent?.deletedAt || (await store.hasReplies(tx, above))) break
    await store.deleteComment(tx, above)
    above = parent.parentId
  }
  return true
}

/** Comments by question id, 0 for those without. */
export async function countComments(core: Core, questionIds: number[]): Promise<Record<string, number>> {
  const counts = Object.fromEntries(questionIds.map((id) => [String(id), 0]))
  for (const { questionId, count } of await store.countComments(core.db, questionIds))
    counts[String(questionId)] = count
  return counts
}

/** Whether it is pinned now. 404. */
export async function pinComment(
  core: Core,
  commentId: number,
  pinned: boolean | undefined,
): Promise<boolean> {
  if (!(await store.updatePinned(core.db, commentId, pinned))) throw new AppError('not_found')
  const row = await requireComment(core.db, commentId)
  publish(core, row, 'pinned')
  return row.isPinned
}

/** Whether it is the best answer now. A question has at most one: marking another moves the mark. 404. */
export async function markBestAnswer(
  core: Core,
  commentId: number,
  marked: boolean | undefined,
): Promise<boolean> {
  const { questionId } = await requireComment(core.db, commentId)
  const { isBest, moved } = await core.db.transaction(async (tx) => {
    // Markers of one question take turns, so that none meets a mark that it couldn't see.
    await store.lockQuestion(tx, questionId)
    const isBest = marked ?? !(await requireComment(tx, commentId)).isBestAnswer
    const moved = isBest ? await store.clearBestAnswers(tx, questionId, commentId) : []
    if (!(await store.updateComment(tx, commentId, { isBestAnswer: isBest }))) throw new AppError('not_found')
    return { isBest, moved }
  })
  for (const id of [...moved, commentId]) {
    const row = await store.findComment(core.db, id)
    if (row) publish(core, row, 'best_answer')
  }
  return isBest
}

/** A comment that is not deleted, or 404. */
async function requireComment(db: Executor, id: number): Promise<store.CommentRow> {
  const comment = await store.findComment(db, id)
  if (!comment || comment.deletedAt) throw new AppError('not_found')
  return comment
}

/** Tells the subscribers of its question what the comment is now. */
function publish(core: Core, row: store.CommentRow, action: CommentAction): void {
  const comment = toSharedComment(row)
  core.bus.publish(`question:${row.questionId}`, { kind: 'comment', action, comment })
}
