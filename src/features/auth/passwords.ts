import { hash, verify } from '@node-rs/argon2'

/** OWASP's parameters for argon2id, the library's default algorithm; memory in KiB. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** What a request asks for takes the gate's `passwords`, here and in `verifyPassword`. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, OPTIONS)
}

/** False without a stored hash: an unknown account, or one without a password. That takes as long as any check. */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  const matches = await verify(stored ?? (await absent), password)
  return matches && stored != null
}

/** A hash that no password matches, for checks that must take the same time. */
const absent = hash(crypto.randomUUID(), OPTIONS)
