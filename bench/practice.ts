import { randomUUID } from 'node:crypto'
import { createExam } from './exam.ts'
import { type Foretold, foretell, HABITS } from './forecast-simulation.ts'
import { CONNECTIONS, load } from './load.ts'
import { find, interleave, median, medianRatio, quantile, type Report, table } from './measure.ts'
import { type Course, compare, ORDERS, simulate } from './practice-simulation.ts'
import { compareZones, ZONES } from './practice-zones.ts'
import { createWorld, populate, type Server, type World } from './world.ts'

/** `PRACTICE_CARDS=1000000` makes a smaller school, 0 none: then students are only simulated. */
const CARDS = Number(process.env.PRACTICE_CARDS ?? 10_000_000)
const OF_ONE = 20_000
const EXAMS = 400
const QUESTIONS = OF_ONE / EXAMS
/** The exam of the forecast, and the one whose answers are saved, beside those of the cards. */
const FORECAST_EXAM = EXAMS + 1
const FORECAST_QUESTIONS = 500
const SAVED_EXAM = EXAMS + 2
/** Reviews of each card of the forecast's exam. */
const REVIEWS_EACH = 5
const READS = 200
/** Reads before: about five on each connection. */
const WARM_UP = 60
/** People without cards, who write. */
const WRITERS = 300
const LEARNERS = CARDS / OF_ONE

const COURSES: Course[] = [
  { name: 'all can be reviewed', questions: 300, days: 30, minutesADay: 20, newPerDay: 15 },
  { name: 'a backlog', questions: 600, days: 30, minutesADay: 10, newPerDay: 30 },
  { name: 'the last week', questions: 600, days: 7, minutesADay: 15, newPerDay: 90 },
  {
    name: 'two evenings after a pause',
    questions: 600,
    before: { days: 30, pause: 60 },
    days: 2,
    minutesADay: 25,
    newPerDay: 20,
  },
].flatMap((course) => [
  { ...course, students: 40, learnsAll: true },
  { ...course, name: `${course.name}, learns some`, students: 40, learnsAll: false },
])

/** Practice in a large school, and what the order of cards is worth. */
export async function benchPractice(rounds: number, seconds: number): Promise<Report> {
  const reports = [simulation(), forecasts(), await zones()]
  if (CARDS > 0) reports.push(await school(rounds, seconds))
  return {
    text: reports.map(({ text }) => text).join('\n'),
    findings: reports.flatMap(({ findings }) => findings),
  }
}

// --- the order

function simulation(): Report {
  const rows = COURSES.map((course) => ({ course, scores: simulate(course) }))
  const show = ({ median: middle, least, most }: ReturnType<typeof compare>) =>
    `${middle.toFixed(1)} % (${least.toFixed(1)}–${most.toFixed(1)})`
  const text = `### What the order of cards is worth

Simulated students: their memory follows FSRS with weights that differ from the scheduler's (each by a factor of e to 0.3 of a normal number), which it doesn't know.
Equal minutes a day, a right answer takes 8 s, a wrong one 20 s; questions of 1 to 4 marks, half of them with negative marks. Expected marks at the exam in percent; gains are
those of the same student, median (least–most). It shows what the order alone does where memory is as FSRS says. It proves nothing about people whose memory is not.

${table(
  ['', 'students', 'questions', 'days × minutes', ...ORDERS, 'gain ÷ curve', 'gain ÷ due', 'gain ÷ random'],
  rows.map(({ course, scores }) => [
    course.name,
    `${course.students}`,
    `${course.questions}`,
    `${course.days} × ${course.minutesADay}`,
    ...ORDERS.map((order) => `${median(scores[order]).toFixed(1)} %`),
    show(compare(scores.gain, scores.curve)),
    show(compare(scores.gain, scores.due)),
    show(compare(scores.gain, scores.random)),
  ]),
)}
`
  return {
    text,
    findings: rows.flatMap(({ course, scores }) => [
      find(
        `marks by gain order ÷ due order, ${course.name}`,
        median(scores.gain) / median(scores.due),
        'equal minutes',
        '≥',
        1.1,
      ),
      find(
        `marks by gain order ÷ by the curve alone, ${course.name}`,
        mean(scores.gain) / mean(scores.curve),
        'equal minutes',
        '≥',
        1,
      ),
    ]),
  }
}

// --- forecasts

/** Of each habit and each share of questions that are known anyway. */
const FORETOLD = 60
const KNOWN_ANYWAY = [0, 0.4, 0.8]
const PAPER_QUESTIONS = 100

function forecasts(): Report {
  let seed = 0
  const groups = HABITS.flatMap((habit) =>
    KNOWN_ANYWAY.map((known) => {
      const both = Array.from({ length: FORETOLD }, () => foretell(habit, known, PAPER_QUESTIONS, ++seed))
      return { habit, known, now: both.map(({ now }) => now), before: both.map(({ before }) => before) }
    }),
  )
  const formulas = ['before', 'now'] as const
  const row = (name: string, of: (typeof formulas)[number], students: readonly Foretold[]) => {
    const { brier, logLoss, bias, distance, within } = measureForecasts(students)
    return [
      name,
      of,
      mean(students.map(({ reviews }) => reviews)).toFixed(0),
      brier.toFixed(3),
      logLoss.toFixed(3),
      bias.toFixed(1),
      distance.toFixed(1),
      `${within.toFixed(0)} %`,
    ]
  }
  const all = (
    of: (typeof formulas)[number],
    has: (habit: (typeof HABITS)[number]) => boolean = () => true,
  ) => groups.filter(({ habit }) => has(habit)).flatMap((group) => group[of])
  const text = `### Forecasts

${FORETOLD} simulated students a row, papers of ${PAPER_QUESTIONS} questions of 1 to 4 marks, a third of them without options. Who is shown an answer that they didn't know learns it with
a chance of their own (20 to 80 %), and forgets it as FSRS with weights of their own says. Before: the forgetting curve of every card, blind guesses for the others.
Brier score and log loss of single answers; expected − scored and its absolute in points of a percentage; how often the score lay between low and high.

${table(
  ['students who', 'formula', 'reviews', 'Brier', 'log loss', 'exp. − scored', '|exp. − scored|', 'low–high'],
  [
    ...groups.flatMap((group) =>
      formulas.map((of) => row(`${group.habit.name}, know ${100 * group.known} %`, of, group[of])),
    ),
    ...formulas.map((of) => row('all', of, all(of))),
  ],
)}
`
  const measured = measureForecasts(all('now'))
  return {
    text,
    findings: [
      find(
        'Brier score of forecasts ÷ before',
        measured.brier / measureForecasts(all('before')).brier,
        'the curve',
        '≤',
        0.85,
      ),
      find(
        '|expected − scored| with practice',
        measureForecasts(all('now', ({ sits }) => !sits)).distance,
        'points',
        '≤',
        6,
      ),
      find(
        '|expected − scored| by exams alone',
        measureForecasts(all('now', ({ sits }) => !!sits)).distance,
        'points',
        '≤',
        10,
      ),
      find('scores between low and high', measured.within, '%', '≥', 75),
      find('scores between low and high', measured.within, '%', '≤', 85),
    ],
  }
}

function measureForecasts(students: readonly Foretold[]) {
  const answers = students.flatMap((student) => student.answers)
  const differences = students.map(({ expected, scored }) => expected - scored)
  return {
    brier: mean(answers.map(({ p, isRight }) => (p - Number(isRight)) ** 2)),
    // A certain answer that comes out otherwise would cost all that there is.
    logLoss: mean(answers.map(({ p, isRight }) => -Math.log(Math.max(0.001, isRight ? p : 1 - p)))),
    bias: mean(differences),
    distance: mean(differences.map(Math.abs)),
    within: 100 * mean(students.map(({ low, high, scored }) => Number(low <= scored && scored <= high))),
  }
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

// --- local days

const SCHEDULED = 1_000_000

async function zones(): Promise<Report> {
  const { reviews, differences } = await compareZones(SCHEDULED)
  const text = `### Local days

${reviews.toLocaleString('en-US')} reviews by the clocks of ${ZONES.join(', ')}, half of them within two days of a change: ${differences} cards differ from what ts-fsrs makes of them.
`
  return { text, findings: [find('cards that differ from those of ts-fsrs', differences, 'ts-fsrs', '≤', 0)] }
}

// --- a large school

async function school(rounds: number, seconds: number): Promise<Report> {
  const world = await createWorld()
  try {
    await fill(world)
    const service = await world.start('service')
    const learner = { authorization: `Bearer ${world.tokenOf(1)}` }
    await copyToOthers(world, service, learner)
    const next = await timeReads(service, '/practice/next?limit=50', learner)
    const forecast = await timeReads(service, `/practice/forecast?exam_id=${FORECAST_EXAM}`, learner)
    const rates = await compareWrites(world, service, rounds, seconds)
    const text = `### Practice in a large school

${CARDS.toLocaleString('en-US')} cards, ${OF_ONE.toLocaleString('en-US')} of them of whoever asks, PostgreSQL ${world.databaseVersion}; ${READS} reads by one client.

${table(
  ['', 'p50 ms', 'p99 ms'],
  [
    ['the next 50 cards', quantile(next, 0.5).toFixed(1), quantile(next, 0.99).toFixed(1)],
    [
      `forecast of ${FORECAST_QUESTIONS} questions`,
      quantile(forecast, 0.5).toFixed(1),
      quantile(forecast, 0.99).toFixed(1),
    ],
  ],
)}

${CONNECTIONS} connections: ${median(rates.reviews).toFixed(0)} reviews/s, ${median(rates.saves).toFixed(0)} saved answers/s.
`
    return {
      text,
      findings: [
        find('next of 20,000 cards, p50', quantile(next, 0.5), 'ms', '≤', 10),
        find('next of 20,000 cards, p99', quantile(next, 0.99), 'ms', '≤', 20),
        find('forecast of 500 questions, p50', quantile(forecast, 0.5), 'ms', '≤', 20),
        find('reviews a second ÷ saved answers', medianRatio(rates.reviews, rates.saves), 'saves', '≥', 0.8),
      ],
    }
  } finally {
    await world.close()
  }
}

async function fill(world: World): Promise<void> {
  const { sql } = world
  await populate(sql, LEARNERS + WRITERS, 2)
  await sql.unsafe(`
    set synchronous_commit = off;
    insert into exams (id, name, published, open_for_practice)
      select n, 'Exam ' || n, true, true from generate_series(1, ${FORECAST_EXAM}) n;
    insert into questions (id, exam_id, question_text, option_a, option_b, option_c, option_d, correct_answer)
      select n, (n - 1) / ${QUESTIONS} + 1, 'Which?', 'one', 'two', 'three', 'four', 'A' from generate_series(1, ${OF_ONE}) n;
    insert into questions (id, exam_id, question_text, option_a, option_b, option_c, option_d, correct_answer)
      select 1000000 + n, ${FORECAST_EXAM}, 'Which?', 'one', 'two', 'three', 'four', 'A' from generate_series(1, ${FORECAST_QUESTIONS}) n;
    insert into practice_decks (user_id, exam_id, basis)
      select 1, exam, '' from generate_series(1, ${FORECAST_EXAM}) exam;
    insert into practice_cards (user_id, question_id, exam_id, marks, guess, state, due, last_review, stability, difficulty,
                                learning_steps, reps, lapses, timezone, first_at, is_first_right, last_at, last_outcome, is_last_shown)
      select 1, question, (question - 1) / ${QUESTIONS} + 1, 5, 0.25, 'review', now() + (question * 7919 % 40 - 10) * interval '1 day',
             reviewed, 1 + question % 100, 5, 0, 5, 0, 'UTC', reviewed - interval '30 days', question % 3 = 0, reviewed,
             case when question % 4 = 0 then 'wrong' else 'right' end, true
        from generate_series(1, ${OF_ONE}) question,
             lateral (select now() - (1 + question * 31 % 30) * interval '1 day' as reviewed) was;
    insert into practice_cards (user_id, question_id, exam_id, marks, guess, state, due, last_review, stability, difficulty,
                                learning_steps, reps, lapses, timezone, first_at, is_first_right, last_at, last_outcome, is_last_shown)
      select 1, 1000000 + n, ${FORECAST_EXAM}, 5, 0.25, 'review', now() + interval '5 days', reviewed, 1 + n % 100, 5, 0, ${REVIEWS_EACH}, 0,
             'UTC', reviewed - interval '30 days', n % 3 = 0, reviewed, case when n % 4 = 0 then 'wrong' else 'right' end, true
        from generate_series(1, ${FORECAST_QUESTIONS}) n,
             lateral (select now() - (1 + n * 31 % 30) * interval '1 day' as reviewed) was;
    insert into practice_reviews (user_id, client_id, question_id, exam_id, paper_id, answered_at, outcome, sure, rating, expected,
                                  took_ms, scheduler, stored)
      select 1, gen_random_uuid(), question_id, exam_id, 1, last_review - before * interval '3 days',
             case when (question_id + before) % 4 = 0 then 'wrong' else 'right' end, true,
             case when (question_id + before) % 4 = 0 then 1 else 3 end, case when before < ${REVIEWS_EACH - 1} then 0.9 end, 9000, '', '{}'
        from practice_cards, generate_series(0, ${REVIEWS_EACH - 1}) before where exam_id = ${FORECAST_EXAM}`)
  await createExam(world, SAVED_EXAM)
  await sql`vacuum analyze`
}

const OF_CARDS =
  'user_id, question_id, exam_id, paper_id, marks, guess, state, due, last_review, stability, difficulty, learning_steps, reps, ' +
  'lapses, timezone, first_at, is_first_right, last_at, last_outcome, is_last_shown'

/** Gives everybody the cards of the first learner, after the service has looked at these. */
async function copyToOthers({ sql }: World, { url }: Server, headers: Record<string, string>): Promise<void> {
  // Looking at all exams for the first time may take longer than a request: the next one goes on.
  for (let tries = 0; !(await fetch(`${url}/api/v01/practice`, { headers })).ok; tries += 1)
    if (tries === 10) throw new Error('the cards of the first learner could not be looked at')
  await sql.unsafe(`
    insert into practice_decks (user_id, exam_id, basis, asked_basis)
      select person, exam_id, basis, asked_basis from practice_decks deck, generate_series(2, ${LEARNERS}) person;
    insert into practice_cards (${OF_CARDS})
      select ${OF_CARDS.replace('user_id', 'person')} from generate_series(2, ${LEARNERS}) person, practice_cards card`)
  await sql`vacuum analyze`
  // What read meanwhile may have kept pages from counting as seen by all: indexes alone wouldn't do then.
  await sql`vacuum practice_cards`
}

/** Milliseconds of each read, after some that aren't counted: each connection plans its first ones anew. */
async function timeReads({ url }: Server, path: string, headers: Record<string, string>): Promise<number[]> {
  const times: number[] = []
  for (let read = -WARM_UP; read < READS; read += 1) {
    const started = performance.now()
    const answer = await fetch(`${url}/api/v01${path}`, { headers })
    const text = await answer.text()
    if (read < 0) continue
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 200)}`)
    times.push(performance.now() - started)
  }
  return times
}

/** Reviews and saved answers a second, of as many people. */
async function compareWrites({ tokenOf }: World, service: Server, rounds: number, seconds: number) {
  const tokens = Array.from({ length: WRITERS }, (_, index) => tokenOf(LEARNERS + index + 1))
  for (const token of tokens) {
    const headers = { authorization: `Bearer ${token}` }
    const started = await fetch(`${service.url}/api/v01/exams/${SAVED_EXAM}/start`, {
      method: 'POST',
      headers,
    })
    if (!started.ok) throw new Error(`start: ${started.status}`)
  }
  let turn = 0
  const headersOf = () => ({
    authorization: `Bearer ${tokens[turn % WRITERS]}`,
    'content-type': 'application/json',
  })
  const cases = ['reviews', 'saves'] as const
  const write = (what: (typeof cases)[number], duration: number) =>
    load(service, duration, (request) => {
      turn += 1
      request.headers = headersOf()
      if (what === 'saves') {
        request.method = 'PUT'
        request.path = `/api/v01/exams/${SAVED_EXAM}/answers`
        const first = (SAVED_EXAM - 1) * 65 + 1
        request.body = JSON.stringify({ answers: { [first + (turn % 40)]: 'B' } })
      } else {
        request.method = 'POST'
        request.path = '/api/v01/practice/reviews'
        request.body = reviewOf(Math.floor(turn / WRITERS) % FORECAST_QUESTIONS)
      }
    })
  // The first review of each person makes their deck.
  for (const token of tokens) await firstReview(service, token)
  for (const each of cases) await write(each, 2)
  const loads = await interleave([...cases], rounds, (each) => write(each, seconds))
  const rates = (each: (typeof cases)[number]) => (loads.get(each) ?? []).map(({ perSecond }) => perSecond)
  return { reviews: rates('reviews'), saves: rates('saves') }
}

const reviewOf = (question: number) =>
  JSON.stringify({
    reviews: [{ client_id: randomUUID(), question_id: 1_000_001 + question, answer: 'A', sure: true }],
  })

async function firstReview({ url }: Server, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/api/v01/practice/reviews`, {
    method: 'POST',
    headers,
    body: reviewOf(0),
  })
  if (!answer.ok) throw new Error(`review: ${answer.status}`)
}
