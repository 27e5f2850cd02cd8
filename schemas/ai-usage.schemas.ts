import { type Static, Type } from 'typebox'
import { Nullable } from './common.ts'

export const AiUsageQuery = Type.Object({
  days: Type.Integer({ minimum: 1, maximum: 90, default: 30, description: 'today and those before' }),
})

const tokens = {
  input: Type.Integer({ description: 'without those that were cached' }),
  cached: Type.Integer(),
  output: Type.Integer(),
}

export const AiUsageDay = Type.Object(
  {
    date: Type.String({ format: 'date', description: 'in the service’s time zone' }),
    tutor: Type.Object({ questions: Type.Integer(), ...tokens }),
    generation: Type.Object(
      { jobs: Type.Integer(), questions: Type.Integer(), ...tokens },
      { description: 'of the jobs that were started on that day' },
    ),
    checks: Type.Object(
      { agreed: Type.Integer(), disputed: Type.Integer(), unchecked: Type.Integer(), ...tokens },
      { description: 'of the same jobs' },
    ),
  },
  { $id: 'AiUsageDay' },
)
export type AiUsageDay = Static<typeof AiUsageDay>

export const AiUsage = Type.Object(
  {
    success: Type.Literal(true),
    budget: Nullable(Type.Integer({ description: 'tokens of a day; null: there is none' })),
    spent_today: Type.Integer({ description: 'tokens of all AI parts since midnight' }),
    days: Type.Array(AiUsageDay, { description: 'newest first, without days on which nothing was used' }),
  },
  { $id: 'AiUsage' },
)
