import { and, eq, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { blocks, connections } from '../../db/tables/chat.ts'
import { users } from '../../db/tables/users.ts'
import { areBlocked } from './conversations-store.ts'

// --- people

export async function findPerson(db: Executor, id: number) {
  const [row] = await db
    .select({ id: users.id, username: users.username, fullName: users.fullName })
    .from(users)
    .where(eq(users.id, id))
  return row
}

export interface FoundRow {
  id: number
  username: string
  full_name: string
  connection_status: ConnectionRow['status'] | null
  conn_id: number | null
  /** Whether the seeker may see their presence. */
  visible: boolean
}

/** People whose username or full name contains `text` as it stands, in any case; those whose username begins with it first. */
export async function searchPeople(
  db: Executor,
  seekerId: number,
  text: string,
  limit: number,
): Promise<FoundRow[]> {
  const plain = text.replace(/[\\%_]/g, '\\$&')
  const anywhere = `%${plain}%`
  return db.execute<FoundRow & { [column: string]: unknown }>(sql`
    select person.id, person.username, person.full_name,
           connection.status as connection_status, connection.id as conn_id,
           not ${areBlocked(sql`${seekerId}`, sql`person.id`)}
             and exists (select from conversation_members mine
                           join conversation_members theirs using (conversation_id)
                          where mine.user_id = ${seekerId} and theirs.user_id = person.id) as visible
      from users person
      left join connections connection
        on least(connection.requester_id, connection.recipient_id) = least(person.id, ${seekerId}::int)
       and greatest(connection.requester_id, connection.recipient_id) = greatest(person.id, ${seekerId}::int)
       and connection.status <> 'ended'
     where (person.username ilike ${anywhere} or person.full_name ilike ${anywhere})
       and person.id > 0 and person.id <> ${seekerId}
     order by person.username ilike ${`${plain}%`} desc, lower(person.username)
     limit ${limit}`)
}

/** Everybody who shares a conversation with one of these people, or this one, and whether the two may see each other's presence. */
export async function listPeers(
  db: Executor,
  userIds: number[],
  conversationId?: number,
): Promise<{ user_id: number; peer_id: number; visible: boolean }[]> {
  return db.execute<{ user_id: number; peer_id: number; visible: boolean }>(sql`
    select user_id, peer_id, not ${areBlocked(sql`user_id`, sql`peer_id`)} as visible
      from (select distinct mine.user_id, them.user_id as peer_id
              from conversation_members mine join conversation_members them using (conversation_id)
             where mine.user_id = any(${sql.param(userIds)}) and them.user_id <> mine.user_id and them.user_id > 0
               ${conversationId === undefined ? sql`` : sql`and conversation_id = ${conversationId}`}) pair`)
}

/** Those of these people who are not connected to this one, or blocked by or from them. */
export async function listUnconnected(db: Executor, userId: number, otherIds: number[]): Promise<number[]> {
  const rows = await db.execute<{ id: number }>(sql`
    select other.id from unnest(${sql.param(otherIds)}::int[]) as other(id)
     where ${areBlocked(sql`${userId}`, sql`other.id`)}
        or not exists (select from connections
                        where least(requester_id, recipient_id) = least(other.id, ${userId}::int)
                          and greatest(requester_id, recipient_id) = greatest(other.id, ${userId}::int)
                          and status = 'accepted')`)
  return rows.map(({ id }) => id)
}

// --- connections

export type ConnectionRow = typeof connections.$inferSelect

/** Whatever is decided about these two people waits until the transaction ends. */
export async function lockPair(tx: Executor, one: number, other: number): Promise<void> {
  await tx.execute(
    sql`select pg_advisory_xact_lock(${Math.min(one, other)}::int, ${Math.max(one, other)}::int)`,
  )
}

export async function insertConnection(
  tx: Executor,
  requesterId: number,
  recipientId: number,
): Promise<ConnectionRow> {
  const [row] = await tx
    .insert(connections)
    .values({ requesterId, recipientId, status: 'pending' })
    .returning()
  return row as ConnectionRow
}

/** The connection between two people, whoever asked. */
export async function findPair(db: Executor, one: number, other: number): Promise<ConnectionRow | undefined> {
  const [row] = await db
    .select()
    .from(connections)
    .where(
      and(
        eq(sql`least(${connections.requesterId}, ${connections.recipientId})`, Math.min(one, other)),
        eq(sql`greatest(${connections.requesterId}, ${connections.recipientId})`, Math.max(one, other)),
      ),
    )
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

/** Pending requests to this person, newest first, or the one of them with this id. */
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
        connectionId === undefined ? undefined : eq(connections.id, connectionId),
      ),
    )
    .orderBy(sql`${connections.createdAt} desc`, sql`${connections.id} desc`)
}

// --- blocks

export async function isBlocked(db: Executor, blockerId: number, blockedId: number): Promise<boolean> {
  const rows = await db
    .select({ blockedId: blocks.blockedId })
    .from(blocks)
    .where(and(eq(blocks.blockerId, blockerId), eq(blocks.blockedId, blockedId)))
  return rows.length > 0
}

export async function insertBlock(db: Executor, blockerId: number, blockedId: number): Promise<void> {
  await db.insert(blocks).values({ blockerId, blockedId }).onConflictDoNothing()
}

export async function deleteBlock(db: Executor, blockerId: number, blockedId: number): Promise<void> {
  await db.delete(blocks).where(and(eq(blocks.blockerId, blockerId), eq(blocks.blockedId, blockedId)))
}

export async function listBlocked(db: Executor, blockerId: number) {
  return db
    .select({ id: users.id, username: users.username, full_name: users.fullName })
    .from(blocks)
    .innerJoin(users, eq(users.id, blocks.blockedId))
    .where(eq(blocks.blockerId, blockerId))
    .orderBy(blocks.createdAt)
}
