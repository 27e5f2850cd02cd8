import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, only, query } from '../../db/query.ts'
import { classMembers } from '../../db/tables/classes.tables.ts'
import { isOwnExamOf, isTaughtBy } from '../exams/exam-access.sql.ts'
import { mayKnowKeys } from './open-keys.sql.ts'

export async function isTeacher(db: Executor, userId: number): Promise<boolean> {
  const rows = await db
    .select({ classId: classMembers.classId })
    .from(classMembers)
    .where(
      and(eq(classMembers.userId, userId), eq(classMembers.role, 'teacher'), isNull(classMembers.leftAt)),
    )
    .limit(1)
  return rows.length > 0
}

/** Whether somebody teaches a class of the exam, and, for its keys, may know them. */
export async function isTaughtExam(
  db: Executor,
  userId: number,
  examId: number,
  keysAt?: Date,
): Promise<boolean> {
  const rows = await db.execute(sql`
    select from exams where id = ${examId} and ${isTaughtBy(userId)}
       and ${keysAt === undefined ? sql`true` : mayKnowKeys(userId, keysAt)}`)
  return rows.length > 0
}

export function isOwnExam(db: Executor, userId: number, examId: number): Promise<boolean> {
  return isOwnBy(db, userId, sql`${examId}`)
}

/** Whether all of these questions exist and belong to exams of this teacher's own. */
export async function areOwnQuestions(db: Executor, userId: number, ids: number[]): Promise<boolean> {
  const [row] = await query<{ own: number }>(
    db,
    { own: 'integer' },
    sql`
    select count(*)::int as own from questions join exams on exams.id = questions.exam_id
     where ${isAnyOf(sql`questions.id`, ids)} and ${isOwnExamOf(userId)}`,
  )
  return row?.own === new Set(ids).size
}

export function isOwnRegrade(db: Executor, userId: number, id: number): Promise<boolean> {
  return isOwnBy(db, userId, sql`select exam_id from regrades where id = ${id}`)
}

export function isOwnChallenge(db: Executor, userId: number, id: number): Promise<boolean> {
  return isOwnBy(
    db,
    userId,
    sql`select exam_id from challenges join attempts on attempts.id = attempt_id where challenges.id = ${id}`,
  )
}

async function isOwnBy(db: Executor, userId: number, examId: SQL): Promise<boolean> {
  const rows = await query<{ own: boolean }>(
    db,
    { own: 'boolean' },
    sql`select exists (select from exams where id = (${examId}) and ${isOwnExamOf(userId)}) as own`,
  )
  return only(rows).own
}
