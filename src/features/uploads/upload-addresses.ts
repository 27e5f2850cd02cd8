import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Core } from '../../core.ts'
import { encodePath } from '../../formats/percent.ts'
import { isImageKey } from './upload-keys.ts'

/** The shortest time for which an address is valid; its end is rounded up so that browsers can cache the file. */
const LIFETIME_SECONDS = 3_600

/** The name and the type under which a browser saves a file. Without them it is an image. */
export interface SavedAs {
  name: string
  type: string
}

/**
 * A time-limited signed address of a stored file, under `/files/` (docs/protocol/http.md#questions); null for
 * no file.
 */
export function fileUrl(core: Core, key: string | null, saved?: SavedAs): string | null {
  if (key === null) return null
  const expires = String(expiryOf(core))
  const path = encodePath(key)
  const [signingKey] = core.fileKeys
  const query = new URLSearchParams({
    expires,
    ...saved,
    signature: sign(signingKey, { key, expires, ...saved }),
  })
  return `${core.config.publicUrl ?? ''}/files/${path}?${query}`
}

/** When addresses of now expire, in seconds since the epoch: until the next one, a file's address stays the same. */
export function expiryOf(core: Core): number {
  const now = Math.floor(core.clock() / 1_000)
  return Math.ceil((now + LIFETIME_SECONDS) / LIFETIME_SECONDS) * LIFETIME_SECONDS
}

/**
 * The address of a question's `image_path`; null if that is no key of a question image, so that no other file can be
 * read by naming it there.
 */
export function questionImageUrl(core: Core, imagePath: string | null): string | null {
  return imagePath !== null && isImageKey(imagePath) ? fileUrl(core, imagePath) : null
}

/** What an address is signed for. `expires` is signed exactly as it is written there. */
interface SignedAddress extends Partial<SavedAs> {
  key: string
  expires: string
}

/** Whether the signature is that of these parts, and the end is in the future. */
export function isLiveAddress(core: Core, signed: SignedAddress, signature: string): boolean {
  const given = Buffer.from(signature)
  const isOurs = core.fileKeys.some((fileKey) => {
    const expected = Buffer.from(sign(fileKey, signed))
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  return isOurs && Number(signed.expires) * 1_000 > core.clock()
}

function sign(fileKey: Buffer, { key, expires, name, type }: SignedAddress): string {
  const parts = [expires, key, ...(name === undefined ? [] : [name, type])]
  return createHmac('sha256', fileKey).update(parts.join('\n')).digest('base64url')
}
