import jwt from '@fastify/jwt'
import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Role } from '../../schemas/auth.schemas.ts'
import type { Core } from '../core.ts'
import { perNode } from '../per-node.ts'
import { type Claims, type IssuedClaims, TOKEN_LIFETIME_SECONDS, type TokenKind } from '../tokens/tokens.ts'

interface Payload {
  sub: string
  role: Role
  sid: number
  gen: number
  iat: number
  exp: number
}

declare module '@fastify/jwt' {
  interface FastifyJWT {
    namespaces: TokenKind
    payload: Payload
  }
}

const ISSUER = 'exam-practice'
/** Tokens of each kind that a node remembers. */
const REMEMBERED = 50_000

/**
 * Tokens whose signatures were verified. The library has such a cache too, but looks up each token by its SHA-256,
 * which costs most of a verification.
 */
const rememberedBy = perNode(
  (): Record<TokenKind, LRUCache<string, Claims>> => ({
    access: new LRUCache({ max: REMEMBERED }),
    web: new LRUCache({ max: REMEMBERED }),
  }),
)

/** Adds `app.jwt.access` and `app.jwt.web`: each one signs and accepts tokens of its own kind only. */
export async function registerTokens(
  app: FastifyInstance,
  { jwtSecrets: [secret = ''] }: Pick<Core, 'jwtSecrets'>,
): Promise<void> {
  for (const kind of ['access', 'web'] as const) {
    const typ = `${kind}+jwt`
    const audience = `${ISSUER}:${kind}`
    await app.register(jwt, {
      namespace: kind,
      secret,
      sign: { algorithm: 'HS256', header: { alg: 'HS256', typ }, iss: ISSUER, aud: audience },
      verify: {
        algorithms: ['HS256'],
        allowedIss: ISSUER,
        allowedAud: audience,
        checkTyp: typ,
        requiredClaims: ['iss', 'aud', 'sub', 'exp'],
        // `verifyToken` checks the expiry with the injected clock, for cached tokens too.
        ignoreExpiration: true,
      },
    })
  }
}

export function signToken(
  app: FastifyInstance,
  kind: TokenKind,
  claims: IssuedClaims,
  { clock }: Pick<Core, 'clock'>,
): string {
  const issuedAt = Math.floor(clock() / 1_000)
  return app.jwt[kind].sign({
    sub: String(claims.userId),
    role: claims.role,
    sid: claims.sessionId,
    gen: claims.generation,
    iat: issuedAt,
    exp: issuedAt + lifetimeOf(kind, claims, issuedAt),
  })
}

/** The fields of an answer with an access token. */
export function issueAccessToken(app: FastifyInstance, core: Core, claims: IssuedClaims) {
  return {
    access_token: signToken(app, 'access', claims, core),
    token_type: 'Bearer' as const,
    expires_in: lifetimeOf('access', claims, Math.floor(core.clock() / 1_000)),
  }
}

/** Seconds for which a token is valid that is made `now`. */
function lifetimeOf(kind: TokenKind, { endsAt }: IssuedClaims, now: number): number {
  const usual = TOKEN_LIFETIME_SECONDS[kind]
  return endsAt === null ? usual : Math.max(0, Math.min(usual, Math.floor(endsAt.getTime() / 1_000) - now))
}

/** The token's claims; undefined unless it is a token of this kind that has not expired. */
export function verifyToken(
  app: FastifyInstance,
  kind: TokenKind,
  token: string,
  core: Core,
): Claims | undefined {
  const claims = readClaims(app, kind, token, core)
  return claims && claims.expiresAt * 1_000 > core.clock() ? claims : undefined
}

/** The claims of a token with a valid signature, expired or not. */
function readClaims(app: FastifyInstance, kind: TokenKind, token: string, core: Core): Claims | undefined {
  const remembered = rememberedBy(core)[kind]
  const known = remembered.get(token)
  if (known) return known
  const payload = verifySignature(app, kind, token, core)
  if (typeof payload?.exp !== 'number') return undefined
  const claims = {
    userId: Number(payload.sub),
    role: payload.role,
    sessionId: payload.sid,
    generation: payload.gen,
    expiresAt: payload.exp,
  }
  remembered.set(token, claims)
  return claims
}

/** Tries the current secret, then the older ones. */
function verifySignature(
  app: FastifyInstance,
  kind: TokenKind,
  token: string,
  { jwtSecrets: [, ...replaced] }: Core,
): Payload | undefined {
  const verifier = app.jwt[kind]
  for (const key of [undefined, ...replaced])
    try {
      return key === undefined ? verifier.verify<Payload>(token) : verifier.verify<Payload>(token, { key })
    } catch {
      // Every invalid token throws, some with undocumented errors.
    }
  return undefined
}

/** A scheme in any case, then the token. Node has trimmed the header. */
const BEARER = /^bearer(?![^ ]) *([^ ]*)/i

/** The bearer token of a header; '' if it is empty, undefined if there is none. */
export function bearerToken(authorization = ''): string | undefined {
  return BEARER.exec(authorization)?.[1]
}
