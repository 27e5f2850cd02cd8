import type { Image } from '../question.ts'

/** The picture in a data address (`data:image/png;base64,…`); undefined for any other address. */
export function readDataUrl(address: string): Image | undefined {
  const [, type, base64] = /^data:image\/([a-z]+);base64,(.*)$/is.exec(address) ?? []
  if (type === undefined || base64 === undefined) return undefined
  return { name: `image.${type.toLowerCase()}`, bytes: Buffer.from(base64, 'base64') }
}
