/**
 * Measures the dashboard over two million results, in turn with one plain SQL statement that aggregates the same rows.
 * Prints the plan of its query, and how long another route takes meanwhile.
 *
 *   DATABASE_URL=postgres://… npx node bench/analytics.ts [results]
 */
import { setTimeout as wait } from 'node:timers/promises'
import { quantile } from './measure.ts'
import { show, startOwnService, time } from './own-service.ts'

const RESULTS = Number(process.argv[2] ?? 2_000_000)
const ROUNDS = 21
const LIMIT = 50_000

/** The numbers of the dashboard in one statement. */
const PLAIN = `
with result as materialized (
  select a.user_id, a.exam_id, a.percentage, a.percentage >= e.pass_percentage as passed,
         (a.submitted_at at time zone 'UTC')::date as day
    from (select user_id, exam_id, percentage, submitted_at from attempts
           where submitted_at is not null order by submitted_at desc limit ${LIMIT}) a
    join exams e on e.id = a.exam_id
)
select (select json_build_object('average', avg(percentage), 'attempts', count(*), 'passed', avg(passed::int),
          'users', count(distinct user_id), 'a', count(*) filter (where percentage >= 90),
          'b', count(*) filter (where percentage >= 75 and percentage < 90),
          'c', count(*) filter (where percentage >= 60 and percentage < 75),
          'd', count(*) filter (where percentage < 60)) from result) as summary,
       (select json_agg(x) from (select exam_id, avg(percentage), count(*), avg(passed::int) from result group by 1) x) as exams,
       (select json_agg(x) from (select day, avg(percentage), count(distinct user_id) from result group by 1 order by 1) x) as days,
       (select json_agg(x) from (select user_id, avg(percentage), count(*) from result group by 1 order by 2 desc, 3 desc limit 10) x) as top`

const service = await startOwnService()
try {
  const { sql, url } = service
  await sql`
    insert into users (id, username, email, full_name, role)
    select n, 'person' || n, 'person' || n || '@example.org', 'Person ' || n, 'user' from generate_series(1, 20000) n`
  await sql`
    insert into exams (id, name, pass_percentage) select n, 'Exam ' || n, 30 + n % 40 from generate_series(1, 200) n`
  await sql`
    insert into attempts (user_id, exam_id, attempt_number, status, started_at, submitted_at, score, max_score, percentage,
                          correct, incorrect, unattempted)
    select n % 20000 + 1, n / 20000 % 200 + 1, n / 4000000 + 1, 'submitted', at, at, s, 100, s, 20, 10, 5
      from (select n, now() - (${RESULTS}::int - n) * interval '30 s' as at, ((n::bigint * 7919) % 10007) * 100.0 / 10007 as s
              from generate_series(0, ${RESULTS - 1}::int) n) result`
  await sql`vacuum analyze attempts`

  const headers = service.headersOf(1)
  const get = async (path: string) => {
    const response = await fetch(url + path, { headers })
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    return response.arrayBuffer()
  }
  const cases: [name: string, work: () => Promise<unknown>][] = [
    ['one plain SQL statement', () => sql.unsafe(PLAIN, [], { prepare: true })],
    ['dashboard, all time', () => get('/api/v01/admin/analytics')],
    ['dashboard, a month', () => get('/api/v01/admin/analytics?timePeriod=month')],
    ['dashboard, one exam', () => get('/api/v01/admin/analytics?exam=7')],
    ['overview', () => get('/api/v01/admin/overview')],
  ]
  const times = new Map(cases.map(([name]) => [name, [] as number[]]))
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, work] of cases) times.get(name)?.push(await time(work))
  console.log(`${RESULTS} results, ${ROUNDS} rounds by turns, milliseconds: median, least`)
  for (const [name, each] of times)
    console.log(`  ${name.padEnd(26)}${show(quantile(each, 0.5))}${show(Math.min(...each))}`)

  const plan = await sql.unsafe(
    `explain (analyze, costs off, timing off) select user_id, exam_id, percentage, submitted_at from attempts
      where submitted_at is not null order by submitted_at desc limit ${LIMIT}`,
  )
  for (const row of plan) console.log(`  ${row['QUERY PLAN']}`)

  for (const [name, busy] of [
    ['alone', false],
    ['beside dashboards', true],
  ] as const) {
    const answers: number[] = []
    let stop = false
    const dashboards = busy
      ? (async () => {
          while (!stop) await get('/api/v01/admin/analytics')
        })()
      : undefined
    for (let probe = 0; probe < 600; probe++) {
      answers.push(await time(() => get('/api/v01/chat/unread')))
      await wait(5)
    }
    stop = true
    await dashboards
    console.log(
      `another route ${name}: p50${show(quantile(answers, 0.5))}  p99${show(quantile(answers, 0.99))}`,
    )
  }
} finally {
  await service.close()
}
