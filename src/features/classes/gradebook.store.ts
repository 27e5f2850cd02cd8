import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, query } from '../../db/query.ts'
import { classComments, classExcused, examClasses } from '../../db/tables/classes.tables.ts'
import { isAccount } from '../../db/tables/users.tables.ts'
import { foldedCase } from '../../db/text-search.ts'
import { hasVisibleResults } from '../results/visible-results.sql.ts'
import { COUNTS_FOR_CLASS } from './class-exams.store.ts'
import type { ClassRow } from './classes.store.ts'

export interface StudentRow {
  userId: number
  username: string
  fullName: string
  isFormer: boolean
  /** The address that the class invited. */
  email: string | null
  comment: string
  excused: number[]
}

const GRADED = sql`
  from class_members member join users on users.id = member.user_id and ${isAccount()}
 where member.role = 'student'
   and (member.left_at is null
        or exists (
          select from attempts a join exam_classes taken on taken.exam_id = a.exam_id
           where taken.class_id = member.class_id and a.user_id = member.user_id and a.status <> 'manual'
             and a.started_at < member.left_at))`

/** A page of the students of a class, and of those who were and have marks, by username. */
export async function listGraded(
  db: Executor,
  classId: number,
  limit: number,
  offset: number,
): Promise<StudentRow[]> {
  return query<StudentRow>(
    db,
    {
      userId: 'integer',
      username: 'text',
      fullName: 'text',
      isFormer: 'boolean',
      email: 'text',
      comment: 'text',
      excused: 'integer[]',
    },
    sql`
    select users.id as "userId", users.username, users.full_name as "fullName",
           member.left_at is not null as "isFormer", member.email,
           coalesce((select noted.text from class_comments noted
             where noted.class_id = member.class_id and noted.user_id = member.user_id), '') as comment,
           array(select excused.exam_id from class_excused excused
             where excused.class_id = member.class_id and excused.user_id = member.user_id order by 1) as excused
      ${GRADED} and member.class_id = ${classId}
     order by ${foldedCase(sql`users.username`)} limit ${limit} offset ${offset}`,
  )
}

export async function countGraded(db: Executor, classId: number): Promise<number> {
  const [row] = await query<{ students: number }>(
    db,
    { students: 'integer' },
    sql`select count(*)::int as students ${GRADED} and member.class_id = ${classId}`,
  )
  return row?.students ?? 0
}

export type Counts = ClassRow['counts']

/** The order of a group's attempts `a` with a result: the first of them counts. */
const FIRST: Record<Counts, SQL> = {
  best: sql`a.percentage desc nulls last, a.attempt_number desc`,
  latest: sql`a.attempt_number desc`,
  first: sql`a.attempt_number`,
}

/** The percentage of the attempt that counts, of the attempts `a` of a group; those without a result don't. */
function countedOf(counts: Counts): SQL {
  // Needs no sorting.
  if (counts === 'best') return sql`max(a.percentage) filter (where a.max_score <> 0)`
  return sql`(array_agg(a.percentage order by ${FIRST[counts]}) filter (where a.max_score <> 0))[1]`
}

/** An exam of a gradebook. */
export interface BookExam {
  id: number
  name: string
  /** Whether its students may see their results. */
  isVisible: boolean
}

/** The newest exams of a class, newest first. */
export async function listBookExams(db: Executor, classId: number, limit: number): Promise<BookExam[]> {
  return query<BookExam>(
    db,
    { id: 'integer', name: 'text', isVisible: 'boolean' },
    sql`
    select exams.id, exams.name, ${hasVisibleResults()} as "isVisible"
      from exam_classes taken join exams on exams.id = taken.exam_id
     where taken.class_id = ${classId} order by exams.id desc limit ${limit}`,
  )
}

export interface AverageRow {
  examId: number
  average: number
  marked: number
  passed: number
}

/** How the present students of a class did at these exams, by the attempts that count. */
export async function listAverages(
  db: Executor,
  classId: number,
  examIds: number[],
  counts: Counts,
): Promise<AverageRow[]> {
  return query<AverageRow>(
    db,
    { examId: 'integer', average: 'float8', marked: 'integer', passed: 'integer' },
    sql`
    select counted.exam_id as "examId", avg(counted.percentage)::float8 as average, count(*)::int as marked,
           count(*) filter (where counted.exact + 1e-9 >= exams.pass_percentage)::int as passed
      from (
        select a.exam_id, (${countedOf(counts)})::float8 as exact,
               round((${countedOf(counts)})::numeric, 2) as percentage
          from attempts a
          join class_members member on member.class_id = ${classId} and member.user_id = a.user_id
           and member.role = 'student' and member.left_at is null
         where ${isAnyOf(sql`a.exam_id`, examIds)} and a.status <> 'manual'
         group by a.user_id, a.exam_id) counted
      join exams on exams.id = counted.exam_id
     where counted.percentage is not null group by counted.exam_id`,
  )
}

/**
 * Which of these students have missed which of these exams: published ones with visible results that closed for them
 * while they were in the class, and of which they have no attempt.
 */
export async function listMissed(
  db: Executor,
  classId: number,
  examIds: number[],
  userIds: number[],
  now: Date,
): Promise<{ userId: number; examId: number }[]> {
  const at = sql`${now.toISOString()}::timestamptz`
  return query<{ userId: number; examId: number }>(
    db,
    { userId: 'integer', examId: 'integer' },
    sql`
    with pair as materialized (
      select member.user_id, member.joined_at, member.left_at, exams.id as exam_id, exams.closes_at
        from class_members member cross join exams
       where member.class_id = ${classId} and ${isAnyOf(sql`member.user_id`, userIds)}
         and ${isAnyOf(sql`exams.id`, examIds)} and exams.published and ${hasVisibleResults()}
         and not exists (
           select from attempts a
            where a.user_id = member.user_id and a.exam_id = exams.id and a.status <> 'manual')
    ), given as materialized (
      select own.user_id, times.exam_id,
             max(coalesce(times.closes_at, exams.closes_at, 'infinity')) as closes_at
        from class_accommodations times
        join exams on exams.id = times.exam_id
        join classes there on there.id = times.class_id and not there.archived
        join class_members own on own.class_id = times.class_id and own.left_at is null
       where ${isAnyOf(sql`times.exam_id`, examIds)} and ${isAnyOf(sql`own.user_id`, userIds)}
       group by own.user_id, times.exam_id
    )
    select pair.user_id as "userId", pair.exam_id as "examId"
      from pair
      left join accommodations own on own.user_id = pair.user_id and own.exam_id = pair.exam_id
      left join given on given.user_id = pair.user_id and given.exam_id = pair.exam_id
     cross join lateral (
       select case when own.user_id is not null then coalesce(own.closes_at, pair.closes_at)
                   else coalesce(given.closes_at, pair.closes_at) end as closes_at) personal
     where personal.closes_at <= ${at} and personal.closes_at > pair.joined_at
       and (pair.left_at is null or personal.closes_at < pair.left_at)`,
  )
}

/** Whether somebody is in the gradebook of a class. */
export async function isGraded(db: Executor, classId: number, userId: number): Promise<boolean> {
  const rows = await db.execute(
    sql`select 1 ${GRADED} and member.class_id = ${classId} and users.id = ${userId}`,
  )
  return rows.length > 0
}

export async function hasExam(db: Executor, classId: number, examId: number): Promise<boolean> {
  const at = and(eq(examClasses.classId, classId), eq(examClasses.examId, examId))
  return (await db.$count(examClasses, at)) > 0
}

type ExcusedRow = typeof classExcused.$inferSelect

/** Whether that was new. */
export async function insertExcused(tx: Executor, row: ExcusedRow): Promise<boolean> {
  const rows = await tx.insert(classExcused).values(row).onConflictDoNothing().returning()
  return rows.length > 0
}

export async function deleteExcused(tx: Executor, row: ExcusedRow): Promise<boolean> {
  const { classId, userId, examId } = row
  const rows = await tx
    .delete(classExcused)
    .where(
      and(
        eq(classExcused.classId, classId),
        eq(classExcused.userId, userId),
        eq(classExcused.examId, examId),
      ),
    )
    .returning()
  return rows.length > 0
}

/** An empty text deletes it. */
export async function putComment(
  tx: Executor,
  { classId, userId, text, updatedAt }: typeof classComments.$inferSelect,
): Promise<void> {
  if (text === '')
    await tx
      .delete(classComments)
      .where(and(eq(classComments.classId, classId), eq(classComments.userId, userId)))
  else
    await tx
      .insert(classComments)
      .values({ classId, userId, text, updatedAt })
      .onConflictDoUpdate({
        target: [classComments.classId, classComments.userId],
        set: { text, updatedAt },
      })
}

export interface GradeRow {
  userId: number
  examId: number
  attempts: number
  /** How many of them are over. */
  finished: number
  /** Of the one that counts; null: none of them is over, or there was nothing to score. */
  percentage: number | null
  /** The one that counts, and the latest. */
  countedId: number
  latestId: number
  passPercentage: number
}

/** The results of these students at these exams of a class that count, of attempts that count for it. */
export async function listMarks(
  db: Executor,
  classId: number,
  examIds: number[],
  userIds: number[],
  counts: Counts,
): Promise<GradeRow[]> {
  return query<GradeRow>(
    db,
    {
      userId: 'integer',
      examId: 'integer',
      attempts: 'integer',
      finished: 'integer',
      percentage: 'float8',
      countedId: 'integer',
      latestId: 'integer',
      passPercentage: 'float8',
    },
    sql`
    select a.user_id as "userId", a.exam_id as "examId", count(*)::int as attempts,
           count(a.submitted_at)::int as finished,
           ${countedOf(counts)} as percentage, exams.pass_percentage::float8 as "passPercentage",
           (array_agg(a.id order by coalesce(a.max_score, 0) = 0, ${FIRST[counts]}))[1] as "countedId",
           (array_agg(a.id order by ${FIRST.latest}))[1] as "latestId"
      from attempts a
      join exams on exams.id = a.exam_id
      join class_members member on member.class_id = ${classId} and member.user_id = a.user_id
     where ${isAnyOf(sql`a.user_id`, userIds)} and ${isAnyOf(sql`a.exam_id`, examIds)} and a.status <> 'manual' and ${COUNTS_FOR_CLASS}
     group by a.user_id, a.exam_id, exams.pass_percentage
     order by a.user_id, a.exam_id`,
  )
}
