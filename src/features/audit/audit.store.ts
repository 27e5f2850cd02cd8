import { and, desc, eq, gt, max, or, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { examsOf } from '../../db/exam-access.ts'
import { auditEntries } from '../../db/tables/audit.tables.ts'
import { users } from '../../db/tables/users.tables.ts'
import { slicesOf } from '../../formats/slices.ts'

export type AuditRow = typeof auditEntries.$inferSelect & { actor: string | null }
export type NewAuditRow = Omit<typeof auditEntries.$inferInsert, 'id' | 'at'>

export interface AuditFilter {
  actorId: number | undefined
  action: string | undefined
  classId: number | undefined
  subject: { type: string; id: string } | undefined
}

/** Rows of one statement: their parameters must stay below PostgreSQL's 65,535. */
const ROWS_AT_ONCE = 5_000

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

/** A page, newest first, with the names that its actors have today, and how many there are. */
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
      .select({ entry: auditEntries, actor: users.username })
      .from(auditEntries)
      .leftJoin(users, eq(users.id, auditEntries.actorId))
      .where(chosen)
      .orderBy(desc(auditEntries.id))
      .limit(limit)
      .offset(offset),
    db.$count(auditEntries, chosen),
  ])
  return { rows: rows.map(({ entry, actor }): AuditRow => ({ ...entry, actor })), total }
}

/** What was done for a class, and to the exams that are for it today. */
function isOfClass(classId: number): SQL | undefined {
  const isItsExam = sql`${auditEntries.subjectId} in (select id::text from exams where id in ${examsOf(classId)})`
  return or(eq(auditEntries.classId, classId), and(eq(auditEntries.subjectType, 'exam'), isItsExam))
}
