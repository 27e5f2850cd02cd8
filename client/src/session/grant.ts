import type { paths } from '../generated/openapi.ts'

type LoginData = paths['/api/v01/auth/login']['post']['responses'][200]['content']['application/json']['data']

export type User = LoginData['user'] & { available_portals: LoginData['available_portals'] }

/** A session as it is stored: the tokens of the signed-in person. */
export interface Grant {
  user: User
  accessToken: string
  refreshToken: string
  /** When the access token expires by this machine's clock, and its lifetime. */
  expiresAt: number
  lifetime: number
  /** When the refresh token was issued. */
  rotatedAt: number
}

/** A token isn't used any more this long before it expires: requests take time, and clocks differ. */
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

/** A token that would expire later than its lifetime allows is not used: the clock was set back. */
export function isFresh({ expiresAt, lifetime }: Grant, now: number): boolean {
  const left = expiresAt - now
  return left > Math.min(AHEAD_MS, lifetime / 2) && left <= lifetime
}
