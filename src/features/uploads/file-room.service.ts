import type { Executor } from '../../db/database-client.ts'
import { lockPerson } from '../../db/locks.ts'
import { AppError } from '../../errors.ts'
import { sumBytes } from './uploads.store.ts'

/** Bytes of all files of one person (docs/protocol/http.md#caps). */
const MOST_BYTES = 1024 ** 3
/** A file counts at least this much: even a small one takes up a block on the disk, and a row. */
const LEAST_BYTES = 4_096

/** 409 `too_many` if a person has no room for a file of this size, in place of one of `replaced` bytes. */
export async function requireRoom(
  db: Executor,
  ownerId: number,
  size: number,
  replaced?: number,
): Promise<void> {
  const more = chargedBytes(size) - (replaced === undefined ? 0 : chargedBytes(replaced))
  if ((await sumBytes(db, ownerId, LEAST_BYTES)) + more > MOST_BYTES) throw new AppError('too_many')
}

/** `requireRoom`, decided until the transaction ends, in which the file is stored: the person is locked. */
export async function claimRoom(
  tx: Executor,
  ownerId: number,
  size: number,
  replaced?: number,
): Promise<void> {
  await lockPerson(tx, ownerId)
  await requireRoom(tx, ownerId, size, replaced)
}

function chargedBytes(bytes: number): number {
  return Math.max(bytes, LEAST_BYTES)
}
