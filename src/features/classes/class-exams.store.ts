import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { classMembers, examClasses } from '../../db/tables/classes.tables.ts'

/** Whether an exam is for a class. */
export async function isClassExam(db: Executor, classId: number, examId: number): Promise<boolean> {
  return (
    (await db.$count(examClasses, and(eq(examClasses.classId, classId), eq(examClasses.examId, examId)))) > 0
  )
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
  return (await db.$count(classMembers, and(isStudentOf(classId), eq(classMembers.userId, userId)))) > 0
}

export async function listStudentIds(db: Executor, classId: number): Promise<number[]> {
  const rows = await db
    .select({ userId: classMembers.userId })
    .from(classMembers)
    .where(isStudentOf(classId))
    .orderBy(classMembers.userId)
  return rows.map(({ userId }) => userId)
}

function isStudentOf(classId: number) {
  return and(eq(classMembers.classId, classId), eq(classMembers.role, 'student'), isNull(classMembers.leftAt))
}
