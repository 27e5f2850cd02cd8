import { type Static, Type } from 'typebox'
import { Role } from './auth.schemas.ts'
import { Id, MAX_INT, Page, paging, Text } from './common.ts'

export const ListUsersQuery = Type.Object({
  q: Type.Optional(Text(0, 200, { description: 'part of a username, e-mail address or full name' })),
  role: Type.Optional(Type.Enum(['user', 'admin', 'both'], { description: 'exactly this role' })),
  page: Page,
})

const DisplayDate = Type.String({ examples: ['15 January 2025 10:30 AM'] })

export const UserRow = Type.Object(
  {
    id: Id,
    username: Type.String(),
    email: Type.String(),
    full_name: Type.String(),
    role: Role,
    suspended: Type.Optional(Type.Literal(true, { description: 'present only if they may not sign in' })),
    created_at: DisplayDate,
    updated_at: DisplayDate,
  },
  { $id: 'User' },
)
export type UserRow = Static<typeof UserRow>
export const AdminUsersAnswer = Type.Object(
  {
    success: Type.Literal(true),
    users: Type.Array(UserRow),
    ...paging,
  },
  { $id: 'AdminUsersAnswer' },
)

export const RoleCounts = Type.Object(
  {
    success: Type.Literal(true),
    total_users: Type.Integer(),
    user_role: Type.Integer(),
    admin_role: Type.Integer(),
    both_roles: Type.Integer(),
  },
  { $id: 'RoleCounts' },
)
export type RoleCounts = Static<typeof RoleCounts>

/** Both are judged by the service: the ghost is refused before its new role is looked at. */
export const RoleChange = Type.Object(
  {
    user_id: Type.Integer({ minimum: -MAX_INT, maximum: MAX_INT }),
    new_role: Type.Optional(Type.Unknown({ description: '`user`, `admin` or `user,admin`' })),
  },
  { $id: 'RoleChange' },
)
export type RoleChange = Static<typeof RoleChange>

export const BulkRoleBody = Type.Object(
  {
    updates: Type.Array(
      Type.Unknown({ description: '`{user_id, new_role}`; any other is named in `errors`' }),
      {
        minItems: 1,
        maxItems: 10_000,
      },
    ),
  },
  { $id: 'BulkRoleBody' },
)
export const BulkRoleAnswer = Type.Object(
  {
    success: Type.Literal(true),
    message: Type.String(),
    errors: Type.Union([Type.Array(Type.String()), Type.Null()]),
  },
  { $id: 'BulkRoleAnswer' },
)
