import { find, interleave, median, quantile, type Report, table } from './measure.ts'
import { createWorld, type Server, type World } from './world.ts'

const STUDENTS = 5_000
const CLASSES = 150
const QUESTIONS = 30
/** Within these seconds everybody opens their class's exam, starts it, and reads the paper. */
const MORNING_SECONDS = 60
const ADMIN = STUDENTS + 1

const MANY = { people: 100_000, classes: 3_000 }
const LISTS: Record<string, string> = {
  'exam list': '/exams',
  'exam, standing': '/exams/2',
  'own results': '/attempts',
  dashboard: '/admin/analytics?timePeriod=month',
  'people, a name': '/chat/users?q=person77',
}

/**
 * A school of 5,000 in 150 classes, from the roster to the gradebook; then what classes cost the lists of a large one.
 */
export async function benchSchool(rounds: number): Promise<Report> {
  const [day, lists] = [await schoolDay(), await listsWithClasses(rounds)]
  return {
    text: `${day.text}\n${lists.text}`,
    findings: [...day.findings, ...lists.findings],
  }
}

async function schoolDay(): Promise<Report> {
  const world = await createWorld()
  try {
    await insertPeople(world, ADMIN, ADMIN)
    const service = await world.start('service')
    const ask = askFor(service, world.tokenOf(ADMIN, 'user,admin'))
    const steps: [what: string, result: string][] = []
    const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
      const began = performance.now()
      const result = await work()
      steps.push([what, `${((performance.now() - began) / 1_000).toFixed(1)} s`])
      return result
    }

    const classIds = await timed(`${CLASSES} classes`, async () => {
      const ids: number[] = []
      for (let n = 1; n <= CLASSES; n++)
        ids.push((await ask('POST', '/admin/classes', { name: `Class ${n}` })).class.id)
      return ids
    })
    await timed(`${CLASSES} rosters of ${Math.ceil(STUDENTS / CLASSES)} students each`, async () => {
      for (const [index, id] of classIds.entries()) await sendRoster(ask, id, (n) => n % CLASSES === index)
    })
    const school = (await ask('POST', '/admin/classes', { name: 'The whole school' })).class.id
    await timed(`one roster of ${STUDENTS.toLocaleString('en-US')} students`, () =>
      sendRoster(ask, school, () => true),
    )
    const examIds = await timed(
      `${CLASSES} exams of ${QUESTIONS} questions, published for their classes`,
      async () => {
        const ids: number[] = []
        for (const classId of classIds) ids.push(await createExam(ask, classId))
        return ids
      },
    )

    const latencies: number[] = []
    await timed(`${STUDENTS.toLocaleString('en-US')} students list, start and open their exam`, () =>
      Promise.all(
        Array.from({ length: STUDENTS }, async (_, index) => {
          await new Promise((go) => setTimeout(go, (index / STUDENTS) * MORNING_SECONDS * 1_000))
          const student = askFor(service, world.tokenOf(index + 1))
          const examId = examIds[(index + 1) % CLASSES]
          for (const [method, path] of [
            ['GET', '/exams'],
            ['POST', `/exams/${examId}/start`],
            ['GET', `/exams/${examId}/paper`],
          ] as const) {
            const began = performance.now()
            await student(method, path, method === 'POST' ? {} : undefined)
            latencies.push(performance.now() - began)
          }
          await student('POST', `/exams/${examId}/submit`, {})
        }),
      ),
    )
    await timed(`${CLASSES} gradebooks as CSV`, async () => {
      for (const id of classIds) await ask('GET', `/classes/${id}/gradebook.csv`)
    })
    await timed(`the gradebook of ${STUDENTS.toLocaleString('en-US')} students as CSV`, () =>
      ask('GET', `/classes/${school}/gradebook.csv`),
    )
    const p99 = quantile(latencies, 0.99)
    return {
      text: `### A school of ${STUDENTS.toLocaleString('en-US')}

The morning lasts ${MORNING_SECONDS} s; a request of it takes p50 ${median(latencies).toFixed(1)} ms, p99 ${p99.toFixed(0)} ms.

${table(['step', 'time'], steps)}
`,
      findings: [find('a request of a school’s morning, p99', p99, 'ms', '≤', 1_000, 0)],
    }
  } finally {
    await world.close()
  }
}

/** In a large school, in turn without classes and with them. */
async function listsWithClasses(rounds: number): Promise<Report> {
  const worlds = [await createWorld(), await createWorld()]
  try {
    const sides = []
    for (const [index, world] of worlds.entries()) {
      await insertPeople(world, MANY.people, 1)
      await insertExams(world, index === 1)
      const server = await world.start('service')
      sides.push(askFor(server, world.tokenOf(1, 'user,admin')), askFor(server, world.tokenOf(77)))
    }
    const rows: string[][] = []
    const findings: Report['findings'] = []
    for (const [name, path] of Object.entries(LISTS)) {
      // Administrators' pages by the administrator, all others by a student.
      const asked = path.startsWith('/admin') ? [sides[0], sides[2]] : [sides[1], sides[3]]
      const times = await interleave(asked as [Ask, Ask], rounds * 20, async (ask) => {
        const began = performance.now()
        await ask('GET', path)
        return performance.now() - began
      })
      const [without, withClasses] = asked.map((each) => median(times.get(each as Ask) ?? []))
      const ratio = (withClasses as number) / (without as number)
      rows.push([name, (without as number).toFixed(2), (withClasses as number).toFixed(2), ratio.toFixed(2)])
      findings.push(find(`${name}: with ÷ without classes`, ratio, `${withClasses?.toFixed(1)} ms`, '≤', 1.1))
    }
    return {
      text: `### Lists of a school with ${MANY.people.toLocaleString('en-US')} people

${MANY.classes.toLocaleString('en-US')} classes, half of 100 exams for 30 of them each. p50 in ms over HTTP, one client, in turn.

${table(['', 'without classes', 'with classes', 'ratio'], rows)}
`,
      findings,
    }
  } finally {
    for (const world of worlds) await world.close()
  }
}

type Ask = ReturnType<typeof askFor>

/** Requests of one person; what isn't JSON is answered as a text. */
function askFor({ url }: Server, token: string) {
  // biome-ignore lint/suspicious/noExplicitAny: of the answers to a benchmark only a few fields are read
  return async (method: string, path: string, body?: object | FormData): Promise<any> => {
    const isForm = body instanceof FormData
    const answer = await fetch(`${url}/api/v01${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && !isForm ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.headers.get('content-type')?.startsWith('application/json') ? answer.json() : answer.text()
  }
}

async function sendRoster(ask: Ask, classId: number, isIn: (n: number) => boolean): Promise<void> {
  const rows = Array.from({ length: STUDENTS }, (_, index) => index + 1).filter(isIn)
  const csv = `email,full_name,role\n${rows.map((n) => `person${n}@example.org,Person ${n},student`).join('\n')}`
  const form = new FormData()
  form.set('file', new Blob([csv], { type: 'text/csv' }), 'roster.csv')
  const { added } = await ask('POST', `/classes/${classId}/roster`, form)
  if (added !== rows.length) throw new Error(`${added} of ${rows.length} students were added`)
}

async function createExam(ask: Ask, classId: number): Promise<number> {
  const { exam } = await ask('POST', '/admin/exams', {
    name: `Exam of class ${classId}`,
    class_ids: [classId],
    duration_minutes: 60,
  })
  const questions = Array.from({ length: QUESTIONS }, (_, index) => ({
    question_text: `Question ${index + 1}: $\\int_0^1 x^{${index}}\\,dx$`,
    question_type: 'NUMERIC',
    correct_answer: '1',
    tolerance: 0,
  }))
  await ask('POST', '/admin/questions/bulk-add', { exam_id: exam.id, questions })
  await ask('PATCH', `/admin/exams/${exam.id}`, { is_published: true })
  return exam.id
}

async function insertPeople({ sql }: World, people: number, adminId: number): Promise<void> {
  await sql`
    insert into users (id, username, email, full_name, role, email_verified)
    select n, 'person' || n, 'person' || n || '@example.org', 'Person ' || n,
           case n when ${adminId}::int then 'user,admin' else 'user' end, true
      from generate_series(1, ${people}::int) n`
  await sql`analyze`
}

async function insertExams({ sql }: World, areOfClasses: boolean): Promise<void> {
  await sql.unsafe(`
    insert into exams (id, name, published, for_classes)
      select n, 'Exam ' || n, true, ${areOfClasses} and n % 2 = 0 from generate_series(1, 100) n;
    insert into questions (exam_id, question_text, correct_answer)
      select 1 + n % 100, 'Which?', 'B' from generate_series(1, 3000) n;
    insert into attempts (user_id, exam_id, attempt_number, status, started_at, submitted_at, score, max_score, percentage,
                          correct, incorrect, unattempted)
      select 1 + n % ${MANY.people}, 1 + n / ${MANY.people}, 1, 'submitted', at, at, n % 100, 100, n % 100, 20, 5, 5
        from (select n, now() - n * interval '30 s' as at from generate_series(0, 199999) n) result`)
  if (areOfClasses)
    await sql.unsafe(`
      insert into classes (id, name) select n, 'Class ' || n from generate_series(1, ${MANY.classes}) n;
      insert into class_members (class_id, user_id, role)
        select 1 + (n + k * 997) % ${MANY.classes}, n, 'student' from generate_series(1, ${MANY.people}) n, generate_series(0, 2) k;
      insert into exam_classes (exam_id, class_id)
        select 2 * e, 1 + (e * 60 + k) % ${MANY.classes} from generate_series(1, 50) e, generate_series(0, 29) k`)
  await sql`vacuum analyze`
}
