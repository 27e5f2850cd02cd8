import type { Core } from '../../core.ts'
import type { Executor } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import { every, type Periodic } from '../../periodic.ts'
import * as store from './store.ts'

/** Seconds within which an upload refers to its bytes, or they are taken for abandoned. */
const UPLOAD_TIME = 3_600
const BATCH = 100
const SWEEP_MS = 60_000

/** Stores bytes under a new key. They are discarded again unless `keepFile` takes the key before long. */
export async function putNewFile(core: Core, key: string, bytes: Buffer, contentType: string): Promise<void> {
  await store.insertDiscarded(core.db, key, UPLOAD_TIME)
  await core.files.put(key, bytes, contentType)
}

/** Takes a new file into use, in the transaction that refers to it. */
export async function keepFile(tx: Executor, key: string): Promise<void> {
  if (!(await store.deleteDiscarded(tx, key))) throw new AppError('unavailable', { retryAfter: 1 })
}

/** Deletes the files that nothing refers to any more; the bytes before the note of them, so that none is forgotten. */
export async function sweepDiscardedFiles(core: Core): Promise<void> {
  for (;;) {
    const keys = await store.listDue(core.db, BATCH)
    if (keys.length === 0) return
    await Promise.all(keys.map((key) => core.files.delete(key)))
    await store.deleteAllDiscarded(core.db, keys)
  }
}

/** The same right after something was deleted; what fails is left to the next periodic sweep. */
export async function trySweepDiscardedFiles(core: Core): Promise<void> {
  try {
    await sweepDiscardedFiles(core)
  } catch (error) {
    core.log.warn({ err: error }, 'discarded files are left to the next sweep')
  }
}

/** For what no request of this node deleted: accounts, and uploads that broke off. */
export function watchDiscardedFiles(core: Core): Periodic {
  return every(SWEEP_MS, 'deleting discarded files', () => sweepDiscardedFiles(core), core.log)
}
