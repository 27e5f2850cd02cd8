import { type Static, Type } from 'typebox'
import { Attachment } from './chat.schemas.ts'
import { Id, Nullable, Page, paging, Text, Timestamp, UserId } from './common.ts'

export const NewReport = Type.Object({ reason: Text(1, 1_000) }, { $id: 'NewReport' })
export const Reported = Type.Object({ success: Type.Literal(true), report_id: Id }, { $id: 'Reported' })

// --- as administrators see them

export const ReportStatus = Type.Enum(['open', 'dismissed', 'deleted'], { $id: 'ReportStatus' })

const Person = Type.Object({ id: UserId, username: Type.String(), full_name: Type.String() })

export const Report = Type.Object(
  {
    id: Id,
    kind: Type.Enum(['message', 'comment']),
    message_id: Nullable(Id),
    comment_id: Nullable(Id),
    text: Type.String({ description: 'as it was when it was reported; empty 90 days after the decision' }),
    author: Person,
    reporter: Person,
    reason: Type.String(),
    status: ReportStatus,
    note: Nullable(Type.String()),
    resolved_by: Nullable(Type.String({ description: 'a username' })),
    resolved_at: Nullable(Timestamp),
    created_at: Timestamp,
    context: Type.Array(
      Type.Object({
        id: Id,
        author: Person,
        text: Type.String(),
        attachments: Type.Array(Attachment, { description: 'files of a message' }),
        is_reported: Type.Boolean(),
        created_at: Timestamp,
      }),
      {
        description:
          'up to five before and five after it; of a decided one as they were then, for 90 days, without files',
      },
    ),
  },
  { $id: 'Report' },
)
export type Report = Static<typeof Report>

export const ReportsQuery = Type.Object({ status: Type.Optional(ReportStatus), page: Page })
export type ReportsQuery = Static<typeof ReportsQuery>
export const ReportsAnswer = Type.Object(
  {
    success: Type.Literal(true),
    reports: Type.Array(Report),
    ...paging,
  },
  { $id: 'ReportsAnswer' },
)

export const DecisionBody = Type.Object(
  {
    action: Type.Enum(['dismiss', 'delete']),
    note: Type.Optional(Text(0, 1_000)),
  },
  { $id: 'DecisionBody' },
)
export type DecisionBody = Static<typeof DecisionBody>
export const ReportAnswer = Type.Object(
  { success: Type.Literal(true), report: Report },
  { $id: 'ReportAnswer' },
)
