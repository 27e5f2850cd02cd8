import { createSigner, createVerifier } from 'fast-jwt'
import type { Role } from '../schemas/auth.ts'

/** What a verified token says of its bearer. Whether its session still stands, revocations tell. */
export interface Claims {
  userId: number
  role: Role
  sessionId: number
  /** Counts a session's revocations: a role change makes its older tokens void and keeps the session. */
  generation: number
  /** Seconds since the epoch. */
  expiresAt: number
}

/** `access` is the bearer token of clients, `web` the browser's cookie: neither stands in for the other. */
export type TokenKind = 'access' | 'web'

/** Lifetimes in seconds (specification: Limits). */
export const TOKEN_LIFETIME: Record<TokenKind, number> = { access: 3_600, web: 3 * 3_600 }

const ISSUER = 'exam-practice'
/** Verified tokens that are remembered; each saves two thirds of its verification. */
const CACHE_SIZE = 5_000

export interface Tokens {
  sign(kind: TokenKind, claims: Omit<Claims, 'expiresAt'>): string
  /** undefined for anything but a live token of this kind, whatever is wrong with it. */
  verify(kind: TokenKind, token: string): Claims | undefined
}

/**
 * Signs with the first secret and verifies with all, so that a secret can be rotated without
 * signing anybody out. `clock` gives milliseconds.
 */
export function createTokens(secrets: readonly string[], clock: () => number): Tokens {
  const [signingSecret] = secrets
  if (signingSecret === undefined) throw new Error('createTokens needs a secret')
  const kinds = {
    access: createKind('access', signingSecret, secrets, clock),
    web: createKind('web', signingSecret, secrets, clock),
  }
  return {
    sign: (kind, claims) => kinds[kind].sign(claims),
    verify: (kind, token) => kinds[kind].verify(token),
  }
}

function createKind(kind: TokenKind, signingSecret: string, secrets: readonly string[], clock: () => number) {
  const typ = `${kind}+jwt`
  const audience = `${ISSUER}:${kind}`
  const sign = createSigner({
    key: signingSecret,
    algorithm: 'HS256',
    header: { alg: 'HS256', typ },
    iss: ISSUER,
    aud: audience,
  })
  const verifiers = secrets.map((key) =>
    createVerifier({
      key,
      algorithms: ['HS256'],
      allowedIss: ISSUER,
      allowedAud: audience,
      checkTyp: typ,
      requiredClaims: ['iss', 'aud', 'sub', 'exp'],
      // The injected clock decides below, for remembered tokens too.
      ignoreExpiration: true,
      cache: CACHE_SIZE,
    }),
  )
  return {
    sign(claims: Omit<Claims, 'expiresAt'>): string {
      const issuedAt = Math.floor(clock() / 1_000)
      return sign({
        sub: String(claims.userId),
        role: claims.role,
        sid: claims.sessionId,
        gen: claims.generation,
        iat: issuedAt,
        exp: issuedAt + TOKEN_LIFETIME[kind],
      })
    },
    verify(token: string): Claims | undefined {
      for (const verify of verifiers) {
        const payload = attempt(() => verify(token))
        if (payload === undefined) continue
        if (typeof payload.exp !== 'number' || payload.exp * 1_000 <= clock()) return undefined
        return {
          userId: Number(payload.sub),
          role: payload.role,
          sessionId: payload.sid,
          generation: payload.gen,
          expiresAt: payload.exp,
        }
      }
      return undefined
    },
  }
}

/** fast-jwt throws for every kind of bad token, some of them with undocumented errors: all mean the same here. */
function attempt<T>(verify: () => T): T | undefined {
  try {
    return verify()
  } catch {
    return undefined
  }
}
