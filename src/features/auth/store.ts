import { and, eq, gt, lt, or, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { revocations, sessions, users } from '../../db/tables/users.ts'

export type UserRow = typeof users.$inferSelect
export type SessionRow = typeof sessions.$inferSelect

/** A generation that no token reaches: the whole session is over. */
const ENDED = 2_147_483_647

export async function insertUser(db: Executor, user: typeof users.$inferInsert): Promise<UserRow> {
  const [row] = await db.insert(users).values(user).returning()
  return row as UserRow
}

export async function findUser(db: Executor, id: number): Promise<UserRow | undefined> {
  const [row] = await db.select().from(users).where(eq(users.id, id))
  return row
}

/** Whether anybody but the ghost has an account. */
export async function hasUsers(db: Executor): Promise<boolean> {
  const rows = await db.select({ id: users.id }).from(users).where(gt(users.id, 0)).limit(1)
  return rows.length > 0
}

/** By username or e-mail address, in any case. */
export async function findUserByIdentifier(db: Executor, identifier: string): Promise<UserRow | undefined> {
  const lowered = identifier.toLowerCase()
  const [row] = await db
    .select()
    .from(users)
    .where(or(eq(sql`lower(${users.username})`, lowered), eq(sql`lower(${users.email})`, lowered)))
    // Somebody's username could be somebody else's e-mail address only if it held an @: it can't.
    .limit(1)
  return row
}

export async function insertSession(
  db: Executor,
  session: typeof sessions.$inferInsert,
): Promise<SessionRow> {
  const [row] = await db.insert(sessions).values(session).returning()
  return row as SessionRow
}

export async function findSessionWithUser(
  db: Executor,
  id: number,
): Promise<{ session: SessionRow; user: UserRow } | undefined> {
  const [row] = await db
    .select({ session: sessions, user: users })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.id, id), gt(sessions.expiresAt, sql`now()`)))
  return row
}

export async function touchSession(db: Executor, id: number): Promise<void> {
  await db.update(sessions).set({ lastUsedAt: sql`now()` }).where(eq(sessions.id, id))
}

/** Removes the session and voids its tokens, in one statement. False if there was none. */
export async function endSession(db: Executor, id: number): Promise<boolean> {
  const ended = await db.execute(sql`
    with gone as (delete from sessions where id = ${id} returning id)
    insert into revocations (session_id, min_generation, revoked_at)
    select id, ${ENDED}, clock_timestamp() from gone
    on conflict (session_id) do update set min_generation = excluded.min_generation, revoked_at = excluded.revoked_at
    returning session_id`)
  return ended.length > 0
}

/** Revocations of the last `seconds`, as pairs of session and lowest live generation. */
export async function listRevocations(db: Executor, seconds: number): Promise<[number, number][]> {
  const rows = await db
    .select({ sessionId: revocations.sessionId, minGeneration: revocations.minGeneration })
    .from(revocations)
    .where(gt(revocations.revokedAt, ago(seconds)))
  return rows.map(({ sessionId, minGeneration }) => [sessionId, minGeneration])
}

/** Drops expired sessions, and revocations that no live token falls under any more. */
export async function deleteStaleSessions(db: Executor, revokedSeconds: number): Promise<void> {
  await db.delete(sessions).where(lt(sessions.expiresAt, sql`now()`))
  await db.delete(revocations).where(lt(revocations.revokedAt, ago(revokedSeconds)))
}

function ago(seconds: number) {
  return sql`clock_timestamp() - make_interval(secs => ${seconds})`
}
