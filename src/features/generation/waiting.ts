import { setTimeout as sleep } from 'node:timers/promises'
import type { GeneratedQuestion } from '../../../schemas/generation.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { cancelJob, type JobInput, readJob, startJob } from './service.ts'

/** How often a caller who waits for a job looks at it, in milliseconds. */
const LOOK_MS = 250

/**
 * The older generation's way: waits for the whole job, on the same machinery. Whoever stops waiting cancels
 * it, and so does a node that shuts down: nobody could be told the outcome. 502 `model_failed` with what
 * went wrong.
 */
export async function generateNow(
  core: Core,
  input: JobInput,
  hangUp: AbortSignal,
): Promise<GeneratedQuestion[]> {
  const signal = AbortSignal.any([hangUp, core.draining])
  const id = await startJob(core, input)
  try {
    for (;;) {
      const { status, error, questions } = await readJob(core, id)
      if (status === 'done') return questions
      if (status === 'failed') throw new AppError('model_failed', { message: error ?? 'The job failed' })
      await sleep(LOOK_MS, undefined, { signal })
    }
  } catch (error) {
    if (!signal.aborted) throw error
    await cancelJob(core, id)
    throw core.draining.aborted ? new AppError('draining', { retryAfter: 1 }) : new AppError('aborted')
  }
}
