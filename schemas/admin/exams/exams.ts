import { type Static, Type } from 'typebox'
import { GivenInstant, Id, Name, Nullable, Page, paging, Text, Timestamp } from '../../common.ts'

const ResultMode = Type.Enum(['instant', 'on_release'])
const MsqScoring = Type.Enum(['all_or_nothing', 'partial'])

/** What an administrator sets of an exam. Releasing its results is an operation of its own. */
const settings = {
  name: Name(1, 200),
  description: Text(0, 20_000),
  category_id: Nullable(Id),
  duration_minutes: Nullable(
    Type.Integer({ minimum: 1, maximum: 7 * 24 * 60, description: 'null: untimed' }),
  ),
  max_attempts: Nullable(Type.Integer({ minimum: 1, maximum: 10_000, description: 'null: uncapped' })),
  result_mode: ResultMode,
  is_published: Type.Boolean(),
  pass_percentage: Type.Number({ minimum: 0, maximum: 100 }),
  msq_scoring: MsqScoring,
  opens_at: Nullable({ ...GivenInstant, description: 'from when on it may be started; null: at once' }),
  closes_at: Nullable({ ...GivenInstant, description: 'when attempts end at the latest; null: never' }),
  lock_help: Type.Boolean({ description: 'shuts tutor, chat and discussions during an attempt' }),
}

export const ExamChanges = Type.Partial(Type.Object(settings))
export type ExamChanges = Static<typeof ExamChanges>
export const NewExam = Type.Object({ ...ExamChanges.properties, name: settings.name })
export type NewExam = Static<typeof NewExam>

export const AdminExam = Type.Object({
  id: Id,
  ...settings,
  name: Type.String(),
  description: Type.String(),
  opens_at: Nullable(Timestamp),
  closes_at: Nullable(Timestamp),
  results_released: Type.Boolean(),
  question_count: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type AdminExam = Static<typeof AdminExam>

export const AdminExamsQuery = Type.Object({
  q: Type.Optional(Text(0, 200, { description: 'part of the name, in any case' })),
  category_id: Type.Optional(Id),
  page: Page,
})
export type AdminExamsQuery = Static<typeof AdminExamsQuery>

export const AdminExamsAnswer = Type.Object({
  success: Type.Literal(true),
  exams: Type.Array(AdminExam),
  ...paging,
})
export const AdminExamAnswer = Type.Object({ success: Type.Literal(true), exam: AdminExam })

export const ReleaseBody = Type.Object({
  released: Type.Optional(Type.Boolean({ description: 'set to this rather than to the opposite' })),
})
export const ReleaseAnswer = Type.Object({
  success: Type.Literal(true),
  message: Type.String(),
  released: Type.Boolean(),
})
