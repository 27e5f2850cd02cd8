import type { Core } from '../core.ts'

/** The web session's cookie (docs/protocol/http.md#signing-in). */
export const SESSION_COOKIE = 'session'

/** Set if this browser's desk has tokens of its own, which may outlive the session. */
export const DESK_COOKIE = 'desk'
/** Its value if these tokens came by the OpenID Connect provider. */
export const BY_PROVIDER = 'provider'

/** The page that somebody without a session wanted to open. */
export const NEXT_COOKIE = 'next'

/** How each of these cookies is set, and cleared. */
export function cookieOptions({ config: { production, publicUrl = '' } }: Pick<Core, 'config'>) {
  const secure = production || /^https:/i.test(publicUrl)
  return { path: '/', httpOnly: true, sameSite: 'lax', secure } as const
}
