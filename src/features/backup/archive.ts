import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { Decrypter, Encrypter } from 'age-encryption'
import { createTarDecoder, createTarPacker } from 'modern-tar'

export interface Part {
  name: string
  size: number
  sha256: string
}

/** A tar, in the form of age (age-encryption.org) if there is a passphrase. */
export interface BackupFile {
  path: string
  passphrase?: string | undefined
}

export type AddPart = (name: string, bytes: Uint8Array) => Promise<Part>

/** Writes a tar that only its owner may read, completely or not at all; answers what `fill` answers. */
export async function writeTar<T>(
  { path, passphrase }: BackupFile,
  fill: (add: AddPart) => Promise<T>,
): Promise<T> {
  const draft = `${path}.partial`
  // An old draft could have other permissions.
  await rm(draft, { force: true })
  const handle = await open(draft, 'wx', 0o600)
  try {
    const { readable, controller } = createTarPacker()
    const written = (async () => {
      for await (const chunk of await encrypt(readable, passphrase)) await handle.write(chunk)
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
    await rename(draft, path)
    return filled
  } catch (error) {
    await handle.close().catch(() => {})
    await rm(draft, { force: true })
    throw error
  }
}

async function encrypt(tar: ReadableStream<Uint8Array>, passphrase: string | undefined) {
  if (passphrase === undefined) return tar
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  return encrypter.encrypt(tar)
}

async function decrypt(file: ReadableStream<Uint8Array>, passphrase: string | undefined) {
  if (passphrase === undefined) return file
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  return decrypter.decrypt(file)
}

const ENCRYPTED = 'age-encryption.org/'

export async function isEncrypted(path: string): Promise<boolean> {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(ENCRYPTED.length))
    return buffer.toString('latin1', 0, bytesRead) === ENCRYPTED
  } finally {
    await handle.close()
  }
}

/** The files of a tar, one after another. Throws if it is no tar, incomplete, or has another passphrase. */
export async function* readTar({ path, passphrase }: BackupFile): AsyncGenerator<Part & { bytes: Buffer }> {
  const file = Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array<ArrayBuffer>>
  const tar = (await decrypt(file, passphrase)) as ReadableStream<Uint8Array<ArrayBuffer>>
  for await (const { header, body } of tar.pipeThrough(createTarDecoder({ strict: true }))) {
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    if (bytes.length !== header.size) throw new Error(`${path} breaks off in ${header.name}`)
    yield {
      name: header.name,
      size: header.size,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      bytes,
    }
  }
}
