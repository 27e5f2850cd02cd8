import { type Static, Type } from 'typebox'
import { Id, Text, UserId } from './common.ts'
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
