import type { AnalyticsQuery, Dashboard, OverviewAnswer } from '../../../schemas/admin/analytics.ts'
import type { Content } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { localDay } from '../../formats/local-time.ts'
import { precedingPeriod, readPeriod, shiftDay } from './periods.ts'
import * as store from './store.ts'
import { averageOf, type Group, passRateOf, type Tally, tallyResults } from './tally.ts'

/** Results that a dashboard is computed over, the most recent ones (docs/protocol/http.md#limits). */
const MOST_RESULTS = 50_000
const TABLE_ROWS = 10
/** Rows of one query of a download. */
const DOWNLOAD_PAGE = 1_000

/** The analytics dashboard of a period, of one exam or of all. 400 for an impossible period. */
export async function readDashboard(core: Core, query: AnalyticsQuery): Promise<Dashboard> {
  const matching = readMatching(core, query)
  const { period } = matching
  const before = period && { ...matching, period: precedingPeriod(period) }
  const [columns, columnsBefore, recent, examRows] = await Promise.all([
    store.readResults(core.db, matching, MOST_RESULTS),
    before && store.readResults(core.db, before, MOST_RESULTS),
    store.listResults(core.db, matching, TABLE_ROWS),
    store.listExams(core.db),
  ])
  const exams = new Map(examRows.map((exam) => [exam.id, exam]))
  const passMarks = new Map(examRows.map(({ id, passPercentage }) => [id, passPercentage]))
  const tally = await tallyResults(columns, passMarks)
  const tallyBefore = columnsBefore && (await tallyResults(columnsBefore, passMarks))

  const days = [...tally.days].sort(([one], [other]) => one - other)
  const labels = days.map(([day]) => shiftDay('2000-01-01', day))
  const examStats = [...tally.exams]
    .map(([id, group]) => ({ name: exams.get(id)?.name ?? '', ...describeGroup(group) }))
    .sort((one, other) => other.attempts - one.attempts || compareText(one.name, other.name))
  return {
    summary: summarise(tally, tallyBefore),
    charts: {
      scoreDistribution: tally.distribution,
      examPerformance: {
        labels: examStats.map(({ name }) => name),
        data: examStats.map(({ avgScore }) => avgScore),
      },
      performanceTrends: { labels, data: days.map(([, group]) => round(averageOf(group))) },
      userActivity: { labels, data: days.map(([, { people }]) => people) },
    },
    tables: {
      topPerformers: await rankPerformers(core, tally),
      recentActivity: recent.map(describeResult),
      examStats,
    },
  }
}

/** Every result that a dashboard would count, most recent first, read as fast as they are asked for. */
export function streamResults(core: Core, query: AnalyticsQuery) {
  return pageThrough(core, readMatching(core, query))
}

async function* pageThrough(core: Core, matching: store.Matching) {
  let last: store.ResultRow | undefined
  for (let left = MOST_RESULTS; left > 0; left -= DOWNLOAD_PAGE) {
    const rows = await store.listResults(core.db, matching, DOWNLOAD_PAGE, last)
    for (const row of rows) yield { student_id: String(row.userId), ...describeResult(row) }
    last = rows.at(-1)
    if (rows.length < DOWNLOAD_PAGE) return
  }
}

/** How much there is of everything. */
export async function countEverything(core: Core): Promise<Content<OverviewAnswer>> {
  const { users, exams, results, responses } = await store.countEverything(core.db)
  return { total_users: users, total_exams: exams, total_results: results, total_responses: responses }
}

function readMatching(core: Core, query: AnalyticsQuery): store.Matching {
  const { timezone } = core.config
  const today = localDay(new Date(core.clock()), timezone)
  return { examId: query.exam, period: readPeriod(query, today), timezone }
}

/** With no results before there is nothing to compare with: every change is 0. */
function summarise(now: Tally, before: Tally | undefined): Dashboard['summary'] {
  const comparable = before !== undefined && before.all.attempts > 0
  const difference = (of: (group: Group) => number) => (comparable ? round(of(now.all) - of(before.all)) : 0)
  const growth = (of: (tally: Tally) => number) => (comparable ? round((of(now) / of(before) - 1) * 100) : 0)
  return {
    avgScore: round(averageOf(now.all)),
    totalAttempts: now.all.attempts,
    passRate: round(passRateOf(now.all)),
    activeUsers: now.users.size,
    scoreChange: difference(averageOf),
    attemptsChange: growth(({ all }) => all.attempts),
    passRateChange: difference(passRateOf),
    usersChange: growth(({ users }) => users.size),
  }
}

interface Performer {
  id: number
  average: number
  attempts: number
}

/** By average, then attempts, then username. */
async function rankPerformers(core: Core, { users }: Tally): Promise<Dashboard['tables']['topPerformers']> {
  const candidates = pickCandidates(users)
  const ids = candidates.map(({ id }) => id)
  const people = new Map((await store.listPeople(core.db, ids)).map((person) => [person.id, person]))
  return candidates
    .flatMap((performer) => {
      const person = people.get(performer.id)
      return person ? { ...performer, ...person } : []
    })
    .sort((one, other) => compareRank(one, other) || compareText(one.username, other.username))
    .slice(0, TABLE_ROWS)
    .map(({ id, username, fullName, average, attempts }) => ({
      student_id: String(id),
      username,
      full_name: fullName,
      avgScore: round(average),
      attempts,
    }))
}

/** The best ones, and everybody who has the same rank as the last of them: their names decide. */
function pickCandidates(users: Tally['users']): Performer[] {
  const performers: Performer[] = []
  let best: Performer[] = []
  for (const [id, group] of users) {
    // Finer than shown, but coarser than the error of adding in another order.
    const performer = { id, average: round(averageOf(group), 9), attempts: group.attempts }
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

function describeGroup(group: Group) {
  return {
    attempts: group.attempts,
    avgScore: round(averageOf(group)),
    passRate: round(passRateOf(group)),
  }
}

function describeResult(row: store.ResultRow) {
  return {
    created_at: row.submittedAt?.toISOString() ?? '',
    username: row.username,
    full_name: row.fullName,
    exam_name: row.examName,
    score: round(row.score ?? 0),
    max_score: round(row.maxScore ?? 0),
    percentage: round(row.percentage ?? 0),
  }
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function round(value: number, digits = 2): number {
  const scale = 10 ** digits
  // Without `+ 0` a small negative number would become -0.
  return Math.round(value * scale) / scale + 0
}
