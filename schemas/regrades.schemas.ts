import { type Static, Type } from 'typebox'
import { Id, Nullable, Text, Timestamp, UserId } from './common.ts'
import { Parts } from './parts.schemas.ts'

const Action = Type.Enum(['new_key', 'credit_all', 'drop'], {
  description:
    '`new_key`: grade with `correct_answer` and `tolerance`; `credit_all`: its marks for everybody whose paper has it; `drop`: it counts neither in score nor in max_score',
})

export const RegradeBody = Type.Object(
  {
    question_id: Id,
    action: Action,
    correct_answer: Type.Optional(
      Type.Union([Text(0, 20_000), Type.Number(), Type.Array(Text(0, 200), { maxItems: 26 }), Type.Null()], {
        description: 'the answer of a new key, in any form in which a question can be written',
      }),
    ),
    tolerance: Type.Optional(
      Type.Union([Type.Number(), Text(0, 50), Type.Null()], {
        description: "of a new NUMERIC key; left out: the question's own",
      }),
    ),
    parts: Type.Optional(
      Type.Unknown({
        description:
          'of a new key, for the types that have them: the question as it is, but for what is right',
      }),
    ),
    preview: Type.Optional(
      Nullable(Type.Boolean({ description: 'tells what it would do and changes nothing' })),
    ),
  },
  { $id: 'NewRegrade' },
)
export type RegradeBody = Static<typeof RegradeBody>

const Count = Type.Integer({ minimum: 0 })

export const RegradeView = Type.Object(
  {
    id: Nullable({ ...Id, description: 'null in a preview' }),
    exam_id: Id,
    question_id: Id,
    action: Action,
    correct_answer: Nullable(Type.String()),
    parts: Nullable(Parts),
    tolerance: Nullable(
      Type.Union([Type.Number(), Type.String()], { description: 'a text where it depends on variables' }),
    ),
    attempts: Type.Integer({ description: 'finished ones whose paper has the question' }),
    raised: Type.Integer({
      minimum: 0,
      description: 'by the score or, where that is the same, by the verdict',
    }),
    lowered: Count,
    unchanged: Count,
    changes: Type.Array(
      Type.Object({
        attempt_id: Id,
        user_id: UserId,
        username: Type.String(),
        old_score: Type.Number(),
        new_score: Type.Number(),
        old_max_score: Type.Number(),
        new_max_score: Type.Number(),
      }),
      { description: 'the first 100 attempts whose score, max_score or verdict changed' },
    ),
    created_at: Timestamp,
    created_by: Type.String({ description: 'a username' }),
    undone_at: Nullable(Timestamp),
    examples: Type.Optional(
      Type.Array(
        Type.Object({ values: Type.Record(Type.String(), Type.String()), correct_answer: Type.String() }),
        { description: 'in a preview of a question with variables: up to five attempts’ values and keys' },
      ),
    ),
  },
  { $id: 'Regrade' },
)
export type RegradeView = Static<typeof RegradeView>

export const RegradeAnswer = Type.Object(
  { success: Type.Literal(true), regrade: RegradeView },
  { $id: 'RegradeAnswer' },
)
export const RegradesAnswer = Type.Object(
  {
    success: Type.Literal(true),
    regrades: Type.Array(RegradeView),
  },
  { $id: 'RegradesAnswer' },
)
