import type { Core } from '../../core.ts'
import { imageTypeOf, isImageType } from '../../formats/image-types.ts'
import type { Asker } from '../../scheduling/fair-queue.ts'
import { decodeImage, prepareImage } from './image-decoding.ts'

/** "500 KB" in docs/protocol/http.md#limits. */
export const IMAGE_BYTES = 512_000

export type CheckedImage =
  | { bytes: Buffer; contentType: string; width: number; height: number }
  /** Why it is refused, for the person who uploaded it. */
  | { error: string }

/**
 * Accepts a file only if its name has an accepted extension and its content is a complete image of an accepted type,
 * whatever type was declared. The signature alone would accept polyglots, the decoder alone SVG. What is answered is to
 * be stored: the file, or the image without what a camera wrote into it, such as its place.
 */
export async function checkImage(
  { gate }: Pick<Core, 'gate'>,
  filename: string,
  bytes: Buffer,
  largest: number,
  asker: Asker,
): Promise<CheckedImage> {
  if (!imageTypeOf(filename)) return { error: 'The file extension is not allowed' }
  if (bytes.length === 0) return { error: 'The file is empty' }
  if (bytes.length > largest) return { error: `The file is larger than ${Math.floor(largest / 1_024)} KB` }
  const { fileTypeFromBuffer } = await import('file-type')
  const sniffed = await fileTypeFromBuffer(bytes)
  if (!sniffed || !isImageType(sniffed.mime)) return { error: 'The file is not an image of an allowed type' }
  const decoded = await gate.decoding.run(asker, () => decodeImage(bytes))
  if ('error' in decoded) return decoded
  const { tellsMore, ...size } = decoded
  if (!tellsMore) return { bytes, contentType: sniffed.mime, ...size }
  const plain = await gate.decoding.run(asker, () => prepareImage(bytes, largest))
  if ('error' in plain)
    return { error: plain.error === 'too large' ? 'The image is too large' : 'The image could not be read' }
  return {
    bytes: Buffer.from(plain.bytes),
    contentType: sniffed.mime,
    width: plain.width,
    height: plain.height,
  }
}
