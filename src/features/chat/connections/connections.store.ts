import { and, desc, eq, gt, sql } from 'drizzle-orm'
import type { Executor } from '../../../db/database-client.ts'
import { only, query } from '../../../db/query.ts'
import { areBlocked, connections } from '../../../db/tables/chat.tables.ts'
import { isAccount, users } from '../../../db/tables/users.tables.ts'

export type ConnectionRow = typeof connections.$inferSelect

export async function insertConnection(
  tx: Executor,
  row: typeof connections.$inferInsert,
): Promise<ConnectionRow> {
  return only(await tx.insert(connections).values(row).returning())
}

/** How many people this one has asked after that time, whatever they answered. */
export function countRequests(db: Executor, requesterId: number, since: Date): Promise<number> {
  return db.$count(
    connections,
    and(eq(connections.requesterId, requesterId), gt(connections.createdAt, since)),
  )
}

/** Whether a connection is between these people, by the expressions of an index. */
const isBetween = (one: number, other: number) => sql`
  least(${connections.requesterId}, ${connections.recipientId}) = ${Math.min(one, other)}
  and greatest(${connections.requesterId}, ${connections.recipientId}) = ${Math.max(one, other)}`

/** The connection between two people, whoever asked. */
export async function findPair(db: Executor, one: number, other: number): Promise<ConnectionRow | undefined> {
  const [row] = await db.select().from(connections).where(isBetween(one, other))
  return row
}

export async function findConnection(db: Executor, id: number): Promise<ConnectionRow | undefined> {
  const [row] = await db.select().from(connections).where(eq(connections.id, id))
  return row
}

export async function updateConnection(
  db: Executor,
  id: number,
  change: Partial<Omit<typeof connections.$inferInsert, 'id'>>,
): Promise<void> {
  await db.update(connections).set(change).where(eq(connections.id, id))
}

/** Pending requests to this person, newest first; with `connectionId` only that one. */
export async function listRequests(db: Executor, recipientId: number, connectionId?: number) {
  return db
    .select({
      id: connections.id,
      fromId: connections.requesterId,
      fromName: users.fullName,
      createdAt: connections.createdAt,
    })
    .from(connections)
    .innerJoin(users, eq(users.id, connections.requesterId))
    .where(
      and(
        eq(connections.recipientId, recipientId),
        eq(connections.status, 'pending'),
        isAccount(),
        connectionId === undefined ? undefined : eq(connections.id, connectionId),
      ),
    )
    .orderBy(desc(connections.createdAt), desc(connections.id))
}

/** Those of these people who are not connected to this one, or between whom there is a block. */
export async function listUnconnected(db: Executor, userId: number, otherIds: number[]): Promise<number[]> {
  const rows = await query<{ id: number }>(
    db,
    { id: 'integer' },
    sql`
    select other.id from unnest(${sql.param(otherIds)}::int[]) as other(id)
     where ${areBlocked(sql`${userId}`, sql`other.id`)}
        or not exists (select from connections
                        where least(requester_id, recipient_id) = least(other.id, ${userId}::int)
                          and greatest(requester_id, recipient_id) = greatest(other.id, ${userId}::int)
                          and status = 'accepted')`,
  )
  return rows.map(({ id }) => id)
}
