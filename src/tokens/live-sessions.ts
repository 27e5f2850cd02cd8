import type { Claims } from './tokens.ts'

export type RevokedListener = (sessionId: number, minGeneration: number) => void

/**
 * Tells whether a verified token is still valid, without asking the database. On every node a token is invalid within a
 * second after its session has ended, even if the bus is away (features/auth/session-watch.ts).
 */
export interface LiveSessions {
  /** Whether the token's session and role are still the same. */
  isValid(claims: Claims): boolean
  onRevoked(listener: RevokedListener): void
  close(): Promise<void>
}
