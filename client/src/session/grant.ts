import type { paths } from '../generated/openapi.ts'

type LoginData = paths['/api/v01/auth/login']['post']['responses'][200]['content']['application/json']['data']

export type User = LoginData['user'] & { available_portals: LoginData['available_portals'] }

/** A session as it is stored: the tokens of the signed-in person. */
export interface Grant {
  user: User
  /** Names the account's stay on this machine: the same until a logout or another account's sign-in. */
  stay: string
  accessToken: string
  refreshToken: string
  /** When the access token expires by this machine's clock. */
  expiresAt: number
  /** How long the access token lives, from its first moment on. */
  lifetimeMs: number
  /** When the refresh token was issued. */
  rotatedAt: number
}

/** A token isn't used any more this long before it expires: requests take time, and clocks differ. */
const AHEAD_MS = 30_000

export function toGrant(data: LoginData, stay: string, now: number): Grant {
  return {
    stay,
    user: { ...data.user, available_portals: data.available_portals },
    accessToken: data.access_token,
    refreshToken: data.refresh_token,
    rotatedAt: now,
    ...expiryOf(data, now),
  }
}

export function expiryOf({ expires_in }: { expires_in: number }, now: number) {
  const lifetimeMs = expires_in * 1_000
  return { expiresAt: now + lifetimeMs, lifetimeMs }
}

/** A token that would expire later than its lifetime allows is not used: the clock was set back. */
export function isFresh({ expiresAt, lifetimeMs }: Grant, now: number): boolean {
  const left = expiresAt - now
  return left > Math.min(AHEAD_MS, lifetimeMs / 2) && left <= lifetimeMs
}
