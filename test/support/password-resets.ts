import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { SharedService } from './service.ts'

/** A reset as if its mail had been sent; answers the token of the link. */
export async function storeReset({ sql }: SharedService, userId: number, email: string): Promise<string> {
  const token = randomUUID()
  await sql`
    insert into password_resets (user_id, token_hash, requested_at, email)
    values (${userId}, encode(sha256(${token}::bytea), 'hex'), now(), ${email})`
  return token
}

/** The tokens of the links that were mailed to this address, the oldest first. */
export async function mailedTokens(
  { dataDir }: SharedService,
  address: string,
  page: 'reset_password' | 'confirm_address' = 'reset_password',
): Promise<string[]> {
  const mails = await mailsTo(dataDir, address)
  return mails.flatMap((mail) => new RegExp(`${page}\\?token=([\\w-]{43})`).exec(mail)?.[1] ?? [])
}

/** Every mail to this address, the oldest first. */
export async function mailsTo(dataDir: string, address: string): Promise<string[]> {
  const folder = path.join(dataDir, 'mail')
  const names = await readdir(folder).catch(() => [])
  const mails = await Promise.all(names.sort().map((name) => readFile(path.join(folder, name), 'utf8')))
  return mails
    .filter((mail) => mail.includes(`To: ${address}`))
    .map((mail) => mail.replaceAll('=\r\n', '').replaceAll('=3D', '='))
}

/** Follows the link and sets a new password. */
export function confirmReset(service: SharedService, token: string, status: number) {
  return service
    .guest()
    .post('/api/v01/account/password-reset/confirm', { token, new_password: 'a new password' }, status)
}
