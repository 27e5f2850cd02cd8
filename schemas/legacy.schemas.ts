/** What the older generation shapes differently (docs/protocol/http.md#older-generation). */
import { type Static, Type } from 'typebox'
import { StudyChatMessage } from './assistant.schemas.ts'
import { Id, Nullable, Page, Text } from './common.ts'
import { GeneratedQuestion } from './generation.schemas.ts'
import { OfferedQuestion } from './questions.schemas.ts'

const success = Type.Literal(true)
/** Why single entries were left out; null where none was. */
const Errors = Nullable(Type.Array(Type.String()))

export const Released = Type.Object({ success, released: Type.Boolean() }, { $id: 'Released' })

export const BulkInserted = Type.Object(
  {
    success,
    inserted: Type.Integer(),
    skipped: Type.Integer(),
    errors: Errors,
  },
  { $id: 'BulkInserted' },
)

export const StudyChatBody = Type.Object({ message: Text(1, 8_000) }, { $id: 'StudyChatBody' })
export const StudyChatAnswer = Type.Object(
  {
    success,
    response: Type.String({ description: 'may contain LaTeX and a `[FINAL ANSWER]` marker' }),
    questions_remaining: Type.Integer(),
  },
  { $id: 'StudyChatAnswer' },
)
export const StudyChatHistory = Type.Object(
  {
    success,
    dailyLimit: Type.Integer(),
    questionsUsed: Type.Integer(),
    history: Type.Array(StudyChatMessage),
  },
  { $id: 'StudyChatHistory' },
)

export const Generated = Type.Object(
  {
    success,
    count: Type.Integer(),
    questions: Type.Array(GeneratedQuestion),
  },
  { $id: 'Generated' },
)
/** Generated questions as the client gives them back, changed or not. */
export const GeneratedBody = Type.Object(
  {
    questions: Type.Array(Type.Object({ ...OfferedQuestion.properties, exam_id: Id }), { maxItems: 10_000 }),
  },
  { $id: 'GeneratedBody' },
)
export const Saved = Type.Object({ success, count: Type.Integer(), errors: Errors }, { $id: 'Saved' })

export const UserAnalyticsQuery = Type.Object({
  q: Type.Optional(Text(0, 200, { description: 'part of a username or full name' })),
  page: Page,
  partial: Type.Optional(Text(0, 10, { description: '`1`: the table alone' })),
})
export type UserAnalyticsQuery = Static<typeof UserAnalyticsQuery>
