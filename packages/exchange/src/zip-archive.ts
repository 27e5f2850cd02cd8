import { promisify } from 'node:util'
import yauzl from 'yauzl'
import { FileError, unreadable } from './file-error.ts'

/** Without the manifest. */
const MOST_ENTRIES = 10_000
const LARGEST_TOTAL = 200 * 1024 * 1024
/** How many times larger an entry of more than `SUSPICIOUS_SIZE` may become: text reaches 20, bombs 1,000. */
const LARGEST_GROWTH = 200
const SUSPICIOUS_SIZE = 1024 * 1024

/** The manifest at the root of a content package. */
export const MANIFEST = 'imsmanifest.xml'

export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5)
}

export interface Archive {
  /** Paths of its files, in the archive's order. */
  names: string[]
  has(name: string): boolean
  /** All of a file, or a little more than `most` bytes of it. */
  read(name: string, most?: number): Promise<Buffer>
}

/**
 * The files of a zip. The sizes that they declare are checked before anything is unpacked, and the unpacked bytes
 * against the declared sizes. Throws `too_large` beyond the limits, `unreadable` for paths outside of the archive, for
 * bombs, and for anything else that is no plain zip.
 */
export async function openArchive(bytes: Uint8Array): Promise<Archive> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const options = { lazyEntries: true, autoClose: false }
  const zip = await promisify<Buffer, yauzl.Options, yauzl.ZipFile>(yauzl.fromBuffer)(buffer, options).catch(
    refuse,
  )
  const refuseMore = () => tooLarge(`more than ${MOST_ENTRIES} entries`)
  if (zip.entryCount > MOST_ENTRIES + 1) throw refuseMore()
  const entries = new Map<string, yauzl.Entry>()
  await new Promise<void>((resolve, reject) => {
    let total = 0
    zip.on('entry', (entry: yauzl.Entry) => {
      total += entry.uncompressedSize
      const problem = judge(entry, total) ?? (entries.has(entry.fileName) ? unreadable(TWICE) : undefined)
      if (problem) return reject(problem)
      if (!entry.fileName.endsWith('/') && !isLeftover(entry.fileName)) entries.set(entry.fileName, entry)
      zip.readEntry()
    })
    zip.on('end', resolve)
    zip.on('error', reject)
    zip.readEntry()
  }).catch(refuse)
  if (zip.entryCount > MOST_ENTRIES && !entries.has(MANIFEST)) throw refuseMore()
  const open = promisify<yauzl.Entry, NodeJS.ReadableStream>(zip.openReadStream.bind(zip))
  return {
    names: [...entries.keys()],
    has: (name) => entries.has(name),
    async read(name, most = Number.POSITIVE_INFINITY) {
      const chunks: Buffer[] = []
      let length = 0
      try {
        for await (const chunk of await open(entries.get(name) as yauzl.Entry)) {
          chunks.push(chunk as Buffer)
          length += chunk.length
          if (length > most) break
        }
      } catch (error) {
        refuse(error)
      }
      return Buffer.concat(chunks)
    },
  }
}

const TWICE = 'The archive holds two files of one name'

function judge(entry: yauzl.Entry, total: number): FileError | undefined {
  if (entry.isEncrypted()) return unreadable('The archive is encrypted')
  if (total > LARGEST_TOTAL) return tooLarge(`more than ${LARGEST_TOTAL / 1024 / 1024} MiB unpacked`)
  if (
    entry.uncompressedSize > SUSPICIOUS_SIZE &&
    entry.uncompressedSize > entry.compressedSize * LARGEST_GROWTH
  )
    return unreadable('The archive holds a file that was made to grow')
  return undefined
}

/** Files that macOS adds to archives. */
function isLeftover(name: string): boolean {
  return name.startsWith('__MACOSX/') || /(^|\/)(\.DS_Store$|\._[^/]*$)/.test(name)
}

function tooLarge(what: string): FileError {
  return new FileError('too_large', `The archive holds ${what}`)
}

function refuse(error: unknown): never {
  if (error instanceof FileError) throw error
  const reason = error instanceof Error ? error.message.slice(0, 200) : ''
  throw unreadable(`The archive cannot be read: ${reason}`, error)
}
