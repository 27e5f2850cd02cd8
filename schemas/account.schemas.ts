import { type Static, Type } from 'typebox'
import { Email, FullName, Password, Self } from './auth.schemas.ts'
import { Id, Nullable, Text, Timestamp } from './common.ts'

export const RequestResetBody = Type.Object({ email: Email }, { $id: 'RequestResetBody' })

export const ConfirmResetBody = Type.Object(
  {
    token: Text(1, 200, { description: 'from the mail' }),
    new_password: Password,
  },
  { $id: 'ConfirmResetBody' },
)
export type ConfirmResetBody = Static<typeof ConfirmResetBody>

export const DeleteAccountBody = Type.Object(
  {
    confirm: Type.Optional(Type.Unknown({ description: 'exactly `DELETE`' })),
    current_password: Type.Optional(
      Text(1, 1_024, { verbatim: true, description: 'of an administrator who has one' }),
    ),
  },
  { $id: 'DeleteAccountBody' },
)
export type DeleteAccountBody = Static<typeof DeleteAccountBody>

export const ChangeAccountBody = Type.Object(
  {
    full_name: Type.Optional(FullName),
    email: Type.Optional(Email),
    current_password: Type.Optional(
      Text(1, 1_024, {
        verbatim: true,
        description: 'needed to change the e-mail address or the password, where there is one',
      }),
    ),
    new_password: Type.Optional(Password),
  },
  { $id: 'ChangeAccountBody' },
)
export type ChangeAccountBody = Static<typeof ChangeAccountBody>

export const AccountAnswer = Type.Object(
  { success: Type.Literal(true), user: Self },
  { $id: 'AccountAnswer' },
)

export const Session = Type.Object(
  {
    id: Id,
    kind: Type.Enum(['web', 'client']),
    ip: Nullable(Type.String()),
    user_agent: Nullable(Type.String()),
    created_at: Timestamp,
    last_used_at: Timestamp,
    current: Type.Boolean({ description: 'the one that asks' }),
  },
  { $id: 'Session' },
)
export const SessionsAnswer = Type.Object(
  { success: Type.Literal(true), sessions: Type.Array(Session) },
  { $id: 'SessionsAnswer' },
)
