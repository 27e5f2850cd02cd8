import { createHmac, timingSafeEqual } from 'node:crypto'
import { deriveKeys } from './secrets.ts'

/** The content of a refresh token, which its MAC proves. */
export interface RefreshClaims {
  sessionId: number
  /** When the session began, in milliseconds: after a database was created anew, ids are used again. */
  startedAt: number
  /** The number of the session's refresh token, from 0 on. */
  generation: number
}

/**
 * Refresh tokens are computed, not stored: with the secrets a session's next token can be computed again, and every
 * token that was given out can be recognised.
 */
export interface RefreshTokens {
  make(claims: RefreshClaims): string
  /** undefined if this service has not made it. */
  read(token: string): RefreshClaims | undefined
}

/** `12.1795285339973.3.` and 32 bytes of MAC */
const TOKEN = /^([1-9]\d{0,9})\.(\d{1,15})\.(\d{1,10})\.([\w-]{43})$/

/**
 * Makes tokens with the first secret and reads those of all secrets, so that a secret can be replaced without signing
 * anybody out.
 */
export function createRefreshTokens(secrets: readonly string[]): RefreshTokens {
  const keys = deriveKeys(secrets, 'refresh tokens')
  const [signingKey] = keys
  return {
    make({ sessionId, startedAt, generation }) {
      const said = `${sessionId}.${startedAt}.${generation}`
      return `${said}.${macOf(signingKey, said).toString('base64url')}`
    },
    read(token) {
      const [, sessionId, startedAt, generation, mac = ''] = TOKEN.exec(token) ?? []
      const said = `${sessionId}.${startedAt}.${generation}`
      const given = Buffer.from(mac, 'base64url')
      const isOurs = given.length === 32 && keys.some((key) => timingSafeEqual(macOf(key, said), given))
      if (!isOurs) return undefined
      return {
        sessionId: Number(sessionId),
        startedAt: Number(startedAt),
        generation: Number(generation),
      }
    },
  }
}

function macOf(key: Buffer, said: string): Buffer {
  return createHmac('sha256', key).update(said).digest()
}
