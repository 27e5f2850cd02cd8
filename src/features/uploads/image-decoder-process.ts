/**
 * The program of a decoder process: it says that it is ready, then takes one image in each message and gives one answer
 * for each. It ends with the process that started it.
 */
import { constants, setPriority } from 'node:os'
import sharp, { type FormatEnum, type Sharp } from 'sharp'
import type { DecodedImage, Order, PreparedImage } from './image-decoding.ts'

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
process.on('message', async (order: Order) => {
  process.send?.(await (order.task === 'check' ? decode(order.bytes) : prepare(order)))
})

/** Longest side of a preview. */
const PREVIEW_SIDE = 400
const QUALITIES = [90, 75, 60, 40, 20]
/** How each format is written; if that makes too large a file, as the next one says. */
const SETTINGS = {
  png: [{}, { adaptiveFiltering: true }, { palette: true }],
  jpeg: QUALITIES.map((quality) => ({ quality })),
  gif: [{ effort: 1 }],
  webp: QUALITIES.map((quality) => ({ quality, effort: 2 })),
}
/** Texts in a PNG that tell nothing of a person or a place. */
const HARMLESS = new Set(['Software'])

/**
 * Encodes an image anew: turned as it is meant to be seen, with its animation, and with nothing that the decoder
 * doesn't show. Its quality is as good as `largest` allows.
 */
async function prepare({ bytes, largest }: Extract<Order, { task: 'prepare' }>): Promise<PreparedImage> {
  try {
    const options = { limitInputPixels: LARGEST_PIXELS, failOn: 'error' as const }
    const {
      format,
      width,
      height,
      pages = 1,
      isPalette,
      bitsPerSample = 8,
    } = await sharp(bytes, { limitInputPixels: false, pages: 1 }).metadata()
    if (!(format in SETTINGS)) return { error: 'no image' }
    const pixels = width * height * pages
    if (Math.max(width, height) > LONGEST_SIDE || pages > MOST_FRAMES || pixels > LARGEST_PIXELS)
      return { error: 'too large' }
    const known = format as keyof typeof SETTINGS
    const settings =
      known === 'png' && isPalette
        ? [{ palette: true, colours: 2 ** bitsPerSample, dither: 0 }]
        : SETTINGS[known]
    // Those with an animation have no turn.
    const whole =
      pages > 1 ? sharp(bytes, { ...options, animated: true }) : sharp(bytes, options).autoOrient()
    const encoded = await encode(whole, known, settings, largest)
    if (!encoded) return { error: 'too large' }
    const { data, info } = encoded
    const preview = await sharp(bytes, { ...options, pages: 1 })
      .autoOrient()
      .resize(PREVIEW_SIDE, PREVIEW_SIDE, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 80 })
      .toBuffer()
    return { bytes: data, preview, width: info.width, height: pages > 1 ? height : info.height }
  } catch {
    return { error: 'no image' }
  }
}

/** By the first of the settings that keeps it within `largest`. */
async function encode(image: Sharp, format: keyof FormatEnum, settings: object[], largest: number) {
  for (const setting of settings) {
    const encoded = await image.clone().toFormat(format, setting).toBuffer({ resolveWithObject: true })
    if (encoded.data.length <= largest) return encoded
  }
  return undefined
}

async function decode(bytes: Uint8Array): Promise<DecodedImage> {
  try {
    const image = sharp(bytes, { limitInputPixels: LARGEST_PIXELS, failOn: 'error', pages: 1 })
    const { format, width, height, pages = 1, exif, xmp, iptc, comments } = await image.metadata()
    if (!FORMATS.has(format)) return { error: 'The file is not an image of an allowed type' }
    if (Math.max(width, height) > LONGEST_SIDE || pages > MOST_FRAMES)
      return { error: 'The image is too large' }
    // Reads every pixel: a valid header proves little.
    await image.resize(1, 1, { fit: 'fill', fastShrinkOnLoad: false }).raw().toBuffer()
    const telling = comments?.find(({ keyword }) => !HARMLESS.has(keyword))
    return { width, height, tellsMore: [exif, xmp, iptc, telling].some((each) => each !== undefined) }
  } catch {
    return { error: 'The image could not be read' }
  }
}

process.send?.('ready')
