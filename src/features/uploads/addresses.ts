import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Core } from '../../core.ts'

/** Seconds for which an address serves its file, at least; the end is rounded up so that browsers can cache it. */
const LIFETIME = 3_600

/** A time-limited signed address of a stored file, under `/files/` (contract §8); null for no file. */
export function fileUrl(core: Core, key: string | null): string | null {
  if (key === null) return null
  const now = Math.floor(core.clock() / 1_000)
  const expires = String(Math.ceil((now + LIFETIME) / LIFETIME) * LIFETIME)
  const path = key.split('/').map(encodeURIComponent).join('/')
  return `${core.config.publicUrl ?? ''}/files/${path}?expires=${expires}&signature=${sign(core, key, expires)}`
}

/** Whether this signature was made for this key and end, and the end has not come. */
export function isLiveAddress(core: Core, key: string, expires: string, signature: string): boolean {
  const expected = Buffer.from(sign(core, key, expires))
  const given = Buffer.from(signature)
  return (
    given.length === expected.length &&
    timingSafeEqual(given, expected) &&
    Number(expires) * 1_000 > core.clock()
  )
}

/** `expires` as the address says it, to the letter: an address with any of them changed is another one. */
function sign(core: Core, key: string, expires: string): string {
  return createHmac('sha256', core.fileSecret).update(`${expires}\n${key}`).digest('base64url')
}
