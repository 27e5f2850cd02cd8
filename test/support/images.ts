import sharp from 'sharp'

/** A picture of one colour. */
export async function makeImage(
  format: 'png' | 'jpeg' | 'gif' | 'webp' = 'png',
  { colour = 'red', width = 8, height = 8 } = {},
): Promise<Uint8Array> {
  const image = sharp({ create: { width, height, channels: 3, background: colour } })
  return new Uint8Array(await image.toFormat(format).toBuffer())
}
