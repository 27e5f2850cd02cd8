import { randomUUID } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { glob, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { AppError } from '../errors.ts'
import { imageTypeOf } from '../formats/image-types.ts'
import { toDiskError } from './disk-errors.ts'
import type { Files } from './files.ts'

/** Files in a folder of this machine. */
export function createDiskFiles(folder: string): Files {
  const root = path.resolve(folder)
  const locate = (key: string) => {
    const file = path.resolve(root, key)
    if (key.includes('\0') || !file.startsWith(root + path.sep))
      throw new Error(`the key ${key} leaves the storage folder`)
    return file
  }
  return {
    async put(key, bytes) {
      const file = locate(key)
      const written = path.join(path.dirname(file), `.${randomUUID()}.tmp`)
      try {
        await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
        // On the disk before its name leads to it, or a machine that goes off could leave an empty file there.
        await writeFile(written, bytes, { mode: 0o600, flush: true })
        await rename(written, file)
      } catch (cause) {
        await rm(written, { force: true }).catch(() => {})
        throw toDiskError(cause)
      }
    },
    async find(key) {
      const file = locate(key)
      const stats = await ifThere(stat(file, { bigint: true }))
      if (!stats?.isFile()) return undefined
      const version = versionOf(stats)
      return {
        contentType: typeOf(key),
        size: Number(stats.size),
        version,
        async read(start, end) {
          const handle = await ifThere(open(file))
          try {
            if (handle && versionOf(await handle.stat({ bigint: true })) === version)
              return handle.createReadStream({ start, end })
            throw new AppError('unavailable', { retryAfter: 1 })
          } catch (error) {
            await handle?.close()
            throw error
          }
        },
      }
    },
    async get(key) {
      const bytes = await ifThere(readFile(locate(key)))
      return bytes && { bytes, contentType: typeOf(key) }
    },
    delete: (key) => rm(locate(key), { force: true }),
    async *list() {
      const entries = glob('**/*', { cwd: root, withFileTypes: true })
      for await (const entry of entries)
        if (entry.isFile() && !entry.name.startsWith('.'))
          yield path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join('/')
    },
  }
}

function typeOf(key: string): string {
  return imageTypeOf(key) ?? 'application/octet-stream'
}

/** A file is never written to, only replaced by another one. */
function versionOf({ ino, mtimeNs, size }: BigIntStats): string {
  return [ino, mtimeNs, size].map((number) => number.toString(36)).join('-')
}

/** undefined if there is no file: nothing, or a folder, or its path leads through a file. */
async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (/^(ENOENT|ENOTDIR|EISDIR)$/.test((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
