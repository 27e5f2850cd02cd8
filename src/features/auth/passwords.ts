import { hash, verify } from '@node-rs/argon2'
import type { PasswordCost } from '../../settings/config.ts'

/** By argon2id, the library's default. What a request asks for takes the gate's `passwords`, as in `verifyPassword`. */
export function hashPassword(cost: PasswordCost, password: string): Promise<string> {
  return hash(password, cost)
}

/** False without a stored hash: an unknown account, or one without a password. That takes as long as any check. */
export async function verifyPassword(
  cost: PasswordCost,
  stored: string | null | undefined,
  password: string,
): Promise<boolean> {
  if (stored != null) return verify(stored, password)
  await hash(password, cost)
  return false
}
