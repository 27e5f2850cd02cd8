import postgres from 'postgres'
import type { Core } from '../src/core.ts'
import { listAllowances } from '../src/features/allowances/allowances.service.ts'
import { readDashboard } from '../src/features/analytics/analytics.service.ts'
import { listEntries } from '../src/features/audit/audit.service.ts'
import { listAgenda } from '../src/features/classes/class-agenda.service.ts'
import { listAccommodations, requireClassExam } from '../src/features/classes/class-exams.service.ts'
import { listNews } from '../src/features/classes/class-news.service.ts'
import * as classes from '../src/features/classes/classes.service.ts'
import { readGradebook } from '../src/features/classes/gradebook.service.ts'
import { keysOf } from '../src/features/classes/known-keys.service.ts'
import { listExamResults } from '../src/features/results/exam-results.service.ts'
import { find, median, type Report, table } from './measure.ts'
import { execute, recording, type Statement } from './statements.ts'
import { createWorld, type World } from './world.ts'

const PEOPLE = 100_000
const CLASSES = 3_000
/** One of the usual ones, which has 100 students and one exam. */
const USUAL = 61
/** A class of the whole school, with half of all exams. */
const SCHOOL = CLASSES + 1
const SCHOOL_SIZE = 5_000
const EXAMS = 100
const MOST_MS = 10

type Page = (core: Core, classId: number) => Promise<unknown>
const TEACHER = { userId: PEOPLE, isAdmin: false }
/** Of these classes. */
const studentOf = (classId: number) => ({ userId: classId === SCHOOL ? 77 : USUAL - 1, isAdmin: false })
const examOf = (classId: number) => (classId === SCHOOL ? 4 : 2)
const PAGES: Record<string, Page> = {
  'own classes': (core) => classes.listOwnClasses(core, 77, false),
  'all classes': (core) => classes.listClasses(core, { page: 1 }),
  'all classes, a name': (core) => classes.listClasses(core, { q: 'class 77', page: 1 }),
  members: (core, classId) => classes.describeClass(core, TEACHER, classId, 1),
  'a student’s class': (core, classId) => classes.describeClass(core, studentOf(classId), classId, 1),
  'a student’s agenda': (core, classId) => listAgenda(core, studentOf(classId), classId),
  'the news': (core, classId) => listNews(core, studentOf(classId), classId, undefined),
  results: async (core, classId) => {
    const at = { classId, examId: examOf(classId) }
    await requireClassExam(core, TEACHER, at)
    await listExamResults(core, at, (db) => keysOf(core, db, TEACHER, at.examId), 1)
  },
  gradebook: (core, classId) => readGradebook(core, TEACHER, classId, 1),
  'times of an exam': (core, classId) =>
    listAccommodations(core, TEACHER, { classId, examId: examOf(classId) }),
  'dashboard of the class': (core, classId) =>
    readDashboard(core, { class_id: classId, exam: examOf(classId) }),
  'allowances of the class': (core, class_id) => listAllowances(core, { class_id, page: 1 }),
  'log of the class': (core, class_id) => listEntries(core, { class_id, page: 1 }),
}

/** What PostgreSQL executes for the pages of classes in a large school: all statements of a page together. */
export async function benchClassPages(rounds: number): Promise<Report> {
  const world = await createWorld()
  // As the service's own connections.
  const driver = postgres(world.databaseUrl, { max: 1, onnotice: () => {}, connection: { jit: 'off' } })
  try {
    await fill(world)
    const asked: Statement[] = []
    const core = { db: recording(driver, asked), clock: Date.now, config: { timezone: 'UTC' } } as Core
    const rows: string[][] = []
    const findings: Report['findings'] = []
    for (const [name, page] of Object.entries(PAGES)) {
      const times: number[] = []
      for (const classId of [USUAL, SCHOOL]) {
        asked.length = 0
        await page(core, classId)
        const statements = [...asked]
        const sums: number[] = []
        for (let round = 0; round < rounds; round++) sums.push(await execute(driver, statements))
        times.push(median(sums))
      }
      rows.push([name, ...times.map((each) => each.toFixed(1))])
      findings.push(find(`${name}: execution`, times[0] as number, 'ms', '≤', MOST_MS, 1))
    }
    return {
      text: `### Pages of classes

${PEOPLE.toLocaleString('en-US')} people in ${CLASSES.toLocaleString('en-US')} classes, and one class of ${SCHOOL_SIZE.toLocaleString('en-US')} with ${EXAMS / 2} exams, PostgreSQL ${world.databaseVersion}. Execution of all statements of a page by EXPLAIN (analyze), median of ${rounds}, in ms.

${table(['', 'a class of 100', `the one of ${SCHOOL_SIZE.toLocaleString('en-US')}`], rows)}
`,
      findings,
    }
  } finally {
    await driver.end({ timeout: 1 })
    await world.close()
  }
}

async function fill({ sql }: World): Promise<void> {
  await sql.unsafe(`
    set synchronous_commit = off;
    insert into users (id, username, email, full_name, role, email_verified)
      select n, 'person' || n, 'person' || n || '@example.org', 'Person ' || n, 'user', true
        from generate_series(1, ${PEOPLE}) n;
    insert into exams (id, name, published, for_classes, max_attempts)
      select n, 'Exam ' || n, true, n % 2 = 0, case when n % 4 = 0 then 3 end from generate_series(1, ${EXAMS}) n;
    insert into questions (exam_id, question_text, correct_answer)
      select 1 + n % ${EXAMS}, 'Which?', 'B' from generate_series(1, 3000) n;
    insert into classes (id, name) select n, 'Class ' || n from generate_series(1, ${CLASSES + 1}) n;
    insert into class_members (class_id, user_id, role)
      select 1 + (n + k * 997) % ${CLASSES}, n, 'student' from generate_series(1, ${PEOPLE - 1}) n, generate_series(0, 2) k
      union all select ${SCHOOL}, n, 'student' from generate_series(1, ${SCHOOL_SIZE}) n
      union all select n, ${PEOPLE}, 'teacher' from unnest(array[${USUAL}, ${SCHOOL}]) n;
    insert into exam_classes (exam_id, class_id)
      select 2 * e, 1 + (e * 60 + k) % ${CLASSES} from generate_series(1, ${EXAMS / 2}) e, generate_series(0, 29) k
      union all select 2 * e, ${SCHOOL} from generate_series(1, ${EXAMS / 2}) e;
    insert into attempts (user_id, exam_id, attempt_number, status, started_at, submitted_at, score, max_score, percentage,
                          correct, incorrect, unattempted)
      select person, exam, 1, 'submitted', at, at, person % 100, 100, person % 100, 20, 5, 5
        from (select person, exam, now() - (person * 7 + exam) * interval '1 min' as at
                from (select person, 1 from generate_series(1, ${PEOPLE}) person
                      union select user_id, exam_id from exam_classes join class_members using (class_id) where role = 'student'
                     ) taken(person, exam)) result;
    insert into class_invitations (class_id, email, role, invited_at)
      select ${SCHOOL}, 'somebody' || n || '@example.org', 'student', now() from generate_series(1, 2000) n;
    insert into class_news (class_id, author_id, text, pinned, created_at)
      select 1 + n % ${CLASSES + 1}, ${PEOPLE}, repeat('News ', 100), n % 3000 = 0, now() from generate_series(1, 100000) n;
    insert into accommodations (exam_id, user_id, extra_time_percent)
      select e, n, 25 from generate_series(2, 4, 2) e, generate_series(1, ${PEOPLE}, 100) n;
    insert into audit_entries (actor_id, action, subject_type, subject_id, class_id, summary)
      select ${PEOPLE}, 'class.code', 'class', class_id, class_id, 'The class has a new code'
        from (select 1 + n % ${CLASSES + 1} as class_id from generate_series(1, 100000) n) change`)
  await sql`vacuum analyze`
}
