import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'

/** A picture of one colour. */
export async function makeImage(
  format: 'png' | 'jpeg' | 'gif' | 'webp' = 'png',
  { colour = 'red', width = 8, height = 8 } = {},
): Promise<Uint8Array> {
  const image = sharp({ create: { width, height, channels: 3, background: colour } })
  return new Uint8Array(await image.toFormat(format).toBuffer())
}

/** A small file that decodes to more pixels than any photograph has. */
export function hugePng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([1, 0, 0, 0, 0], 8)
  const row = Math.ceil(width / 8) + 1
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(row * height))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A PNG with one more text that isn't shown. */
export function withText(png: Uint8Array, keyword: string, text: string): Buffer {
  const header = 33
  const added = chunk('tEXt', Buffer.from(`${keyword}\0${text}`, 'latin1'))
  return Buffer.concat([png.subarray(0, header), added, png.subarray(header)])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), framed.length - 4)
  return framed
}
