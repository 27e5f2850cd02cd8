import type { Role } from '../../schemas/auth.schemas.ts'

/** The claims of a session's tokens. */
export interface SessionClaims {
  userId: number
  role: Role
  sessionId: number
  /** Increases with each revocation of the session: a role change voids its older tokens and keeps the session. */
  generation: number
}

/** The claims of a new token. */
export interface IssuedClaims extends SessionClaims {
  /** The token ends with its session; null: that goes on for longer. */
  endsAt: Date | null
}

/** The claims of a verified token. `LiveSessions` knows whether its session has ended. */
export interface Claims extends SessionClaims {
  /** Seconds since the epoch. */
  expiresAt: number
}

/** `access` is the bearer token of clients, `web` the browser's cookie; neither is accepted as the other. */
export type TokenKind = 'access' | 'web'

/** Lifetimes in seconds (docs/protocol/http.md#signing-in). */
export const TOKEN_LIFETIME_SECONDS: Record<TokenKind, number> = { access: 3_600, web: 3 * 3_600 }
