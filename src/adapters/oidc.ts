import { setTimeout } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { createRemoteJWKSet, customFetch, type JWTPayload, jwtVerify } from 'jose'
import * as openid from 'openid-client'
import { Value } from 'typebox/value'
import { Email } from '../../schemas/auth.schemas.ts'
import { Text } from '../../schemas/common.ts'
import { AppError } from '../errors.ts'
import { foldCase } from '../formats/case-fold.ts'
import { isConfidential } from '../formats/loopback.ts'
import { shared } from '../scheduling/shared.ts'
import type { OidcSettings } from '../settings/oidc-settings.ts'
import { ProviderDown, readAnswer } from './provider-answers.ts'

/** Somebody whom the provider has identified. */
export interface ProviderIdentity {
  issuer: string
  /** Never changes at its issuer, unlike the address. */
  subject: string
  /** undefined: the provider named none, or none that an account could have. */
  email: string | undefined
  emailVerified: boolean
  name: string | undefined
  username: string | undefined
  /** undefined: the provider doesn't decide. */
  isAdmin: boolean | undefined
  /** What the provider calls its session. */
  sid: string | undefined
}

/** What a browser takes to the provider, and has to come back with. */
export interface SignInChecks {
  state: string
  nonce: string
  verifier: string
}

/** A code that an app got from the provider. */
export interface AppCode {
  code: string
  verifier: string
  redirectUri: string
  nonce: string
}

/** An OpenID Connect provider. What can't be reached is 503 `identity_provider_down`. */
export interface Oidc {
  settings: OidcSettings
  /** Where a browser goes to sign in. */
  startSignIn(redirectUri: string, checks: SignInChecks): Promise<URL>
  /** The person who came back to `answered`, the whole address; 403 `oidc_denied`, 401 `oidc_failed`. */
  finishSignIn(answered: URL, checks: SignInChecks): Promise<ProviderIdentity>
  /** 401 `oidc_failed` */
  redeemCode(code: AppCode): Promise<ProviderIdentity>
  /** Whom the provider signs out: a person, or one of its sessions. undefined: the token is not valid. */
  readLogoutToken(token: string): Promise<LogoutOrder | undefined>
  /** The provider's page for signing out, which leads back to `returnTo`; undefined if it has none or is away. */
  endSessionUrl(returnTo: string): Promise<string | undefined>
}

export interface LogoutOrder {
  issuer: string
  subject: string | undefined
  sid: string | undefined
}

/** Seconds that each call may take. */
const TIMEOUT_SECONDS = 10
/** How long the provider's description of itself and its keys are kept: replaced keys are known after that. */
const FRESH_MS = 60_000
/** How long a sign-out here waits for the address at which one signs out at the provider. */
const LEAVING_MS = 2_000
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** How old a logout token may be. */
const LOGOUT_TOKEN_AGE = '10m'
/** Algorithms with public keys only: with others, anybody who has the provider's public key could sign. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]
const Subject = Text(1, 255)

/** The provider as it described itself. */
interface Discovery {
  config: openid.Configuration
  keys: ReturnType<typeof createRemoteJWKSet>
  readAt: number
}

export function createOidc(settings: OidcSettings, clock: () => number, log: FastifyBaseLogger): Oidc {
  let described: Discovery | undefined
  /** So that the log has the beginning and the end of an outage once. */
  let isDown = false
  const discoverOnce = shared(() => discover(settings, clock()))

  /** Reads it anew when it isn't fresh. */
  async function describe(): Promise<Discovery> {
    if (described && clock() - described.readAt < FRESH_MS) return described
    described = await discoverOnce()
    if (isDown) log.info('the identity provider answers again')
    isDown = false
    return described
  }

  /** Calls the provider; what goes wrong is told to the log, without codes and tokens, and to nobody else. */
  async function ask<T>(work: (provider: Discovery) => Promise<T>): Promise<T> {
    let provider: Discovery
    try {
      provider = await describe()
    } catch (error) {
      if (!isDown) log.warn(reasonOf(error), 'the identity provider could not be asked what it is')
      isDown = true
      throw providerDown()
    }
    try {
      return await work(provider)
    } catch (error) {
      if (error instanceof AppError) throw error
      const failure = isAway(error) ? providerDown() : new AppError('oidc_failed')
      log.warn({ code: failure.code, ...reasonOf(error) }, 'a sign-in by the identity provider failed')
      throw failure
    }
  }

  async function identify({ config }: Discovery, tokens: Tokens): Promise<ProviderIdentity> {
    const claims = tokens.claims()
    if (!claims || !Value.Check(Subject, claims.sub)) throw new AppError('oidc_failed')
    if (claims.azp !== undefined && claims.azp !== settings.clientId) throw new AppError('oidc_failed')
    const more =
      config.serverMetadata().userinfo_endpoint === undefined
        ? {}
        : await openid.fetchUserInfo(config, tokens.access_token, claims.sub)
    return { issuer: claims.iss, subject: claims.sub, ...readPerson(claims, more, settings) }
  }

  return {
    settings,
    startSignIn: (redirectUri, { state, nonce, verifier }) =>
      ask(async ({ config }) => {
        const isPushed = config.serverMetadata().require_pushed_authorization_requests === true
        const build = isPushed ? openid.buildAuthorizationUrlWithPAR : openid.buildAuthorizationUrl
        return build(config, {
          redirect_uri: redirectUri,
          scope: settings.scopes,
          state,
          nonce,
          code_challenge: await openid.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        })
      }),
    finishSignIn: (answered, { state, nonce, verifier }) =>
      ask(async (provider) => {
        const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier }
        const tokens = await openid
          .authorizationCodeGrant(provider.config, answered, { ...checks, idTokenExpected: true })
          .catch((error: unknown) => {
            throw isRefusal(error) ? new AppError('oidc_denied') : error
          })
        return identify(provider, tokens)
      }),
    redeemCode: ({ code, verifier, redirectUri, nonce }) =>
      ask(async (provider) => {
        // The parts are given one by one: an address that was parsed could be spelt differently than at the provider.
        const tokens = await openid.genericGrantRequest(provider.config, 'authorization_code', {
          code,
          code_verifier: verifier,
          redirect_uri: redirectUri,
        })
        if (tokens.claims()?.nonce !== nonce) throw new AppError('oidc_failed')
        return identify(provider, tokens)
      }),
    readLogoutToken: (token) =>
      ask(async ({ config, keys }) => {
        try {
          const { issuer } = config.serverMetadata()
          const { payload } = await jwtVerify(token, keys, {
            issuer,
            audience: settings.clientId,
            algorithms: ALGORITHMS,
            requiredClaims: ['iat', 'jti', 'events'],
            maxTokenAge: LOGOUT_TOKEN_AGE,
            clockTolerance: '30s',
          })
          return readOrder(issuer, payload)
        } catch (error) {
          if (isAway(error)) throw error
          return undefined
        }
      }),
    async endSessionUrl(returnTo) {
      const late = setTimeout(LEAVING_MS, undefined, { ref: false })
      const provider = described ?? (await Promise.race([describe().catch(() => undefined), late]))
      if (provider?.config.serverMetadata().end_session_endpoint === undefined) return undefined
      return openid.buildEndSessionUrl(provider.config, { post_logout_redirect_uri: returnTo }).href
    },
  }
}

type Tokens = openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers

async function discover(settings: OidcSettings, readAt: number): Promise<Discovery> {
  const { issuer, clientId, clientSecret } = settings
  const url = new URL(issuer)
  const config = await openid.discovery(url, clientId, {}, authenticate(clientSecret), {
    timeout: TIMEOUT_SECONDS,
    [openid.customFetch]: readAnswer,
    // By default the library believes what came by TLS, whoever signed it.
    execute: [
      openid.enableNonRepudiationChecks,
      ...(url.protocol === 'http:' ? [openid.allowInsecureRequests] : []),
    ],
  })
  const metadata = config.serverMetadata()
  // Browsers are sent to these.
  for (const address of [metadata.authorization_endpoint, metadata.end_session_endpoint])
    if (address !== undefined && !isConfidential(new URL(address)))
      throw new ProviderDown(`${address} is neither https nor on this machine`)
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri ?? ''), {
    timeoutDuration: TIMEOUT_SECONDS * 1_000,
    [customFetch]: readAnswer,
  })
  return { config, keys, readAt }
}

/** As the provider prefers; `client_secret_basic` unless it says that it takes another one only. */
function authenticate(secret: string | undefined): openid.ClientAuth {
  if (secret === undefined) return openid.None()
  const [basic, post] = [basicAuth(secret), openid.ClientSecretPost(secret)]
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported
    const byBody = methods?.includes('client_secret_post') && !methods.includes('client_secret_basic')
    return (byBody ? post : basic)(server, ...rest)
  }
}

/**
 * The library also encodes characters that need no encoding, such as hyphens: providers that don't decode what they get
 * would not know who asks.
 */
function basicAuth(secret: string): openid.ClientAuth {
  return (_server, { client_id: id }, _body, headers) => {
    const credentials = [id, secret].map((text) => encodeURIComponent(text).replaceAll('%20', '+')).join(':')
    headers.set('authorization', `Basic ${btoa(credentials)}`)
  }
}

type ProviderClaims = Readonly<Record<string, unknown>>

function readPerson(
  idToken: ProviderClaims,
  userInfo: ProviderClaims,
  { admins, emailDomains }: OidcSettings,
) {
  const [first, other] = idToken.email === undefined ? [userInfo, idToken] : [idToken, userInfo]
  const email = Value.Check(Email, first.email) ? first.email : undefined
  const said = first.email_verified ?? (other.email === first.email ? other.email_verified : undefined)
  const domain = foldCase(email?.split('@').at(-1) ?? '')
  return {
    email,
    emailVerified: said === true || (said === undefined && emailDomains.includes(domain)),
    name: textOf(idToken.name ?? userInfo.name),
    username: textOf(idToken.preferred_username ?? userInfo.preferred_username),
    isAdmin: admins && (hasClaim(idToken, admins) || hasClaim(userInfo, admins)),
    sid: sidOf(idToken.sid),
  }
}

/** Whether a claim is this text, or a list that has it; a list within it, or an object, is no text, whatever it says. */
function hasClaim(claims: ProviderClaims, { claim, value }: NonNullable<OidcSettings['admins']>): boolean {
  const given = claims[claim]
  return (Array.isArray(given) ? given : [given]).some(
    (each) => SCALARS.has(typeof each) && String(each) === value,
  )
}

const SCALARS = new Set(['string', 'number', 'boolean'])

function readOrder(issuer: string, { sub, sid, nonce, events }: JWTPayload): LogoutOrder | undefined {
  const event = (events as ProviderClaims | null)?.[LOGOUT_EVENT]
  const isLogout = typeof event === 'object' && event !== null
  // A nonce would make it an ID token.
  if (!isLogout || nonce !== undefined) return undefined
  const order = { issuer, subject: Value.Check(Subject, sub) ? sub : undefined, sid: sidOf(sid) }
  return order.subject === undefined && order.sid === undefined ? undefined : order
}

function sidOf(sid: unknown): string | undefined {
  return Value.Check(Subject, sid) ? sid : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function providerDown(): AppError {
  return new AppError('identity_provider_down', { retryAfter: 5 })
}

/** Whether the provider, or somebody there, said no. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof openid.AuthorizationResponseError &&
    ['access_denied', 'consent_required', 'login_required', 'interaction_required'].includes(error.error)
  )
}

function isAway(error: unknown): boolean {
  return error instanceof ProviderDown || (error instanceof Error && isAway(error.cause))
}

/** What went wrong, without the provider's answer. */
function reasonOf(error: unknown): { reason: string; said?: string } {
  if (!(error instanceof Error)) return { reason: String(error) }
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  const said =
    error instanceof openid.ResponseBodyError || error instanceof openid.AuthorizationResponseError
      ? { said: error.error.slice(0, 100) }
      : {}
  return { reason: `${error.message}${cause}`, ...said }
}
