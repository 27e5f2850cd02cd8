import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, query } from '../../db/query.ts'
import { isAccount } from '../../db/tables/users.tables.ts'
import { foldedCase } from '../../db/text-search.ts'
import { COUNTS_FOR_CLASS } from './class-exams.store.ts'

export interface StudentRow {
  userId: number
  username: string
  fullName: string
  isFormer: boolean
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
    { userId: 'integer', username: 'text', fullName: 'text', isFormer: 'boolean' },
    sql`
    select users.id as "userId", users.username, users.full_name as "fullName",
           member.left_at is not null as "isFormer"
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

export interface GradeRow {
  userId: number
  examId: number
  attempts: number
  /** How many of them are over. */
  finished: number
  /** null: none of them is over, or there was nothing to score. */
  percentage: number | null
  passPercentage: number
}

/** The best results of these students at these exams of a class, as far as they count for it. */
export async function listMarks(
  db: Executor,
  classId: number,
  examIds: number[],
  userIds: number[],
): Promise<GradeRow[]> {
  return query<GradeRow>(
    db,
    {
      userId: 'integer',
      examId: 'integer',
      attempts: 'integer',
      finished: 'integer',
      percentage: 'float8',
      passPercentage: 'float8',
    },
    sql`
    select a.user_id as "userId", a.exam_id as "examId", count(*)::int as attempts,
           count(a.submitted_at)::int as finished,
           max(a.percentage) filter (where a.max_score <> 0) as percentage, exams.pass_percentage::float8 as "passPercentage"
      from attempts a
      join exams on exams.id = a.exam_id
      join class_members member on member.class_id = ${classId} and member.user_id = a.user_id
     where ${isAnyOf(sql`a.user_id`, userIds)} and ${isAnyOf(sql`a.exam_id`, examIds)} and a.status <> 'manual' and ${COUNTS_FOR_CLASS}
     group by a.user_id, a.exam_id, exams.pass_percentage
     order by a.user_id, a.exam_id`,
  )
}
