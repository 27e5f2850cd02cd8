import { createHash, randomBytes } from 'node:crypto'

/** A token that nobody can guess, for somebody to hand back; only its hash is kept. */
export function createSecretToken(): { token: string; hash: string } {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: hashSecretToken(token) }
}

/** A plain hash is enough: there are too many such tokens to try. */
export function hashSecretToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
