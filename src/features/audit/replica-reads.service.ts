import type { Core } from '../../core.ts'
import { MOST_BEHIND_MS } from '../../db/read-replica.ts'
import { perNode } from '../../per-node.ts'
import * as store from './audit.store.ts'

/** With the time of what it has at least: by its own, what is not known there yet could still be before it. */
const throughReplica = perNode(
  (core): Core =>
    core.replica ? { ...core, db: core.replica.db, clock: () => core.clock() - MOST_BEHIND_MS } : core,
)

/**
 * For reads of teachers and administrators that may be some seconds old: `core` with the replica as its database, if
 * there is one that is current and has whatever this person has changed themselves, on any node. Their changes are in
 * the audit log, in the same transactions.
 */
export async function toRead(core: Core, userId: number): Promise<Core> {
  if (!core.replica?.isCurrent()) return core
  const [changed, known] = await Promise.all([
    store.findNewestId(core.db, userId),
    store.findNewestId(core.replica.db, userId).catch(() => undefined),
  ])
  return changed === known ? throughReplica(core) : core
}
