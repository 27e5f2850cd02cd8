import { type SQL, sql } from 'drizzle-orm'
import type { Allowance } from '../../../schemas/allowances.schemas.ts'
import type { Db, Executor } from '../../db/database-client.ts'
import { type Columns, only, statement } from '../../db/query.ts'
import { isAccount } from '../../db/tables/users.tables.ts'
import { containing, foldedCase, plannedFor } from '../../db/text-search.ts'
import { examsOf, isOpenClass, isThereFor, knowClassExams, studentsOf } from '../exams/exam-access.sql.ts'

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

/** Rows of a page. */
export const ALLOWANCES_PER_PAGE = 50
/** Written into the statements, so that PostgreSQL keeps their plans: see `unseen`. */
const LIMIT = sql.raw(`limit ${ALLOWANCES_PER_PAGE}`)

/** A page by username, and how many rows there are in all. */
export async function listAllowances(
  db: Db,
  { q, examId, classId, status }: AllowanceFilter,
  offset: number,
): Promise<{ rows: AllowanceRow[]; total: number }> {
  const pool = plannedFor(q, db)
  const values = { pattern: q ? containing(q) : undefined, examId, classId }
  const count = async () => only(await totals[status ?? 'any'](pool, values)).total
  if (status === 'unlimited' || status === 'exhausted') {
    const total = await count()
    const pages = total < FEW ? pagesOfFew : pagesOfMany
    return { rows: total > offset ? await pages[status](pool, { ...values, offset }) : [], total }
  }
  const rows = await pagesOfMost[status ?? 'any'](pool, { ...values, offset })
  return { rows, total: rows[0]?.total ?? (offset === 0 ? 0 : await count()) }
}

/** Whether there is such an account, with a role that takes exams, and such an exam. */
export async function hasStudentAndExam(db: Executor, studentId: number, examId: number): Promise<boolean> {
  const rows = await db.execute(sql`
    select from users, exams where users.id = ${studentId} and exams.id = ${examId} and ${IS_STUDENT}`)
  return rows.length > 0
}

type Status = Allowance['status'] | 'any'
/** Statuses that only pairs with an attempt have. */
type AttemptedStatus = 'unlimited' | 'exhausted'

interface AllowanceCriteria {
  /** Of the username or full name. */
  pattern: string | undefined
  examId: number | undefined
  classId: number | undefined
}
type ChoicePlaces = { [Name in keyof AllowanceCriteria]: SQL | undefined }
type AllowancePage = AllowanceCriteria & { offset: number }
type PagePlaces = ChoicePlaces & { offset: SQL }

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
 * that those before the page are passed over as a whole. `offset 0` keeps PostgreSQL from counting them anew in each
 * place that uses the number.
 */
const pagesOfMost = {
  any: statement<AllowancePage, AllowanceRow & { total: number }>(
    { ...COLUMNS, total: 'integer' },
    (places) => pageOfMost('any', places),
  ),
  available: statement<AllowancePage, AllowanceRow & { total: number }>(
    { ...COLUMNS, total: 'integer' },
    (places) => pageOfMost('available', places),
  ),
}

function pageOfMost(status: 'any' | 'available', { offset, ...choice }: PagePlaces): SQL {
  const ofStudentAlone = sql`user_id = users.id`
  const pairs = countOf(status, {
    capped: sql`${countForAll(choice)} + ${countOfClasses(choice, sql`pair.user_id = users.id`)}`,
    unlimited: countAttempted('unlimited', ofStudentAlone, choice),
    exhausted: countAttempted('exhausted', ofStudentAlone, choice),
  })
  return sql`
    with counted as materialized (${total(status, choice)}),
    students as (
      select users.id, username, ${NAME} as name, pairs, sum(pairs) over (order by ${NAME}) - pairs as before
        from users cross join lateral (select ${pairs} as pairs offset 0) own
       where ${ofStudent(choice)})
    select users.id as "studentId", username, pair.id as "examId", pair.name as "examName",
           max_attempts as "maxAttempts", attempts_used as "attemptsUsed", (select total from counted) as total
      from students users cross join lateral (
        select exams.*, attempts_used, row_number() over (order by exams.id) as place
          from exams cross join lateral ${used} where ${ofExam(choice)} and ${OF_STATUS[status]}) pair
     -- Without the first condition a page behind the last one would be looked for among all students.
     where (select total from counted) > ${offset} and before + pairs > ${offset} and before + place > ${offset}
     order by users.name, pair.id ${LIMIT}`
}

/** The attempts of a student at an exam. */
const used = sql`(
  select count(*)::int as attempts_used from attempts where user_id = users.id and exam_id = exams.id) used`

/** Fewer rows than this are found from the attempts. If there are more, reading students in order soon fills a page. */
const FEW = 5_000

/** Pages of statuses that need attempts. */
const pagesOfMany = {
  unlimited: statement<AllowancePage, AllowanceRow>(COLUMNS, (places) =>
    pageOfAttempted('unlimited', places),
  ),
  exhausted: statement<AllowancePage, AllowanceRow>(COLUMNS, (places) =>
    pageOfAttempted('exhausted', places),
  ),
}

/** Only students who can have such a row: somebody who has used up an exam has an attempt with that number. */
const pagesOfFew = {
  unlimited: statement<AllowancePage, AllowanceRow>(COLUMNS, (places) =>
    pageOfAttempted('unlimited', places, sql`max_attempts is null`),
  ),
  exhausted: statement<AllowancePage, AllowanceRow>(COLUMNS, (places) =>
    pageOfAttempted('exhausted', places, sql`attempt_number >= max_attempts`),
  ),
}

function pageOfAttempted(status: AttemptedStatus, { offset, ...choice }: PagePlaces, ofFew?: SQL): SQL {
  return sql`
    select users.id as "studentId", users.username, exams.id as "examId", exams.name as "examName",
           exams.max_attempts as "maxAttempts", used.attempts_used as "attemptsUsed"
      from users
      cross join lateral (
        select exam_id, count(*)::int as attempts_used from attempts where user_id = users.id group by exam_id) used
      join exams on exams.id = used.exam_id
     where ${ofStudent(choice)} and ${ofExam(choice)} and ${OF_STATUS[status]}
       ${ofFew ? sql`and users.id in (select user_id from attempts join exams on exams.id = exam_id where ${ofFew})` : sql``}
     order by ${NAME}, exams.id ${LIMIT} offset ${offset}`
}

const countAll = (status: Status) =>
  statement<AllowanceCriteria, { total: number }>({ total: 'integer' }, (choice) => total(status, choice))
const totals = {
  any: countAll('any'),
  available: countAll('available'),
  unlimited: countAll('unlimited'),
  exhausted: countAll('exhausted'),
}

/** How many rows there are. */
function total(status: Status, choice: ChoicePlaces): SQL {
  const students = isCounted(choice)
    ? sql`(select coalesce(sum(amount), 0)::int from counts where what in ('role:user', 'role:user,admin'))`
    : sql`(select count(*)::int from ${studentsIn(choice)} student)`
  const whose = sql`user_id in ${studentsIn(choice)}`
  const number = countOf(status, {
    // The pairs are not stored, so they are a product, except for exams for classes, whose people are a small part of a
    // school.
    capped: sql`${students} * ${countForAll(choice)} + ${countOfClasses(choice, whose)}`,
    unlimited: countAllAttempted('unlimited', whose, choice),
    exhausted: countAllAttempted('exhausted', whose, choice),
  })
  return sql`select ${number} as total`
}

/** A subquery of the ids of the students whom a choice has. */
function studentsIn(choice: ChoicePlaces): SQL {
  if (!choice.classId || choice.pattern) return sql`(select id from users where ${ofStudent(choice)})`
  // Without looking at each one's account.
  return sql`(
    select user_id from ${studentsOf(choice.classId)} member
     where user_id not in (select id from users where ${IS_NO_STUDENT}))`
}

/** The pairs of a status out of those of capped exams, and of those that have an attempt. */
function countOf(
  status: Status,
  { capped, unlimited, exhausted }: Record<'capped' | AttemptedStatus, SQL>,
): SQL {
  const number = {
    any: sql`${capped} + ${unlimited}`,
    available: sql`${capped} - ${exhausted}`,
    unlimited,
    exhausted,
  }
  return number[status]
}

/** Without a search or a class, numbers come from counts that triggers maintain. */
function isCounted({ pattern, classId }: ChoicePlaces): boolean {
  return !pattern && !classId
}

/** Pairs that have an attempt, of all students whom a choice has. */
function countAllAttempted(status: AttemptedStatus, whose: SQL, choice: ChoicePlaces): SQL {
  if (!isCounted(choice)) return countAttempted(status, whose, choice)
  const isOfStatus = { unlimited: sql`max_attempts is null`, exhausted: sql`max_attempts <= used` }
  // Those who take no exams any more are in the counts.
  const others = sql`user_id in (select id from users where ${IS_NO_STUDENT})`
  return sql`((
    select coalesce(sum(amount), 0)::int from counts join exams on exams.id = exam_id
     where what = 'attempted' and ${isOfStatus[status]} and ${ofExam(choice)}
    ) - ${countAttempted(status, others, choice)})`
}

/**
 * Pairs that have an attempt. Attempts are numbered without gaps, so each pair of an uncapped exam has one number 1, and
 * each that has used up a capped one has the number of its cap.
 */
function countAttempted(status: AttemptedStatus, whose: SQL, choice: ChoicePlaces): SQL {
  return status === 'unlimited'
    ? sql`(
        select count(*) filter (where exam_id in (select id from exams where max_attempts is null and ${ofExam(choice)}))::int
          from attempts where ${whose} and attempt_number = 1)`
    : sql`(
        select count(*)::int from attempts join exams on exams.id = exam_id
         where ${whose} and attempt_number = max_attempts and ${ofExam(choice)})`
}

/** Capped exams that are there for all students whom a choice has: those for everybody, and those of its class. */
function countForAll(choice: ChoicePlaces): SQL {
  const { classId } = choice
  return sql`(
    select count(*)::int from exams
     where (not for_classes ${classId ? sql`or ${isOpenClass(classId)}` : sql``}) and max_attempts is not null
       and ${ofExam(choice)})`
}

/**
 * Pairs of somebody and a capped exam that is there for them, or that they have attempted, but not for all students whom
 * the choice has.
 */
function countOfClasses(choice: ChoicePlaces, whose: SQL): SQL {
  const { classId } = choice
  const exams = sql`(select id from exams where for_classes and max_attempts is not null and ${ofExam(choice)})`
  return sql`(
    select count(*)::int from (${knowClassExams(exams, classId && studentsOf(classId))}) pair
     where ${whose} ${classId ? sql`and not ${isOpenClass(classId)}` : sql``})`
}

const IS_STUDENT = sql`(${isAccount()} and users.role <> 'admin')`
/** By indexes; the ghost is in no class and has no attempts. */
const IS_NO_STUDENT = sql`(users.role = 'admin' or users.deleted_at is not null)`

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
