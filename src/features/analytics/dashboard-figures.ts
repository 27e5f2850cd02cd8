import { LRUCache } from 'lru-cache'
import type { Dashboard } from '../../../schemas/analytics.schemas.ts'
import type { Core } from '../../core.ts'
import type { Pool } from '../../db/database-client.ts'
import { perNode } from '../../per-node.ts'
import * as store from './analytics.store.ts'
import { precedingPeriod, shiftDay } from './periods.ts'
import { averageOf, type Group, passRateOf, type Tally, tallyResults } from './results-tally.ts'

/** Results that a dashboard is computed over, the most recent ones (docs/protocol/http.md#limits). */
export const MOST_RESULTS = 50_000
/** Rows of a table that shows the best or the latest. */
export const TABLE_ROWS = 10
/** Dashboards whose figures a node keeps. */
const KEPT = 16

/** What a dashboard says about all matching results. It has ids where people and exams are meant: names may change. */
export interface DashboardFigures {
  summary: Dashboard['summary']
  distribution: Tally['distribution']
  /** Days with results, in order, as `YYYY-MM-DD`. */
  days: { day: string; avgScore: number | null; people: number }[]
  exams: { id: number; attempts: number; avgScore: number | null; passRate: number | null }[]
  /** The best people, in order. */
  performers: Performer[]
}

interface Performer {
  id: number
  average: number
  attempts: number
}

const keptFigures = perNode(
  (core) =>
    new LRUCache<string, DashboardFigures, store.Matching>({
      max: KEPT,
      fetchMethod: (_key, _stale, { context }) => computeFigures(core.db, context),
      ignoreFetchAbort: true,
    }),
)

/**
 * The figures of matching results. They are computed once for each state of the results, however many ask, since they
 * take tens of thousands of rows: the number of changes is part of their key.
 */
export async function readFigures(core: Core, db: Pool, matching: store.Matching): Promise<DashboardFigures> {
  const { examId, classId, period, countsWorthless } = matching
  // Nothing counts the changes of a class's members.
  if (classId !== undefined) return computeFigures(db, matching)
  // Read before the results are: these may be newer than their key says, but never older.
  const changes = await store.countChanges(core.db)
  const key = [changes, examId, period?.from, period?.to, countsWorthless].join()
  return keptFigures(core).forceFetch(key, { context: matching })
}

async function computeFigures(db: Pool, matching: store.Matching): Promise<DashboardFigures> {
  const { period } = matching
  const before = period && { ...matching, period: precedingPeriod(period) }
  const [columns, columnsBefore, passMarks] = await Promise.all([
    store.readResults(db, matching, MOST_RESULTS),
    before && store.readResults(db, before, MOST_RESULTS),
    store.readPassMarks(db),
  ])
  const tally = await tallyResults(columns, passMarks)
  const tallyBefore = columnsBefore && (await tallyResults(columnsBefore, passMarks))
  return {
    summary: summarise(tally, tallyBefore),
    distribution: tally.distribution,
    days: [...tally.days]
      .sort(([one], [other]) => one - other)
      .map(([day, group]) => ({
        day: shiftDay('2000-01-01', day),
        avgScore: roundIfAny(averageOf(group)),
        people: group.people,
      })),
    exams: [...tally.exams].map(([id, group]) => ({
      id,
      attempts: group.attempts,
      avgScore: roundIfAny(averageOf(group)),
      passRate: roundIfAny(passRateOf(group)),
    })),
    performers: await rankPerformers(db, tally.users),
  }
}

/** With no results before there is nothing to compare with: every change is 0. */
function summarise(now: Tally, before: Tally | undefined): Dashboard['summary'] {
  const comparable = before !== undefined && before.all.attempts > 0
  const difference = (of: (group: Group) => number | null) => {
    const [later, earlier] = comparable ? [of(now.all), of(before.all)] : [null, null]
    return later === null || earlier === null ? 0 : round(later - earlier)
  }
  const growth = (of: (tally: Tally) => number) => (comparable ? round((of(now) / of(before) - 1) * 100) : 0)
  return {
    avgScore: roundIfAny(averageOf(now.all)),
    totalAttempts: now.all.attempts,
    passRate: roundIfAny(passRateOf(now.all)),
    activeUsers: now.users.size,
    scoreChange: difference(averageOf),
    attemptsChange: growth(({ all }) => all.attempts),
    passRateChange: difference(passRateOf),
    usersChange: growth(({ users }) => users.size),
  }
}

/** By average, then attempts, then username, which stays as long as the account. */
async function rankPerformers(db: Pool, users: Tally['users']): Promise<Performer[]> {
  const candidates = pickCandidates(users)
  const ids = candidates.map(({ id }) => id)
  const { people } = await store.readNames(db, ids, [])
  return candidates
    .flatMap((performer) => {
      const username = people.get(performer.id)?.username
      return username === undefined ? [] : { performer, username }
    })
    .sort(
      (one, other) =>
        compareRank(one.performer, other.performer) || compareText(one.username, other.username),
    )
    .slice(0, TABLE_ROWS)
    .map(({ performer }) => performer)
}

/** The best ones, and everybody who has the same rank as the last of them: their names decide. */
function pickCandidates(users: Tally['users']): Performer[] {
  const performers: Performer[] = []
  let best: Performer[] = []
  for (const [id, group] of users) {
    // Finer than shown, but coarser than the error of adding in another order.
    const average = group.marked === 0 ? null : averageOf(group)
    if (average === null) continue
    const performer = { id, average: round(average, 9), attempts: group.marked }
    performers.push(performer)
    const last = best[TABLE_ROWS - 1]
    if (!last || compareRank(performer, last) < 0)
      best = [...best, performer].sort(compareRank).slice(0, TABLE_ROWS)
  }
  const last = best[TABLE_ROWS - 1]
  return last ? performers.filter((performer) => compareRank(performer, last) <= 0) : performers
}

function compareRank(one: Performer, other: Performer): number {
  return other.average - one.average || other.attempts - one.attempts
}

export function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function roundIfAny(value: number | null): number | null {
  return value === null ? null : round(value)
}

export function round(value: number, digits = 2): number {
  const scale = 10 ** digits
  // Without `+ 0` a small negative number would become -0.
  return Math.round(value * scale) / scale + 0
}
