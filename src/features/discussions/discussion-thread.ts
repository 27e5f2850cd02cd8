import type { Comment, CommentEntry } from '../../../schemas/discussions.schemas.ts'
import type { SharedComment } from '../../bus/events.ts'
import type { CommentRow } from './discussions.store.ts'

export interface Thread {
  /**
   * Pinned first, then the best answer, then oldest first; replies oldest first
   * (docs/protocol/http.md#discussions).
   */
  roots: Comment[]
  byId: Map<number, Comment>
}

/** The comments of one question, given oldest first, as the tree that a reader sees. */
export function arrangeThread(rows: readonly CommentRow[], readerId: number): Thread {
  const roots: Comment[] = []
  const byId = new Map<number, Comment>()
  for (const row of rows) {
    const comment = toComment(row, readerId)
    byId.set(comment.id, comment)
    // A comment is newer than its parent, so the parent is in the map already.
    const siblings = row.parentId === null ? roots : byId.get(row.parentId)?.replies
    siblings?.push(comment)
  }
  roots.sort(
    (one, other) =>
      Number(other.is_pinned) - Number(one.is_pinned) ||
      Number(other.is_best_answer) - Number(one.is_best_answer),
  )
  return { roots, byId }
}

/** Comments as JSON, written without recursion: replies nest to any depth, call stacks don't. */
export function writeComments(comments: readonly Comment[]): string {
  let text = '['
  const open = [{ siblings: comments, next: 0 }]
  for (let level = open.at(-1); level; level = open.at(-1)) {
    const comment = level.siblings[level.next]
    if (comment) {
      const { replies, ...entry } = comment
      text += `${level.next === 0 ? '' : ','}${JSON.stringify(entry).slice(0, -1)},"replies":[`
      level.next += 1
      open.push({ siblings: replies, next: 0 })
    } else {
      open.pop()
      text += open.length > 0 ? ']}' : ']'
    }
  }
  return text
}

export function toComment(row: CommentRow, readerId: number): Comment {
  return { ...toEntry(toSharedComment(row), readerId), replies: [] }
}

/** A comment as this reader sees it, without its replies; without a reader, as everybody but its author does. */
export function toEntry(comment: SharedComment, readerId: number | undefined): CommentEntry {
  return { ...comment, is_own: comment.user_id === readerId }
}

export function toSharedComment(row: CommentRow): SharedComment {
  return {
    id: row.id,
    question_id: row.questionId,
    parent_id: row.parentId,
    user_id: row.authorId,
    username: row.username,
    message: row.message,
    is_edited: row.editedAt !== null,
    is_deleted: row.deletedAt !== null,
    is_pinned: row.isPinned,
    is_best_answer: row.isBestAnswer,
    created_at: row.createdAt.toISOString(),
  }
}
