import type { Core } from '../../core.ts'
import { every, type Periodic } from '../../scheduling/periodic.ts'
import { findClosings, writeNotices } from './notice-finding.service.ts'
import { sendNoticeMails } from './notice-mails.service.ts'
import { deleteOldNotices } from './notices.service.ts'

const LOOK_MS = 500
const CLOSINGS_MS = 5_000
const MAILS_MS = 1_000
const OLD_MS = 600_000

/** Writes notices, and mails those that are to be mailed. `ownAddress`: as of `startBackground`. */
export function startNoticeWorker(core: Core, ownAddress: () => string): Pick<Periodic, 'close'> {
  const sweeps = [
    every(LOOK_MS, 'writing notices', () => writeNotices(core), core.log),
    every(CLOSINGS_MS, 'finding exams that close', () => findClosings(core), core.log),
    every(MAILS_MS, 'mailing notices', () => sendNoticeMails(core, ownAddress), core.log),
    every(OLD_MS, 'deleting old notices', () => deleteOldNotices(core), core.log),
  ]
  return {
    async close() {
      await Promise.all(sweeps.map((sweep) => sweep.close()))
    },
  }
}
