import { and, eq, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { only, query } from '../../db/query.ts'
import { foldedCase } from '../../db/search.ts'
import { notebooks } from '../../db/tables/notes.ts'
import { earlierResets, passwordResets } from '../../db/tables/people/account.ts'
import { GHOST_ID, isAccount, users } from '../../db/tables/people/users.ts'
import { foldCase } from '../../formats/case-fold.ts'

export type UserRow = typeof users.$inferSelect

export async function findUserForUpdate(tx: Executor, id: number): Promise<UserRow | undefined> {
  const [row] = await tx
    .select()
    .from(users)
    .where(and(eq(users.id, id), isAccount()))
    .for('update')
  return row
}

export async function findUserByEmail(db: Executor, email: string): Promise<UserRow | undefined> {
  const [row] = await db
    .select()
    .from(users)
    .where(and(eq(foldedCase(users.email), foldCase(email)), isAccount()))
  return row
}

export async function updateUser(
  db: Executor,
  id: number,
  change: Partial<typeof users.$inferInsert>,
): Promise<UserRow> {
  return only(
    await db
      .update(users)
      .set({ ...change, updatedAt: sql`now()` })
      .where(eq(users.id, id))
      .returning(),
  )
}

/**
 * Removes somebody's names and every way to sign in, and hides their public notebooks. The new username and address are
 * invalid as such, so nobody else can have them.
 */
export async function closeUser(tx: Executor, id: number): Promise<void> {
  await tx.execute(sql`
    update users
       set username = ghost.username || ' ' || users.id, email = ghost.email || users.id, full_name = ghost.full_name,
           role = ghost.role, password_hash = null, google_subject = null, email_verified = false, deleted_at = now()
      from users ghost where ghost.id = ${GHOST_ID} and users.id = ${id}`)
  await voidResets(tx, id)
  await tx
    .update(notebooks)
    .set({ isPublic: false })
    .where(and(eq(notebooks.ownerId, id), notebooks.isPublic))
}

/**
 * Stores an account's newest reset. Earlier ones stay valid if they were requested after `since` and are among the
 * `most` newest. Storing the same one again changes nothing.
 */
export async function insertReset(
  tx: Executor,
  { userId, tokenHash, requestedAt }: { userId: number; tokenHash: string; requestedAt: Date },
  { since, most }: { since: Date; most: number },
): Promise<void> {
  await tx.execute(sql`
    insert into earlier_resets (token_hash, user_id, requested_at)
    select token_hash, user_id, requested_at from password_resets
     where user_id = ${userId} and token_hash <> ${tokenHash}
       for update
    on conflict do nothing`)
  await tx.execute(sql`
    delete from earlier_resets
     where user_id = ${userId}
       and (requested_at <= ${since.toISOString()} or token_hash not in (
             select token_hash from earlier_resets where user_id = ${userId}
              order by requested_at desc limit ${most - 1}))`)
  await tx
    .insert(passwordResets)
    .values({ userId, tokenHash, requestedAt })
    .onConflictDoUpdate({ target: passwordResets.userId, set: { tokenHash, requestedAt } })
}

/** The account of a reset that was requested after `since` and is still valid. */
export async function findReset(
  db: Executor,
  tokenHash: string,
  since: Date,
): Promise<{ userId: number } | undefined> {
  const [row] = await query<{ userId: number }>(
    db,
    sql`
    select user_id as "userId" from (
      select token_hash, user_id, requested_at from password_resets
      union all select token_hash, user_id, requested_at from earlier_resets) reset
     where token_hash = ${tokenHash} and requested_at > ${since.toISOString()}`,
  )
  return row
}

/** Makes all of an account's resets invalid. */
export async function voidResets(tx: Executor, userId: number): Promise<void> {
  await tx.update(passwordResets).set({ tokenHash: null }).where(eq(passwordResets.userId, userId))
  await tx.delete(earlierResets).where(eq(earlierResets.userId, userId))
}
