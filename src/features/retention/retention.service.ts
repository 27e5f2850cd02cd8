import type { Core } from '../../core.ts'
import { deleteSuspended } from '../account/managed-accounts.service.ts'
import * as store from './retention.store.ts'

/** Rows of one statement: others may wait for its locks. */
const AT_ONCE = 500

/** Deletes what the operator's settings don't keep any longer (docs/protocol/operations.md#retention). */
export async function deleteExpired(core: Core): Promise<void> {
  const { suspendedDays, tutorDays, auditDays } = core.config.retention
  const now = new Date(core.clock())
  if (suspendedDays !== undefined) await deleteSuspended(core, suspendedDays)
  if (tutorDays !== undefined)
    await repeatUntilDone(() => store.deleteOldConversations(core.db, now, tutorDays, AT_ONCE))
  if (auditDays !== undefined)
    await repeatUntilDone(() =>
      core.db.transaction((tx) => store.deleteOldEntries(tx, now, auditDays, AT_ONCE)),
    )
}

/** `work` answers how many rows it has deleted. */
async function repeatUntilDone(work: () => Promise<number>): Promise<void> {
  while ((await work()) >= AT_ONCE);
}
