import type { Core } from '../../core.ts'
import { every, type Periodic } from '../../scheduling/periodic.ts'
import { findOpenings, findPractice, findPushes } from './push-finding.service.ts'
import { PushSender } from './push-sending.service.ts'

const LOOK_MS = 500
const OPENINGS_MS = 5_000
const PRACTICE_MS = 10_000

/**
 * Finds what people are to be told of, and sends it. All nodes do so beside everything else, and share the work by the
 * rows that they lock.
 */
export function startPushWorker(core: Core): Pick<Periodic, 'close'> {
  const { push } = core
  if (!push) return { close: async () => {} }
  const sender = new PushSender(core, push)
  const sending = every(LOOK_MS, 'sending pushes', () => sender.begin(), core.log)
  const look = async () => {
    if (await findPushes(core)) sending.soon()
  }
  const finding = every(LOOK_MS, 'finding pushes', look, core.log)
  const openings = every(OPENINGS_MS, 'announcing exams', () => findOpenings(core), core.log)
  const practice = every(PRACTICE_MS, 'telling of practice', () => findPractice(core), core.log)
  return {
    async close() {
      await Promise.all([finding.close(), openings.close(), practice.close(), sending.close()])
      await sender.close()
    },
  }
}
