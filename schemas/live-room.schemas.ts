import { type Static, Type } from 'typebox'
import { Id, Nullable, Text, Timestamp, UserId } from './common.ts'
import { ExtendBody } from './timing.schemas.ts'

const Count = Type.Integer({ minimum: 0 })

/** Students whom a room shows, or one request names. */
export const MOST_IN_ROOM = 2_000

const UserIds = Type.Array(Id, { minItems: 1, maxItems: MOST_IN_ROOM })

export const LiveExtendBody = Type.Object(
  {
    minutes: ExtendBody.properties.minutes,
    user_ids: Type.Optional({ ...UserIds, description: 'left out: everybody whose attempt is under way' }),
  },
  { $id: 'LiveExtendBody' },
)
export type LiveExtendBody = Static<typeof LiveExtendBody>

export const HandInBody = Type.Object(
  {
    user_ids: UserIds,
    confirm: Type.Optional(
      Type.Boolean({
        description: 'also for people who aren’t connected: answers on their devices are lost',
      }),
    ),
  },
  { $id: 'HandInBody' },
)
export type HandInBody = Static<typeof HandInBody>

export const ExamMessageBody = Type.Object(
  {
    text: Text(1, 500),
    user_ids: Type.Optional({ ...UserIds, description: 'left out: everybody whose attempt is under way' }),
  },
  { $id: 'ExamMessageBody' },
)
export type ExamMessageBody = Static<typeof ExamMessageBody>

const LiveError = Type.Object({
  user_id: UserId,
  code: Type.Enum(['already_submitted', 'no_active_attempt', 'no_end', 'not_found', 'too_many'], {
    description: 'why it wasn’t done for this person',
  }),
})
export type LiveError = Static<typeof LiveError>

const done = {
  success: Type.Literal(true),
  done: { ...Count, description: 'for how many attempts it was done' },
  errors: Type.Array(LiveError, { description: 'of the people in `user_ids` for whom it wasn’t' }),
}
export const LiveDoneAnswer = Type.Object(done, { $id: 'LiveDoneAnswer' })
export const LiveExtendAnswer = Type.Object(
  { ...done, reopened: { ...Count, description: 'those of them that were over, and are under way again' } },
  { $id: 'LiveExtendAnswer' },
)

/** How somebody stands with an exam, by the newest of their attempts. */
export const LiveStudent = Type.Object(
  {
    user_id: UserId,
    username: Type.String(),
    full_name: Type.String(),
    state: Type.Enum(['absent', 'under_way', 'handed_in', 'expired']),
    attempt_id: Nullable({ ...Id, description: 'null: absent' }),
    answered: { ...Count, description: 'questions with a saved answer' },
    questions: { ...Count, description: 'what the attempt has, or one would get' },
    marked: { ...Count, description: 'marked for review' },
    started_at: Nullable(Timestamp),
    ends_at: Nullable({ ...Timestamp, description: 'null: absent, or untimed' }),
    last_saved_at: Nullable({ ...Timestamp, description: 'null: nothing was saved yet' }),
    connected: Type.Boolean({ description: 'has a socket, and did something within the last minute' }),
    away: Nullable(
      Type.Boolean({
        description: 'the paper isn’t in view; null: not under way, or the exam doesn’t watch it',
      }),
    ),
  },
  { $id: 'LiveStudent' },
)
export type LiveStudent = Static<typeof LiveStudent>

export const LiveRoomAnswer = Type.Object(
  {
    success: Type.Literal(true),
    at: Timestamp,
    exam: Type.Object({
      id: Id,
      name: Type.String(),
      opens_at: Nullable(Timestamp),
      closes_at: Nullable(Timestamp),
      questions: { ...Count, description: 'what an attempt gets' },
    }),
    students: Type.Array(LiveStudent, { description: 'who began comes first, each by username' }),
    truncated: Type.Boolean({ description: 'there are more students than 2,000' }),
  },
  { $id: 'LiveRoomAnswer' },
)
export type LiveRoomAnswer = Static<typeof LiveRoomAnswer>
