import { and, desc, eq, gt, max, or, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { auditEntries } from '../../db/tables/audit.tables.ts'
import { users } from '../../db/tables/users.tables.ts'
import { slicesOf } from '../../formats/slices.ts'
import { examsOf } from '../exams/exam-access.sql.ts'

export type AuditRow = typeof auditEntries.$inferSelect & { actor: string | null; subjectName: string | null }
export type NewAuditRow = Omit<typeof auditEntries.$inferInsert, 'id' | 'at'>

export interface AuditFilter {
  actorId: number | undefined
  action: string | undefined
  classId: number | undefined
  subject: { type: string; id: string } | undefined
}

/** Rows of one statement: writing the text of more of them would hold up the process. */
const ROWS_AT_ONCE = 500

export async function insertEntries(tx: Executor, rows: NewAuditRow[]): Promise<void> {
  for (const some of slicesOf(rows, ROWS_AT_ONCE)) await tx.insert(auditEntries).values(some)
}

/** The id of somebody's newest entry; null if there is none. */
export async function findNewestId(db: Executor, actorId: number): Promise<number | null> {
  const [row] = await db
    .select({ id: max(auditEntries.id) })
    .from(auditEntries)
    .where(eq(auditEntries.actorId, actorId))
  return row?.id ?? null
}

/** How many entries of this action somebody has since an instant. */
export function countSince(db: Executor, actorId: number, action: string, since: Date): Promise<number> {
  const { actorId: actor, at } = auditEntries
  return db.$count(auditEntries, and(eq(actor, actorId), eq(auditEntries.action, action), gt(at, since)))
}

/** Of what has an id and a name. */
const NAMES = [
  ['user', sql`select username from users`],
  ['exam', sql`select name from exams`],
  ['class', sql`select name from classes`],
  ['category', sql`select name from categories`],
] as const
const { subjectType, subjectId } = auditEntries
const SUBJECT_NAME = sql<string | null>`case
  when ${subjectId} !~ '^[0-9]{1,10}$' then null
  ${sql.join(
    NAMES.map(
      ([type, names]) => sql`when ${subjectType} = ${type} then (${names} where id = ${subjectId}::bigint)`,
    ),
    sql` `,
  )} end`

/** A page, newest first, with the names that its actors and subjects have today, and how many there are. */
export async function listEntries(db: Executor, filter: AuditFilter, limit: number, offset: number) {
  const chosen = and(
    filter.actorId === undefined ? undefined : eq(auditEntries.actorId, filter.actorId),
    filter.action === undefined ? undefined : eq(auditEntries.action, filter.action),
    filter.classId === undefined ? undefined : isOfClass(filter.classId),
    filter.subject &&
      and(eq(auditEntries.subjectType, filter.subject.type), eq(auditEntries.subjectId, filter.subject.id)),
  )
  const [rows, total] = await Promise.all([
    db
      .select({ entry: auditEntries, actor: users.username, subjectName: SUBJECT_NAME })
      .from(auditEntries)
      .leftJoin(users, eq(users.id, auditEntries.actorId))
      .where(chosen)
      .orderBy(desc(auditEntries.id))
      .limit(limit)
      .offset(offset),
    db.$count(auditEntries, chosen),
  ])
  return { rows: rows.map(({ entry, ...names }): AuditRow => ({ ...entry, ...names })), total }
}

/** What was done for a class, and to the exams that are for it today. */
function isOfClass(classId: number): SQL | undefined {
  const isItsExam = sql`${auditEntries.subjectId} in (select id::text from exams where id in ${examsOf(classId)})`
  return or(eq(auditEntries.classId, classId), and(eq(auditEntries.subjectType, 'exam'), isItsExam))
}
