import type { paths } from '../generated/openapi.ts'

type LoginData = paths['/api/v01/auth/login']['post']['responses'][200]['content']['application/json']['data']

export type User = LoginData['user'] & { available_portals: LoginData['available_portals'] }

/** A session as it is kept: what lets its holder act as that person. */
export interface Grant {
  user: User
  accessToken: string
  refreshToken: string
  /** When the access token ends by this machine's clock, and how long it was good for when it came. */
  expiresAt: number
  lifetime: number
  /** When the refresh token came. */
  rotatedAt: number
}

/** So long before its end a token isn't used any more: a request may be under way, and clocks differ. */
const AHEAD_MS = 30_000

export function toGrant(data: LoginData, now: number): Grant {
  const lifetime = data.expires_in * 1_000
  return {
    user: { ...data.user, available_portals: data.available_portals },
    accessToken: data.access_token,
    refreshToken: data.refresh_token,
    expiresAt: now + lifetime,
    lifetime,
    rotatedAt: now,
  }
}

/** A token that has longer to go than it ever had means that the clock was set back: it isn't trusted. */
export function isFresh({ expiresAt, lifetime }: Grant, now: number): boolean {
  const left = expiresAt - now
  return left > Math.min(AHEAD_MS, lifetime / 2) && left <= lifetime
}
