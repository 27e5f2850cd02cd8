import { randomUUID } from 'node:crypto'
import { open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { toDiskError } from './disk-errors.ts'

/** A file that was written once, to be read once; disposing of it deletes it. */
export interface Spool extends AsyncDisposable {
  read(): Readable
}

/**
 * Keeps texts on the disk. The file has no name, so it ends with the process at the latest. 503 if the disk is full.
 */
export async function spool(texts: AsyncIterable<string>): Promise<Spool> {
  const name = path.join(tmpdir(), `exam-practice-${randomUUID()}`)
  const file = await open(name, 'wx+')
  try {
    await unlink(name)
    await file.writeFile(texts)
  } catch (error) {
    await file.close()
    throw toDiskError(error)
  }
  return {
    read: () => file.createReadStream({ start: 0 }),
    [Symbol.asyncDispose]: () => file.close(),
  }
}
