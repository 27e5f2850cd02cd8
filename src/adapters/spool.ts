import { randomUUID } from 'node:crypto'
import { open, unlink } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'

/** Text on the disk that was written once, to be read once. */
export interface Spool extends AsyncDisposable {
  read(): Readable
}

/** Keeps texts on the disk. The file has no name, so it ends with the process at the latest. */
export async function spool(folder: string, texts: AsyncIterable<string>): Promise<Spool> {
  const name = path.join(folder, `.import-${randomUUID()}`)
  const file = await open(name, 'wx+')
  try {
    await unlink(name)
    await file.writeFile(texts)
  } catch (error) {
    await file.close()
    throw error
  }
  return {
    read: () => file.createReadStream({ start: 0 }),
    [Symbol.asyncDispose]: () => file.close(),
  }
}
