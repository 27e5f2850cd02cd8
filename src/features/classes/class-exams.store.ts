import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { query } from '../../db/query.ts'

/** Whether an exam is for a class. */
export async function isClassExam(db: Executor, classId: number, examId: number): Promise<boolean> {
  const rows = await db.execute(sql`
    select from exam_classes where class_id = ${classId} and exam_id = ${examId}`)
  return rows.length > 0
}

/** Whether an attempt `a` of `member` counts for their class: they made it before they left. */
export const COUNTS_FOR_CLASS = sql`(member.left_at is null or a.started_at < member.left_at)`

/** Whether an attempt counts for a class: a student of it made it at one of its exams, before they left. */
export async function isAttemptOfClass(db: Executor, classId: number, attemptId: number): Promise<boolean> {
  const rows = await db.execute(sql`
    select from attempts a
      join exam_classes taken on taken.exam_id = a.exam_id and taken.class_id = ${classId}
      join class_members member on member.class_id = ${classId} and member.user_id = a.user_id
     where a.id = ${attemptId} and member.role = 'student' and ${COUNTS_FOR_CLASS}`)
  return rows.length > 0
}

export async function isStudent(db: Executor, classId: number, userId: number): Promise<boolean> {
  const rows = await db.execute(sql`
    select from class_members
     where class_id = ${classId} and user_id = ${userId} and role = 'student' and left_at is null`)
  return rows.length > 0
}

export async function listStudentIds(db: Executor, classId: number): Promise<number[]> {
  const rows = await query<{ userId: number }>(
    db,
    { userId: 'integer' },
    sql`
    select user_id as "userId" from class_members
     where class_id = ${classId} and role = 'student' and left_at is null order by user_id`,
  )
  return rows.map(({ userId }) => userId)
}
