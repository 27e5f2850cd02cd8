import { type Static, Type } from 'typebox'
import { Id, Nullable, Page, paging, Text, Timestamp } from './common.ts'

export const ChallengeStatus = Type.Enum(['open', 'accepted', 'rejected'], { $id: 'ChallengeStatus' })

/** An objection to how a question of one's own result was graded. */
export const Challenge = Type.Object(
  {
    id: Id,
    attempt_id: Id,
    exam_id: Id,
    question_id: Id,
    message: Type.String(),
    status: ChallengeStatus,
    reply: Nullable(Type.String()),
    created_at: Timestamp,
    resolved_at: Nullable(Timestamp),
  },
  { $id: 'Challenge' },
)
export type Challenge = Static<typeof Challenge>

export const NewChallenge = Type.Object({ question_id: Id, message: Text(1, 4_000) }, { $id: 'NewChallenge' })
export type NewChallenge = Static<typeof NewChallenge>

export const ChallengeAnswer = Type.Object(
  { success: Type.Literal(true), challenge: Challenge },
  { $id: 'ChallengeAnswer' },
)
export const ChallengesAnswer = Type.Object(
  {
    success: Type.Literal(true),
    challenges: Type.Array(Challenge),
  },
  { $id: 'ChallengesAnswer' },
)

// --- as administrators see them

export const AdminChallenge = Type.Object(
  {
    ...Challenge.properties,
    username: Type.String(),
    question_text: Type.String(),
  },
  { $id: 'AdminChallenge' },
)
export type AdminChallenge = Static<typeof AdminChallenge>

export const AdminChallengesQuery = Type.Object({
  status: Type.Optional(ChallengeStatus),
  exam_id: Type.Optional(Id),
  page: Page,
})
export type AdminChallengesQuery = Static<typeof AdminChallengesQuery>

export const AdminChallengesAnswer = Type.Object(
  {
    success: Type.Literal(true),
    challenges: Type.Array(AdminChallenge),
    ...paging,
  },
  { $id: 'AdminChallengesAnswer' },
)

export const ResolveBody = Type.Object(
  {
    status: Type.Enum(['accepted', 'rejected']),
    reply: Type.Optional(Nullable(Text(0, 4_000))),
  },
  { $id: 'ResolveBody' },
)
export type ResolveBody = Static<typeof ResolveBody>
