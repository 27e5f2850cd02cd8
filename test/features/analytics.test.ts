import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { startService, type TestService, withService } from '../support/service.ts'

/** UTC+5:30, so that days of the zone and days of UTC are never the same. */
const TIMEZONE = 'Asia/Kolkata'
const NOW = Date.parse('2026-11-20T20:00:00Z')
const TODAY = '2026-11-21'
const DAY_MS = 86_400_000

interface Result {
  userId: number
  examId: number
  at: Date
  score: number
  maxScore: number
}

let service: TestService
let admin: Client
const people: Client[] = []
const exams: { id: number; name: string; pass: number }[] = []
const results: Result[] = []

/** Pseudo-random integers, the same in every run. */
let seed = 7
function random(below: number): number {
  seed = (seed * 48_271) % 2_147_483_647
  return seed % below
}

beforeAll(async () => {
  service = await startService({
    clock: () => NOW,
    config: { timezone: TIMEZONE },
  })
  const { sql } = service
  admin = await service.admin()
  for (const name of [
    'zoe',
    'yan',
    'xia',
    '=cmd',
    'ann',
    'bea',
    'cid',
    'dan',
    'eve',
    'fay',
    'gus',
    'hal',
    'ian',
  ]) {
    const person = await service.person(name === '=cmd' ? 'wim' : name)
    await sql`update users set full_name = ${name} where id = ${person.id}`
    people.push(person)
  }
  for (const [name, pass] of [
    ['Optics', 40],
    ['Waves, "long"', 29],
    ['Heat', 75],
  ] as const) {
    const [row] = await sql`insert into exams (name, pass_percentage) values (${name}, ${pass}) returning id`
    exams.push({ id: row?.id, name, pass })
  }
  // Results at the first and last millisecond of days in this zone.
  const edges = [
    '2026-11-20T18:29:59.999Z',
    '2026-11-20T18:30:00.000Z',
    '2026-11-14T18:30:00.000Z',
    '2026-11-14T18:29:59.999Z',
  ]
  for (let n = 0; n < 300; n++)
    results.push({
      userId: (people[random(people.length)] as Client).id,
      examId: (exams[random(3)] as { id: number }).id,
      at: new Date(edges[n] ?? NOW - random(90) * DAY_MS - random(DAY_MS)),
      // 29 of 100 passes at 29 %, although 29 / 100 * 100 is a little less than 29 in floating point.
      score: n % 10 === 0 ? 29 : random(120) - 20,
      maxScore: 100,
    })
  await insertResults(results)
  // Neither an active nor a manual attempt is a result.
  await sql`insert into attempts (user_id, exam_id, attempt_number, status, started_at)
    values (${people[0]?.id ?? 0}, ${exams[0]?.id ?? 0}, 9001, 'active', ${new Date(NOW)}),
           (${people[0]?.id ?? 0}, ${exams[0]?.id ?? 0}, 9002, 'manual', ${new Date(NOW)})`
})
afterAll(() => service.close())

async function insertResults(rows: Result[]): Promise<void> {
  await service.sql`insert into attempts ${service.sql(
    rows.map(({ userId, examId, at, score, maxScore }, n) => ({
      user_id: userId,
      exam_id: examId,
      attempt_number: n + 1,
      status: n % 2 ? 'submitted' : 'expired',
      started_at: at,
      submitted_at: at,
      score,
      max_score: maxScore,
      percentage: (score / maxScore) * 100,
      correct: 3,
      incorrect: 2,
      unattempted: 1,
    })),
  )}`
}

// What the dashboard must answer, computed from the results in the simplest way.

const localDay = (at: Date) => at.toLocaleDateString('sv-SE', { timeZone: TIMEZONE })
const percentOf = ({ score, maxScore }: Result) => (score * 100) / maxScore
const examOf = ({ examId }: Result) => exams.find(({ id }) => id === examId) as (typeof exams)[number]
const personOf = (userId: number) => people.find(({ id }) => id === userId) as Client
const two = (value: number) => Number(value.toFixed(2)) + 0
const average = (values: number[]) => (values.length ? values.reduce((a, b) => a + b) / values.length : 0)
const meanOf = (rows: Result[]) => average(rows.map(percentOf))
const passRateOf = (rows: Result[]) =>
  average(rows.map((row) => (percentOf(row) >= examOf(row).pass ? 100 : 0)))
const headsOf = (rows: Result[]) => new Set(rows.map(({ userId }) => userId)).size
const groups = <K>(rows: Result[], by: (row: Result) => K) => [...Map.groupBy(rows, by)]

function expected(rows: Result[], before: Result[] | undefined) {
  const days = groups(rows, ({ at }) => localDay(at)).sort(([one], [other]) => (one < other ? -1 : 1))
  const examStats = groups(rows, examOf)
    .map(([exam, own]) => ({
      name: exam.name,
      attempts: own.length,
      avgScore: two(meanOf(own)),
      passRate: two(passRateOf(own)),
    }))
    .sort((one, other) => other.attempts - one.attempts || (one.name < other.name ? -1 : 1))
  const between = (low: number, high: number) =>
    rows.filter((row) => percentOf(row) >= low && percentOf(row) < high).length
  const compared = before?.length ? before : undefined
  const growth = (of: (rows: Result[]) => number) =>
    compared ? two(((of(rows) - of(compared)) / of(compared)) * 100) : 0
  const difference = (of: (rows: Result[]) => number) => (compared ? two(of(rows) - of(compared)) : 0)
  return {
    success: true,
    summary: {
      avgScore: two(meanOf(rows)),
      totalAttempts: rows.length,
      passRate: two(passRateOf(rows)),
      activeUsers: headsOf(rows),
      scoreChange: difference(meanOf),
      attemptsChange: growth((each) => each.length),
      passRateChange: difference(passRateOf),
      usersChange: growth(headsOf),
    },
    charts: {
      scoreDistribution: [between(90, Infinity), between(75, 90), between(60, 75), between(-Infinity, 60)],
      examPerformance: {
        labels: examStats.map(({ name }) => name),
        data: examStats.map(({ avgScore }) => avgScore),
      },
      performanceTrends: { labels: days.map(([day]) => day), data: days.map(([, own]) => two(meanOf(own))) },
      userActivity: { labels: days.map(([day]) => day), data: days.map(([, own]) => headsOf(own)) },
    },
    tables: {
      topPerformers: groups(rows, ({ userId }) => userId)
        .map(([id, own]) => ({
          student_id: String(id),
          username: personOf(id).username,
          full_name: personOf(id).username === 'wim' ? '=cmd' : personOf(id).username,
          avgScore: two(meanOf(own)),
          attempts: own.length,
        }))
        .sort(
          (one, other) =>
            other.avgScore - one.avgScore ||
            other.attempts - one.attempts ||
            (one.username < other.username ? -1 : 1),
        )
        .slice(0, 10),
      recentActivity: rows
        .toSorted((one, other) => +other.at - +one.at)
        .slice(0, 10)
        .map((row) => ({
          created_at: row.at.toISOString(),
          username: personOf(row.userId).username,
          full_name: personOf(row.userId).username === 'wim' ? '=cmd' : personOf(row.userId).username,
          exam_name: examOf(row).name,
          score: row.score,
          max_score: row.maxScore,
          percentage: two(percentOf(row)),
        })),
      examStats,
    },
  }
}

function within(from: string, to: string, examId?: number): Result[] {
  return results.filter(
    (row) =>
      localDay(row.at) >= from && localDay(row.at) <= to && (examId === undefined || row.examId === examId),
  )
}

async function dashboard(query: string) {
  return (await admin.get(`/api/v01/admin/analytics${query}`, 200)).body
}

describe('the dashboard', () => {
  test('of all time compares with no other period', async () => {
    expect(await dashboard('')).toEqual(expected(results, undefined))
    expect(await dashboard('?timePeriod=all&startDate=2026-11-01')).toEqual(expected(results, undefined))
  })

  test.each([
    ['today', TODAY, TODAY, '2026-11-20', '2026-11-20'],
    ['week', '2026-11-15', TODAY, '2026-11-08', '2026-11-14'],
    ['month', '2026-10-23', TODAY, '2026-09-23', '2026-10-22'],
    [
      'custom&startDate=2026-11-03&endDate=2026-11-15',
      '2026-11-03',
      '2026-11-15',
      '2026-10-21',
      '2026-11-02',
    ],
    [
      'custom&startDate=2026-11-14&endDate=2026-11-14',
      '2026-11-14',
      '2026-11-14',
      '2026-11-13',
      '2026-11-13',
    ],
  ])('of %s compares with the same number of days before', async (query, from, to, fromBefore, toBefore) => {
    const rows = within(from, to)
    expect(rows.length).toBeGreaterThan(0)
    expect(await dashboard(`?timePeriod=${query}`)).toEqual(expected(rows, within(fromBefore, toBefore)))
  })

  test('of one exam covers its results alone', async () => {
    const examId = exams[1]?.id as number
    expect(await dashboard(`?exam=${examId}`)).toEqual(expected(within('', '9', examId), undefined))
    expect(await dashboard(`?timePeriod=week&exam=${examId}`)).toEqual(
      expected(within('2026-11-15', TODAY, examId), within('2026-11-08', '2026-11-14', examId)),
    )
  })

  test('without results is all zeros', async () => {
    expect(await dashboard('?exam=999999')).toEqual(expected([], undefined))
    expect(await dashboard('?timePeriod=custom&startDate=2020-02-29&endDate=2020-03-01')).toEqual(
      expected([], undefined),
    )
  })

  test('refuses impossible periods, and everybody but administrators', async () => {
    for (const query of [
      'timePeriod=custom',
      'timePeriod=custom&startDate=2026-11-01',
      'timePeriod=custom&endDate=2026-11-01',
      'timePeriod=custom&startDate=2026-11-02&endDate=2026-11-01',
      'timePeriod=custom&startDate=2026-02-29&endDate=2026-03-01',
      'timePeriod=custom&startDate=yesterday&endDate=2026-11-01',
      'timePeriod=year',
      'exam=abc',
    ])
      expect((await admin.get(`/api/v01/admin/analytics?${query}`, 400)).body.code).toBe('validation_failed')
    const { errors } = (await admin.get('/api/v01/admin/analytics?timePeriod=custom', 400)).body
    expect(errors?.map(({ path }) => path)).toEqual(['/startDate', '/endDate'])
    await (people[0] as Client).get('/api/v01/admin/analytics', 403)
    await service.guest().get('/api/v01/admin/overview', 401)
  })

  test('ties are broken by attempts, then by username, past the tenth place too', async () => {
    const own = await withService({ clock: () => NOW })
    const chief = await own.admin()
    const names = 'nmlkjihgfedcba'.split('').map((letter) => `${letter}${letter}${letter}`)
    const [exam] = await own.sql`insert into exams (name) values ('One') returning id`
    for (const name of names) {
      const { id } = await own.person(name)
      for (const number of name === 'ddd' ? [1, 2] : [1])
        await own.sql`
          insert into attempts (user_id, exam_id, attempt_number, status, started_at, submitted_at, score, max_score,
                                percentage, correct, incorrect, unattempted)
          values (${id}, ${exam?.id}, ${number}, 'submitted', now(), now(), 1, 2, 50, 1, 1, 0)`
    }
    const { body } = await chief.get('/api/v01/admin/analytics', 200)
    expect(body.tables.topPerformers.map((row) => row.username)).toEqual([
      'ddd',
      ...['aaa', 'bbb', 'ccc', 'eee', 'fff', 'ggg', 'hhh', 'iii', 'jjj'],
    ])
  })

  test('counts days of the service’s time zone, also those on which clocks change', async () => {
    const own = await withService({ clock: () => NOW, config: { timezone: 'Europe/Berlin' } })
    const chief = await own.admin()
    const [exam] = await own.sql`insert into exams (name) values ('One') returning id`
    const instants = [
      '2026-03-28T22:59:59.999Z',
      // A day of 23 hours.
      '2026-03-28T23:00:00Z',
      '2026-03-29T00:59:59Z',
      '2026-03-29T21:59:59.999Z',
      '2026-03-29T22:00:00Z',
      // A day of 25 hours.
      '2026-10-24T22:00:00Z',
      '2026-10-25T22:59:59.999Z',
      '2026-10-25T23:00:00Z',
    ]
    await own.sql`
      insert into attempts (user_id, exam_id, attempt_number, status, started_at, submitted_at, score, max_score,
                            percentage, correct, incorrect, unattempted)
      select ${chief.id}, ${exam?.id}, n, 'submitted', at, at, n, 100, n, 1, 0, 0
        from unnest(${instants}::timestamptz[]) with ordinality result (at, n)`
    const { body } = await chief.get('/api/v01/admin/analytics', 200)
    expect(body.charts.performanceTrends).toEqual({
      labels: ['2026-03-28', '2026-03-29', '2026-03-30', '2026-10-25', '2026-10-26'],
      data: [1, 3, 5, 6.5, 8],
    })
  })

  test('follows every change immediately, on each node', async () => {
    const own = await withService({ nodes: 2 })
    const chief = await own.admin()
    const { examId, questionIds } = await createExam(own.sql, { questions: [{ negative_marks: 0 }] })
    const [question] = questionIds as [number]
    const [ann, bob] = [await own.person(), await own.person()]
    const sit = async (person: Client, answer: string) => {
      await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
      await person.post(`/api/v01/exams/${examId}/submit`, { answers: { [question]: answer } }, 200)
    }
    const summaries = async () => {
      const { body: here } = await chief.get('/api/v01/admin/analytics', 200)
      const { body: there } = await chief.at(own.urls[1] as string).get('/api/v01/admin/analytics', 200)
      expect(there).toEqual(here)
      const { totalAttempts, avgScore, passRate, activeUsers } = here.summary
      return [totalAttempts, avgScore, passRate, activeUsers]
    }
    expect(await summaries()).toEqual([0, 0, 0, 0])
    await sit(ann, 'A')
    expect(await summaries()).toEqual([1, 100, 100, 1])
    await sit(bob, 'B')
    expect(await summaries()).toEqual([2, 50, 50, 2])
    const regrade = { question_id: question, action: 'credit_all' } as const
    const { body } = await chief.post(`/api/v01/admin/exams/${examId}/regrades`, regrade, 201)
    expect(await summaries()).toEqual([2, 100, 100, 2])
    await chief.post(`/api/v01/admin/regrades/${body.regrade.id}/undo`, {}, 200)
    expect(await summaries()).toEqual([2, 50, 50, 2])
    await chief.patch(`/api/v01/admin/exams/${examId}`, { pass_percentage: 0 }, 200)
    expect(await summaries()).toEqual([2, 50, 100, 2])
    const reset = { student_id: ann.id, exam_id: examId, action: 'reset' as const }
    await chief.post('/api/v01/admin/attempts/modify', reset, 200)
    expect(await summaries()).toEqual([1, 0, 100, 1])
    await bob.delete('/api/v01/account', 200, { confirm: 'DELETE' })
    await expect.poll(summaries).toEqual([0, 0, 0, 0])
  })

  test('covers the 50,000 most recent results and no more', {
    meta: { costly: 'has 50,000 results' },
  }, async () => {
    const own = await withService({ clock: () => NOW })
    const chief = await own.admin()
    const [exam] = await own.sql`insert into exams (name) values ('One') returning id`
    await own.sql`
      insert into attempts (user_id, exam_id, attempt_number, status, started_at, submitted_at, score, max_score,
                            percentage, correct, incorrect, unattempted)
      select ${chief.id}, ${exam?.id}, n, 'submitted', at, at, s, 1, s * 100, 1, 0, 0
        from (select n, ${new Date(NOW)}::timestamptz - n * interval '1 s' as at, (n <= 50000)::int as s
                from generate_series(1, 50007) n) result`
    const { body } = await chief.get('/api/v01/admin/analytics', 200)
    expect(body.summary).toMatchObject({ totalAttempts: 50_000, avgScore: 100 })
    const { body: overview } = await chief.get('/api/v01/admin/overview', 200)
    expect(overview).toEqual({
      success: true,
      total_users: 1,
      total_exams: 1,
      total_results: 50_007,
      total_responses: 50_007,
    })
    const csv = await chief.request('GET', '/api/v01/admin/analytics', undefined, 200, { accept: 'text/csv' })
    expect(String(csv.body).split('\r\n')).toHaveLength(50_002)
  })

  test('does not count deleted accounts', async () => {
    const own = await withService({ clock: () => NOW })
    const [chief, gone] = [await own.admin(), await own.person()]
    const [exam] = await own.sql`insert into exams (name) values ('One') returning id`
    await own.sql`
      insert into attempts (user_id, exam_id, attempt_number, status, started_at, submitted_at, score, max_score,
                            percentage, correct, incorrect, unattempted)
      values (${gone.id}, ${exam?.id}, 1, 'submitted', now(), now(), 1, 2, 50, 1, 1, 0)`
    expect((await chief.get('/api/v01/admin/overview', 200)).body).toMatchObject({
      total_users: 2,
      total_results: 1,
      total_responses: 2,
    })
    await own.sql`delete from users where id = ${gone.id}`
    expect((await chief.get('/api/v01/admin/overview', 200)).body).toMatchObject({
      total_users: 1,
      total_results: 0,
      total_responses: 0,
    })
    expect((await chief.get('/api/v01/admin/analytics', 200)).body.summary.totalAttempts).toBe(0)
  })
})

describe('a CSV download', () => {
  async function download(query: string, path = '/api/v01/admin/analytics') {
    const answer = await admin.request('GET', `${path}?${query}`, undefined, 200, { accept: 'text/csv' })
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    return { answer, rows: parse(answer.body, { columns: true }) as Record<string, string>[] }
  }

  test('holds every matching result, formulas made harmless and numbers left alone', async () => {
    const { answer, rows } = await download('timePeriod=month')
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="results.csv"')
    const wanted = within('2026-10-23', TODAY).toSorted((one, other) => +other.at - +one.at)
    expect(rows.map(({ score }) => score)).toEqual(wanted.map(({ score }) => String(score)))
    expect(rows[0]).toEqual({
      created_at: wanted[0]?.at.toISOString(),
      student_id: String(wanted[0]?.userId),
      username: expect.any(String),
      full_name: expect.any(String),
      exam_name: examOf(wanted[0] as Result).name,
      score: String(wanted[0]?.score),
      max_score: '100',
      percentage: String(two(percentOf(wanted[0] as Result))),
    })
    const names = new Set(rows.map(({ full_name }) => full_name))
    expect(names).toContain("'=cmd")
    expect(names).not.toContain('=cmd')
    expect(rows.some(({ score }) => score?.startsWith('-'))).toBe(true)
  })

  test.each(['topPerformers', 'recentActivity', 'examStats'] as const)(
    'holds the table %s',
    async (table) => {
      const { rows } = await download(`timePeriod=week&table=${table}`)
      const { tables } = await dashboard('?timePeriod=week')
      expect(rows).toEqual(
        (tables[table] as object[]).map((row) =>
          Object.fromEntries(
            Object.entries(row).map(([name, value]) => [name, value === '=cmd' ? "'=cmd" : String(value)]),
          ),
        ),
      )
    },
  )

  test('of the users holds everybody whom all pages of the list show', async () => {
    const { answer, rows } = await download('role=user', '/api/v01/admin/users')
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="users.csv"')
    const { users } = (await admin.get('/api/v01/admin/users?role=user', 200)).body
    expect(rows).toEqual(
      users.map((user: Record<string, unknown>) => ({
        ...user,
        id: String(user.id),
        full_name: user.full_name === '=cmd' ? "'=cmd" : user.full_name,
      })),
    )
    expect(rows).toHaveLength(people.length)
    await service.sql`
      insert into users (username, email, full_name, role)
      select 'many' || n, 'many' || n || '@example.org', 'Many', 'user' from generate_series(1, 2500) n`
    const many = await download('q=many', '/api/v01/admin/users')
    expect(new Set(many.rows.map(({ username }) => username)).size).toBe(2_500)
    expect(many.rows).toHaveLength(2_500)
  })

  test('holds no cell that a spreadsheet would run, whatever the cell begins with', async () => {
    const names = [
      '=1',
      '+1',
      '-1',
      '@x',
      '|calc',
      '%0A',
      '\u200b=1',
      '\ufeff|x',
      '\u2060',
      '＝1',
      '−1',
      'fine',
      "'quoted",
    ]
    for (const [index, name] of names.entries())
      await service.sql`
        insert into users (username, email, full_name, role)
        values (${`cell${index}`}, ${`cell${index}@example.org`}, ${name}, 'user')`
    const { rows } = await download('q=cell', '/api/v01/admin/users')
    const harmless = new Set(['−1', 'fine', "'quoted"])
    expect(rows.map(({ full_name }) => full_name).toReversed()).toEqual(
      names.map((name) => (harmless.has(name) ? name : `'${name}`)),
    )
  })

  test('refuses what the dashboard refuses', async () => {
    await admin.request('GET', '/api/v01/admin/analytics?timePeriod=custom', undefined, 400, {
      accept: 'text/csv',
    })
  })
})
