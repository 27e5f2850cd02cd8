import path from 'node:path'
import { fileTypeFromBuffer } from 'file-type'
import sharp from 'sharp'

/** "500 KB" (contract §10). */
export const IMAGE_BYTES = 512_000
/** Larger ones are decompression bombs rather than photographs. */
const LARGEST_PIXELS = 25_000_000

/** Listed extensions and the type that each of their files must really be. */
const EXTENSIONS: Record<string, string> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
}
const FORMATS = new Set(['png', 'jpeg', 'gif', 'webp'])

export type CheckedImage =
  | { contentType: string; width: number; height: number }
  /** Why it is refused, for the person who uploaded it. */
  | { error: string }

/**
 * Accepts a file only if its name has a listed extension and its bytes are a whole image of a listed type,
 * whatever its declared type: the signature alone would let polyglots through, the decoder alone SVG.
 */
export async function checkImage(filename: string, bytes: Buffer, largest: number): Promise<CheckedImage> {
  if (!EXTENSIONS[path.extname(filename).toLowerCase()]) return { error: 'The file extension is not allowed' }
  if (bytes.length === 0) return { error: 'The file is empty' }
  if (bytes.length > largest) return { error: `The file is larger than ${Math.floor(largest / 1_024)} KB` }
  const sniffed = await fileTypeFromBuffer(bytes)
  if (!sniffed || !Object.values(EXTENSIONS).includes(sniffed.mime))
    return { error: 'The file is not an image of an allowed type' }
  try {
    const image = sharp(bytes, { limitInputPixels: LARGEST_PIXELS, failOn: 'error', pages: 1 })
    const { format, width, height } = await image.metadata()
    if (!FORMATS.has(format)) return { error: 'The file is not an image of an allowed type' }
    // Decodes it wholly: a header alone proves little.
    await image.stats()
    return { contentType: sniffed.mime, width, height }
  } catch {
    return { error: 'The image could not be read' }
  }
}
