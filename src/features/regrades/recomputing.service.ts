import { LRUCache } from 'lru-cache'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import type { GradedValues } from '../../db/tables/attempts.tables.ts'
import type { Regrade, ResultChange } from '../../db/tables/corrections.tables.ts'
import { slicesBySize } from '../../formats/slices.ts'
import type { Grading } from '../attempts/paper.ts'
import { getPaper } from '../attempts/papers.service.ts'
import { roundPercentage } from '../attempts/scoring.ts'
import * as store from './regrades.store.ts'

/** Attempts, and questions of them, that are graded in one go: in between other requests get their turn. */
const SLICE = { count: 100, size: 10_000 }
/** Papers whose gradings are in memory: attempts at one paper mostly follow one another. */
const GRADINGS_KEPT = 4
/** Changes that are listed one by one. */
const MOST_CHANGES = 100

export interface Outcome {
  attempts: number
  raised: number
  lowered: number
  unchanged: number
  /** The first of the attempts whose score or maximum score has changed. */
  changes: ResultChange[]
  /** All attempts of whose result any number has changed, as it is shown. */
  results: { userId: number; attemptId: number }[]
}

/**
 * Grades every finished attempt whose paper has the question again, from its paper, its answers and these regrades
 * only; the stored result does not matter. `write` stores the changed results.
 */
export async function recompute(
  core: Core,
  tx: Executor,
  { examId, questionId }: { examId: number; questionId: number },
  inForce: readonly Regrade[],
  write: (results: store.NewResult[]) => Promise<void>,
): Promise<Outcome> {
  const attempts = await store.listAttemptsWith(tx, examId, questionId)
  const slices = [...slicesBySize(attempts, SLICE, ({ questions }) => questions)]
  const outcome: Outcome = {
    attempts: attempts.length,
    raised: 0,
    lowered: 0,
    unchanged: 0,
    changes: [],
    results: [],
  }
  // A preview is compiled each time it is asked for, so here once for each paper.
  const gradings = new LRUCache<number, Grading>({ max: GRADINGS_KEPT })
  const gradingOf = async (paperId: number) => {
    const grading = gradings.get(paperId) ?? (await getPaper(core, tx, paperId)).gradedBy(inForce)
    gradings.set(paperId, grading)
    return grading
  }
  const read = (index: number) => {
    const ids = (slices[index] ?? []).map(({ id }) => id)
    return expected(store.listGraded(tx, ids))
  }
  // While one slice is graded, the database stores the one before and reads the next.
  let reading = read(0)
  let writing = Promise.resolve()
  for (const index of slices.keys()) {
    const slice = await reading
    reading = read(index + 1)
    const changed: store.NewResult[] = []
    for (const attempt of slice) {
      const { key } = await gradingOf(attempt.paperId)
      const result = key.grade(attempt.answers, attempt.drawn)
      if (isSame(attempt, result)) {
        outcome.unchanged += 1
        continue
      }
      changed.push({ id: attempt.id, ...result })
      if (isSame({ ...attempt, percentage: roundPercentage(attempt.percentage) }, result))
        outcome.unchanged += 1
      else note(outcome, attempt, result)
    }
    await writing
    if (changed.length > 0) writing = expected(write(changed))
  }
  await Promise.all([reading, writing])
  return outcome
}

/** For a promise that is awaited later: without this, an early failure would count as unhandled. */
function expected<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

function isSame(before: GradedValues, after: GradedValues): boolean {
  return (
    before.score === after.score &&
    before.maxScore === after.maxScore &&
    before.percentage === after.percentage &&
    before.correct === after.correct &&
    before.incorrect === after.incorrect &&
    before.unattempted === after.unattempted
  )
}

function note(outcome: Outcome, before: store.GradedAttempt, after: GradedValues): void {
  const { score, maxScore } = before
  if (after.score > score) outcome.raised += 1
  else if (after.score < score) outcome.lowered += 1
  else outcome.unchanged += 1
  outcome.results.push({ userId: before.userId, attemptId: before.id })
  if (after.score === score && after.maxScore === maxScore) return
  if (outcome.changes.length < MOST_CHANGES)
    outcome.changes.push({
      attempt_id: before.id,
      user_id: before.userId,
      old_score: score,
      new_score: after.score,
      old_max_score: maxScore,
      new_max_score: after.maxScore,
    })
}
