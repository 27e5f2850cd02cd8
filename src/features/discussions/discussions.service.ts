import { MAX_INT } from '../../../schemas/common.ts'
import type { Comment, PostCommentBody } from '../../../schemas/discussions.schemas.ts'
import type { Actor, Viewer } from '../../actor.ts'
import type { CommentAction } from '../../bus/events.ts'
import { inSlot } from '../../bus/in-slot.ts'
import type { Core } from '../../core.ts'
import { batched } from '../../db/batches.ts'
import type { Executor } from '../../db/database-client.ts'
import { AppError, invalidFields } from '../../errors.ts'
import { perNode } from '../../per-node.ts'
import { record } from '../audit/audit.service.ts'
import { readUnlocked, requireHelp } from '../help-lock/help-lock.service.ts'
import { arrangeThread, type Thread, toComment, toSharedComment } from './discussion-thread.ts'
import * as store from './discussions.store.ts'

/**
 * Comments of one person on one question, tombstones included: every reader gets all of them
 * (docs/protocol/http.md#caps).
 */
const MOST_OF_ONE_PERSON = 500

/**
 * Stores a comment and publishes it to the question's subscribers. Only a stored one uses the author's slot
 * (docs/protocol/http.md#limits). 400 for an exam or a parent that does not belong to the question.
 */
export async function postComment(
  core: Core,
  author: Viewer,
  questionId: number,
  input: PostCommentBody,
): Promise<Comment> {
  return inSlot(core.rateSlots, `discussion:${author.userId}`, core.config.discussions.postIntervalMs, () =>
    storeAndPublish(core, author, questionId, input),
  )
}

async function storeAndPublish(
  core: Core,
  author: Viewer,
  questionId: number,
  input: PostCommentBody,
): Promise<Comment> {
  const parentId = input.parent_id ?? null
  const { userId: authorId } = author
  const question = await requireQuestion(core, questionId, author)
  const wrong: { path: string; message: string }[] = []
  if (input.exam_id != null && input.exam_id !== question.examId)
    wrong.push({ path: '/exam_id', message: 'is not the exam of this question' })
  if (parentId !== null && (await store.findComment(core.db, parentId))?.questionId !== questionId)
    wrong.push({ path: '/parent_id', message: 'is no comment of this question' })
  if (wrong.length > 0) throw invalidFields(wrong)
  const id = await storeComment(core, { questionId, parentId, authorId, message: input.message })
  const row = await requireComment(core.db, id)
  publish(core, row, 'created')
  return toComment(row, authorId)
}

/** Answers its id. */
async function storeComment(core: Core, comment: store.NewComment): Promise<number> {
  const stored = await store.insertComment(core.db, comment, MOST_OF_ONE_PERSON)
  switch (stored.refusal) {
    case null:
      return stored.id
    case 'exam_in_progress':
      await requireHelp(core, comment.authorId)
      // The attempt was overdue and is closed now.
      return storeComment(core, comment)
    default:
      throw new AppError(stored.refusal)
  }
}

/** 404 for a question that does not exist, or that this person must not know of. */
export async function requireQuestion(core: Core, questionId: number, by: Viewer) {
  const question = questionId > MAX_INT ? undefined : await store.findQuestion(core.db, questionId, by)
  if (!question) throw new AppError('not_found')
  return question
}

/** People who are to be told of a comment at the same time share one query. */
const readersShared = perNode((core) =>
  batched({
    lanes: 2,
    size: 1_000,
    key: ({ questionId }: store.QuestionReader) => questionId,
    run: (readers) => store.listMayKnow(core.db, readers),
  }),
)

/** Whether this person may still know of a question that they subscribed to. */
export async function mayReadComment(
  core: Core,
  questionId: number,
  { userId, isAdmin }: Viewer,
): Promise<boolean> {
  return isAdmin || readersShared(core)({ questionId, userId })
}

/**
 * The whole discussion of a question, with all replies, from one query. 404 for a question that the reader must not
 * know of.
 */
export async function readDiscussion(
  core: Core,
  reader: Viewer,
  questionId: number,
): Promise<Thread & { count: number }> {
  const rows = await readUnlocked(core, reader.userId, () => store.listComments(core.db, questionId, reader))
  if (!rows) throw new AppError('not_found')
  const count = rows.filter(({ deletedAt }) => deletedAt === null).length
  return { ...arrangeThread(rows, reader.userId), count }
}

/** The edited comment with its replies. 404, 403 `not_owner`. */
export async function editComment(
  core: Core,
  caller: Viewer,
  commentId: number,
  message: string,
): Promise<Comment> {
  const questionId = await storeEdit(core, caller, commentId, message)
  publish(core, await requireComment(core.db, commentId), 'edited')
  const comment = (await readDiscussion(core, caller, questionId)).byId.get(commentId)
  if (!comment) throw new AppError('not_found')
  return comment
}

/** The question that the comment is about. */
async function storeEdit(core: Core, caller: Viewer, commentId: number, message: string): Promise<number> {
  const { questionId, authorId } = await requireComment(core.db, commentId)
  await requireQuestion(core, questionId, caller)
  if (authorId !== caller.userId) throw new AppError('not_owner')
  const edited = await store.updateComment(core.db, commentId, {
    message,
    editedAt: new Date(core.clock()),
  })
  if (!edited) throw new AppError('not_found')
  return questionId
}

/** Removes a comment, or replaces it by a tombstone if it has replies. Its author and administrators may. */
export async function deleteComment(
  core: Core,
  actor: Actor,
  caller: Viewer,
  commentId: number,
): Promise<void> {
  const deletedAt = new Date(core.clock())
  const comment = await core.db.transaction(async (tx) => {
    const found = await requireComment(tx, commentId)
    if (!(await store.findQuestion(tx, found.questionId, caller))) throw new AppError('not_found')
    const isOwn = found.authorId === caller.userId
    if (!isOwn && !caller.isAdmin) throw new AppError('not_owner')
    if (!(await removeComment(tx, found, deletedAt))) throw new AppError('not_found')
    if (!isOwn) {
      const summary = `A comment of user ${found.authorId} on question ${found.questionId} was deleted`
      await record(tx, actor, { action: 'comment.delete', subject: ['comment', commentId], summary })
    }
    return found
  })
  publish(core, toTombstone(comment, deletedAt), 'deleted')
}

/**
 * Removes anybody's comment, if it still exists, or replaces it by a tombstone. The answer is a function that publishes
 * this, to be called after the commit.
 */
export async function removeReportedComment(
  core: Core,
  tx: Executor,
  commentId: number,
): Promise<() => void> {
  const deletedAt = new Date(core.clock())
  const found = await store.findComment(tx, commentId)
  if (!found || !(await removeComment(tx, found, deletedAt))) return () => {}
  return () => publish(core, toTombstone(found, deletedAt), 'deleted')
}

function toTombstone(comment: store.CommentRow, deletedAt: Date): store.CommentRow {
  return { ...comment, message: '', isPinned: false, isBestAnswer: false, deletedAt }
}

/** A comment that this person can see and that is not deleted; 404 otherwise. */
export async function getVisibleComment(
  core: Core,
  caller: Viewer,
  commentId: number,
): Promise<store.CommentRow> {
  const comment = await requireComment(core.db, commentId)
  if (!(await store.findQuestion(core.db, comment.questionId, caller))) throw new AppError('not_found')
  return comment
}

/** False if it is gone already. Tombstones above it that have no other replies are removed too. */
async function removeComment(
  tx: Executor,
  { id, questionId }: Pick<store.CommentRow, 'id' | 'questionId'>,
  deletedAt: Date,
): Promise<boolean> {
  // Two people who remove the last two replies of a tombstone do so one after the other, so that the second one
  // removes the tombstone.
  await store.lockQuestion(tx, questionId)
  const comment = await store.findCommentForUpdate(tx, id)
  if (!comment || comment.deletedAt) return false
  if (await store.hasReplies(tx, id)) {
    await store.emptyComment(tx, id, deletedAt)
    return true
  }
  await store.deleteComment(tx, id)
  if (comment.parentId !== null) await store.deleteBareTombstones(tx, comment.parentId)
  return true
}

/** Comments by question id, 0 for those without and those that the reader may not know of. */
export async function countComments(
  core: Core,
  reader: Viewer,
  questionIds: number[],
): Promise<Record<string, number>> {
  const counts = Object.fromEntries(questionIds.map((id) => [String(id), 0]))
  for (const { questionId, count } of await store.countComments(core.db, questionIds, reader))
    counts[String(questionId)] = count
  return counts
}

/** Answers whether it is pinned now. */
export async function pinComment(
  core: Core,
  actor: Actor,
  commentId: number,
  pinned: boolean | undefined,
): Promise<boolean> {
  const row = await core.db.transaction(async (tx) => {
    if (!(await store.updatePinned(tx, commentId, pinned))) throw new AppError('not_found')
    const comment = await requireComment(tx, commentId)
    const summary = comment.isPinned ? 'Pinned' : 'No longer pinned'
    await record(tx, actor, { action: 'comment.pin', subject: ['comment', commentId], summary })
    return comment
  })
  publish(core, row, 'pinned')
  return row.isPinned
}

/** Answers whether it is the best answer now. A question has at most one: marking another one moves the mark. */
export async function markBestAnswer(
  core: Core,
  actor: Actor,
  commentId: number,
  marked: boolean | undefined,
): Promise<boolean> {
  const { questionId } = await requireComment(core.db, commentId)
  const { isBest, moved } = await core.db.transaction(async (tx) => {
    // Marks of one question are set one after another, so that each sees the mark before it.
    await store.lockQuestion(tx, questionId)
    const isBest = marked ?? !(await requireComment(tx, commentId)).isBestAnswer
    const moved = isBest ? await store.clearBestAnswers(tx, questionId, commentId) : []
    if (!(await store.updateComment(tx, commentId, { isBestAnswer: isBest }))) throw new AppError('not_found')
    const summary = isBest ? 'Marked as the best answer' : 'No longer the best answer'
    await record(tx, actor, { action: 'comment.best_answer', subject: ['comment', commentId], summary })
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

/** Publishes the comment's current state to the question's subscribers. */
function publish(core: Core, row: store.CommentRow, action: CommentAction): void {
  const comment = toSharedComment(row)
  core.bus.publish(`question:${row.questionId}`, { kind: 'comment', action, comment })
}
