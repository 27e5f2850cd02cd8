import { type SQL, sql } from 'drizzle-orm'
import type { Allowance } from '../../../schemas/allowances.schemas.ts'
import type { Db, Executor } from '../../db/database-client.ts'
import { examsOf, isThereFor, knowClassExams, studentsOf } from '../../db/exam-access.ts'
import { type Columns, only, statement } from '../../db/query.ts'
import { isAccount } from '../../db/tables/users.tables.ts'
import { containing, foldedCase, plannedFor } from '../../db/text-search.ts'

export interface AllowanceFilter {
  /** Part of the username or full name, in any case. */
  q: string | undefined
  examId: number | undefined
  /** Its students at its exams. */
  classId: number | undefined
  status: Allowance['status'] | undefined
}

export interface AllowanceRow {
  studentId: number
  username: string
  examId: number
  examName: string
  /** null: uncapped. */
  maxAttempts: number | null
  attemptsUsed: number
}

/** A page by username, and how many rows there are in all. */
export async function listAllowances(
  db: Db,
  { q, examId, classId, status }: AllowanceFilter,
  limit: number,
  offset: number,
): Promise<{ rows: AllowanceRow[]; total: number }> {
  const pool = plannedFor(q, db)
  const values = { pattern: q ? containing(q) : undefined, examId, classId }
  const count = async () => only(await totals[status ?? 'any'](pool, values)).total
  if (status === 'unlimited' || status === 'exhausted') {
    const total = await count()
    const pages = total < FEW ? pagesOfFew : pagesOfMany
    return { rows: total > offset ? await pages[status](pool, { ...values, limit, offset }) : [], total }
  }
  const rows = await pagesOfMost[status ?? 'any'](pool, { ...values, limit, offset })
  return { rows, total: rows[0]?.total ?? (offset === 0 ? 0 : await count()) }
}

/** Whether there is such an account, with a role that takes exams, and such an exam. */
export async function hasStudentAndExam(db: Executor, studentId: number, examId: number): Promise<boolean> {
  const rows = await db.execute(sql`
    select from users, exams where users.id = ${studentId} and exams.id = ${examId} and ${IS_STUDENT}`)
  return rows.length > 0
}

type Status = Allowance['status'] | 'any'

interface Choice {
  /** Of the username or full name. */
  pattern: string | undefined
  examId: number | undefined
  classId: number | undefined
}
type ChoicePlaces = { [Name in keyof Choice]: SQL | undefined }
type Page = Choice & { limit: number; offset: number }
type PagePlaces = ChoicePlaces & { limit: SQL; offset: SQL }

const COLUMNS = {
  studentId: 'integer',
  username: 'text',
  examId: 'integer',
  examName: 'text',
  maxAttempts: 'integer',
  attemptsUsed: 'integer',
} as const satisfies Columns<AllowanceRow>

const NAME = foldedCase(sql`users.username`)

/**
 * Pages of statuses that most pairs of a student and an exam have: a student's rows are counted from the attempts, so
 * that those before the page are passed over as a whole.
 */
const pagesOfMost = {
  any: statement<Page, AllowanceRow & { total: number }>({ ...COLUMNS, total: 'integer' }, (places) =>
    pageOfMost('any', places),
  ),
  available: statement<Page, AllowanceRow & { total: number }>({ ...COLUMNS, total: 'integer' }, (places) =>
    pageOfMost('available', places),
  ),
}

function pageOfMost(status: 'any' | 'available', { limit, offset, ...choice }: PagePlaces): SQL {
  const pairs = sql`from (${ofClasses(choice)}) pair`
  const [ofAttempts, ofOwnClasses] =
    status === 'any'
      ? [
          sql`
          select count(distinct exam_id) from attempts join exams on exams.id = exam_id
           where user_id = users.id and max_attempts is null and ${ofExam(choice)}`,
          sql`select count(*) ${pairs} where pair.user_id = users.id`,
        ]
      : [
          sql`
          select -count(*) from (
            select from attempts join exams on exams.id = exam_id
             where user_id = users.id and not for_classes and ${ofExam(choice)}
             group by exams.id having count(*) >= max_attempts) exhausted`,
          sql`
          select count(*) ${pairs} join exams on exams.id = pair.exam_id cross join lateral ${used}
           where pair.user_id = users.id and max_attempts > attempts_used`,
        ]
  return sql`
    with counted as materialized (${total(status, choice)}),
    students as (
      select users.id, username, ${NAME} as name, pairs, sum(pairs) over (order by ${NAME}) - pairs as before
        from users cross join lateral (
          select ${countOpen(choice)} + (${ofAttempts}) + (${ofOwnClasses}) as pairs) own
       where ${ofStudent(choice)})
    select users.id as "studentId", username, pair.id as "examId", pair.name as "examName",
           max_attempts as "maxAttempts", attempts_used as "attemptsUsed", (select total from counted) as total
      from students users cross join lateral (
        select exams.*, attempts_used, row_number() over (order by exams.id) as place
          from exams cross join lateral ${used} where ${ofExam(choice)} and ${OF_STATUS[status]}) pair
     -- Without the first condition a page behind the last one would be looked for among all students.
     where (select total from counted) > ${offset} and before + pairs > ${offset} and before + place > ${offset}
     order by users.name, pair.id limit ${limit}`
}

/** The attempts of a student at an exam. */
const used = sql`(
  select count(*)::int as attempts_used from attempts where user_id = users.id and exam_id = exams.id) used`

/** Fewer rows than this are found from the attempts. If there are more, reading students in order soon fills a page. */
const FEW = 5_000

/** Pages of statuses that need attempts. */
const pagesOfMany = {
  unlimited: statement<Page, AllowanceRow>(COLUMNS, (places) => pageOfAttempted('unlimited', places)),
  exhausted: statement<Page, AllowanceRow>(COLUMNS, (places) => pageOfAttempted('exhausted', places)),
}

/** Only students who can have such a row: somebody who has used up an exam has an attempt with that number. */
const pagesOfFew = {
  unlimited: statement<Page, AllowanceRow>(COLUMNS, (places) =>
    pageOfAttempted('unlimited', places, sql`max_attempts is null`),
  ),
  exhausted: statement<Page, AllowanceRow>(COLUMNS, (places) =>
    pageOfAttempted('exhausted', places, sql`attempt_number >= max_attempts`),
  ),
}

function pageOfAttempted(
  status: 'unlimited' | 'exhausted',
  { limit, offset, ...choice }: PagePlaces,
  ofFew?: SQL,
): SQL {
  return sql`
    select users.id as "studentId", users.username, exams.id as "examId", exams.name as "examName",
           exams.max_attempts as "maxAttempts", used.attempts_used as "attemptsUsed"
      from users
      cross join lateral (
        select exam_id, count(*)::int as attempts_used from attempts where user_id = users.id group by exam_id) used
      join exams on exams.id = used.exam_id
     where ${ofStudent(choice)} and ${ofExam(choice)} and ${OF_STATUS[status]}
       ${ofFew ? sql`and users.id in (select user_id from attempts join exams on exams.id = exam_id where ${ofFew})` : sql``}
     order by ${NAME}, exams.id limit ${limit} offset ${offset}`
}

const countAll = (status: Status) =>
  statement<Choice, { total: number }>({ total: 'integer' }, (choice) => total(status, choice))
const totals = {
  any: countAll('any'),
  available: countAll('available'),
  unlimited: countAll('unlimited'),
  exhausted: countAll('exhausted'),
}

/** How many rows there are. Without a search or a class, the number comes from counts that triggers maintain. */
function total(status: Status, choice: ChoicePlaces): SQL {
  const isCounted = !choice.pattern && !choice.classId
  const students = isCounted
    ? sql`select coalesce(sum(amount), 0) from counts where what in ('role:user', 'role:user,admin')`
    : sql`select count(*) from users where ${ofStudent(choice)}`
  const attempted = isCounted
    ? sql`
        select exam_id, used, amount from counts where what = 'attempted'
        -- Of those who take no exams any more.
        union all select exam_id, used, -amount
          from (${attemptedBy(sql`(users.role = 'admin' or users.deleted_at is not null)`, choice)}) others`
    : attemptedBy(ofStudent(choice), choice)
  // Pairs of a student and a capped exam: a product, since the pairs are not stored, but for exams for classes, whose
  // people are a small part of a school.
  const capped = sql`(${students})::int * ${countOpen(choice)} + (
    select count(*)::int from (${ofClasses(choice)}) pair join users on users.id = pair.user_id where ${ofStudent(choice)})`
  const unlimited = sql`coalesce(sum(amount) filter (where max_attempts is null), 0)::int`
  const exhausted = sql`coalesce(sum(amount) filter (where max_attempts <= used), 0)::int`
  const number = {
    any: sql`${capped} + ${unlimited}`,
    available: sql`${capped} - ${exhausted}`,
    unlimited,
    exhausted,
  }
  return sql`
    select ${number[status]} as total from (${attempted}) attempted join exams on exams.id = exam_id
     where ${ofExam(choice)}`
}

/** People with attempts at an exam, by how many they have used. */
function attemptedBy(people: SQL, choice: ChoicePlaces): SQL {
  return sql`
    select exam_id, count(*)::int as used, 1 as amount
      from attempts join users on users.id = user_id join exams on exams.id = exam_id
     where ${people} and ${ofExam(choice)} group by user_id, exam_id`
}

/** Capped exams that are there for everybody. */
function countOpen(choice: ChoicePlaces): SQL {
  return sql`(
    select count(*)::int from exams where not for_classes and max_attempts is not null and ${ofExam(choice)})`
}

/** Pairs of somebody and a capped exam for classes that is there for them, or that they have attempted. */
function ofClasses(choice: ChoicePlaces): SQL {
  const exams = sql`(select id from exams where for_classes and max_attempts is not null and ${ofExam(choice)})`
  return knowClassExams(exams, choice.classId && studentsOf(choice.classId))
}

const IS_STUDENT = sql`(${isAccount()} and users.role <> 'admin')`

function ofStudent({ pattern, classId }: ChoicePlaces): SQL {
  return sql.join(
    [
      IS_STUDENT,
      ...(pattern ? [sql`(users.username ilike ${pattern} or users.full_name ilike ${pattern})`] : []),
      ...(classId ? [sql`users.id in ${studentsOf(classId)}`] : []),
    ],
    sql` and `,
  )
}

function ofExam({ examId, classId }: ChoicePlaces): SQL {
  return sql.join(
    [
      sql`true`,
      ...(examId ? [sql`exams.id = ${examId}`] : []),
      ...(classId ? [sql`exams.id in ${examsOf(classId)}`] : []),
    ],
    sql` and `,
  )
}

const IS_THERE = isThereFor(sql`users.id`)

/**
 * Every student × every exam that they have attempted, or that is capped and there for them
 * (docs/protocol/http.md#people), or those of a status.
 */
const OF_STATUS: Record<Status, SQL> = {
  any: sql`(used.attempts_used > 0 or exams.max_attempts is not null and ${IS_THERE})`,
  unlimited: sql`exams.max_attempts is null`,
  exhausted: sql`exams.max_attempts <= used.attempts_used`,
  available: sql`exams.max_attempts > used.attempts_used and (used.attempts_used > 0 or ${IS_THERE})`,
}
