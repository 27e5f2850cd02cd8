import type postgres from 'postgres'
import { find, interleave, median, type Report, table } from './measure.ts'
import { createWorld, type Server, type World } from './world.ts'

export const SMALL_SCHOOL = {
  name: 'S',
  people: 2_000,
  results: 10_000,
  comments: 2_000,
  notebooks: 200,
  assistant: 2_000,
}
const SIZES = [
  SMALL_SCHOOL,
  { name: 'M', people: 20_000, results: 200_000, comments: 100_000, notebooks: 4_000, assistant: 20_000 },
  { name: 'L', people: 50_000, results: 1_000_000, comments: 500_000, notebooks: 10_000, assistant: 100_000 },
]
type Size = (typeof SIZES)[number]
const EXAMS = 100
const QUESTIONS = 65

const CHANGE = `insert into counts (what, amount) values ('result_changes', 1)`

/** A body makes it a POST; `before` runs in the database each time, not timed. */
const READS: Record<string, [path: string, body?: object | undefined, before?: string]> = {
  'allowances, first page': ['/admin/attempts'],
  'allowances, exhausted': ['/admin/attempts?status=exhausted'],
  'allowances, one exam': ['/admin/attempts?exam_id=2'],
  overview: ['/admin/overview'],
  'users, first page': ['/admin/users'],
  'users, counts': ['/admin/users/counts'],
  'dashboard, a month': ['/admin/analytics?timePeriod=month'],
  'dashboard, a month, the first after a result': ['/admin/analytics?timePeriod=month', undefined, CHANGE],
  'people, all match': ['/chat/users?q=person'],
  'people, a first name': ['/chat/users?q=farah'],
  'people, two letters': ['/chat/users?q=77'],
  'comment counts of 65 questions': [
    '/discussions/counts',
    { question_ids: Array.from({ length: QUESTIONS }, (_, index) => QUESTIONS + index + 1) },
  ],
  'library, popular': ['/library?sort=popular'],
  'library, search': ['/library?q=optics'],
  'assistant, common word': ['/assistant/conversations?search=entropy'],
  'assistant, two letters': ['/assistant/conversations?search=pH'],
  'own results': ['/attempts'],
}

/** How many times slower a read may be at size L than at size S; the second one also counts all rows. */
const GROWTH = 1.5
const GROWTH_WITH_TOTAL = 2
const WITH_TOTAL = /^(allowances|library|own results|users, first)/

/** Reads over HTTP by one client, in turn from databases of three sizes. */
export async function benchGrowth(rounds: number): Promise<Report> {
  const worlds: World[] = []
  const times = new Map<string, number[]>()
  try {
    const sides: { sql: World['sql']; server: Server; headers: Record<string, string> }[] = []
    for (const size of SIZES) {
      const world = await createWorld()
      worlds.push(world)
      await fillSchool(world.sql, size)
      const headers = {
        authorization: `Bearer ${world.tokenOf(1, 'user,admin')}`,
        'content-type': 'application/json',
      }
      sides.push({ sql: world.sql, server: await world.start('service'), headers })
    }
    for (const [name, [path, body, before]] of Object.entries(READS)) {
      const read = async ({ sql, server, headers }: (typeof sides)[number]) => {
        if (before) await sql.unsafe(before)
        return time(server, path, headers, body)
      }
      // PostgreSQL plans the first executions of a prepared statement for their values.
      for (let warm = 0; warm < 8; warm++) for (const side of sides) await read(side)
      const results = await interleave(sides, rounds * 8, read)
      times.set(
        name,
        sides.map((side) => median(results.get(side) ?? [])),
      )
    }
  } finally {
    for (const world of worlds) await world.close()
  }
  const growth = (own: number[]) => (own.at(-1) as number) / (own[0] as number)
  const text = `### Reads as the school grows

${SIZES.map(({ name, people, results }) => `${name}: ${people.toLocaleString('en-US')} people, ${results.toLocaleString('en-US')} results`).join('; ')}. p50 in ms over HTTP, one client.

${table(
  ['', ...SIZES.map(({ name }) => name), 'L ÷ S'],
  [...times].map(([name, own]) => [name, ...own.map((each) => each.toFixed(1)), growth(own).toFixed(1)]),
)}
`
  return {
    text,
    findings: [...times].map(([name, own]) =>
      find(
        `${name}: L ÷ S`,
        growth(own),
        `${own.at(-1)?.toFixed(1)} ms`,
        '≤',
        WITH_TOTAL.test(name) ? GROWTH_WITH_TOTAL : GROWTH,
      ),
    ),
  }
}

async function time(
  { url }: Server,
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<number> {
  const started = performance.now()
  const answer = await fetch(`${url}/api/v01${path}`, {
    headers,
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 200)}`)
  return performance.now() - started
}

/** People with exams, results, comments, notebooks and conversations with the tutor. */
export async function fillSchool(sql: postgres.Sql, size: Size): Promise<void> {
  const { people, results, comments, notebooks, assistant } = size
  await sql.unsafe(`
    set synchronous_commit = off;
    insert into users (id, username, email, full_name, role)
      select n, 'person' || n, 'person' || n || '@example.org',
             (array['Ada','Bob','Chen','Dora','Emil','Farah','Gita','Hugo'])[1 + n % 8] || ' Stone ' || n,
             case n when 1 then 'user,admin' else 'user' end
        from generate_series(1, ${people}) n;
    insert into exams (id, name, published, max_attempts)
      select n, 'Exam ' || n, true, case when n % 2 = 0 then 50 end from generate_series(1, ${EXAMS}) n;
    insert into questions (id, exam_id, question_text, correct_answer)
      select n, (n - 1) / ${QUESTIONS} + 1, 'Which?', 'B' from generate_series(1, ${EXAMS * QUESTIONS}) n;
    insert into attempts (user_id, exam_id, attempt_number, status, started_at, submitted_at, score, max_score, percentage,
                          correct, incorrect, unattempted)
      select n % ${people} + 1, n / ${people} % ${EXAMS} + 1, n / (${people} * ${EXAMS}) + 1, 'submitted', at, at, n % 100, 100, n % 100, 20, 10, 5
        from (select n, now() - (${results} - n) * interval '30 s' as at from generate_series(0, ${results - 1}) n) result;
    insert into comments (question_id, author_id, message)
      select 1 + n % ${EXAMS * QUESTIONS}, 1 + n % ${people}, 'A comment, the number of which is ' || n from generate_series(1, ${comments}) n;
    insert into notebooks (id, owner_id, title, description, is_public, updated_at)
      select n, 1 + n % ${people}, 'Notes on ' || (array['algebra','optics','cells','history','acids'])[1 + n % 5], 'Chapter ' || n, n % 2 = 0,
             now() - n * interval '1 min' from generate_series(1, ${notebooks}) n;
    insert into notebook_interactions (notebook_id, user_id, kind)
      select n * 2, 1 + (n * 13 + k * 7) % ${people}, 'like' from generate_series(1, ${notebooks} / 2) n, generate_series(1, 50) k on conflict do nothing;
    insert into assistant_conversations (id, user_id, title, message_count, updated_at)
      select n, case when n % 50 = 0 then 1 else 2 + n % 1900 end, 'About topic ' || n, 20, now() - n * interval '1 min' from generate_series(1, ${assistant} / 20) n;
    insert into assistant_messages (conversation_id, user_id, is_user, text)
      select id, user_id, k % 2 = 0, 'What is the ' || (array['derivative','entropy','valence'])[1 + (id + k) % 3] || ' of case ' || k || '? ' ||
             repeat('It depends on the definition that the book gives. ', 3) from assistant_conversations, generate_series(1, 20) k`)
  await sql`vacuum analyze`
}
