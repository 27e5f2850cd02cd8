import { and, desc, eq, getTableColumns, gt, isNotNull, lt, or, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, only, query } from '../../db/query.ts'
import { reports } from '../../db/tables/reports.tables.ts'
import { GHOST_ID, isAccount, users } from '../../db/tables/users.tables.ts'

type ReportColumns = typeof reports.$inferSelect
export type NewReportRow = Pick<
  ReportColumns,
  'kind' | 'messageId' | 'commentId' | 'reporterId' | 'authorId' | 'reportedText' | 'reason' | 'createdAt'
>

export type PersonRow = Pick<typeof users.$inferSelect, 'id' | 'username' | 'fullName'>
export interface ReportRow extends ReportColumns {
  author: PersonRow
  reporter: PersonRow
  resolver: string | null
}

/** This person's earlier report of it. */
export async function findOwnReport(
  tx: Executor,
  { reporterId, messageId, commentId }: Pick<NewReportRow, 'reporterId' | 'messageId' | 'commentId'>,
): Promise<number | undefined> {
  const subject =
    messageId === null ? eq(reports.commentId, commentId ?? 0) : eq(reports.messageId, messageId)
  const [row] = await tx
    .select({ id: reports.id })
    .from(reports)
    .where(and(eq(reports.reporterId, reporterId), subject))
  return row?.id
}

export function countReportsSince(tx: Executor, reporterId: number, since: Date): Promise<number> {
  return tx.$count(reports, and(eq(reports.reporterId, reporterId), gt(reports.createdAt, since)))
}

export async function insertReport(tx: Executor, report: NewReportRow): Promise<number> {
  return only(
    await tx
      .insert(reports)
      .values({ ...report, resolvedBy: null })
      .returning({ id: reports.id }),
  ).id
}

const author = alias(users, 'author')
const reporter = alias(users, 'reporter')
const resolver = alias(users, 'resolver')

function selectReports(db: Executor) {
  return db
    .select({
      ...getTableColumns(reports),
      author: { id: author.id, username: author.username, fullName: author.fullName },
      reporter: { id: reporter.id, username: reporter.username, fullName: reporter.fullName },
      resolver: resolver.username,
    })
    .from(reports)
    .innerJoin(author, eq(author.id, reports.authorId))
    .innerJoin(reporter, eq(reporter.id, reports.reporterId))
    .leftJoin(resolver, eq(resolver.id, reports.resolvedBy))
    .$dynamic()
}

/** A page, newest first, and how many there are. */
export async function listReports(
  db: Executor,
  status: ReportColumns['status'] | undefined,
  limit: number,
  offset: number,
) {
  const chosen = status === undefined ? undefined : eq(reports.status, status)
  const [rows, total] = await Promise.all([
    selectReports(db).where(chosen).orderBy(desc(reports.id)).limit(limit).offset(offset),
    db.$count(reports, chosen),
  ])
  return { rows, total }
}

/** A report that is known to exist. */
export async function getReport(db: Executor, id: number): Promise<ReportRow> {
  return only(await selectReports(db).where(eq(reports.id, id)))
}

/** Locks it until the transaction ends. */
export async function findReportForUpdate(tx: Executor, id: number): Promise<ReportColumns | undefined> {
  const [row] = await tx.select().from(reports).where(eq(reports.id, id)).for('no key update')
  return row
}

export async function updateReport(
  tx: Executor,
  id: number,
  decision: Required<Pick<ReportColumns, 'status' | 'note' | 'resolvedBy' | 'resolvedAt' | 'context'>>,
): Promise<void> {
  await tx.update(reports).set(decision).where(eq(reports.id, id))
}

/** Forgets the texts of reports that were decided before an instant. */
export async function forgetTexts(db: Executor, before: Date): Promise<void> {
  await db
    .update(reports)
    .set({ reportedText: '', context: null })
    .where(and(isNotNull(reports.context), lt(reports.resolvedAt, before)))
}

/** Accounts by id; deleted ones are missing. */
export async function listPeople(db: Executor, ids: number[]): Promise<PersonRow[]> {
  if (ids.length === 0) return []
  return db
    .select({ id: users.id, username: users.username, fullName: users.fullName })
    .from(users)
    .where(and(isAnyOf(users.id, ids), or(isAccount(), eq(users.id, GHOST_ID))))
}

export interface ContextRow {
  subjectId: number
  id: number
  authorId: number
  username: string
  fullName: string
  text: string
  createdAt: Date
}

/** The messages around each of these, itself included, oldest first; tombstones are none. */
export function listMessagesAround(db: Executor, ids: number[], each: number): Promise<ContextRow[]> {
  return listAround(db, ids, each, {
    table: sql`messages`,
    thread: sql`conversation_id`,
    place: sql`seq`,
    author: sql`sender_id`,
  })
}

/** The comments around each of these, on the same question. */
export function listCommentsAround(db: Executor, ids: number[], each: number): Promise<ContextRow[]> {
  return listAround(db, ids, each, {
    table: sql`comments`,
    thread: sql`question_id`,
    place: sql`id`,
    author: sql`author_id`,
  })
}

function listAround(
  db: Executor,
  ids: number[],
  each: number,
  { table, thread, place, author }: Record<'table' | 'thread' | 'place' | 'author', SQL>,
): Promise<ContextRow[]> {
  return query<ContextRow>(
    db,
    {
      subjectId: 'integer',
      id: 'integer',
      authorId: 'integer',
      username: 'text',
      fullName: 'text',
      text: 'text',
      createdAt: 'timestamptz',
    },
    sql`
    select subject.id as "subjectId", near.id, near.${author} as "authorId", person.username,
           person.full_name as "fullName", near.message as text, near.created_at as "createdAt"
      from ${table} subject
     cross join lateral (
       (select * from ${table} where ${thread} = subject.${thread} and ${place} <= subject.${place}
           and (deleted_at is null or id = subject.id) order by ${place} desc limit ${each + 1})
       union all
       (select * from ${table} where ${thread} = subject.${thread} and ${place} > subject.${place}
           and deleted_at is null order by ${place} limit ${each})) near
      join users person on person.id = near.${author}
     where ${isAnyOf(sql`subject.id`, ids)}
     order by subject.id, near.${place}`,
  )
}
