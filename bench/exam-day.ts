/**
 * Measures a regrade for everybody who took an exam, its undoing, and how long other routes take meanwhile, such as
 * saving the answers of another exam. Then the item analysis of an exam.
 *
 *   DATABASE_URL=postgres://… npx node bench/exam-day.ts [attempts]
 */
import { setTimeout as wait } from 'node:timers/promises'
import { quantile } from './measure.ts'
import { show, startOwnService, time } from './own-service.ts'

const ATTEMPTS = Number(process.argv[2] ?? 10_000)
const QUESTIONS = 65
const SITTERS = 2_000
const ITEMS = 100
const ROUNDS = 11
/** Clients that send requests meanwhile, and the pause of each between two requests. */
const CLIENTS = 8
const REST_MS = 20

const service = await startOwnService()
try {
  const { sql, url } = service
  await sql`
    insert into users (id, username, email, full_name, role)
    select n, 'person' || n, 'person' || n || '@example.org', 'Person ' || n, 'user'
      from generate_series(1, ${ATTEMPTS}::int) n`
  await sql`insert into exams (id, name, is_published) select n, 'Exam ' || n, true from generate_series(1, 3) n`
  await sql`
    insert into questions (id, exam_id, question_text, question_type, correct_answer)
    select exam_id * 1000 + n, exam_id, 'Question ' || n,
           case n % 5 when 3 then 'MSQ' when 4 then 'NUMERIC' else 'MCQ' end,
           case n % 5 when 3 then 'A,C' when 4 then '1.5' else 'B' end
      from (values (1, ${QUESTIONS}::int), (2, ${ITEMS}::int), (3, ${QUESTIONS}::int)) exam(exam_id, questions),
           generate_series(1, questions) n`

  const call = async (userId: number, method: string, path: string, body?: object) => {
    const response = await fetch(url + path, {
      method,
      headers: service.headersOf(userId),
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const answer = (await response.json()) as { regrade: { id: number } }
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`)
    return answer
  }

  for (const exam of [1, 2, 3]) await call(1, 'POST', `/api/v01/exams/${exam}/prepare`)
  // The regrade changes every one of these results.
  for (const [exam, attempts, questions] of [
    [1, ATTEMPTS, QUESTIONS],
    [2, SITTERS, ITEMS],
  ] as const)
    await sql`
      insert into attempts (user_id, exam_id, paper_id, attempt_number, status, started_at, submitted_at, answers,
                            score, max_score, percentage, correct, incorrect, unattempted)
      select n, ${exam}, p.id, 1, 'submitted', now(), now(),
             (select jsonb_object_agg(${exam} * 1000 + q, case q % 5
                when 3 then jsonb_build_array('A', case when (n * q) % 3 = 0 then 'C' else 'D' end)
                when 4 then to_jsonb((((n * q) % 7) / 2.0)::text)
                else to_jsonb(substr('ABBCD', (n * q + q) % 5 + 1, 1)) end)
                from generate_series(1, ${questions}::int) q),
             0, 1, 0, ${questions}::int, 0, 0
        from exam_papers p, generate_series(1, ${attempts}::int) n where p.exam_id = ${exam}`
  await sql`vacuum analyze attempts`

  let busy = true
  const latencies: number[] = []
  async function goOn(client: number): Promise<void> {
    await call(client, 'POST', '/api/v01/exams/3/start')
    for (let turn = 0; busy; turn++) {
      const answers = { [3_001 + ((turn * 5) % 60)]: 'B' }
      const requests = [
        () => call(client, 'GET', '/api/v01/exams'),
        () => call(client, 'PUT', '/api/v01/exams/3/answers', { answers }),
        () => call(client, 'GET', '/api/v01/chat/unread'),
        () => call(client, 'GET', '/api/v01/attempts'),
      ]
      latencies.push(await time(requests[turn % requests.length] as () => Promise<unknown>))
      await wait(REST_MS)
    }
  }
  const going = Array.from({ length: CLIENTS }, (_, index) => goOn(index + 1))
  const measure = async (name: string, work: () => Promise<unknown>) => {
    latencies.length = 0
    const took = await time(work)
    console.log(
      `${name.padEnd(34)} ${show(took)} ms; other routes meanwhile p50 ${show(quantile(latencies, 0.5))}, p99 ${show(quantile(latencies, 0.99))}, ${latencies.length} requests`,
    )
  }

  await wait(500)
  await measure('nothing', () => wait(3_000))
  const body = { question_id: 1_001, action: 'new_key', correct_answer: 'C' }
  const path = '/api/v01/admin/exams/1/regrades'
  await measure(`preview over ${ATTEMPTS} attempts`, () => call(1, 'POST', path, { ...body, preview: true }))
  let id = 0
  await measure(`regrade of ${ATTEMPTS} attempts`, async () => {
    id = (await call(1, 'POST', path, body)).regrade.id
  })
  await measure('its undoing', () => call(1, 'POST', `/api/v01/admin/regrades/${id}/undo`, {}))
  busy = false
  await Promise.all(going)

  await call(1, 'POST', '/api/v01/admin/exams/2/regrades', { question_id: 2_001, action: 'credit_all' })
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++)
    times.push(await time(() => call(1, 'GET', '/api/v01/admin/analytics/exams/2/items')))
  console.log(
    `item analysis, ${SITTERS} × ${ITEMS}:      p50 ${show(quantile(times, 0.5))}, slowest ${show(Math.max(...times))} ms`,
  )
} finally {
  await service.close()
}
