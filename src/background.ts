import type { Core } from './core.ts'
import { addUpCounts } from './db/counts.ts'
import { erasing } from './features/account/erasing/service.ts'
import { resetMails } from './features/account/password-reset.ts'
import { closeOverdue } from './features/attempts/closing.ts'
import { deleteStaleSessions } from './features/auth/sessions.ts'
import { startGenerationWorker } from './features/generation/worker.ts'
import { helpWatchOf } from './features/help-lock/watch.ts'
import { sweepDiscardedFiles } from './features/uploads/discarded.ts'
import { every } from './scheduling/periodic.ts'

const OVERDUE_MS = 1_000
const HELP_MS = 500
const ERASING_MS = 5_000
const FILES_MS = 60_000
const COUNTS_MS = 60_000
const SESSIONS_MS = 600_000

/**
 * Everything that a node does beside answering requests. Every node runs all of it; the first one that comes does the
 * work.
 */
export interface Background {
  /** Starts nothing more; resolves when the running work has ended. */
  close(): Promise<void>
}

export async function startBackground(core: Core): Promise<Background> {
  await startGenerationWorker(core)
  const sweeps = [
    every(OVERDUE_MS, 'closing overdue attempts', () => closeOverdue(core), core.log),
    every(HELP_MS, 'looking at help locks', () => helpWatchOf(core).look(), core.log),
    every(ERASING_MS, 'erasing deleted accounts', () => erasing(core).sweep(), core.log),
    every(FILES_MS, 'deleting discarded files', () => sweepDiscardedFiles(core), core.log),
    every(COUNTS_MS, 'adding up counts', () => addUpCounts(core.db), core.log),
    every(SESSIONS_MS, 'deleting old sessions', () => deleteStaleSessions(core), core.log),
  ]
  return {
    async close() {
      await Promise.all([erasing(core).close(), ...sweeps.map((sweep) => sweep.close())])
      await resetMails(core).close()
      await core.jobs.close()
    },
  }
}
