import type { Executor } from '../../db/database-client.ts'
import { AppError } from '../../errors.ts'
import { hasOtherVersions } from './nodes.store.ts'

/** Whether no nodes of other versions run. */
export async function hasOneVersion(db: Executor): Promise<boolean> {
  return !(await hasOtherVersions(db))
}

/** 409 `nodes_differ` while nodes of other versions run: before what these would not treat as it is meant. */
export async function requireOneVersion(db: Executor): Promise<void> {
  if (await hasOtherVersions(db)) throw new AppError('nodes_differ')
}
