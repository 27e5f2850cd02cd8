import { type Static, Type } from 'typebox'
import { Id, MAX_INT, Nullable, Page, paging, Text, Timestamp } from './common.ts'

/** What a change can be about. */
export const SubjectType = Type.Enum([
  'access_request',
  'attempt',
  'category',
  'challenge',
  'class',
  'comment',
  'exam',
  'generation_job',
  'image',
  'question',
  'regrade',
  'report',
  'user',
])
export type SubjectType = Static<typeof SubjectType>

/** Every kind of change that leaves a row. */
export const AuditAction = Type.Enum([
  'account.delete',
  'access_request.approve',
  'access_request.deny',
  'attempt.give_back',
  'attempt.hand_in',
  'attempt.reset',
  'attempt.use_up',
  'category.change',
  'category.create',
  'category.delete',
  'challenge.resolve',
  'class.accommodate',
  'class.add_members',
  'class.change',
  'class.code',
  'class.conversation',
  'class.create',
  'class.delete',
  'class.invite',
  'class.join',
  'class.change_news',
  'class.comment',
  'class.excuse',
  'class.delete_news',
  'class.leave',
  'class.publish_news',
  'class.message_students',
  'class.remove_member',
  'class.uninvite',
  'class.decline',
  'comment.best_answer',
  'comment.delete',
  'comment.pin',
  'exam.accommodate',
  'exam.change',
  'exam.create',
  'exam.delete',
  'exam.extend',
  'exam.hold_results',
  'exam.message',
  'exam.release_results',
  'generation_job.cancel',
  'generation_job.start',
  'material.change',
  'material.create',
  'material.delete',
  'image.upload',
  'question.change',
  'question.create',
  'question.delete',
  'question.import',
  'regrade.apply',
  'regrade.undo',
  'report.resolve',
  'user.change_role',
  'user.contest_address',
  'user.create',
  'user.displace',
  'user.password_link',
  'user.rename',
  'user.reset_password',
  'user.restore',
  'user.suspend',
])
export type AuditAction = Static<typeof AuditAction>

export const AuditQuery = Type.Object({
  actor_id: Type.Optional(Type.Integer({ minimum: -MAX_INT, maximum: MAX_INT })),
  action: Type.Optional(Text(1, 100)),
  subject: Type.Optional(
    Type.String({
      pattern: '^[a-z_]{1,50}:[^\\u0000\\uD800-\\uDFFF]{1,500}$',
      maxLength: 551,
      description: '`<subject_type>:<subject_id>`',
      examples: ['exam:12'],
    }),
  ),
  class_id: Type.Optional({
    ...Id,
    description: 'what was done for a class, and to the exams that are for it',
  }),
  page: Page,
})
export type AuditQuery = Static<typeof AuditQuery>

export const AuditEntry = Type.Object(
  {
    id: Type.Integer(),
    at: Timestamp,
    actor_id: Nullable(Type.Integer({ description: 'null: the command line' })),
    actor: Nullable(
      Type.String({ description: 'their username today; of a deleted account a name that stays the same' }),
    ),
    action: Type.String({ examples: ['exam.release_results'] }),
    subject_type: Type.String(),
    subject_id: Nullable(
      Type.Union([Type.Integer(), Type.String()], { description: 'an id, or the key of a job or an image' }),
    ),
    subject_name: Nullable(
      Type.String({
        description:
          'what an account, an exam, a class or a category is called today; null: it is gone, or something else',
      }),
    ),
    class_id: Nullable(Type.Integer({ description: 'the class that it is about or for' })),
    summary: Type.String(),
    ip: Nullable(Type.String({ description: 'null: the command line, or a deleted account' })),
  },
  { $id: 'AuditEntry' },
)
export type AuditEntry = Static<typeof AuditEntry>

export const AuditAnswer = Type.Object(
  {
    success: Type.Literal(true),
    entries: Type.Array(AuditEntry),
    ...paging,
  },
  { $id: 'AuditAnswer' },
)
