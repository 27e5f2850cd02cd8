import { type Static, Type } from 'typebox'
import {
  Confirm,
  GivenInstant,
  Id,
  Name,
  Nullable,
  Page,
  paging,
  Tag,
  Text,
  Timestamp,
  Was,
} from './common.ts'

const ResultMode = Type.Enum(['instant', 'on_release'])
const MsqScoring = Type.Enum(['all_or_nothing', 'partial'])

export const Shuffle = Type.Enum(['none', 'questions', 'options', 'both'], {
  description: 'what is put into a different order in each attempt; those that have begun keep theirs',
})

const DrawRule = Type.Object({ tag: Tag, count: Type.Integer({ minimum: 1, maximum: 500 }) })
export type DrawRule = Static<typeof DrawRule>

/** What an administrator sets for an exam. Releasing its results is an operation of its own. */
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
  open_for_practice: Type.Boolean({
    description: 'while it is published, everybody who may see it can practise its questions, keys included',
  }),
  pass_percentage: Type.Number({ minimum: 0, maximum: 100 }),
  msq_scoring: MsqScoring,
  opens_at: Nullable({ ...GivenInstant, description: 'attempts can be started from then on; null: at once' }),
  closes_at: Nullable({ ...GivenInstant, description: 'when attempts end at the latest; null: never' }),
  lock_help: Type.Boolean({
    description: 'during an attempt, its student cannot use tutor, practice, chat, discussions or classes',
  }),
  watch_page: Type.Boolean({
    description: 'whether those who watch it see who doesn’t have the paper in view; the paper says so',
  }),
  shuffle: Shuffle,
  class_ids: Type.Array(Id, {
    maxItems: 500,
    description: 'the classes that it is for; none: it is for everybody',
  }),
  draw: Nullable(
    Type.Array(DrawRule, {
      minItems: 1,
      maxItems: 20,
      description:
        'each attempt gets this many random questions of each tag, none twice; null: all questions',
    }),
  ),
}

export const ExamChanges = Type.Object(
  { ...Type.Partial(Type.Object(settings)).properties, confirm: Confirm, was: Was(settings) },
  { $id: 'ExamChanges' },
)
export type ExamChanges = Static<typeof ExamChanges>
export const NewExam = Type.Object(
  { ...Type.Partial(Type.Object(settings)).properties, name: settings.name },
  { $id: 'NewExam' },
)
export type NewExam = Static<typeof NewExam>

export const AdminExam = Type.Object(
  {
    id: Id,
    ...settings,
    name: Type.String(),
    description: Type.String(),
    opens_at: Nullable(Timestamp),
    closes_at: Nullable(Timestamp),
    results_released: Type.Boolean(),
    question_count: Type.Integer({ description: 'what an attempt gets' }),
    pool_count: Type.Integer({ description: 'all of its questions' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'AdminExam' },
)
export type AdminExam = Static<typeof AdminExam>

export const AdminExamsQuery = Type.Object({
  q: Type.Optional(Text(0, 200, { description: 'part of the name, in any case' })),
  category_id: Type.Optional(Id),
  page: Page,
})
export type AdminExamsQuery = Static<typeof AdminExamsQuery>

export const AdminExamsAnswer = Type.Object(
  {
    success: Type.Literal(true),
    exams: Type.Array(AdminExam),
    ...paging,
  },
  { $id: 'AdminExamsAnswer' },
)
export const AdminExamAnswer = Type.Object(
  { success: Type.Literal(true), exam: AdminExam },
  { $id: 'AdminExamAnswer' },
)

export const ChangesMean = Type.Object(
  {
    success: Type.Literal(true),
    published: Type.Boolean(),
    attempts: Type.Integer({ description: 'finished ones' }),
    under_way: Type.Integer(),
  },
  { $id: 'ChangesMean' },
)
export type ChangesMean = Static<typeof ChangesMean>

export const ReleaseBody = Type.Object(
  {
    released: Type.Optional(Type.Boolean({ description: 'left out: the opposite of the current state' })),
  },
  { $id: 'ReleaseBody' },
)
export const ReleaseAnswer = Type.Object(
  {
    success: Type.Literal(true),
    message: Type.String(),
    released: Type.Boolean(),
  },
  { $id: 'ReleaseAnswer' },
)
