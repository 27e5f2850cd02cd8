import type { Socket } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { LRUCache } from 'lru-cache'
import type { SaveAnswer, SaveBody } from '../../../schemas/attempts.schemas.ts'
import type { Content } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { batched } from '../../db/batches.ts'
import { AppError } from '../../errors.ts'
import { perNode } from '../../per-node.ts'
import { retryFor } from '../../scheduling/retry.ts'
import { database, exams as measured } from '../../telemetry/metrics.ts'
import * as store from './attempts.store.ts'
import { describeState, isNoted, type Opener, requireOpened } from './attempts-left.service.ts'
import { GRACE_MS } from './closing.service.ts'
import { readChanges } from './fitting-answers.ts'
import { paperOf } from './papers.service.ts'
import * as savingStore from './saving.store.ts'
import type { Sitting } from './sitting.ts'
import { watchedExams } from './watched-exams.ts'

/** Somebody's attempt and its paper: enough to check a sync without reading the attempt. */
type RememberedAttempt = Pick<
  store.AttemptRow,
  'id' | 'paperId' | 'sessionId' | 'isElsewhere' | keyof Sitting
>
/** Attempts that a node remembers; the one that was saved least recently makes room. */
const REMEMBERED = 50_000

const rememberedBy = perNode(() => new LRUCache<string, RememberedAttempt>({ max: REMEMBERED }))

/** Most syncs of one attempt that may wait on a node. Clients send the next sync after the answer to the last one. */
const MOST_OF_ONE = 32

/** A sync, and the connection on which somebody waits for the answer. */
type WaitingSync = savingStore.Sync & { reader: Socket }

/**
 * Syncs that wait for the database at the same time share one statement; syncs of one attempt run one after another.
 */
const saveShared = perNode((core) =>
  batched({
    lanes: 2,
    size: 64,
    key: ({ attemptId }: WaitingSync) => attemptId,
    turns: {
      owner: ({ attemptId }) => attemptId,
      most: MOST_OF_ONE,
      isWanted: ({ reader }) => !reader.destroyed,
    },
    run(syncs) {
      database.answerBatches.observe(syncs.length)
      return savingStore.saveAnswers(core.db, syncs, GRACE_MS)
    },
  }),
)

/**
 * Merges the answers that fit into the active attempt and names the others; acknowledged only after the commit. 409
 * `no_active_attempt` if there is none or its time is up, 409 `another_attempt` or `stale_revision` with the stored
 * state if another attempt is active or a newer revision is stored. A sync that waits behind another one of the same
 * attempt is dropped if its client has hung up by then.
 */
export async function saveAnswers(
  core: Core,
  opener: Opener,
  examId: number,
  input: SaveBody,
  reader: Socket,
): Promise<Content<SaveAnswer>> {
  const { userId, sessionId } = opener
  const at = core.clock()
  const remembered = rememberedBy(core)
  const name = `${userId}:${examId}`
  const known = remembered.get(name)
  const isMeant = known && (input.attempt_id ?? known.id) === known.id && isNoted(known, sessionId)
  const first = isMeant && (await merge(core, known, input, at, reader))
  if (first) watchedExams(core).tell(examId, [userId])
  if (first) return first
  // What this node remembers is out of date: read the stored attempt.
  return retryFor(core.config.requestTimeoutMs, async () => {
    const attempt = await requireOpened(core, opener, examId, input.attempt_id).catch((error) =>
      tellArrived(core, userId, examId, input, error),
    )
    if (input.revision !== undefined && input.revision < attempt.revision)
      throw new AppError('stale_revision', { details: await describeState(core, core.db, attempt) })
    const answer = await merge(core, attempt, input, at, reader)
    if (answer) {
      watchedExams(core).tell(examId, [userId])
      const { id, paperId, isElsewhere, seed, shuffle, drawn } = attempt
      remembered.set(name, { id, paperId, sessionId: attempt.sessionId, isElsewhere, seed, shuffle, drawn })
    }
    // No answer: another node's sync, a submit or the clock came first.
    return answer
  })
}

/**
 * A refusal of a sync whose attempt is over names the questions whose answers it had got before (`arrived`): an app
 * that missed the acknowledgement need not call them undelivered.
 */
async function tellArrived(
  core: Core,
  userId: number,
  examId: number,
  input: SaveBody,
  error: unknown,
): Promise<never> {
  if (!(error instanceof AppError) || input.attempt_id === undefined) throw error
  const ended = await store.findLatestFinished(core.db, userId, examId, input.attempt_id)
  if (!ended) throw error
  const { attempt } = ended
  const { changes } = readChanges(await paperOf(core, core.db, attempt), attempt, input)
  const arrived = Object.entries(changes.answers)
    .filter(([id, answer]) => isDeepStrictEqual(attempt.answers[id] ?? null, answer))
    .map(([id]) => Number(id))
  throw new AppError(error.code, { details: { ...error.details, arrived } })
}

/** undefined if the attempt does not accept it: it is over, or has a newer revision. */
async function merge(
  core: Core,
  attempt: RememberedAttempt,
  input: SaveBody,
  at: number,
  reader: Socket,
): Promise<Content<SaveAnswer> | undefined> {
  const { changes, rejected } = readChanges(await paperOf(core, core.db, attempt), attempt, input)
  const saved = await saveShared(core)({
    attemptId: attempt.id,
    answers: JSON.stringify(changes.answers),
    markedForReview: changes.markedForReview ?? null,
    revision: input.revision ?? null,
    at,
    reader,
  })
  if (saved) measured.saved.inc()
  return (
    saved && {
      attempt_id: attempt.id,
      saved: Object.keys(changes.answers).length,
      rejected,
      revision: saved.revision,
      saved_at: new Date(at).toISOString(),
      ends_at: saved.endsAt === null ? null : new Date(saved.endsAt).toISOString(),
    }
  )
}
