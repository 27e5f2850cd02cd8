import { setTimeout as sleep } from 'node:timers/promises'
import type { GeneratedQuestion } from '../../schemas/generation.schemas.ts'
import type { Actor } from '../actor.ts'
import type { Core } from '../core.ts'
import { AppError } from '../errors.ts'
import { cancelJob, getJob, type JobInput, startJob } from '../features/generation/generation.service.ts'

/** How often a waiting caller looks at the job. */
const LOOK_MS = 250

/**
 * Waits for a whole job, as the older generation does. If the caller stops waiting, or the node shuts down, the job is
 * cancelled, because nobody would get its outcome. 502 `model_failed` with the job's error.
 */
export async function generateNow(
  core: Core,
  actor: Actor,
  input: JobInput,
  hangUp: AbortSignal,
): Promise<GeneratedQuestion[]> {
  const signal = AbortSignal.any([hangUp, core.closing])
  const id = await startJob(core, actor, input)
  try {
    for (;;) {
      const { status, error, questions } = await getJob(core, id)
      if (status === 'done') return questions
      if (status === 'failed') throw new AppError('model_failed', { message: error ?? 'The job failed' })
      await sleep(LOOK_MS, undefined, { signal })
    }
  } catch (error) {
    if (!signal.aborted) throw error
    await cancelJob(core, actor, id)
    throw core.closing.aborted ? new AppError('draining', { retryAfter: 1 }) : new AppError('aborted')
  }
}
