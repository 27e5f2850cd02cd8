import { type Static, Type } from 'typebox'
import { Id, Nullable, QuestionType, Timestamp } from './common.ts'

/** Whether the asker may know an exam's keys, and the marks that tell them. */
export const keys = {
  shows_keys: Type.Boolean({ description: 'whether keys, and marks that reveal them, are shown' }),
  keys_open_at: Nullable({
    ...Timestamp,
    description:
      'until when they are not, unless results are released before; null: they are shown, or only the release opens them',
  }),
}
const KnownKeys = Type.Object(keys)
export type Keys = Static<typeof KnownKeys>

export const ItemsQuery = Type.Object({
  attempts: Type.Optional(
    Type.Enum(['first', 'last', 'all'], {
      default: 'first',
      description: 'which finished attempts of each student',
    }),
  ),
})
export type ItemsQuery = Static<typeof ItemsQuery>

const Count = Type.Integer({ minimum: 0 })
const Statistic = Nullable(Type.Number())

export const Item = Type.Object(
  {
    question_id: Id,
    question_type: QuestionType,
    question_text: Type.String(),
    administered: Type.Integer({ minimum: 0, description: 'attempts that have this question' }),
    omitted: Type.Integer({ minimum: 0, description: 'of those, the ones without an answer to it' }),
    facility: Nullable(Type.Number({ description: 'mean marks ÷ positive marks' })),
    discrimination: Nullable(
      Type.Number({ description: 'correlation of its marks with the score on all other questions' }),
    ),
    options: Type.Array(
      Type.Object({
        option: Type.String(),
        chosen: Count,
        share: Type.Number({ description: 'chosen ÷ administered' }),
        mean_rest_score: Statistic,
      }),
      {
        description:
          'A to D, and others that are shown, for choices; for NUMERIC the five commonest wrong values; none for other types',
      },
    ),
    wrong_texts: Type.Array(
      Type.Object({
        gap: Type.Optional(Type.Integer({ minimum: 1 })),
        text: Type.String({ description: 'normalised' }),
        count: Count,
      }),
      { description: 'the ten commonest, of SHORT, GAPS and FORMULA' },
    ),
    shares: Type.Array(
      Type.Object({
        text: Type.String(),
        share: Type.Number({ description: 'how many had it right ÷ administered' }),
      }),
      { description: 'of each prompt of MATCHING, and each item of ORDERING' },
    ),
    too_few: Type.Boolean({ description: 'fewer than 20 attempts have it, so nothing is flagged' }),
    flags: Type.Array(Type.Enum(['negative_discrimination', 'too_easy', 'too_hard', 'distractor_beats_key'])),
  },
  { $id: 'Item' },
)
export type Item = Static<typeof Item>

export const ItemAnalysis = Type.Object({
  exam: Type.Object({
    attempts: Count,
    mean: Statistic,
    median: Statistic,
    standard_deviation: Statistic,
    alpha: Nullable(Type.Number({ description: "Cronbach's, over the paper that most of them have" })),
    standard_error: Statistic,
  }),
  items: Type.Array(Item),
})
export type ItemAnalysis = Static<typeof ItemAnalysis>

export const ItemsAnswer = Type.Object(
  { success: Type.Literal(true), ...keys, ...ItemAnalysis.properties },
  { $id: 'ItemsAnswer' },
)
