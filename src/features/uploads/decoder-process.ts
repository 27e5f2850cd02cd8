/**
 * The program of a decoder process: one image in each message, one answer for each. It ends with the process that
 * started it.
 */
import { constants, setPriority } from 'node:os'
import sharp from 'sharp'
import type { Decoded } from './decoding.ts'

const LARGEST_PIXELS = 25_000_000
/** A longer image costs far more than its size, however thin it is. */
const LONGEST_SIDE = 12_000
const MOST_FRAMES = 500
const FORMATS = new Set(['png', 'jpeg', 'gif', 'webp'])

sharp.cache(false)
sharp.concurrency(1)
// Requests have a higher priority.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

process.on('disconnect', () => process.exit())
// A terminal sends them to the parent too, which ends this process when it is no longer needed.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
process.on('message', async (bytes: Uint8Array) => {
  process.send?.(await decode(bytes))
})

async function decode(bytes: Uint8Array): Promise<Decoded> {
  try {
    const image = sharp(bytes, { limitInputPixels: LARGEST_PIXELS, failOn: 'error', pages: 1 })
    const { format, width, height, pages = 1 } = await image.metadata()
    if (!FORMATS.has(format)) return { error: 'The file is not an image of an allowed type' }
    if (Math.max(width, height) > LONGEST_SIDE || pages > MOST_FRAMES)
      return { error: 'The image is too large' }
    // Reads every pixel: a valid header proves little.
    await image.resize(1, 1, { fit: 'fill', fastShrinkOnLoad: false }).raw().toBuffer()
    return { width, height }
  } catch {
    return { error: 'The image could not be read' }
  }
}
