import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Db, Executor, Pool } from '../../../db/database-client.ts'
import { isAnyOf, statement, unseen } from '../../../db/query.ts'
import { areBlocked, blocks, type connections } from '../../../db/tables/chat.tables.ts'
import { isAccount, isPerson, users } from '../../../db/tables/users.tables.ts'
import { beginningWith, byComparison, containing, foldedCase } from '../../../db/text-search.ts'
import { foldCase } from '../../../formats/case-fold.ts'

export async function findPerson(db: Executor, id: number) {
  const [row] = await db
    .select({ id: users.id, username: users.username, fullName: users.fullName })
    .from(users)
    .where(and(eq(users.id, id), isAccount()))
  return row
}

export interface FoundPersonRow {
  id: number
  username: string
  fullName: string
  connectionStatus: (typeof connections.$inferSelect)['status'] | null
  connectionId: number | null
  /** Whether the seeker may see their presence. */
  isVisible: boolean
}

interface PeopleSearch {
  seekerId: number
  beginning: string
  pattern: string
  limit: number
}

const searchFor = byComparison((compare) =>
  statement<PeopleSearch, FoundPersonRow>(
    {
      id: 'integer',
      username: 'text',
      fullName: 'text',
      connectionStatus: 'text',
      connectionId: 'integer',
      isVisible: 'boolean',
    },
    ({ seekerId, beginning, pattern, limit }) => {
      const name = foldedCase(sql`username`)
      const begins = sql`${name} like ${beginning}`
      const mayBeFound = sql`${isAccount()} and id <> ${seekerId}
        and not exists (select from blocks where blocker_id = id and blocked_id = ${seekerId})`
      return sql`
    with found as materialized (
      (select 1 as rank, id, username, full_name from users
        where ${begins} and ${mayBeFound} order by ${name} limit ${limit})
      union all
      (select 2, id, username, full_name from users
        where (username ${compare} ${pattern} or full_name ${compare} ${pattern}) and not ${begins} and ${mayBeFound}
        order by ${name} limit ${limit})
      limit ${limit})
    select person.id, person.username, person.full_name as "fullName",
           connection.status as "connectionStatus", connection.id as "connectionId",
           not ${areBlocked(seekerId, sql`person.id`)}
             and exists (select from conversation_members mine
                           join conversation_members theirs using (conversation_id)
                          where mine.user_id = ${seekerId} and theirs.user_id = person.id) as "isVisible"
      from found person
      left join connections connection
        on least(connection.requester_id, connection.recipient_id) = least(person.id, ${seekerId}::int)
       and greatest(connection.requester_id, connection.recipient_id) = greatest(person.id, ${seekerId}::int)
       and connection.status <> 'ended'
     order by rank, ${foldedCase(sql`person.username`)}`
    },
  ),
)

/**
 * People who haven't blocked the seeker, and whose username or full name contains `text`, in any case; those whose
 * username begins with it come first. At most `limit` rows of each kind are read.
 */
export async function searchPeople(
  db: Db,
  seekerId: number,
  text: string,
  limit: number,
): Promise<FoundPersonRow[]> {
  const beginning = beginningWith(foldCase(text))
  return searchFor(text)(db.unprepared, { seekerId, beginning, pattern: containing(text), limit })
}

export interface PeersRow {
  userId: number
  visibleIds: number[]
  /** The people whom this one has blocked, or who have blocked this one. */
  hiddenIds: number[]
}

const selectPeers = statement<{ userIds: number[]; conversationId: number | undefined }, PeersRow>(
  { userId: 'integer', visibleIds: 'integer[]', hiddenIds: 'integer[]' },
  ({ userIds, conversationId }) => sql`
    select user_id as "userId",
           coalesce(array_agg(peer_id) filter (where blocked.one is null), '{}') as "visibleIds",
           coalesce(array_agg(peer_id) filter (where blocked.one is not null), '{}') as "hiddenIds"
      from (select distinct mine.user_id, them.user_id as peer_id
              from conversation_members mine join conversation_members them using (conversation_id)
             where ${isAnyOf(sql`mine.user_id`, unseen(userIds))} and them.user_id <> mine.user_id and ${isPerson(sql`them.user_id`)}
               ${conversationId === undefined ? sql`` : sql`and conversation_id = ${conversationId}`}) pair
      left join ${blockedPairs(unseen(userIds))} blocked on blocked.one = user_id and blocked.other = peer_id
     group by user_id`,
)

/** For each of these people everybody who is in a conversation with them, or in this one. */
export function listPeers(db: Pool, userIds: number[], conversationId?: number): Promise<PeersRow[]> {
  return selectPeers(db, { userIds, conversationId })
}

// --- blocks

/** A table: each of these people as `one`, with everybody whom they have blocked, or who has blocked them, as `other`. */
export function blockedPairs(userIds: SQL | number[]): SQL {
  return sql`(
    select blocker_id as one, blocked_id as other from blocks where ${isAnyOf(sql`blocker_id`, userIds)}
    union select blocked_id, blocker_id from blocks where ${isAnyOf(sql`blocked_id`, userIds)})`
}

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
    .select({ id: users.id, username: users.username, fullName: users.fullName })
    .from(blocks)
    .innerJoin(users, eq(users.id, blocks.blockedId))
    .where(and(eq(blocks.blockerId, blockerId), isAccount()))
    .orderBy(blocks.createdAt)
}
