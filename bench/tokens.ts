import Fastify from 'fastify'
import { registerTokens, signToken } from '../src/http/caller-tokens.ts'
import type { SessionClaims } from '../src/tokens/tokens.ts'

/** Signs access tokens as the service with this secret does. */
export async function createTokenSigner(secret: string): Promise<(claims: SessionClaims) => string> {
  const app = Fastify()
  await registerTokens(app, { jwtSecrets: [secret] })
  await app.ready()
  return (claims) => signToken(app, 'access', { ...claims, endsAt: null }, { clock: Date.now })
}
