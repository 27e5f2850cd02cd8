import { type Static, Type } from 'typebox'
import { Id, Nullable, Text, Timestamp } from '../common.ts'
import { Email, FullName, Password, Self } from './auth.ts'

export const RequestResetBody = Type.Object({ email: Email })

export const ConfirmResetBody = Type.Object({
  token: Text(1, 200, { description: 'from the mail' }),
  new_password: Password,
})
export type ConfirmResetBody = Static<typeof ConfirmResetBody>

export const DeleteAccountBody = Type.Object({
  confirm: Type.Optional(Type.Unknown({ description: 'exactly `DELETE`' })),
})

export const ChangeAccountBody = Type.Object({
  full_name: Type.Optional(FullName),
  email: Type.Optional(Email),
  current_password: Type.Optional(
    Text(1, 1_024, { verbatim: true, description: 'needed to change the e-mail address or the password' }),
  ),
  new_password: Type.Optional(Password),
})
export type ChangeAccountBody = Static<typeof ChangeAccountBody>

export const AccountAnswer = Type.Object({ success: Type.Literal(true), user: Self })

export const Session = Type.Object({
  id: Id,
  kind: Type.Enum(['web', 'client']),
  ip: Nullable(Type.String()),
  user_agent: Nullable(Type.String()),
  created_at: Timestamp,
  last_used_at: Timestamp,
  current: Type.Boolean({ description: 'the one that asks' }),
})
export const SessionsAnswer = Type.Object({ success: Type.Literal(true), sessions: Type.Array(Session) })
