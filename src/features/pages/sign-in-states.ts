import { randomBytes } from 'node:crypto'
import type { SignInChecks } from '../../adapters/oidc.ts'
import type { Core } from '../../core.ts'
import { perNode } from '../../per-node.ts'
import { deriveKeys } from '../../tokens/secrets.ts'

/** How long somebody may take to sign in at the provider. */
export const STATE_SECONDS = 600
/** Sign-ins that a browser may have under way: more cookies would make its requests too large. */
const MOST_STATES = 10
/** As it is in the cookie: one sign of some scripts is nine there. */
const LONGEST_PATH = 500
const PREFIX = 'oidc_'
/** Other names are no cookie of ours, and some of them could not be cleared. */
const COOKIE = /^oidc_[\w-]{43}$/
const TYPE = 'sign-in-state+jwt'

/** What a browser's sign-in was begun with, and the page that it leads to. */
export interface SignInState extends SignInChecks {
  next: string
}

/**
 * Sign-ins that are under way: each in a signed cookie of its own, so that tabs don't disturb one another, and any node
 * can end what another one began.
 */
export interface SignInStates {
  /** A new one, and its cookie. */
  begin(next: string): Promise<SignInState & { cookie: string; value: string }>
  /** The one that this browser began; undefined if it didn't, or too long ago. */
  read(state: string, cookies: Readonly<Record<string, string | undefined>>): Promise<SignInState | undefined>
}

const keysOf = perNode(({ jwtSecrets }) => deriveKeys(jwtSecrets, 'sign-in states'))

export function signInStates(core: Core): SignInStates {
  return {
    async begin(next) {
      const { SignJWT } = await import('jose')
      const [state, nonce, verifier] = [random(), random(), random()]
      const now = Math.floor(core.clock() / 1_000)
      const [key] = keysOf(core)
      const value = await new SignJWT({ state, nonce, verifier, next })
        .setProtectedHeader({ alg: 'HS256', typ: TYPE })
        .setExpirationTime(now + STATE_SECONDS)
        .sign(key)
      return { state, nonce, verifier, next, cookie: cookieOf(state), value }
    },
    async read(state, cookies) {
      const value = cookies[cookieOf(state)]
      if (value === undefined) return undefined
      const { jwtVerify } = await import('jose')
      const currentDate = new Date(core.clock())
      for (const key of keysOf(core))
        try {
          const { payload } = await jwtVerify<SignInState>(value, key, {
            algorithms: ['HS256'],
            typ: TYPE,
            requiredClaims: ['exp'],
            currentDate,
          })
          if (payload.state === state) return payload
        } catch {
          // Signed with another secret, by somebody else, or too old.
        }
      return undefined
    },
  }
}

export function cookieOf(state: string): string {
  return `${PREFIX}${state}`
}

/** The cookies of sign-ins under way that have to go so that there is room for one more. */
export function surplusStates(cookies: Readonly<Record<string, string | undefined>>): string[] {
  // Browsers send the oldest one of a path first.
  const names = Object.keys(cookies).filter((name) => COOKIE.test(name))
  return names.slice(0, Math.max(0, names.length - MOST_STATES + 1))
}

/** The path of this service that somebody wanted to open, whatever is asked for. */
export function readNext(next: unknown): string {
  const here = 'http://here.invalid'
  if (typeof next !== 'string' || !/^\/(?![/\\])/.test(next)) return '/'
  const url = URL.parse(next, here)
  // Two slashes may be left of `/.//`: that would be another host.
  if (url?.origin !== here || url.pathname.startsWith('//')) return '/'
  const path = `${url.pathname}${url.search}${url.hash}`
  return path.length <= LONGEST_PATH ? path : '/'
}

function random(): string {
  return randomBytes(32).toString('base64url')
}
