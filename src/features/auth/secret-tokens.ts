import { createHash, randomBytes } from 'node:crypto'

/** A random token that somebody has to hand back; only its hash is stored. */
export function createSecretToken(): { token: string; hash: string } {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: hashSecretToken(token) }
}

/** A fast hash is enough: random tokens can't be found by trying. */
export function hashSecretToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
