import { type Static, Type } from 'typebox'
import { isConfidential } from '../formats/loopback.ts'

const DOMAIN = '[a-z0-9-]+(\\.[a-z0-9-]+)+'

/** The variables about the OpenID Connect provider, as operators write them. */
export const OIDC_SETTINGS = Type.Object({
  OIDC_ISSUER: Type.Refine(
    Type.String({
      description:
        'an address such as https://id.example.org, https or http on this machine, without ? and #',
    }),
    (text) => {
      const url = URL.parse(text)
      return url !== null && isConfidential(url) && !/[?#]/.test(text) && url.username === ''
    },
  ),
  OIDC_CLIENT_ID: Type.String({ minLength: 1 }),
  OIDC_CLIENT_SECRET: Type.String({ minLength: 1 }),
  OIDC_NAME: Type.String({ minLength: 1, maxLength: 60 }),
  OIDC_SCOPES: Type.String({
    pattern: '^([!-~]+ )*openid( [!-~]+)*$',
    description: 'a list with spaces that has openid in it, such as openid email profile',
  }),
  OIDC_ADMINS: Type.String({
    pattern: '^[^=]+=.+$',
    description: '<claim>=<value>, such as groups=teachers',
  }),
  OIDC_REDIRECT_URIS: Type.Refine(
    Type.String({
      description: 'a comma list of addresses: https, http on loopback, or an app’s own scheme',
    }),
    (text) => text.split(COMMA).every(isRedirectUri),
  ),
  OIDC_EMAIL_DOMAINS: Type.String({
    pattern: `^${DOMAIN}(, ?${DOMAIN})*$`,
    description: 'a comma list of domains such as example.org, in lower case',
  }),
  OIDC_ONLY: Type.String({ pattern: '^(true|false)$', description: 'true or false' }),
})

/** The provider that people sign in by, and what it decides (docs/protocol/sign-in.md). */
export interface OidcSettings {
  issuer: string
  clientId: string
  /** undefined: a public client. */
  clientSecret: string | undefined
  /** What the button on the sign-in page calls it. */
  name: string
  scopes: string
  /** People with this value in this claim are administrators; undefined: roles are given by hand. */
  admins: { claim: string; value: string } | undefined
  /** Where apps may have the provider send people back to; other addresses are refused. */
  redirectUris: string[]
  /** Whose addresses count as verified if the provider doesn't say whether they are. */
  emailDomains: string[]
  /** Whether everybody signs in by it, except with accounts made at the command line. */
  only: boolean
}

/** Between the items of a list. */
const COMMA = /, ?/

/** undefined: there is no provider. What doesn't fit together is added to `problems`. */
export function readOidcSettings(
  settings: Partial<Static<typeof OIDC_SETTINGS>>,
  problems: string[],
): OidcSettings | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_ONLY } = settings
  if (issuer === undefined) {
    const others = Object.keys(OIDC_SETTINGS.properties).filter((name) => name in settings)
    if (others.length > 0) problems.push(`OIDC_ISSUER: required with ${others.join(', ')}`)
    return undefined
  }
  if (clientId === undefined) problems.push('OIDC_CLIENT_ID: required with OIDC_ISSUER')
  const [claim = '', ...value] = settings.OIDC_ADMINS?.split('=') ?? []
  return {
    issuer,
    clientId: clientId ?? '',
    clientSecret: settings.OIDC_CLIENT_SECRET,
    name: settings.OIDC_NAME ?? 'your school',
    scopes: settings.OIDC_SCOPES ?? 'openid email profile',
    admins: claim === '' ? undefined : { claim, value: value.join('=') },
    redirectUris: settings.OIDC_REDIRECT_URIS?.split(COMMA) ?? [],
    emailDomains: settings.OIDC_EMAIL_DOMAINS?.split(COMMA) ?? [],
    only: OIDC_ONLY === 'true',
  }
}

/** https, http on loopback, or the scheme of an app. */
function isRedirectUri(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || text.includes('#')) return false
  return isConfidential(url) || (url.protocol !== 'http:' && !NO_APP.has(url.protocol))
}

/** Schemes that browsers run or open themselves. */
const NO_APP = new Set([
  'javascript:',
  'data:',
  'blob:',
  'file:',
  'about:',
  'vbscript:',
  'ftp:',
  'ws:',
  'wss:',
])
