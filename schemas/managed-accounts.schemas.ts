import { type Static, Type } from 'typebox'
import { Email, FullName, Password, Role, Username } from './auth.schemas.ts'
import { Id, ImportForm, Nullable, Text, Timestamp } from './common.ts'

/** An account as administrators look after it. */
export const ManagedAccount = Type.Object(
  {
    id: Id,
    username: Type.String(),
    email: Type.String(),
    full_name: Type.String(),
    role: Role,
    suspended_at: Nullable({ ...Timestamp, description: 'since when it cannot sign in' }),
  },
  { $id: 'ManagedAccount' },
)
export type ManagedAccount = Static<typeof ManagedAccount>

export const NewAccountBody = Type.Object(
  {
    username: Username,
    email: Email,
    full_name: Type.Optional(FullName),
    role: Type.Optional(Role),
    password: Type.Optional({
      ...Password,
      description: 'without one, its owner is mailed a link to choose it',
    }),
  },
  { $id: 'NewAccountBody' },
)
export type NewAccountBody = Static<typeof NewAccountBody>

export const ManagedAccountChanges = Type.Object(
  { suspended: Type.Optional(Type.Boolean()), full_name: Type.Optional(FullName) },
  { $id: 'ManagedAccountChanges', minProperties: 1 },
)
export type ManagedAccountChanges = Static<typeof ManagedAccountChanges>

export const PasswordLink = Type.Object(
  {
    success: Type.Literal(true),
    url: Type.String({ description: 'to be handed over; it is shown this once' }),
    ends_at: Timestamp,
  },
  { $id: 'PasswordLink' },
)
export type PasswordLink = Static<typeof PasswordLink>

export const DeleteManagedBody = Type.Object(
  {
    confirm: Type.Optional(Type.Unknown({ description: 'exactly `DELETE`' })),
    current_password: Type.Optional(
      Text(1, 1_024, { verbatim: true, description: "the administrator's own, where there is one" }),
    ),
  },
  { $id: 'DeleteManagedBody' },
)

export const ManagedAccountAnswer = Type.Object(
  { success: Type.Literal(true), user: ManagedAccount },
  { $id: 'ManagedAccountAnswer' },
)

export const ImportAccountsForm = ImportForm('ImportAccountsForm')

export const AccountsImported = Type.Object(
  {
    success: Type.Literal(true),
    created: Type.Integer(),
    errors: Type.Array(Type.String(), { description: '`Row n: why`' }),
    dry_run: Type.Boolean(),
  },
  { $id: 'AccountsImported' },
)
