import { type Static, Type } from 'typebox'
import { Id, Name, Text } from './common.ts'

export const Role = Type.Enum(['user', 'admin', 'user,admin'], { $id: 'Role' })
export type Role = Static<typeof Role>

export const Portal = Type.Enum(['user', 'admin'], { $id: 'Portal' })
export type Portal = Static<typeof Portal>

export const USERNAME_RULE = 'must be 3 to 32 letters from a to z, digits, dots, hyphens and underscores'
export const Username = Type.String({
  maxLength: 32,
  pattern: '^[A-Za-z0-9_.-]{3,32}$',
  errorMessage: USERNAME_RULE,
  examples: ['alice'],
})
/**
 * One address, and nothing that a mail server could read as several or as a route (`a%b@c`, `b!a@c`); no pattern
 * that backtracks.
 */
export const Email = Type.String({
  maxLength: 254,
  pattern: "^[#$&'*+\\-./0-9=?A-Z^_`a-z{|}~]+@[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)+$",
  errorMessage: 'must be an e-mail address',
  examples: ['alice@example.org'],
})
export const FullName = Name(1, 200, 'person-name')
export const Password = Text(8, 128, { verbatim: true, description: '8 to 128 characters, taken as typed' })
/** A password as offered at a login: whatever it is, a wrong one is simply wrong. */
export const OfferedPassword = Text(1, 1024, { verbatim: true })

/**
 * The domain of the placeholders of accounts whose address went to somebody who proved it: no mail gets there (RFC
 * 2606).
 */
export const PLACEHOLDER_DOMAIN = 'placeholder.invalid'

/** What somebody answers to `account_exists`. */
const answer = {
  password: Type.Optional({
    ...OfferedPassword,
    description: 'after `account_exists`: of the account that has the address, which is linked then',
  }),
  anew: Type.Optional(
    Type.Boolean({
      description: 'after `account_exists`: that account is somebody else’s, and a new one is made',
    }),
  ),
}

export const LoginBody = Type.Object(
  {
    username: Text(1, 254, { description: 'username or e-mail address' }),
    password: OfferedPassword,
  },
  { $id: 'LoginBody' },
)
export type LoginBody = Static<typeof LoginBody>

export const RegisterBody = Type.Object(
  {
    username: Username,
    email: Email,
    password: Password,
    full_name: Type.Optional(FullName),
  },
  { $id: 'RegisterBody' },
)
export type RegisterBody = Static<typeof RegisterBody>

const RefreshToken = Text(1, 512)
export const RefreshBody = Type.Object(
  {
    refresh_token: RefreshToken,
    rotate: Type.Optional(Type.Boolean({ description: 'also exchange the refresh token itself' })),
  },
  { $id: 'RefreshBody' },
)
export const LogoutBody = Type.Object({ refresh_token: RefreshToken }, { $id: 'LogoutBody' })

export const GoogleBody = Type.Object(
  {
    id_token: Text(1, 8_192, { description: "from the identity provider's SDK" }),
    nonce: Type.Optional(
      Text(1, 255, { description: 'the one that the app gave to the SDK; the token has to contain it' }),
    ),
    ...answer,
  },
  { $id: 'GoogleBody' },
)
export type GoogleBody = Static<typeof GoogleBody>

export const OidcBody = Type.Object(
  {
    code: Text(1, 4_096, { description: 'the authorization code from the provider' }),
    code_verifier: Type.String({
      pattern: '^[A-Za-z0-9._~-]{43,128}$',
      maxLength: 128,
      description: 'the PKCE verifier of the request, for S256',
    }),
    redirect_uri: Text(1, 2_048, {
      description: 'where the provider sent the app back to; one that the operator has listed',
    }),
    nonce: Text(1, 512, { description: 'the one that the app sent to the provider' }),
    ...answer,
  },
  { $id: 'OidcBody' },
)
export type OidcBody = Static<typeof OidcBody>

export const LogoutAnswer = Type.Object(
  {
    success: Type.Literal(true),
    message: Type.String(),
    redirect_url: Type.Optional(Type.String({ description: 'where to sign out at the provider' })),
  },
  { $id: 'LogoutAnswer' },
)

const accessToken = {
  access_token: Type.String(),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer({ description: 'seconds' }),
}

const LoginUser = Type.Object({ id: Id, username: Type.String(), full_name: Type.String(), role: Role })
const loginData = {
  ...accessToken,
  refresh_token: Type.String(),
  available_portals: Type.Array(Portal),
  user: LoginUser,
}

export const LoginAnswer = Type.Object(
  {
    status: Type.Literal('success'),
    data: Type.Object(loginData),
  },
  { $id: 'LoginAnswer' },
)
export type LoginAnswer = Static<typeof LoginAnswer>

export const GoogleAnswer = Type.Object(
  {
    status: Type.Literal('success'),
    data: Type.Object({ ...loginData, is_new_user: Type.Boolean() }),
  },
  { $id: 'GoogleAnswer' },
)
export type GoogleAnswer = Static<typeof GoogleAnswer>

/** A web session's login: the session itself is in the cookie. */
export const WebLoginAnswer = Type.Object(
  {
    success: Type.Literal(true),
    user: LoginUser,
    available_portals: Type.Array(Portal),
    redirect_url: Type.String(),
  },
  { $id: 'WebLoginAnswer' },
)
export type WebLoginAnswer = Static<typeof WebLoginAnswer>

export const RefreshAnswer = Type.Object(
  {
    status: Type.Literal('success'),
    data: Type.Object({ ...accessToken, refresh_token: Type.Optional(Type.String()) }),
  },
  { $id: 'RefreshAnswer' },
)
export type RefreshAnswer = Static<typeof RefreshAnswer>

export const StatusMessage = Type.Object(
  { status: Type.Literal('success'), message: Type.String() },
  { $id: 'StatusMessage' },
)

export const Self = Type.Object(
  {
    id: Id,
    username: Type.String(),
    full_name: Type.String(),
    email: Type.String(),
    role: Role,
    available_portals: Type.Array(Portal),
    has_password: Type.Boolean({ description: 'false: signs in by a provider alone' }),
    created_at: Type.String({ description: 'ISO 8601 without zone, in APP_TIMEZONE' }),
  },
  { $id: 'Account' },
)
export type Self = Static<typeof Self>
export const MeAnswer = Type.Object({ status: Type.Literal('success'), data: Self }, { $id: 'MeAnswer' })
