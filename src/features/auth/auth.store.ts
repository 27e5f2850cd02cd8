import { and, desc, eq, gt, isNull, lt, ne, or, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, only, query } from '../../db/query.ts'
import { rowOf } from '../../db/rows.ts'
import { ENDED, loginFailures, revocations, sessions } from '../../db/tables/sign-in.tables.ts'
import { isAccount, users } from '../../db/tables/users.tables.ts'
import { foldedCase } from '../../db/text-search.ts'
import type { UserRow } from '../../db/user-rows.ts'
import { foldCase } from '../../formats/case-fold.ts'

export type SessionRow = typeof sessions.$inferSelect

const USER = rowOf(users)

// --- accounts

export async function insertUser(db: Executor, user: typeof users.$inferInsert): Promise<UserRow> {
  return only(await db.insert(users).values(user).returning())
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
  const [row] = await db
    .select()
    .from(users)
    .where(and(eq(users.id, id), isAccount()))
  return row
}

/** Whether anybody but the ghost has an account. */
export async function hasUsers(db: Executor): Promise<boolean> {
  const rows = await db.select({ id: users.id }).from(users).where(isAccount()).limit(1)
  return rows.length > 0
}

/** By username or e-mail address; upper and lower case are the same. */
export async function findUserByIdentifier(db: Executor, identifier: string): Promise<UserRow | undefined> {
  const [row] = await db
    .select()
    .from(users)
    .where(
      and(
        or(
          eq(foldedCase(users.username), foldCase(identifier)),
          eq(foldedCase(users.email), foldCase(identifier)),
        ),
        isAccount(),
      ),
    )
    // Usernames can't contain an @, so nobody's username is somebody else's address.
    .limit(1)
  return row
}

/** Locks the account until the transaction ends; undefined if its password is no longer this one. */
export async function holdUser(
  tx: Executor,
  { id, passwordHash }: Pick<UserRow, 'id' | 'passwordHash'>,
): Promise<UserRow | undefined> {
  const hasPassword =
    passwordHash === null ? isNull(users.passwordHash) : eq(users.passwordHash, passwordHash)
  const [row] = await tx
    .select()
    .from(users)
    .where(and(eq(users.id, id), isAccount(), hasPassword))
    .for('no key update')
  return row
}

export async function hasGoogleSubject(db: Executor, subject: string): Promise<boolean> {
  return (await db.$count(users, eq(users.googleSubject, subject))) > 0
}

export async function findUserByGoogleForUpdate(
  tx: Executor,
  { subject, email }: { subject: string; email: string },
): Promise<UserRow | undefined> {
  const [row] = await query<UserRow>(
    tx,
    USER.check,
    sql`
    select ${USER.columns()} from users
     where google_subject = ${subject} or ${foldedCase(sql`email`)} = ${foldCase(email)}
     order by google_subject = ${subject} desc nulls last limit 1 for update`,
  )
  return row
}

// --- sessions

export async function insertSession(
  db: Executor,
  session: typeof sessions.$inferInsert,
): Promise<SessionRow> {
  return only(await db.insert(sessions).values(session).returning())
}

export async function findSession(db: Executor, id: number): Promise<SessionRow | undefined> {
  const [row] = await db.select().from(sessions).where(eq(sessions.id, id))
  return row
}

/** Live sessions of an account, the latest used first. */
export async function listSessions(db: Executor, userId: number, now: Date): Promise<SessionRow[]> {
  return db
    .select()
    .from(sessions)
    .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now)))
    .orderBy(desc(sessions.lastUsedAt), desc(sessions.id))
}

export async function updateSession(
  db: Executor,
  id: number,
  change: Partial<typeof sessions.$inferInsert>,
): Promise<void> {
  await db.update(sessions).set(change).where(eq(sessions.id, id))
}

/** The live client session that a page was given for this web session. */
export async function findOpenedSession(
  db: Executor,
  { id, userId }: Pick<SessionRow, 'id' | 'userId'>,
  now: Date,
): Promise<SessionRow | undefined> {
  const [row] = await db
    .select()
    .from(sessions)
    .where(and(eq(sessions.userId, userId), eq(sessions.openedBy, id), gt(sessions.expiresAt, now)))
  return row
}

/**
 * One session, with those that it opened if the account is named; or all sessions of an account, possibly except one.
 */
export type SessionChoice = { id: number; userId?: number } | { userId: number; exceptId?: number }

/** Removes sessions and voids their tokens, in one statement. Answers how many there were. */
export async function endSessions(db: Executor, choice: SessionChoice): Promise<number> {
  const chosen =
    'id' in choice
      ? choice.userId === undefined
        ? eq(sessions.id, choice.id)
        : and(
            eq(sessions.userId, choice.userId),
            or(eq(sessions.id, choice.id), eq(sessions.openedBy, choice.id)),
          )
      : and(
          eq(sessions.userId, choice.userId),
          choice.exceptId ? ne(sessions.id, choice.exceptId) : undefined,
        )
  return end(db, sql`${chosen}`)
}

/** Ends all sessions of whoever has this subject; without one, those that the provider's session `sid` opened. */
export async function endProviderSessions(
  db: Executor,
  { issuer, subject, sid }: { issuer: string; subject: string | undefined; sid: string | undefined },
): Promise<void> {
  const theirs = sql`from identities where issuer = ${issuer}`
  const chosen =
    subject === undefined
      ? sql`provider_sid = ${sid ?? null} and identity_id in (select id ${theirs})`
      : sql`user_id in (select user_id ${theirs} and subject = ${subject})`
  await end(db, chosen)
}

/** Ends the sessions that didn't come by a provider, except those of accounts made at the command line. */
export async function endOtherSessions(db: Executor): Promise<void> {
  await end(db, sql`identity_id is null and user_id in (select id from users where not by_operator)`)
}

/** Ends an account's least recently used sessions, so that `kept` live ones stay. */
export async function endOldestSessions(
  db: Executor,
  userId: number,
  kept: number,
  now: Date,
): Promise<void> {
  await end(
    db,
    sql`id in (
      select id from sessions where user_id = ${userId} and expires_at > ${now.toISOString()}
       order by last_used_at desc, id desc offset ${kept})`,
  )
}

async function end(db: Executor, chosen: SQL): Promise<number> {
  return revoke(
    db,
    sql`gone as (delete from sessions where ${chosen} returning id)`,
    sql`select id, ${ENDED}::int from gone`,
  )
}

/** Voids the current tokens of these accounts: clients can refresh theirs, web sessions end. */
export async function renewSessions(db: Executor, userIds: number[]): Promise<void> {
  const theirs = isAnyOf(sql`user_id`, userIds)
  await revoke(
    db,
    sql`renewed as (
      update sessions set generation = generation + 1
       where ${theirs} and kind = 'client' returning id, generation
    ), gone as (
      delete from sessions where ${theirs} and kind = 'web' returning id
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

/** Revocations of the last `seconds`, as pairs of a session and its lowest valid generation. */
export async function listRevocations(db: Executor, seconds: number): Promise<[number, number][]> {
  const rows = await db
    .select({ sessionId: revocations.sessionId, minGeneration: revocations.minGeneration })
    .from(revocations)
    .where(gt(revocations.revokedAt, ago(seconds)))
  return rows.map(({ sessionId, minGeneration }) => [sessionId, minGeneration])
}

/** Deletes expired sessions, and revocations that no live token needs. */
export async function deleteStale(db: Executor, now: Date, revokedSeconds: number): Promise<void> {
  await db.delete(sessions).where(lt(sessions.expiresAt, now))
  await db.delete(loginFailures).where(lt(loginFailures.expiresAt, now))
  await db.delete(revocations).where(lt(revocations.revokedAt, ago(revokedSeconds)))
}

function ago(seconds: number) {
  return sql`clock_timestamp() - make_interval(secs => ${seconds})`
}

// --- refresh tokens

/** Whether somebody signed in for this session after `since`; that of a page is as old as the web session. */
export async function isFresh(db: Executor, id: number, since: Date): Promise<boolean> {
  const rows = await db.execute(sql`
    select from sessions left join sessions opener on opener.id = sessions.opened_by
     where sessions.id = ${id}
       and case when sessions.opened_by is null then sessions.created_at else opener.created_at end > ${since.toISOString()}`)
  return rows.length > 0
}

/** Locks a session until the transaction ends. */
export async function holdSession(tx: Executor, id: number): Promise<void> {
  await tx.select({ id: sessions.id }).from(sessions).where(eq(sessions.id, id)).for('update')
}

/** A live session of that kind, locked until the transaction ends. */
export async function findSessionForUpdate(
  tx: Executor,
  id: number,
  kind: SessionRow['kind'],
  now: Date,
): Promise<SessionRow | undefined> {
  const [row] = await tx
    .select()
    .from(sessions)
    .where(and(eq(sessions.id, id), eq(sessions.kind, kind), gt(sessions.expiresAt, now)))
    .for('update')
  return row
}
