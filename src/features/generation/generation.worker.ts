import type { Core } from '../../core.ts'
import { failUnfinished, giveUp, runJob } from './running-jobs.ts'

/** Jobs that one node works on at once. */
const CONCURRENCY = 4

/** Starts this node's workers for generating questions. Without a model there are none. */
export async function startGenerationWorker(core: Core): Promise<void> {
  if (!core.ai) {
    await failUnfinished(core)
    return
  }
  await core.jobs.work('generation', {
    concurrency: CONCURRENCY,
    run: (id, signal) => runJob(core, id, signal),
    giveUp: (id) => giveUp(core, id),
  })
}
