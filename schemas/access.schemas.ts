import { type Static, Type } from 'typebox'
import { Email, Role, Username } from './auth.schemas.ts'
import { Id, Nullable, Page, paging, Text } from './common.ts'

export const EligibilityBody = Type.Object({ username: Username, email: Email }, { $id: 'EligibilityBody' })
export type EligibilityBody = Static<typeof EligibilityBody>

/** A role that an account can ask for. */
export const Requestable = Type.Enum(['admin', 'user,admin'], { $id: 'Requestable' })
export type Requestable = Static<typeof Requestable>

export const EligibilityAnswer = Type.Object(
  {
    success: Type.Literal(true),
    user: Type.Object({ username: Type.String(), current_access: Role }),
    available_requests: Type.Array(Requestable),
    has_pending_request: Type.Boolean(),
    can_request: Type.Boolean(),
  },
  { $id: 'EligibilityAnswer' },
)
export type EligibilityAnswer = Static<typeof EligibilityAnswer>

export const AccessRequestBody = Type.Object(
  {
    username: Username,
    email: Email,
    current_access: Role,
    requested_access: Role,
    user_reason: Text(1, 2_000),
  },
  { $id: 'AccessRequestBody' },
)
export type AccessRequestBody = Static<typeof AccessRequestBody>

export const AccessRequestAnswer = Type.Object(
  {
    success: Type.Literal(true),
    message: Type.String(),
    request_id: Id,
  },
  { $id: 'AccessRequestAnswer' },
)

export const AccessRequestsQuery = Type.Object({
  status: Type.Optional(
    Text(0, 50, { description: '`pending` unless given; anything else: completed and denied together' }),
  ),
  page: Page,
})

const DisplayDate = Type.String({ examples: ['15 January 2025 10:30 AM'] })

export const AccessRequestsAnswer = Type.Object(
  {
    success: Type.Literal(true),
    requests: Type.Array(
      Type.Object({
        request_id: Id,
        username: Type.String(),
        email: Type.String(),
        current_access: Role,
        requested_access: Role,
        request_date: DisplayDate,
        status: Type.Enum(['pending', 'completed', 'denied']),
        reason: Type.String({ description: '`[USER REQUEST] …`, after a denial a second line `[ADMIN] …`' }),
        signed_in: Type.Boolean({
          description: 'made in a session of the account; else by somebody who knew its name and address',
        }),
        processed_by: Type.String({ description: 'a username; empty while pending' }),
        processed_date: Nullable(DisplayDate),
      }),
    ),
    ...paging,
  },
  { $id: 'AccessRequestsAnswer' },
)

export const AccessRequestCounts = Type.Object(
  {
    success: Type.Literal(true),
    pending: Type.Integer(),
    completed: Type.Integer(),
    denied: Type.Integer(),
    total: Type.Integer(),
  },
  { $id: 'AccessRequestCounts' },
)
export type AccessRequestCounts = Static<typeof AccessRequestCounts>

export const ApproveBody = Type.Object({ approved_access: Role }, { $id: 'ApproveBody' })
export const DenyBody = Type.Object({ reason: Text(1, 2_000) }, { $id: 'DenyBody' })
