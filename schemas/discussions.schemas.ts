import { type Static, Type } from 'typebox'
import { Id, MAX_INT, Nullable, Text, Timestamp, UserId } from './common.ts'

const CommentText = Text(1, 4_000)

/** A comment without its replies. */
export const CommentEntry = Type.Object(
  {
    id: Id,
    question_id: Id,
    parent_id: Nullable(Id),
    user_id: UserId,
    username: Type.String({ description: '`Deleted Account` where the author has gone' }),
    message: Type.String({ description: 'empty for a deleted comment' }),
    is_own: Type.Boolean(),
    is_edited: Type.Boolean(),
    is_deleted: Type.Boolean({ description: 'kept for the replies below it' }),
    is_pinned: Type.Boolean(),
    is_best_answer: Type.Boolean(),
    created_at: Timestamp,
  },
  { $id: 'CommentEntry' },
)
export type CommentEntry = Static<typeof CommentEntry>

export interface Comment extends CommentEntry {
  replies: Comment[]
}
/** A comment with everything below it, to any depth. */
export const Comment = Type.Object(
  { ...CommentEntry.properties, replies: Type.Array(Type.Unsafe<Comment>({ $ref: 'Comment#' })) },
  { $id: 'Comment' },
)
const CommentRef = Type.Unsafe<Comment>({ $ref: 'Comment#' })

export const DiscussionParams = Type.Object({ question_id: Id })

export const PostCommentBody = Type.Object(
  {
    message: CommentText,
    exam_id: Type.Optional(Nullable(Id)),
    parent_id: Type.Optional(Nullable({ ...Id, description: 'the comment replied to' })),
  },
  { $id: 'NewComment' },
)
export type PostCommentBody = Static<typeof PostCommentBody>

export const EditCommentBody = Type.Object({ message: CommentText }, { $id: 'NewText' })
export const CommentAnswer = Type.Object(
  { success: Type.Literal(true), comment: CommentRef },
  { $id: 'CommentAnswer' },
)

export const DiscussionAnswer = Type.Object(
  {
    success: Type.Literal(true),
    count: Type.Integer({ description: 'comments and replies; deleted ones do not count' }),
    comments: Type.Array(CommentRef, {
      description: 'pinned first, then the best answer, then oldest first',
    }),
  },
  { $id: 'DiscussionAnswer' },
)

export const CountsBody = Type.Object(
  { question_ids: Type.Array(Id, { maxItems: 100 }) },
  { $id: 'CountsBody' },
)
export const CountsAnswer = Type.Object(
  {
    success: Type.Literal(true),
    counts: Type.Record(Type.String(), Type.Integer({ minimum: 0, maximum: MAX_INT }), {
      description: 'by question id; every asked one is present',
    }),
  },
  { $id: 'CountsAnswer' },
)

/** Without the field they toggle; with it they set, so that a retry is harmless. */
export const PinBody = Type.Object({ is_pinned: Type.Optional(Type.Boolean()) }, { $id: 'PinBody' })
export const PinAnswer = Type.Object(
  { success: Type.Literal(true), is_pinned: Type.Boolean() },
  { $id: 'PinAnswer' },
)
export const BestAnswerBody = Type.Object(
  { is_best_answer: Type.Optional(Type.Boolean()) },
  { $id: 'BestAnswerBody' },
)
export const BestAnswerAnswer = Type.Object(
  { success: Type.Literal(true), is_best_answer: Type.Boolean() },
  { $id: 'BestAnswerAnswer' },
)
