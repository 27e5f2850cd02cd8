import path from 'node:path'
import { fileTypeFromBuffer } from 'file-type'
import type { Asker } from '../../scheduling/fair-queue.ts'
import { decodeImage } from './decoding.ts'

/** "500 KB" in docs/protocol/http.md#limits. */
export const IMAGE_BYTES = 512_000

/** Accepted extensions, and the type that the file's content must have. */
const EXTENSIONS: Record<string, string> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
}

export type CheckedImage =
  | { contentType: string; width: number; height: number }
  /** Why it is refused, for the person who uploaded it. */
  | { error: string }

/**
 * Accepts a file only if its name has an accepted extension and its content is a complete image of an accepted type,
 * whatever type was declared. The signature alone would accept polyglots, the decoder alone SVG.
 */
export async function checkImage(
  filename: string,
  bytes: Buffer,
  largest: number,
  asker: Asker,
): Promise<CheckedImage> {
  if (!EXTENSIONS[path.extname(filename).toLowerCase()]) return { error: 'The file extension is not allowed' }
  if (bytes.length === 0) return { error: 'The file is empty' }
  if (bytes.length > largest) return { error: `The file is larger than ${Math.floor(largest / 1_024)} KB` }
  const sniffed = await fileTypeFromBuffer(bytes)
  if (!sniffed || !Object.values(EXTENSIONS).includes(sniffed.mime))
    return { error: 'The file is not an image of an allowed type' }
  const decoded = await decodeImage(bytes, asker)
  return 'error' in decoded ? decoded : { contentType: sniffed.mime, ...decoded }
}
