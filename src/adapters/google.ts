import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { OAuth2Client } from 'google-auth-library'
import { decodeProtectedHeader } from 'jose'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { Email } from '../../schemas/auth.schemas.ts'
import { Text } from '../../schemas/common.ts'
import { AppError } from '../errors.ts'
import { shared } from '../scheduling/shared.ts'
import type { Config } from '../settings/config.ts'

/** Somebody whom the identity provider has identified. */
export interface GoogleIdentity {
  /** Never changes, unlike the address. */
  subject: string
  email: string
  emailVerified: boolean
  name: string | undefined
}

export interface Google {
  /**
   * undefined if the token is not valid, not the provider's, not for this service, not given to one of its apps
   * (`azp`), without the `nonce` that the app asked for, or without an address; 503 `unavailable` if the provider's
   * keys can't be read.
   */
  verify(idToken: string, nonce?: string): Promise<GoogleIdentity | undefined>
}

/** The claims that an account is made from; nothing else in the token is relied on. */
const Claims = Type.Object({
  sub: Text(1, 255),
  email: Email,
  email_verified: Type.Optional(Type.Unknown()),
  name: Type.Optional(Type.Unknown()),
  azp: Type.Optional(Type.Unknown()),
  nonce: Type.Optional(Type.Unknown()),
})

const ISSUERS = ['accounts.google.com', 'https://accounts.google.com']
/** For each of the four tries that the library makes. */
const TIMEOUT_MS = 2_000

export function createGoogle({ googleClientIds, googleCertsUrl }: Config): Google {
  const client = new OAuth2Client({
    ...(googleCertsUrl === undefined
      ? {}
      : { endpoints: { oauth2FederatedSignonPemCertsUrl: googleCertsUrl } }),
    transporterOptions: { timeout: TIMEOUT_MS },
  })
  const readKeysOnce = shared(() => readKeys(client))
  return {
    async verify(idToken, nonce) {
      if (!isToken(idToken)) return undefined
      const keys = await readKeysOnce()
      try {
        const ticket = await client.verifySignedJwtWithCertsAsync(idToken, keys, googleClientIds, ISSUERS)
        const claims: unknown = ticket.getPayload()
        if (!Value.Check(Claims, claims)) return undefined
        const { sub, email, email_verified, name, azp } = claims
        if (azp !== undefined && !googleClientIds.some((id) => id === azp)) return undefined
        if (nonce !== undefined && claims.nonce !== nonce) return undefined
        return {
          subject: sub,
          email,
          emailVerified: email_verified === true,
          name: typeof name === 'string' ? name : undefined,
        }
      } catch {
        // The library has no error types: every error is taken for a bad token.
        return undefined
      }
    },
  }
}

/** Anything else is refused without the provider, which may be away. */
function isToken(text: string): boolean {
  try {
    decodeProtectedHeader(text)
    return true
  } catch {
    return false
  }
}

/** The provider's public keys by id, fetched and remembered by the library. */
async function readKeys(client: OAuth2Client): Promise<Record<string, string>> {
  try {
    const { certs } = await client.getFederatedSignonCertsAsync()
    // Under Node the library expects PEM; some addresses answer a JWK set.
    const set: { keys?: (JsonWebKey & { kid: string })[] } = certs
    if (!Array.isArray(set.keys)) return certs as Record<string, string>
    return Object.fromEntries(
      set.keys.map((key) => [
        key.kid,
        createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString(),
      ]),
    )
  } catch (error) {
    throw new AppError('unavailable', { retryAfter: 5, cause: error })
  }
}
