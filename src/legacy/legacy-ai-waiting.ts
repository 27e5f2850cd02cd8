import { setTimeout as sleep } from 'node:timers/promises'
import type { GeneratedQuestion } from '../../schemas/generation.schemas.ts'
import type { Actor } from '../actor.ts'
import type { Core } from '../core.ts'
import { AppError } from '../errors.ts'
import { secondsLeft } from '../features/ai-usage/ai-usage.service.ts'
import { cancelJob, getJob, type JobInput, startJob } from '../features/generation/generation.service.ts'

/** How often a waiting caller looks at the job. */
const LOOK_MS = 250

/**
 * Waits for a whole job, as the older generation does. If the request ends before, or the node shuts down, the job is
 * cancelled, because nobody would get its outcome; so it is, with 429 `ai_budget_spent`, where it would wait for the next
 * day's tokens. 502 `model_failed` with the job's error.
 */
export async function generateNow(
  core: Core,
  actor: Actor,
  input: JobInput,
  end: AbortSignal,
): Promise<GeneratedQuestion[]> {
  const signal = AbortSignal.any([end, core.closing])
  const id = await startJob(core, actor, input)
  try {
    for (;;) {
      const { status, error, questions, last_event } = await getJob(core, id)
      if (status === 'done') return questions
      if (status === 'failed') throw new AppError('model_failed', { message: error ?? 'The job failed' })
      if (last_event === 'budget_spent') {
        await cancelJob(core, actor, id)
        throw new AppError('ai_budget_spent', { retryAfter: await secondsLeft(core) })
      }
      await sleep(LOOK_MS, undefined, { signal })
    }
  } catch (error) {
    if (!signal.aborted) throw error
    await cancelJob(core, actor, id)
    throw core.closing.aborted ? new AppError('draining', { retryAfter: 1 }) : new AppError('aborted')
  }
}
