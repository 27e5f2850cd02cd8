import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createTarDecoder, createTarPacker } from 'modern-tar'

export interface Part {
  name: string
  size: number
  sha256: string
}

export type AddPart = (name: string, bytes: Uint8Array) => Promise<Part>

/** Writes a tar that only its owner may read, completely or not at all; answers what `fill` answers. */
export async function writeTar<T>(file: string, fill: (add: AddPart) => Promise<T>): Promise<T> {
  const draft = `${file}.partial`
  // An old draft could have other permissions.
  await rm(draft, { force: true })
  const handle = await open(draft, 'wx', 0o600)
  try {
    const { readable, controller } = createTarPacker()
    const written = (async () => {
      for await (const chunk of readable) await handle.write(chunk)
    })()
    written.catch(() => {})
    const filled = await fill(async (name, bytes) => {
      const body = controller.add({ name, size: bytes.length, mode: 0o600 }).getWriter()
      if (bytes.length > 0) await Promise.race([body.write(bytes), written])
      await body.close()
      return { name, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
    })
    controller.finalize()
    await written
    await handle.sync()
    await handle.close()
    await rename(draft, file)
    return filled
  } catch (error) {
    await handle.close().catch(() => {})
    await rm(draft, { force: true })
    throw error
  }
}

/** The files of a tar, one after another. Throws if it is no tar, or incomplete. */
export async function* readTar(file: string): AsyncGenerator<Part & { bytes: Buffer }> {
  const stream = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array<ArrayBuffer>>
  for await (const { header, body } of stream.pipeThrough(createTarDecoder({ strict: true }))) {
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    if (bytes.length !== header.size) throw new Error(`${file} breaks off in ${header.name}`)
    yield {
      name: header.name,
      size: header.size,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      bytes,
    }
  }
}
