import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { isShared, LOCKS } from '../../db/locks.ts'
import { AppError } from '../../errors.ts'
import * as store from './uploads.store.ts'

/** A new file that nothing refers to after this time is taken for abandoned. */
const UPLOAD_SECONDS = 3_600
const BATCH = 100

/** Stores bytes under a new key. They are deleted again unless `keepFile` follows in time. */
export async function putNewFile(core: Core, key: string, bytes: Buffer, contentType: string): Promise<void> {
  await store.insertDiscarded(core.db, key, UPLOAD_SECONDS)
  await core.files.put(key, bytes, contentType)
}

/** Keeps a new file, in the transaction that refers to it. */
export async function keepFile(tx: Executor, key: string): Promise<void> {
  if (!(await store.deleteDiscarded(tx, key))) throw new AppError('unavailable', { retryAfter: 1 })
}

/** Discards a file, if there is one, in the transaction that ends the last reference to it: a sweep follows. */
export async function discardFile(tx: Executor, key: string | null): Promise<void> {
  if (key !== null) await store.insertDiscarded(tx, key, 0)
}

/** Deletes the files that nothing refers to. The bytes go before the mark, so that no file is forgotten. */
export async function sweepDiscardedFiles(core: Core): Promise<void> {
  for (;;) {
    const keys = await store.listDue(core.db, BATCH)
    // A running backup needs every file that its snapshot names, so nothing is deleted meanwhile. One that begins after
    // this check takes its snapshot later: it doesn't name the files that were discarded before.
    if (keys.length === 0 || (await isShared(core.db, LOCKS.files()))) return
    await Promise.all(keys.map((key) => core.files.delete(key)))
    await store.deleteAllDiscarded(core.db, keys)
  }
}

/**
 * Sweeps discarded files right after a deletion; if it fails, the next periodic sweep does it. `abandoned`: a new file
 * that was not kept after all.
 */
export async function trySweepDiscardedFiles(core: Core, abandoned?: string): Promise<void> {
  try {
    if (abandoned !== undefined) await store.hastenDiscarded(core.db, abandoned)
    await sweepDiscardedFiles(core)
  } catch (error) {
    core.log.warn({ err: error }, 'discarded files are left to the next sweep')
  }
}
