import { type Static, Type } from 'typebox'
import { Id, Nullable, Page, paging, Text } from './common.ts'

const AllowanceStatus = Type.Enum(['unlimited', 'available', 'exhausted'])

/** How often a student may take an exam; `∞` where nothing caps it. */
export const Allowance = Type.Object(
  {
    student_id: Id,
    username: Type.String(),
    exam_id: Id,
    exam_name: Type.String(),
    max_attempts: Type.String({ examples: ['3', '∞'] }),
    attempts_used: Type.Integer(),
    remaining: Type.Union([Type.Integer(), Type.Literal('∞')]),
    status: AllowanceStatus,
  },
  { $id: 'Allowance' },
)
export type Allowance = Static<typeof Allowance>

export const AllowancesQuery = Type.Object({
  q: Type.Optional(Text(0, 200, { description: 'part of the username or full name, in any case' })),
  exam_id: Type.Optional(Id),
  class_id: Type.Optional({ ...Id, description: 'its students at its exams' }),
  status: Type.Optional(AllowanceStatus),
  page: Page,
})
export type AllowancesQuery = Static<typeof AllowancesQuery>
export const AllowancesAnswer = Type.Object(
  {
    success: Type.Literal(true),
    rows: Type.Array(Allowance),
    ...paging,
  },
  { $id: 'AllowancesAnswer' },
)

const student = { student_id: Id, exam_id: Id }
const change = {
  action: Type.Enum(['reset', 'increase', 'decrease']),
  amount: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, description: 'default 1' })),
}
export const AllowanceChange = Type.Object(change)
export type AllowanceChange = Static<typeof AllowanceChange>
export const ModifyBody = Type.Object({ ...student, ...change }, { $id: 'ModifyBody' })
export const StudentModifyBody = Type.Object({ student_id: Id, ...change }, { $id: 'StudentModifyBody' })
export const BulkModifyBody = Type.Object(
  {
    items: Type.Array(Type.Object(student), { maxItems: 2_000 }),
    ...change,
  },
  { $id: 'BulkModifyBody' },
)
export const BulkModified = Type.Object(
  {
    success: Type.Literal(true),
    processed: Type.Integer(),
    errors: Nullable(Type.Array(Type.String())),
  },
  { $id: 'BulkModified' },
)
