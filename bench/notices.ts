import { setTimeout } from 'node:timers/promises'
import { find, median, quantile, type Report, summarise, table } from './measure.ts'
import { WRITER, writeFor } from './pushes.ts'
import { createWorld, populate, type Server, type World } from './world.ts'

const STUDENTS = 10_000
/** Students of a class. */
const CLASS_SIZE = 100
const LOOK_MS = 10

/** An exam is published for many classes while others write; then one of two nodes is killed meanwhile. */
export async function benchNotices(rounds: number): Promise<Report> {
  const world = await createWorld()
  try {
    await populate(world.sql, STUDENTS + 2, 2)
    await school(world)
    const [one, other] = [await world.start('service'), await world.start('service')]
    const told: number[] = []
    const calm: number[] = []
    const beside: number[] = []
    for (let round = 1; round <= rounds; round++) {
      const latencies = await writeFor(world, one, async () => {
        const beganAt = await announce(world, one, round)
        await untilTold(world)
        told.push(performance.now() - beganAt)
        // As long as it takes to collect enough sends for a p99.
        await setTimeout(3_000)
      })
      await requireAll(world, round)
      beside.push(quantile(latencies, 0.99))
      calm.push(quantile(await writeFor(world, one, () => setTimeout(3_000 + (told.at(-1) ?? 0))), 0.99))
    }
    const last = rounds + 1
    await announce(world, one, last)
    while ((await countTold(world, last)) < STUDENTS / 3) await setTimeout(LOOK_MS)
    process.kill(other.pid, 'SIGKILL')
    await other.stop()
    await untilTold(world)
    await requireAll(world, last)
    const people = STUDENTS.toLocaleString('en-US')
    const text = `### Notices

${people} students of ${STUDENTS / CLASS_SIZE} classes are told of a new exam by two nodes; meanwhile somebody sends a message every 10 ms.

${table(
  ['', ''],
  [
    [
      'all told, from when they are due, s',
      summarise(
        told.map((ms) => ms / 1_000),
        2,
      ),
    ],
    ['p99 of a send without notices, ms', summarise(calm, 1)],
    ['p99 of a send beside them, ms', summarise(beside, 1)],
  ],
)}

When one node is killed (SIGKILL) on the way, everybody is told, and nobody twice.
`
    return {
      text,
      findings: [
        find(`${people} people told, s`, median(told) / 1_000, '', '≤', 5),
        find('p99 of sends beside notices ÷ without', median(beside) / median(calm), '', '≤', 1.1),
      ],
    }
  } finally {
    await world.close()
  }
}

async function school({ sql }: World): Promise<void> {
  const classes = STUDENTS / CLASS_SIZE
  await sql`insert into classes (id, name) select n, 'Class ' || n from generate_series(1, ${classes}::int) n`
  await sql`
    insert into class_members (class_id, user_id, role)
    select (n - 1) / ${CLASS_SIZE}::int + 1, n, 'student' from generate_series(1, ${STUDENTS}::int) n`
  await sql`analyze`
}

/** Publishes another exam, whose minute is over at once; when that was. */
async function announce(world: World, { url }: Server, round: number): Promise<number> {
  const { sql } = world
  await sql`insert into exams (id, name, published, for_classes) values (${round}, 'An exam', false, true)`
  await sql`insert into questions (exam_id, question_text, correct_answer) values (${round}, 'Which one?', 'A')`
  await sql`insert into exam_classes (exam_id, class_id) select ${round}, id from classes`
  const token = world.tokenOf(WRITER, 'user,admin')
  const answer = await fetch(`${url}/api/v01/admin/exams/${round}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ is_published: true }),
  })
  if (!answer.ok) throw new Error(`publishing was answered ${answer.status}: ${await answer.text()}`)
  await sql`update notice_causes set due_at = now()`
  return performance.now()
}

async function untilTold({ sql }: World): Promise<void> {
  while ((await sql`select 1 from notice_causes limit 1`).length > 0) await setTimeout(LOOK_MS)
}

async function countTold({ sql }: World, examId: number): Promise<number> {
  const [row] = await sql`select count(*)::int as told from notices where exam_id = ${examId}`
  return row?.told
}

async function requireAll(world: World, examId: number): Promise<void> {
  const told = await countTold(world, examId)
  if (told !== STUDENTS) throw new Error(`${told} of ${STUDENTS} were told`)
}
