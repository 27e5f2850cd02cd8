import { LRUCache } from 'lru-cache'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import type { GradedValues } from '../../db/tables/attempts.tables.ts'
import type { Regrade, ResultChange } from '../../db/tables/corrections.tables.ts'
import { slicesBySize } from '../../formats/slices.ts'
import { breaks } from '../../scheduling/breaks.ts'
import type { Grading } from '../attempts/paper.ts'
import { getPaper } from '../attempts/papers.service.ts'
import { judgeResult } from '../attempts/scoring.ts'
import * as store from './regrades.store.ts'

/** Attempts, and questions of them, that are graded in one go: in between other requests get their turn. */
const SLICE = { count: 100, size: 10_000 }
/** Papers whose gradings are in memory: attempts at one paper mostly follow one another. */
const GRADINGS_KEPT = 4
/** Changes that are listed one by one. */
const MOST_CHANGES = 100

export interface RegradeOutcome {
  attempts: number
  raised: number
  lowered: number
  unchanged: number
  /** The first of the attempts whose score, maximum score or verdict has changed. */
  changes: ResultChange[]
  /** All attempts of whose result any number, as it is shown, or the verdict has changed. */
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
): Promise<RegradeOutcome> {
  const attempts = await store.listAttemptsWith(tx, examId, questionId)
  const slices = [...slicesBySize(attempts, SLICE, ({ questions }) => questions)]
  const passMark = await store.getPassMark(tx, examId)
  const outcome: RegradeOutcome = {
    attempts: attempts.length,
    raised: 0,
    lowered: 0,
    unchanged: 0,
    changes: [],
    results: [],
  }
  // A preview is compiled each time it is asked for, so here once for each paper.
  const gradings = new LRUCache<number, (seed: string | null) => Grading>({ max: GRADINGS_KEPT })
  const gradingsOf = async (paperId: number) => {
    const known = gradings.get(paperId) ?? (await getPaper(core, tx, paperId)).gradingsBy(inForce)
    gradings.set(paperId, known)
    return known
  }
  const read = (index: number) => {
    const ids = (slices[index] ?? []).map(({ id }) => id)
    return awaitedLater(store.listGraded(tx, ids))
  }
  const takeBreak = breaks()
  // While one slice is graded, the database stores the one before and reads the next.
  let reading = read(0)
  let writing = Promise.resolve()
  for (const index of slices.keys()) {
    const slice = await reading
    reading = read(index + 1)
    const changed: store.NewResult[] = []
    for (const attempt of slice) {
      await takeBreak()
      const { key } = (await gradingsOf(attempt.paperId))(attempt.seed)
      const result = key.grade(attempt.answers, attempt.drawn)
      if (isSame(attempt, result)) {
        outcome.unchanged += 1
        continue
      }
      changed.push({ id: attempt.id, ...result })
      const [before, after] = [asShown(attempt, passMark), asShown(result, passMark)]
      if (isSame(before, after) && before.passed === after.passed) outcome.unchanged += 1
      else noteChange(outcome, attempt, before, after)
    }
    await writing
    if (changed.length > 0) writing = awaitedLater(write(changed))
  }
  await Promise.all([reading, writing])
  return outcome
}

/** For a promise that is awaited later: without this, an early failure would count as unhandled. */
function awaitedLater<T>(promise: Promise<T>): Promise<T> {
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

interface ShownResult extends GradedValues {
  passed: boolean | null
}

/** With its verdict, which an equal percentage that 1.0.0 stored may not share: it wasn't rounded. */
function asShown(
  { score, maxScore, correct, incorrect, unattempted, ...of }: GradedValues,
  mark: number,
): ShownResult {
  const { percentage, passed } = judgeResult({ ...of, maxScore }, mark)
  return { score, maxScore, percentage: percentage ?? 0, correct, incorrect, unattempted, passed }
}

/** A result is raised or lowered by its score or, where that is the same, by its verdict. */
function noteChange(
  outcome: RegradeOutcome,
  { id, userId }: store.GradedAttempt,
  before: ShownResult,
  after: ShownResult,
): void {
  const change = after.score - before.score || Number(after.passed) - Number(before.passed)
  if (change > 0) outcome.raised += 1
  else if (change < 0) outcome.lowered += 1
  else outcome.unchanged += 1
  outcome.results.push({ userId, attemptId: id })
  if (change === 0 && after.maxScore === before.maxScore) return
  if (outcome.changes.length < MOST_CHANGES)
    outcome.changes.push({
      attempt_id: id,
      user_id: userId,
      old_score: before.score,
      new_score: after.score,
      old_max_score: before.maxScore,
      new_max_score: after.maxScore,
    })
}
