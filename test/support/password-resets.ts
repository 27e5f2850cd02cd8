import { randomUUID } from 'node:crypto'
import type { SharedService } from './service.ts'

/** A reset as if its mail had been sent; answers the token of the link. */
export async function storeReset({ sql }: SharedService, userId: number, email: string): Promise<string> {
  const token = randomUUID()
  await sql`
    insert into password_resets (user_id, token_hash, requested_at, email)
    values (${userId}, encode(sha256(${token}::bytea), 'hex'), now(), ${email})`
  return token
}

/** Follows the link and sets a new password. */
export function confirmReset(service: SharedService, token: string, status: number) {
  return service
    .guest()
    .post('/api/v01/account/password-reset/confirm', { token, new_password: 'a new password' }, status)
}
