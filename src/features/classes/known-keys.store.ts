import { type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, iso, query } from '../../db/query.ts'
import { examsOf } from '../exams/exam-access.sql.ts'
import { keysOpenAt, knowsKeysFirst, learnsKeys, mayKnowKeys } from './open-keys.sql.ts'

/** What a teacher may know of an exam. */
export interface KnownRow {
  id: number
  name: string
  mayKnow: boolean
  opensAt: string | null
}

/** Of these exams. */
export function listKnown(db: Executor, teacherId: number, at: Date, ids: number[]): Promise<KnownRow[]> {
  return selectKnown(db, teacherId, at, isAnyOf(sql`exams.id`, ids))
}

/** The exams of a class, or one of them, whose keys and marks its teacher may not know, the newest first. */
export function listUnknown(
  db: Executor,
  teacherId: number,
  at: Date,
  classId: number,
  examId: number | undefined,
): Promise<KnownRow[]> {
  const isWanted = examId === undefined ? sql`true` : sql`exams.id = ${examId}`
  const isUnknown = sql`not ${mayKnowKeys(teacherId, at)}`
  return selectKnown(db, teacherId, at, sql`exams.id in ${examsOf(classId)} and ${isWanted} and ${isUnknown}`)
}

/** Of a teacher's exams, those of one class, or one. */
export interface KeyScope {
  classId?: number
  examId?: number | undefined
}

/** Those of these exams whose keys a teacher would be the first to read. */
export async function listLearnt(
  db: Executor,
  teacherId: number,
  at: Date,
  { classId, examId }: KeyScope,
): Promise<number[]> {
  const isOfClass = classId === undefined ? sql`true` : sql`exams.id in ${examsOf(classId)}`
  const isWanted = examId === undefined ? sql`true` : sql`exams.id = ${examId}`
  const rows = await query<{ id: number }>(
    db,
    { id: 'integer' },
    sql`
    select exams.id from exams
     where ${isOfClass} and ${isWanted} and ${learnsKeys(teacherId, at)} order by exams.id`,
  )
  return rows.map(({ id }) => id)
}

/**
 * Remembers that a teacher reads the keys of an exam, unless that has changed meanwhile, or somebody else has the row:
 * whoever waited for a long change of the exam would keep everybody from starting it.
 */
export async function learnKeys(tx: Executor, teacherId: number, at: Date, examId: number): Promise<void> {
  await tx.execute(sql`
    update exams set keys_known_since = ${at.toISOString()}
     where id in (select id from exams where id = ${examId} for no key update skip locked)
       and ${learnsKeys(teacherId, at)}`)
}

/** Whether teachers know the keys of an exam before its students do, or may. */
export async function knowsFirst(
  db: Executor,
  teacherId: number,
  at: Date,
  examId: number,
): Promise<boolean> {
  const rows = await db.execute(sql`
    select from exams where id = ${examId} and ${knowsKeysFirst(teacherId, at)}`)
  return rows.length > 0
}

function selectKnown(db: Executor, teacherId: number, at: Date, where: SQL): Promise<KnownRow[]> {
  return query<KnownRow>(
    db,
    { id: 'integer', name: 'text', mayKnow: 'boolean', opensAt: 'text' },
    sql`
    select exams.id, exams.name, ${mayKnowKeys(teacherId, at)} as "mayKnow", ${iso(keysOpenAt(at))} as "opensAt"
      from exams where ${where} order by exams.id desc`,
  )
}
