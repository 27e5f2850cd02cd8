import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { OAuth2Client } from 'google-auth-library'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'

/** Somebody as the identity provider vouches for them. */
export interface GoogleIdentity {
  /** Theirs for ever, unlike their address. */
  subject: string
  email: string
  emailVerified: boolean
  name: string | undefined
}

export interface Google {
  /** undefined for a token that is not valid, not the provider's or not for us; 503 `unavailable` without its keys. */
  verify(idToken: string): Promise<GoogleIdentity | undefined>
}

const ISSUERS = ['accounts.google.com', 'https://accounts.google.com']
/** For each of the library's four tries. */
const TIMEOUT_MS = 2_000

/** undefined without GOOGLE_CLIENT_ID. */
export function createGoogle({ googleClientIds, googleCertsUrl }: Config): Google | undefined {
  if (googleClientIds.length === 0) return undefined
  const client = new OAuth2Client({
    ...(googleCertsUrl === undefined
      ? {}
      : { endpoints: { oauth2FederatedSignonPemCertsUrl: googleCertsUrl } }),
    transporterOptions: { timeout: TIMEOUT_MS },
  })
  return {
    async verify(idToken) {
      const keys = await readKeys(client)
      try {
        const ticket = await client.verifySignedJwtWithCertsAsync(idToken, keys, googleClientIds, ISSUERS)
        const { sub, email, email_verified, name } = ticket.getPayload() ?? {}
        return sub && email
          ? { subject: sub, email, emailVerified: email_verified === true, name }
          : undefined
      } catch {
        // The library has no error types: whatever it complains about is the token.
        return undefined
      }
    },
  }
}

/** The provider's public keys by id, fetched and remembered by the library. */
async function readKeys(client: OAuth2Client): Promise<Record<string, string>> {
  try {
    const { certs } = await client.getFederatedSignonCertsAsync()
    // The library reads PEM under Node; a URL that serves a JWK set does as well.
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
