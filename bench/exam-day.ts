/**
 * Measures a regrade for everybody who took an exam, its undoing, and how long other routes take meanwhile, such as
 * saving the answers of another exam. Then the item analysis of an exam. The exams have questions of all kinds.
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

const MATCHING = JSON.stringify({
  pairs: [1, 2, 3].map((n) => ({ prompt: `Prompt ${n}`, match: `Match ${n}` })),
  distractors: ['None of them'],
})
const ORDERING = JSON.stringify({ items: ['Item 1', 'Item 2', 'Item 3'] })
const GAPS = JSON.stringify({
  gaps: [
    { kind: 'text', accepted: ['one'] },
    { kind: 'choice', choices: ['ones', 'tens', 'hundreds'], correct: 1 },
    { kind: 'number', key: 3, tolerance: 0 },
  ],
})

const service = await startOwnService()
try {
  const { sql, url } = service
  await sql`
    insert into users (id, username, email, full_name, role)
    select n, 'person' || n, 'person' || n || '@example.org', 'Person ' || n, 'user'
      from generate_series(1, ${ATTEMPTS}::int) n`
  await sql`insert into exams (id, name, published) select n, 'Exam ' || n, true from generate_series(1, 3) n`
  await sql`
    insert into questions (id, exam_id, question_text, question_type, correct_answer, parts)
    select exam_id * 1000 + n, exam_id, text || n, kind, key, parts::jsonb
      from (values (1, ${QUESTIONS}::int), (2, ${ITEMS}::int), (3, ${QUESTIONS}::int)) exam(exam_id, questions),
           generate_series(1, questions) n
      join (values
        (1, 'MCQ', 'Question ', 'B', null),
        (2, 'MSQ', 'Question ', 'A,C', null),
        (3, 'NUMERIC', 'Question ', '1.5', null),
        (4, 'SHORT', 'Question ', 'alpha', null),
        (5, 'MATCHING', 'Question ', '', ${MATCHING}),
        (6, 'ORDERING', 'Question ', '', ${ORDERING}),
        (0, 'GAPS', '[[1]], [[2]] and [[3]] of ', '', ${GAPS})) as kinds(rest, kind, text, key, parts) on rest = n % 7`

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
             (select jsonb_object_agg(${exam} * 1000 + q, case q % 7
                when 1 then to_jsonb(substr('ABBCD', (n * q + q) % 5 + 1, 1))
                when 2 then jsonb_build_array('A', case when (n * q) % 3 = 0 then 'C' else 'D' end)
                when 3 then to_jsonb((((n * q) % 7) / 2.0)::text)
                when 4 then to_jsonb(case when (n * q) % 3 = 0 then 'alpha' else 'beta ' || n % 50 end)
                when 0 then jsonb_build_array(case when n % 2 = 0 then 'one' else 'two' end, (n % 3)::text, (n % 5)::text)
                -- Places of choices and of items: right ones, and two that are exchanged.
                else jsonb_build_array((n % 2)::text, (1 - n % 2)::text, '2') end)
                from generate_series(1, ${questions}::int) q),
             0, 1, 0, ${questions}::int, 0, 0
        from exam_papers p, generate_series(1, ${attempts}::int) n where p.exam_id = ${exam}`
  await sql`vacuum analyze attempts`

  let busy = true
  const latencies: number[] = []
  async function goOn(client: number): Promise<void> {
    await call(client, 'POST', '/api/v01/exams/3/start')
    for (let turn = 0; busy; turn++) {
      const answers = { [3_001 + ((turn * 7) % 63)]: 'B' }
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
