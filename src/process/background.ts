import type { Core } from '../core.ts'
import { addUpCounts } from '../db/counts.ts'
import { deleteExpiredFailures } from '../features/access/access.service.ts'
import { erasing } from '../features/account/account-erasing.service.ts'
import { closeOverdue } from '../features/attempts/closing.service.ts'
import { addressMails } from '../features/auth/address-mails.ts'
import { deleteStaleSessions } from '../features/auth/sessions.service.ts'
import { expireUnsent } from '../features/chat/messages/attachments.service.ts'
import { indexMessages } from '../features/chat/search/message-words.service.ts'
import { deleteExpiredInvitations, sendInvitations } from '../features/classes/class-mails.service.ts'
import { startGenerationWorker } from '../features/generation/generation.worker.ts'
import { resumeWaiting } from '../features/generation/running-jobs.ts'
import { helpWatchOf } from '../features/help-lock/help-lock-watch.ts'
import { deleteOrphans } from '../features/materials/materials.service.ts'
import { helpReading } from '../features/materials/materials.worker.ts'
import { startNoticeWorker } from '../features/notices/notices.worker.ts'
import { startPushWorker } from '../features/push/push.worker.ts'
import { forgetDecided } from '../features/reports/reports.service.ts'
import { deleteExpired } from '../features/retention/retention.service.ts'
import { sweepDiscardedFiles } from '../features/uploads/discarded-uploads.ts'
import { every } from '../scheduling/periodic.ts'

const OVERDUE_MS = 1_000
const HELP_MS = 500
const ERASING_MS = 5_000
const INVITATIONS_MS = 1_000
const WORDS_MS = 5_000
const FILES_MS = 60_000
const MATERIALS_MS = 5_000
const COUNTS_MS = 60_000
const SESSIONS_MS = 600_000
const RETENTION_MS = 600_000
const QUEUE_MS = 5_000
const BUDGET_MS = 2_000

/**
 * Everything that a node does beside answering requests. Every node runs all of it; the first one that comes does the
 * work.
 */
export interface Background {
  /** Starts nothing more; resolves when the running work has ended. */
  close(): Promise<void>
}

/** `ownAddress`: where this node listens, for links while no PUBLIC_URL is set. */
export async function startBackground(core: Core, ownAddress: () => string): Promise<Background> {
  await startGenerationWorker(core)
  const pushes = startPushWorker(core)
  const notices = startNoticeWorker(core, ownAddress)
  const sweeps = [
    every(OVERDUE_MS, 'closing overdue attempts', () => closeOverdue(core), core.log),
    every(HELP_MS, 'looking at help locks', () => helpWatchOf(core).look(), core.log),
    every(ERASING_MS, 'erasing deleted accounts', () => erasing(core).sweep(), core.log),
    every(INVITATIONS_MS, 'mailing invitations', () => sendInvitations(core, ownAddress), core.log),
    every(WORDS_MS, 'indexing messages', () => indexMessages(core), core.log),
    every(FILES_MS, 'letting unsent files go', () => expireUnsent(core), core.log),
    every(FILES_MS, 'deleting discarded files', () => sweepDiscardedFiles(core), core.log),
    every(MATERIALS_MS, 'looking for materials to read', () => helpReading(core), core.log),
    every(MATERIALS_MS, 'deleting materials of deleted classes', () => deleteOrphans(core), core.log),
    every(COUNTS_MS, 'adding up counts', () => addUpCounts(core.db), core.log),
    every(SESSIONS_MS, 'deleting old sessions', () => deleteStaleSessions(core), core.log),
    every(SESSIONS_MS, 'forgetting wrong guesses', () => deleteExpiredFailures(core), core.log),
    every(SESSIONS_MS, 'forgetting decided reports', () => forgetDecided(core), core.log),
    every(SESSIONS_MS, 'deleting old invitations', () => deleteExpiredInvitations(core), core.log),
    every(RETENTION_MS, 'deleting what isn’t kept any longer', () => deleteExpired(core), core.log),
    every(BUDGET_MS, 'resuming jobs that waited for tokens', () => resumeWaiting(core), core.log),
    every(QUEUE_MS, 'looking at the job queue', () => core.jobs.look(core.db), core.log),
  ]
  return {
    async close() {
      await Promise.all([
        erasing(core).close(),
        pushes.close(),
        notices.close(),
        ...sweeps.map((sweep) => sweep.close()),
      ])
      await addressMails(core).close()
      await core.jobs.close()
    },
  }
}
