/**
 * Measures what questions with variables, and formulas, cost beside others: starts and papers of two exams that are the
 * same but for that (two students at a time, in turns), a regrade of an exam with variables, grading alone, and answers
 * that were made to take long.
 *
 *   DATABASE_URL=postgres://… npx node bench/variables.ts [attempts]
 */
import { randomUUID } from 'node:crypto'
import { AnswerKey } from '../src/features/attempts/scoring.ts'
import { type Drawable, draw, keyOf } from '../src/features/questions/kinds/concrete.ts'
import { kindOf } from '../src/features/questions/kinds/kinds.ts'
import { cpuSeconds, median, medianRatio, summarise } from './measure.ts'
import { show, startOwnService, time } from './own-service.ts'

const ATTEMPTS = Number(process.argv[2] ?? 10_000)
const QUESTIONS = 65
const ROUNDS = 10
/** Students of each exam in a round. */
const STUDENTS = 200
const AT_ONCE = 4

const [PLAIN, DRAWN] = [1, 2]
const TEXT =
  'A body of {@m@} kg moves at {@v@} m/s. $E = \\frac{1}{2} \\cdot {@m@} \\cdot ({@v@})^2$, and its momentum is {@m*v; 2@}. ' +
  'Give the kinetic energy in joules, to three significant digits.'
const VARIABLES = [
  { name: 'm', from: 1, to: 20, step: 0.5 },
  { name: 'v', from: -30, to: 30, step: 1 },
  { name: 'E', is: 'm*v^2/2' },
]
const CONDITIONS = ['v != 0']

const service = await startOwnService()
try {
  const { sql, url, pid } = service
  const call = async (userId: number, method: string, path: string, body?: object) => {
    const response = await fetch(url + path, {
      method,
      headers: service.headersOf(userId),
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.json() as Promise<{ regrade: { id: number; raised: number } }>
  }
  const people = Math.max(ATTEMPTS, ROUNDS * STUDENTS)
  await sql`
    insert into users (id, username, email, full_name, role)
    select n, 'person' || n, 'person' || n || '@example.org', 'Person ' || n, 'user'
      from generate_series(1, ${people}::int) n`
  await sql`insert into exams (id, name, published) select n, 'Exam ' || n, true from generate_series(1, 2) n`
  const values = (text: string) =>
    text.replace(/\{@(\w+).*?@\}/g, (_, name) => ({ m: '12.5', v: '-24' })[name as 'm'] ?? '3600')
  for (const [exam, text, key, option] of [
    [PLAIN, values(TEXT), '3600', '3600 J'],
    [DRAWN, TEXT, '{@E@}', '{@E@} J'],
  ] as const)
    await sql`
      insert into questions (id, exam_id, question_text, question_type, correct_answer, tolerance, option_a, option_b,
                             option_c, option_d, variables, conditions, kept_draw)
      select ${exam} * 1000 + n, ${exam}, ${text} || n, case when n % 2 = 0 then 'MCQ' else 'NUMERIC' end,
             case when n % 2 = 0 then 'A' else ${key} end, 0.5, ${option}, 'none of these', 'any of these', 'less',
             ${sql.json(exam === DRAWN ? VARIABLES : [])}, ${sql.json(exam === DRAWN ? CONDITIONS : [])},
             ${exam === DRAWN ? sql.json({ m: '1', v: '1', E: '1/2' }) : null}
        from generate_series(1, ${QUESTIONS}::int) n`

  const round = async (exam: number, index: number) => {
    const used = { start: 0, paper: 0 }
    for (const [name, method] of [
      ['start', 'POST'],
      ['paper', 'GET'],
    ] as const) {
      const before = cpuSeconds(pid)
      const waiting = Array.from({ length: STUDENTS }, (_, student) => index * STUDENTS + student + 1)
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (let student = waiting.pop(); student !== undefined; student = waiting.pop())
            await call(student, method, `/api/v01/exams/${exam}/${name}`)
        }),
      )
      used[name] = ((cpuSeconds(pid) - before) * 1e6) / STUDENTS
    }
    return used
  }
  const used = new Map<number, { start: number[]; paper: number[] }>()
  for (let index = 0; index < ROUNDS; index++)
    for (const exam of index % 2 === 0 ? [PLAIN, DRAWN] : [DRAWN, PLAIN]) {
      const { start, paper } = await round(exam, index)
      const known = used.get(exam) ?? { start: [], paper: [] }
      used.set(exam, { start: [...known.start, start], paper: [...known.paper, paper] })
    }
  const [plain, drawn] = [used.get(PLAIN), used.get(DRAWN)]
  if (!plain || !drawn) throw new Error('nothing was measured')
  for (const name of ['start', 'paper'] as const)
    console.log(
      `${name.padEnd(8)} CPU µs with ${summarise(drawn[name])}, without ${summarise(plain[name])}; ratio ${medianRatio(drawn[name], plain[name]).toFixed(2)}`,
    )
  const both = (of: { start: number[]; paper: number[] }) =>
    of.start.map((each, index) => each + (of.paper[index] as number))
  console.log(`both     ratio ${medianRatio(both(drawn), both(plain)).toFixed(2)}`)

  await sql`delete from attempts where exam_id = ${DRAWN}`
  await sql`
    insert into attempts (user_id, exam_id, paper_id, attempt_number, status, started_at, submitted_at, answers, seed,
                          score, max_score, percentage, correct, incorrect, unattempted)
    select n, ${DRAWN}, p.id, 1, 'submitted', now(), now(),
           (select jsonb_object_agg(${DRAWN} * 1000 + q, case when q % 2 = 0 then substr('ABCD', (n + q) % 4 + 1, 1)
                                                              else ((n * q) % 700 / 2.0)::text end)
              from generate_series(1, ${QUESTIONS}::int) q),
           gen_random_uuid(), 0, 1, 0, ${QUESTIONS}::int, 0, 0
      from exam_papers p, generate_series(1, ${ATTEMPTS}::int) n where p.exam_id = ${DRAWN}`
  await sql`vacuum analyze attempts`
  const key = { question_id: DRAWN * 1_000 + 1, action: 'new_key', correct_answer: '{@m*v@}' }
  const path = `/api/v01/admin/exams/${DRAWN}/regrades`
  for (const [name, body] of [
    ['preview', { ...key, preview: true }],
    ['regrade', key],
  ] as const) {
    const before = cpuSeconds(pid)
    const took = await time(() => call(1, 'POST', path, body))
    console.log(
      `${name.padEnd(8)} of ${ATTEMPTS} attempts ${show(took)} ms, CPU ${(cpuSeconds(pid) - before).toFixed(2)} s`,
    )
  }
} finally {
  await service.close()
}

// --- in this process, by its CPU time

function cpuOf(work: () => void): number {
  const from = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(from)
  return user + system
}

const BASE: Omit<Drawable, 'id' | 'question_type' | 'correct_answer' | 'more_options'> & {
  more_options: string[]
  positive_marks: string
  negative_marks: string
} = {
  ...{ question_text: TEXT, option_a: '', option_b: '', option_c: '', option_d: '', more_options: [] },
  ...{ tolerance: '0.5', parts: null, positive_marks: '4', negative_marks: '1' },
}
const draws = { variables: VARIABLES, conditions: CONDITIONS, kept: { m: '1', v: '1', E: '1/2' } }
const NUMERICS = Array.from({ length: QUESTIONS }, (_, index) => ({
  ...BASE,
  id: index + 1,
  question_type: 'NUMERIC' as const,
  correct_answer: '{@E@}',
  draws,
}))
const ANSWERS = Object.fromEntries(NUMERICS.map(({ id }) => [id, String(id * 10)]))
const graded: number[] = []
for (let turn = 0; turn < 60; turn++) {
  const seeds = Array.from({ length: 20 }, () => randomUUID())
  const took = cpuOf(() => {
    for (const seed of seeds) {
      const questions = NUMERICS.map((question) => {
        const filling = draw(question, seed)
        return filling ? keyOf(question, filling) : question
      })
      new AnswerKey(questions, 'partial').grade(ANSWERS)
    }
  })
  if (turn >= 10) graded.push(took / seeds.length / QUESTIONS)
}
console.log(`grading  CPU µs a question, its values drawn: ${summarise(graded, 1)}`)

const FORMULA = {
  ...BASE,
  id: 1,
  question_type: 'FORMULA' as const,
  correct_answer: 'sin(x)^2 + ln(y)*binom(x, 3)',
  parts: { symbols: [{ name: 'x' }, { name: 'y' }, { name: 'xy' }, { name: 'long_name_of_one' }] },
}
const HOSTILE = [
  ...[`${'-'.repeat(190)}x`, `${'sin '.repeat(120)}x`, `${'√'.repeat(190)}x`, `${'|'.repeat(499)}x`],
  ...[`${'--x^('.repeat(45)}y${')'.repeat(45)}`, `${'(--x)^'.repeat(40)}x`, '\\frac{'.repeat(70)],
  ...[`${'('.repeat(240)}x${')'.repeat(240)}`, `${'factorial('.repeat(40)}x${')'.repeat(40)}`],
  ...[
    `${'binom(170,'.repeat(30)}x${')'.repeat(30)}`,
    `${'gcd(9007199254740991,'.repeat(20)}x${')'.repeat(20)}`,
  ],
  ...[
    'binom(x+1000,999.5)+'.repeat(20),
    `${'binom(1e3,500)*'.repeat(30)}x`,
    `${'binom(999,499)*'.repeat(30)}x`,
  ],
  ...[
    `${'9'.repeat(400)}^${'9'.repeat(90)}`,
    `${'9^'.repeat(99)}9`,
    `${'xy'.repeat(250)}`,
    `${'x,'.repeat(249)}x`,
  ],
  ...[
    `${'{'.repeat(250)}${'}'.repeat(250)}`,
    `${'\\left|x'.repeat(60)}${'\\right|'.repeat(60)}`,
    '²'.repeat(500),
  ],
  ...[`x${'^{'.repeat(160)}2${'}'.repeat(160)}`, `max(${'x,'.repeat(19)}x)`.repeat(9), '$'.repeat(500)],
]
/** CPU time is told in ticks, so many answers are timed together. */
const AT_A_TIME = 50
const slowest = HOSTILE.map((answer) => {
  const took = Array.from({ length: 12 }, () =>
    cpuOf(() => {
      for (let turn = 0; turn < AT_A_TIME; turn++) {
        // Anew each time, as with the first answer to a question on a node.
        const key = kindOf('FORMULA').compile(FORMULA, 'partial')
        kindOf('FORMULA').whyUnreadable?.(FORMULA, answer)
        key?.judge(answer)
      }
    }),
  ).map((microseconds) => microseconds / 1_000 / AT_A_TIME)
  return { answer, first: took[0] ?? Number.NaN, usual: median(took) }
}).sort((one, other) => other.usual - one.usual)
for (const { answer, usual, first } of slowest.slice(0, 5))
  console.log(
    `formula  CPU ms ${usual.toFixed(2)} (the first ${AT_A_TIME}: ${first.toFixed(2)}) for ${answer.slice(0, 60)}`,
  )
