import type {
  AnalyticsQuery,
  ClassDashboardAnswer,
  Dashboard,
  OverviewAnswer,
} from '../../../schemas/analytics.schemas.ts'
import type { Content } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import type { Pool } from '../../db/database-client.ts'
import { inSnapshot } from '../../db/snapshot.ts'
import { localDay } from '../../formats/local-time.ts'
import * as store from './analytics.store.ts'
import {
  compareText,
  type DashboardFigures,
  MOST_RESULTS,
  readFigures,
  round,
  TABLE_ROWS,
} from './dashboard-figures.ts'
import { readPeriod } from './periods.ts'

/** The columns of each table's download. */
const COLUMNS = {
  results: [
    'created_at',
    'student_id',
    'username',
    'full_name',
    'exam_name',
    'score',
    'max_score',
    'percentage',
  ],
  topPerformers: ['student_id', 'username', 'full_name', 'avgScore', 'attempts'],
  recentActivity: ['created_at', 'username', 'full_name', 'exam_name', 'score', 'max_score', 'percentage'],
  examStats: ['name', 'attempts', 'avgScore', 'passRate'],
}
/** Rows of one query of a download. */
const DOWNLOAD_PAGE = 1_000

/** What a dashboard is about. */
export type DashboardQuery = AnalyticsQuery & Pick<store.Matching, 'countsWorthless'>

type ClassDashboard = Content<ClassDashboardAnswer>
type UnmarkedExam = ClassDashboard['unmarked'][number]
/** The exams whose marks the caller may not see, in the snapshot that the marks are read from. */
export type ListUnmarked = (db: Pool) => Promise<UnmarkedExam[]>

/** The analytics dashboard of a period, of one exam or of all. 400 for an impossible period. */
export function readDashboard(core: Core, query: DashboardQuery): Promise<Dashboard> {
  return describe(core, core.db, readMatching(core, query))
}

/** The same for somebody who may not see all marks. */
export async function readClassDashboard(
  core: Core,
  query: DashboardQuery,
  listUnmarked: ListUnmarked,
): Promise<ClassDashboard> {
  const matching = readMatching(core, query)
  return inSnapshot(core.db, async (db) => {
    const unmarked = await listUnmarked(db)
    return { ...(await describe(core, db, withoutMarks(matching, unmarked))), unmarked }
  })
}

function withoutMarks(matching: store.Matching, unmarked: UnmarkedExam[]): store.Matching {
  return unmarked.length === 0 ? matching : { ...matching, unmarked: unmarked.map(({ id }) => id) }
}

async function describe(core: Core, db: Pool, matching: store.Matching): Promise<Dashboard> {
  const [{ summary, distribution, days, exams, performers }, recent] = await Promise.all([
    readFigures(core, db, matching),
    store.listResults(db, matching, TABLE_ROWS),
  ])
  const userIds = performers.map(({ id }) => id)
  const examIds = exams.map(({ id }) => id)
  const names = await store.readNames(db, userIds, examIds)
  const examStats = nameExams(exams, names)
  const labels = days.map(({ day }) => day)
  return {
    summary,
    charts: {
      scoreDistribution: distribution,
      examPerformance: {
        labels: examStats.map(({ name }) => name),
        data: examStats.map(({ avgScore }) => avgScore),
      },
      performanceTrends: { labels, data: days.map(({ avgScore }) => avgScore) },
      userActivity: { labels, data: days.map(({ people }) => people) },
    },
    tables: {
      topPerformers: namePerformers(performers, names),
      recentActivity: recent.map(describeResult),
      examStats,
    },
  }
}

/** One table of the dashboard, as a download. */
export async function readTable(core: Core, query: DashboardQuery, listUnmarked?: ListUnmarked) {
  const { table: name = 'results' } = query
  const dashboard = () =>
    listUnmarked ? readClassDashboard(core, query, listUnmarked) : readDashboard(core, query)
  const rows =
    name === 'results'
      ? streamResults(core, readMatching(core, query), listUnmarked)
      : (await dashboard()).tables[name]
  return { name, columns: COLUMNS[name], rows }
}

/** Every result that a dashboard would count, most recent first, read as fast as they are asked for. */
async function* streamResults(core: Core, matching: store.Matching, listUnmarked?: ListUnmarked) {
  let last: store.DashboardResultRow | undefined
  for (let left = MOST_RESULTS; left > 0; left -= DOWNLOAD_PAGE) {
    const rows = await inSnapshot(core.db, async (db) =>
      store.listResults(db, withoutMarks(matching, (await listUnmarked?.(db)) ?? []), DOWNLOAD_PAGE, last),
    )
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

function readMatching(core: Core, { countsWorthless, ...query }: DashboardQuery): store.Matching {
  const { timezone } = core.config
  const today = localDay(new Date(core.clock()), timezone)
  return {
    examId: query.exam,
    classId: query.class_id,
    ...(countsWorthless ? { countsWorthless } : {}),
    period: readPeriod(query, today),
    timezone,
  }
}

function namePerformers(
  performers: DashboardFigures['performers'],
  { people }: store.DashboardNames,
): Dashboard['tables']['topPerformers'] {
  return performers.flatMap(({ id, average, attempts }) => {
    const person = people.get(id)
    if (!person) return []
    const { username, fullName } = person
    return { student_id: String(id), username, full_name: fullName, avgScore: round(average), attempts }
  })
}

/** Those with most attempts first, then by name. */
function nameExams(
  exams: DashboardFigures['exams'],
  names: store.DashboardNames,
): Dashboard['tables']['examStats'] {
  return exams
    .map(({ id, ...numbers }) => ({ name: names.exams.get(id) ?? '', ...numbers }))
    .sort((one, other) => other.attempts - one.attempts || compareText(one.name, other.name))
}

function describeResult({ mark, ...row }: store.DashboardResultRow) {
  return {
    created_at: row.submittedAt,
    username: row.username,
    full_name: row.fullName,
    exam_name: row.examName,
    score: mark && round(mark.score),
    max_score: mark && round(mark.maxScore),
    percentage: mark?.percentage == null ? null : round(mark.percentage),
  }
}
