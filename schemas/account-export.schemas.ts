import { type TSchema, Type } from 'typebox'
import { Score } from './attempts.schemas.ts'
import { Id, Nullable, Timestamp, UserId } from './common.ts'

export { PushSettings as ExportedPushSettings } from './push.schemas.ts'

/** The contents of the files of a personal export (docs/protocol/records.md#personal-export). */

const text = Type.String()
const Count = Type.Integer({ minimum: 0 })
const OptionalText = Nullable(text)
const Role = Type.Enum(['user', 'admin', 'user,admin'])
const OptionalTime = Nullable(Timestamp)

export const ExportedProfile = Type.Object({
  id: Id,
  username: text,
  email: text,
  email_verified: Type.Boolean(),
  email_contested: Type.Boolean({ description: 'a provider says that it is somebody else’s' }),
  full_name: text,
  role: Role,
  google_subject: Nullable(Type.String({ description: 'who you are to the identity provider' })),
  has_password: Type.Boolean(),
  suspended_at: OptionalTime,
  created_at: Timestamp,
  updated_at: Timestamp,
  password_reset_requested_at: OptionalTime,
  put_into_groups: Nullable(
    Type.Object({ day: text, count: Count }, { description: 'by others, on the latest such day' }),
  ),
})

export const ExportedSession = Type.Object({
  id: Id,
  kind: Type.Enum(['web', 'client']),
  ip: OptionalText,
  user_agent: OptionalText,
  created_at: Timestamp,
  last_used_at: Timestamp,
  expires_at: Timestamp,
})

export const ExportedIdentity = Type.Object({
  issuer: Type.String({ description: 'the address of the provider' }),
  subject: Type.String({ description: 'who you are there' }),
  created_at: Timestamp,
})

export const ExportedPushSubscription = Type.Object({
  id: Id,
  session_id: Id,
  endpoint: text,
  created_at: Timestamp,
  last_used_at: OptionalTime,
  failing_since: OptionalTime,
})

export const ExportedAccessRequest = Type.Object({
  id: Id,
  current_access: Role,
  requested_access: Role,
  status: Type.Enum(['pending', 'completed', 'denied']),
  user_reason: text,
  admin_reason: OptionalText,
  created_at: Timestamp,
  processed_at: OptionalTime,
})

export const ExportedAttempt = Type.Object({
  id: Id,
  exam_id: Id,
  exam_name: text,
  attempt_number: Type.Integer(),
  status: Type.Enum(['active', 'submitted', 'expired', 'manual']),
  started_at: Timestamp,
  ends_at: OptionalTime,
  extra_minutes: Type.Integer({ description: 'how much longer it was made while it was under way' }),
  submitted_at: OptionalTime,
  answers: Type.Record(text, Type.Union([text, Type.Array(text)]), { description: 'by question id' }),
  marked_for_review: Type.Array(Id),
  revision: Type.Integer(),
  result: Nullable({ ...Score, description: 'null until it may be seen' }),
})

export const ExportedChallenge = Type.Object({
  id: Id,
  attempt_id: Id,
  question_id: Id,
  message: text,
  status: Type.Enum(['open', 'accepted', 'rejected']),
  reply: OptionalText,
  created_at: Timestamp,
  resolved_at: OptionalTime,
})

export const ExportedAccommodation = Type.Object({
  exam_id: Id,
  exam_name: text,
  extra_time_percent: Count,
  opens_at: OptionalTime,
  closes_at: OptionalTime,
  updated_at: Timestamp,
})

export const ExportedPracticeSettings = Type.Object({
  since: Timestamp,
  new_per_day: Count,
  retention: Type.Number(),
})

export const ExportedPracticeCard = Type.Object({
  question_id: Id,
  exam_id: Id,
  state: Type.Enum(['new', 'learning', 'review', 'relearning']),
  due: OptionalTime,
  last_review: OptionalTime,
  stability: Type.Number(),
  difficulty: Type.Number(),
  reps: Count,
  lapses: Count,
  introduced_at: { ...OptionalTime, description: 'null where it began with an exam' },
})

export const ExportedPracticeReview = Type.Object({
  client_id: text,
  question_id: Id,
  exam_id: Id,
  attempt_id: Nullable({ ...Id, description: 'the attempt in which it was answered; null: in practice' }),
  answered_at: Timestamp,
  arrived_at: Timestamp,
  answer: Nullable(Type.Union([text, Type.Array(text)])),
  outcome: Type.Enum(['right', 'partly', 'wrong']),
  sure: Nullable(Type.Boolean()),
  rating: Type.Integer(),
  took_ms: Nullable(Type.Integer()),
  scheduler: text,
  undone_at: OptionalTime,
})

export const ExportedClass = Type.Object({
  class_id: Id,
  name: text,
  role: Type.Enum(['student', 'teacher']),
  joined_at: Timestamp,
  left_at: OptionalTime,
})

export const ExportedClassInvitation = Type.Object({
  class_id: Id,
  email: text,
  full_name: text,
  role: Type.Enum(['student', 'teacher']),
  invited_at: Timestamp,
})

export const ExportedTutorConversation = Type.Object({
  id: Id,
  kind: Type.Enum(['conversation', 'study_chat']),
  title: text,
  message_count: Count,
  created_at: Timestamp,
  updated_at: Timestamp,
})

export const ExportedTutorMessage = Type.Object({
  id: Id,
  conversation_id: Id,
  is_user: Type.Boolean({ description: 'false: what the tutor answered' }),
  text,
  created_at: Timestamp,
})

export const ExportedTutorQuestion = Type.Object({
  id: Id,
  conversation_id: Id,
  asked_at: Timestamp,
  hung_up: Type.Boolean(),
  model: OptionalText,
  input_tokens: Nullable(Count),
  cached_tokens: Nullable(Count),
  output_tokens: Nullable(Count),
})

export const ExportedConversation = Type.Object({
  id: Id,
  is_group: Type.Boolean(),
  name: Nullable(Type.String({ description: "a group's" })),
  with: Nullable(Type.String({ description: 'the other person of a direct conversation' })),
  is_creator: Type.Boolean(),
  joined_at: Nullable({ ...Timestamp, description: 'null: left' }),
  last_read_seq: Nullable(Count),
  can_send: Nullable(Type.Boolean()),
  muted_until: Nullable({ ...Timestamp, description: 'the end of the latest mute' }),
  archived: Nullable(Type.Boolean()),
  pinned: Nullable(Type.Boolean()),
})

export const ExportedMessage = Type.Object({
  id: Id,
  conversation_id: Id,
  seq: Id,
  client_id: OptionalText,
  message: text,
  reply_to_id: Nullable(Id),
  reply_to_text: OptionalText,
  reply_to_name: OptionalText,
  mentions: Nullable(Type.Array(Id, { description: 'ids of people' })),
  created_at: Timestamp,
  edited_at: OptionalTime,
  deleted_at: OptionalTime,
})

export const ExportedChatFile = Type.Object({
  id: Id,
  conversation_id: Id,
  message_id: Nullable({ ...Id, description: 'null: not sent' }),
  name: text,
  file: Nullable(Type.String({ description: 'its place in this export; null: it is lost' })),
  type: text,
  size: Count,
  width: Nullable(Count),
  height: Nullable(Count),
  created_at: Timestamp,
})

export const ExportedReaction = Type.Object({
  message_id: Id,
  conversation_id: Id,
  emoji: Type.Array(text),
})

export const ExportedConnection = Type.Object({
  id: Id,
  requester_id: UserId,
  requester: text,
  recipient_id: UserId,
  recipient: text,
  status: Type.Enum(['pending', 'accepted', 'rejected', 'ended']),
  conversation_id: Nullable(Id),
  created_at: Timestamp,
})

export const ExportedBlock = Type.Object({ user_id: Id, username: text, created_at: Timestamp })

export const ExportedComment = Type.Object({
  id: Id,
  question_id: Id,
  parent_id: Nullable(Id),
  message: text,
  is_pinned: Type.Boolean(),
  is_best_answer: Type.Boolean(),
  created_at: Timestamp,
  edited_at: OptionalTime,
  deleted_at: OptionalTime,
})

export const ExportedReport = Type.Object({
  id: Id,
  kind: Type.Enum(['message', 'comment']),
  message_id: Nullable(Id),
  comment_id: Nullable(Id),
  reason: text,
  status: Type.Enum(['open', 'dismissed', 'deleted']),
  created_at: Timestamp,
  resolved_at: OptionalTime,
})

export const ExportedNotebook = Type.Object({
  id: Id,
  title: text,
  description: text,
  is_public: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
})

export const ExportedNotePage = Type.Object({
  id: Id,
  notebook_id: Id,
  title: text,
  position: Count,
  version: Count,
  created_at: Timestamp,
  updated_at: Timestamp,
  objects: Type.Array(Type.Object({ id: text }, { additionalProperties: true }), {
    description: 'from the bottom of the stack to its top',
  }),
})

export const ExportedNoteImage = Type.Object({
  id: Id,
  page_id: Id,
  file: Nullable(Type.String({ description: 'its place in this archive; null: it could not be read' })),
  content_type: text,
  size: Type.Integer({ description: 'bytes' }),
  width: Count,
  height: Count,
  created_at: Timestamp,
})

export const ExportedInteraction = Type.Object({
  notebook_id: Id,
  title: text,
  kinds: Type.Array(Type.Enum(['like', 'bookmark'])),
})

export const ExportedJob = Type.Object({
  id: text,
  exam_id: Id,
  request: Type.Object({}, { additionalProperties: true }),
  status: Type.Enum(['running', 'done', 'failed']),
  message: text,
  error: OptionalText,
  question_count: Count,
  input_tokens: Count,
  cached_tokens: Count,
  output_tokens: Count,
  created_at: Timestamp,
  finished_at: OptionalTime,
})

export const ExportedAuditEntry = Type.Object({
  id: Id,
  at: Timestamp,
  action: text,
  subject_type: text,
  subject_id: OptionalText,
  class_id: Nullable(Id),
  summary: text,
  ip: OptionalText,
})

/** The schema of a file: `content` under the file's own name. */
export function exportFile(name: string, title: string, content: TSchema) {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    ...Type.Object({ $schema: Type.Literal(`./${name}.schema.json`), [name]: content }),
  }
}
