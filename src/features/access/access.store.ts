import { and, count, desc, eq, exists, getTableColumns, inArray, lt, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Executor } from '../../db/database-client.ts'
import { only, query } from '../../db/query.ts'
import { accessFailures, accessRequests } from '../../db/tables/account.tables.ts'
import { users } from '../../db/tables/users.tables.ts'
import { foldedCase } from '../../db/text-search.ts'
import { foldCase } from '../../formats/case-fold.ts'

export type AccessRequestRow = typeof accessRequests.$inferSelect
export type AccessStatus = AccessRequestRow['status']

/** The account that both the name and the address belong to, and whether it has a request pending. */
export async function findApplicant(db: Executor, username: string, email: string) {
  const pending = db
    .select({ id: accessRequests.id })
    .from(accessRequests)
    .where(and(eq(accessRequests.userId, users.id), eq(accessRequests.status, 'pending')))
  const [row] = await db
    .select({
      id: users.id,
      username: users.username,
      role: users.role,
      hasPending: sql<boolean>`${exists(pending)}`,
    })
    .from(users)
    .where(
      and(eq(foldedCase(users.username), foldCase(username)), eq(foldedCase(users.email), foldCase(email))),
    )
  return row
}

/**
 * Counts the outcome of a network's guess, and answers the failures that were counted before it. It is one statement,
 * so simultaneous guesses are counted one after another.
 */
export async function countGuess(
  db: Executor,
  { network, failed, now, until }: { network: string; failed: boolean; now: Date; until: Date },
): Promise<{ before: number; expiresAt: Date }> {
  const one = sql`${failed ? 1 : 0}::int`
  const isLive = sql`known.expires_at > ${now.toISOString()}`
  const rows = await query<{ before: number; expiresAt: Date }>(
    db,
    { before: 'integer', expiresAt: 'timestamptz' },
    sql`
    insert into access_failures as known (network, failures, expires_at)
    values (${network}, ${one}, ${until.toISOString()})
    on conflict (network) do update
      set failures = case when ${isLive} then known.failures + excluded.failures else excluded.failures end,
          expires_at = case when ${isLive} then known.expires_at else excluded.expires_at end
    returning failures - ${one} as before, expires_at as "expiresAt"`,
  )
  return only(rows)
}

/** Deletes the counts that have run out. */
export async function deleteExpiredFailures(db: Executor, now: Date): Promise<void> {
  await db.delete(accessFailures).where(lt(accessFailures.expiresAt, now))
}

export async function insertRequest(
  db: Executor,
  request: Pick<
    AccessRequestRow,
    'userId' | 'currentAccess' | 'requestedAccess' | 'userReason' | 'signedIn' | 'createdAt'
  >,
): Promise<number> {
  return only(
    await db
      .insert(accessRequests)
      .values({ ...request, processedBy: null })
      .returning({ id: accessRequests.id }),
  ).id
}

/** A page of requests in these states, newest first, and how many there are. */
export async function listRequests(db: Executor, statuses: AccessStatus[], limit: number, offset: number) {
  const chosen = inArray(accessRequests.status, statuses)
  const processor = alias(users, 'processor')
  const [rows, total] = await Promise.all([
    db
      .select({
        ...getTableColumns(accessRequests),
        username: users.username,
        email: users.email,
        processor: processor.username,
      })
      .from(accessRequests)
      .innerJoin(users, eq(users.id, accessRequests.userId))
      .leftJoin(processor, eq(processor.id, accessRequests.processedBy))
      .where(chosen)
      .orderBy(desc(accessRequests.id))
      .limit(limit)
      .offset(offset),
    db.$count(accessRequests, chosen),
  ])
  return { rows: rows.map((row) => ({ ...row, processor: row.processor ?? '' })), total }
}

export async function countByStatus(db: Executor): Promise<Map<AccessStatus, number>> {
  const rows = await db
    .select({ status: accessRequests.status, count: count() })
    .from(accessRequests)
    .groupBy(accessRequests.status)
  return new Map(rows.map(({ status, count: each }) => [status, each]))
}

export async function findRequestForUpdate(tx: Executor, id: number): Promise<AccessRequestRow | undefined> {
  const [row] = await tx.select().from(accessRequests).where(eq(accessRequests.id, id)).for('update')
  return row
}

export async function updateRequest(
  db: Executor,
  id: number,
  change: Pick<AccessRequestRow, 'status' | 'processedBy' | 'processedAt'> & { adminReason?: string },
): Promise<void> {
  await db.update(accessRequests).set(change).where(eq(accessRequests.id, id))
}
