import { randomUUID } from 'node:crypto'
import { glob, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { toDiskError } from './disk-errors.ts'
import type { Files } from './files.ts'

const TYPES: Record<string, string> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
}

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
        await mkdir(path.dirname(file), { recursive: true })
        await writeFile(written, bytes)
        await rename(written, file)
      } catch (cause) {
        await rm(written, { force: true }).catch(() => {})
        throw toDiskError(cause)
      }
    },
    async get(key) {
      try {
        const bytes = await readFile(locate(key))
        return { bytes, contentType: TYPES[path.extname(key).toLowerCase()] ?? 'application/octet-stream' }
      } catch (error) {
        // No file: there is nothing, it is a folder, or its path leads through a file.
        if (/^(ENOENT|ENOTDIR|EISDIR)$/.test((error as NodeJS.ErrnoException).code ?? '')) return undefined
        throw error
      }
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
