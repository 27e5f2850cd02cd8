import { and, eq, gt, isNull, lt, ne, or, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { loginFailures, refreshTokens, revocations, sessions, users } from '../../db/tables/users.ts'

export type UserRow = typeof users.$inferSelect
export type SessionRow = typeof sessions.$inferSelect

/** A generation that no token reaches: the whole session is over. */
const ENDED = 2_147_483_647

// --- accounts

export async function insertUser(db: Executor, user: typeof users.$inferInsert): Promise<UserRow> {
  const [row] = await db.insert(users).values(user).returning()
  return row as UserRow
}

/** undefined where the username, the address or the subject is taken. */
export async function insertUserIfFree(
  db: Executor,
  user: typeof users.$inferInsert,
): Promise<UserRow | undefined> {
  const [row] = await db.insert(users).values(user).onConflictDoNothing().returning()
  return row
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
  const [row] = await db
    .select()
    .from(users)
    .where(
      or(
        eq(sql`lower(${users.username})`, sql`lower(${identifier})`),
        eq(sql`lower(${users.email})`, sql`lower(${identifier})`),
      ),
    )
    // Somebody's username could be somebody else's e-mail address only if it held an @: it can't.
    .limit(1)
  return row
}

/** Keeps the account as it is until the transaction ends; undefined if its password is no longer this one. */
export async function holdUser(
  tx: Executor,
  { id, passwordHash }: Pick<UserRow, 'id' | 'passwordHash'>,
): Promise<UserRow | undefined> {
  const [row] = await tx
    .select()
    .from(users)
    .where(and(eq(users.id, id), sql`${users.passwordHash} is not distinct from ${passwordHash}`))
    .for('share')
  return row
}

export async function findUserByGoogleForUpdate(
  tx: Executor,
  { subject, email }: { subject: string; email: string },
): Promise<UserRow | undefined> {
  const [row] = await tx
    .select()
    .from(users)
    .where(or(eq(users.googleSubject, subject), eq(sql`lower(${users.email})`, sql`lower(${email})`)))
    .orderBy(sql`${users.googleSubject} = ${subject} desc nulls last`)
    .limit(1)
    .for('update')
  return row
}

export async function updateUser(
  db: Executor,
  id: number,
  change: Partial<typeof users.$inferInsert>,
): Promise<void> {
  await db
    .update(users)
    .set({ ...change, updatedAt: sql`now()` })
    .where(eq(users.id, id))
}

// --- failed logins

export interface LoginAttempt {
  ip: string
  identifier: string
  failed: boolean
}

/**
 * Counts a failure, or forgets the earlier ones upon a success; while locked neither changes anything but
 * the count. Answers the failures so far, this one included. One statement, so attempts at once take turns.
 */
export async function recordLogin(
  db: Executor,
  { ip, identifier, failed }: LoginAttempt,
  { limit, now, until }: { limit: number; now: Date; until: Date },
): Promise<{ failures: number; expiresAt: Date }> {
  const live = sql`${loginFailures.expiresAt} > ${now.toISOString()}`
  const locked = sql`(${live} and ${loginFailures.failures} >= ${limit})`
  const one = failed ? 1 : 0
  const [row] = await db
    .insert(loginFailures)
    .values({ ip, identifier, failures: one, expiresAt: until })
    .onConflictDoUpdate({
      target: [loginFailures.ip, loginFailures.identifier],
      set: {
        failures: sql`case when ${locked} or (${live} and ${failed}) then ${loginFailures.failures} + ${one}::int else ${one}::int end`,
        expiresAt: sql`case when ${locked} then ${loginFailures.expiresAt} else excluded.expires_at end`,
      },
    })
    .returning({ failures: loginFailures.failures, expiresAt: loginFailures.expiresAt })
  return row as { failures: number; expiresAt: Date }
}

// --- sessions

export async function insertSession(
  db: Executor,
  session: typeof sessions.$inferInsert,
): Promise<SessionRow> {
  const [row] = await db.insert(sessions).values(session).returning()
  return row as SessionRow
}

/** Live sessions of an account, the latest used first. */
export async function listSessions(db: Executor, userId: number, now: Date): Promise<SessionRow[]> {
  return db
    .select()
    .from(sessions)
    .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now)))
    .orderBy(sql`${sessions.lastUsedAt} desc, ${sessions.id} desc`)
}

export async function updateSession(
  db: Executor,
  id: number,
  change: Partial<typeof sessions.$inferInsert>,
): Promise<void> {
  await db.update(sessions).set(change).where(eq(sessions.id, id))
}

/** Which sessions are meant: one, or all of an account with or without one of them. */
export type SessionChoice = { id: number; userId?: number } | { userId: number; exceptId?: number }

/** Removes sessions and voids their tokens, in one statement. Answers how many. */
export async function endSessions(db: Executor, choice: SessionChoice): Promise<number> {
  const chosen =
    'id' in choice
      ? and(eq(sessions.id, choice.id), choice.userId ? eq(sessions.userId, choice.userId) : undefined)
      : and(
          eq(sessions.userId, choice.userId),
          choice.exceptId ? ne(sessions.id, choice.exceptId) : undefined,
        )
  return revoke(
    db,
    sql`gone as (delete from sessions where ${chosen} returning id)`,
    sql`select id, ${ENDED}::int from gone`,
  )
}

/** Voids the tokens that an account's sessions gave out so far: clients may refresh them, web sessions end. */
export async function renewSessions(db: Executor, userId: number): Promise<void> {
  await revoke(
    db,
    sql`renewed as (
      update sessions set generation = generation + 1
       where user_id = ${userId} and kind = 'client' returning id, generation
    ), gone as (
      delete from sessions where user_id = ${userId} and kind = 'web' returning id
    )`,
    sql`select id, generation from renewed union all select id, ${ENDED}::int from gone`,
  )
}

async function revoke(db: Executor, changes: SQL, revoked: SQL): Promise<number> {
  const rows = await db.execute(sql`
    with ${changes}
    insert into revocations (session_id, min_generation, revoked_at)
    select id, min_generation, clock_timestamp() from (${revoked}) as revoked(id, min_generation)
    on conflict (session_id) do update
      set min_generation = excluded.min_generation, revoked_at = excluded.revoked_at
    returning session_id`)
  return rows.length
}

/** Revocations of the last `seconds`, as pairs of session and lowest live generation. */
export async function listRevocations(db: Executor, seconds: number): Promise<[number, number][]> {
  const rows = await db
    .select({ sessionId: revocations.sessionId, minGeneration: revocations.minGeneration })
    .from(revocations)
    .where(gt(revocations.revokedAt, ago(seconds)))
  return rows.map(({ sessionId, minGeneration }) => [sessionId, minGeneration])
}

/** Drops what has expired, and revocations that no live token falls under any more. */
export async function deleteStale(db: Executor, now: Date, revokedSeconds: number): Promise<void> {
  await db.delete(sessions).where(lt(sessions.expiresAt, now))
  await db.delete(refreshTokens).where(lt(refreshTokens.expiresAt, now))
  await db.delete(loginFailures).where(lt(loginFailures.expiresAt, now))
  await db.delete(revocations).where(lt(revocations.revokedAt, ago(revokedSeconds)))
}

function ago(seconds: number) {
  return sql`clock_timestamp() - make_interval(secs => ${seconds})`
}

// --- refresh tokens

export async function insertRefreshToken(
  db: Executor,
  token: typeof refreshTokens.$inferInsert,
): Promise<void> {
  await db.insert(refreshTokens).values(token)
}

/** The live session of a refresh token, spent ones included, locked until the transaction ends. */
export async function findSessionByRefreshTokenForUpdate(
  tx: Executor,
  hash: string,
  now: Date,
): Promise<SessionRow | undefined> {
  const [row] = await tx
    .select()
    .from(sessions)
    .where(
      and(
        eq(
          sessions.id,
          sql`(select session_id from refresh_tokens where hash = ${hash} and expires_at > ${now.toISOString()})`,
        ),
        gt(sessions.expiresAt, now),
      ),
    )
    .for('update')
  return row
}

export async function findRefreshToken(db: Executor, hash: string) {
  const [row] = await db.select().from(refreshTokens).where(eq(refreshTokens.hash, hash))
  return row
}

/** Spends whatever token of the session is current. */
export async function spendRefreshTokens(db: Executor, sessionId: number, now: Date): Promise<void> {
  await db
    .update(refreshTokens)
    .set({ spentAt: now })
    .where(and(eq(refreshTokens.sessionId, sessionId), isNull(refreshTokens.spentAt)))
}

export async function markRepeated(db: Executor, hash: string): Promise<void> {
  await db.update(refreshTokens).set({ repeated: true }).where(eq(refreshTokens.hash, hash))
}
