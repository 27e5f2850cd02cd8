import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { Decrypter, Encrypter } from 'age-encryption'
import { createTarDecoder, createTarPacker } from 'modern-tar'

export interface ArchivePart {
  name: string
  size: number
  sha256: string
}

/** A tar, in the form of age (age-encryption.org) if there is a passphrase. */
export interface BackupFile {
  path: string
  passphrase?: string | undefined
}

/** An error that the person at the command line can correct. */
export class BackupError extends Error {}

export type AddPart = (name: string, bytes: Uint8Array) => Promise<ArchivePart>

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

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>

const PLAIN = 'age-encryption.org/'
const ARMORED = '-----BEGIN AGE ENCRYPTED FILE-----'
const ARMOR_END = '-----END AGE ENCRYPTED FILE-----'
/** What the library says of a passphrase that doesn't open the file. */
const NO_MATCH = /^no identity matched/

async function readHead(path: string): Promise<string> {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(ARMORED.length))
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

export async function isEncrypted(path: string): Promise<boolean> {
  const head = await readHead(path)
  return head.startsWith(PLAIN) || head === ARMORED
}

/** The bytes within the lines of `age --armor`. The library reads such a file only as one text, which has to fit in memory. */
async function* removeArmor(file: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  let rest = ''
  for await (const chunk of file) {
    const lines = (rest + chunk.toString('latin1')).split(/\r?\n/)
    rest = lines.pop() ?? ''
    const text = lines.filter((line) => line !== ARMORED && line !== ARMOR_END).join('')
    // Each line holds whole groups of four characters.
    yield Buffer.from(text, 'base64')
    if (lines.includes(ARMOR_END)) return
  }
  if (rest !== ARMOR_END) throw new Error('its last line is missing')
}

async function decrypt(path: string, passphrase: string): Promise<Bytes> {
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  const file = createReadStream(path)
  const isArmored = (await readHead(path)) === ARMORED
  const sealed = isArmored ? Readable.from(removeArmor(file), { objectMode: false }) : file
  return (await decrypter.decrypt(toWeb(sealed))) as Bytes
}

const toWeb = (bytes: Readable) => Readable.toWeb(bytes) as Bytes

/** The files of a tar, one after another. Throws a BackupError if it is no tar, incomplete, or has another passphrase. */
export async function* readTar({
  path,
  passphrase,
}: BackupFile): AsyncGenerator<ArchivePart & { bytes: Buffer }> {
  const names = new Set<string>()
  try {
    const tar = passphrase === undefined ? toWeb(createReadStream(path)) : await decrypt(path, passphrase)
    for await (const { header, body } of tar.pipeThrough(createTarDecoder({ strict: true }))) {
      const chunks: Uint8Array[] = []
      for await (const chunk of body) chunks.push(chunk)
      // Folders, and what else a tar has that was packed again.
      if ((header.type ?? 'file') !== 'file') continue
      const bytes = Buffer.concat(chunks)
      if (bytes.length !== header.size) throw new Error(`it breaks off in ${header.name}`)
      const name = header.name.replace(/^(\.\/)+/, '')
      if (names.has(name)) throw new BackupError(`${path} has ${name} twice`)
      names.add(name)
      yield { name, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), bytes }
    }
  } catch (error) {
    throw explain(path, error)
  }
}

function explain(path: string, error: unknown): BackupError {
  if (error instanceof BackupError) return error
  const { message, syscall } = error as NodeJS.ErrnoException
  if (syscall !== undefined) return new BackupError(`${path} cannot be read: ${message}`)
  if (NO_MATCH.test(message))
    return new BackupError(
      `${path}: wrong passphrase (a file for a key of age is opened by age itself: age -d -i)`,
    )
  return new BackupError(`${path} is damaged or cut off: ${message}`)
}
