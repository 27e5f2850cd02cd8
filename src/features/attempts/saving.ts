import type { SaveAnswer, SaveBody } from '../../../schemas/attempts.ts'
import type { FieldError } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { batched } from '../../db/batches.ts'
import { AppError } from '../../errors.ts'
import { readChanges } from './answers.ts'
import { GRACE_MS } from './closing.ts'
import { paperOf } from './papers.ts'
import * as savingStore from './saving-store.ts'
import { requireLive } from './standing.ts'
import type * as store from './store.ts'

/** Which attempt is whose, and its paper: enough to check a sync without reading the attempt first. */
type Known = Pick<store.AttemptRow, 'id' | 'paperId'>
/** Attempts that a node remembers; the one that was started first makes room. */
const REMEMBERED = 20_000

/** What one node holds to save answers with. */
interface Saver {
  attempts: Map<string, Known>
  /** Syncs that wait for the database at the same time share one statement. */
  save: (sync: savingStore.Sync) => Promise<{ revision: number } | undefined>
}
const savers = new WeakMap<Core, Saver>()

/**
 * Merges answers into the active attempt; acknowledged only after the commit. 409 `no_active_attempt` where
 * there is none or its time is up, 409 `stale_revision` with the stored state where a newer one is stored,
 * 400 where an answer doesn't fit: then nothing is saved.
 */
export async function saveAnswers(
  core: Core,
  userId: number,
  examId: number,
  input: SaveBody,
): Promise<SaveAnswer> {
  const at = core.clock()
  const saver = saverOf(core)
  const name = `${userId}:${examId}`
  const known = saver.attempts.get(name)
  const first = known && (await merge(core, saver, known, input, at))
  if (first && 'revision' in first) return acknowledge(input, first.revision, at)
  // Whatever this node remembered is not so any more, or the sync doesn't fit: the stored attempt decides.
  for (;;) {
    const attempt = await requireLive(core, userId, examId)
    if (input.revision !== undefined && input.revision < attempt.revision)
      throw new AppError('stale_revision', { details: describeState(attempt) })
    const outcome = await merge(core, saver, attempt, input, at)
    if (outcome && 'errors' in outcome) throw new AppError('validation_failed', { details: outcome })
    if (outcome) {
      remember(saver.attempts, name, attempt)
      return acknowledge(input, outcome.revision, at)
    }
    // Another sync, a submit or the clock came first: look again.
  }
}

/** What a client has to know to go on from the stored answers. */
export function describeState({ answers, markedForReview, revision }: store.AttemptRow) {
  return { answers, markedForReview, revision }
}

/** undefined where the attempt doesn't take it: it is over, or has a newer revision. */
async function merge(
  core: Core,
  saver: Saver,
  attempt: Known,
  input: SaveBody,
  at: number,
): Promise<{ revision: number } | { errors: FieldError[] } | undefined> {
  const { changes, errors } = readChanges(await paperOf(core, core.db, attempt), input)
  if (errors.length > 0) return { errors }
  return saver.save({
    attemptId: attempt.id,
    answers: JSON.stringify(changes.answers),
    markedForReview: changes.markedForReview ?? null,
    revision: input.revision ?? null,
    at,
  })
}

function acknowledge(input: SaveBody, revision: number, at: number): SaveAnswer {
  return {
    success: true,
    saved: Object.keys(input.answers).length,
    revision,
    saved_at: new Date(at).toISOString(),
  }
}

function saverOf(core: Core): Saver {
  let saver = savers.get(core)
  if (!saver) {
    saver = {
      attempts: new Map(),
      save: batched({
        lanes: 2,
        size: 64,
        key: ({ attemptId }) => attemptId,
        run: (syncs) => savingStore.saveAnswers(core.db, syncs, GRACE_MS),
      }),
    }
    savers.set(core, saver)
  }
  return saver
}

function remember(attempts: Map<string, Known>, name: string, { id, paperId }: Known): void {
  attempts.set(name, { id, paperId })
  const [oldest] = attempts.keys()
  if (attempts.size > REMEMBERED && oldest !== undefined) attempts.delete(oldest)
}
