import yazl from 'yazl'
import { detectFormat, type Format, type Item, readItems } from '../src/index.ts'

/** All items of a file. */
export async function readAll(content: string | Uint8Array, format?: Format): Promise<Item[]> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  return await Array.fromAsync(readItems(bytes, format ?? detectFormat(bytes)))
}

/** A zip of these files, in their order. */
export async function makeZip(files: Record<string, string | Uint8Array>): Promise<Buffer> {
  const zip = new yazl.ZipFile()
  for (const [name, content] of Object.entries(files))
    zip.addBuffer(Buffer.from(content), name, { compress: content.length > 0 })
  zip.end()
  return Buffer.concat(await Array.fromAsync(zip.outputStream as AsyncIterable<Buffer>))
}
