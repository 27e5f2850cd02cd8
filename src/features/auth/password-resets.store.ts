import { and, eq, gt, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { query } from '../../db/query.ts'
import { earlierResets, passwordLinks, passwordResets } from '../../db/tables/account.tables.ts'
import { isAccount, users } from '../../db/tables/users.tables.ts'
import { foldedCase } from '../../db/text-search.ts'
import type { UserRow } from '../../db/user-rows.ts'
import { foldCase } from '../../formats/case-fold.ts'

/** An account, and the address that its reset is mailed to. */
export interface Addressee {
  userId: number
  email: string
}

export async function findUserByEmail(db: Executor, email: string): Promise<UserRow | undefined> {
  const [row] = await db
    .select()
    .from(users)
    .where(and(eq(foldedCase(users.email), foldCase(email)), isAccount()))
  return row
}

/** Locks the account until the transaction ends; undefined if it no longer has this address. */
export async function holdAddressee(
  tx: Executor,
  { userId, email }: Addressee,
): Promise<UserRow | undefined> {
  const [row] = await tx
    .select()
    .from(users)
    .where(and(eq(users.id, userId), eq(foldedCase(users.email), foldCase(email)), isAccount()))
    .for('update')
  return row
}

/**
 * Stores an account's newest reset. Earlier ones stay valid if they were requested after `since` and are among the
 * `most` newest. Storing the same one again changes nothing.
 */
export async function insertReset(
  tx: Executor,
  { userId, email, tokenHash, requestedAt }: Addressee & { tokenHash: string; requestedAt: Date },
  { since, most }: { since: Date; most: number },
): Promise<void> {
  await tx.execute(sql`
    insert into earlier_resets (token_hash, user_id, requested_at, email)
    select token_hash, user_id, requested_at, email from password_resets
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
    .values({ userId, tokenHash, requestedAt, email })
    .onConflictDoUpdate({ target: passwordResets.userId, set: { tokenHash, requestedAt, email } })
}

/** Whom a reset was mailed to that was requested after `since` and is still valid. */
export async function findReset(
  db: Executor,
  tokenHash: string,
  since: Date,
): Promise<Addressee | undefined> {
  const [row] = await query<Addressee>(
    db,
    { userId: 'integer', email: 'text' },
    sql`
    select user_id as "userId", email from (
      select token_hash, user_id, requested_at, email from password_resets
      union all select token_hash, user_id, requested_at, email from earlier_resets) reset
     where token_hash = ${tokenHash} and requested_at > ${since.toISOString()} and email is not null`,
  )
  return row
}

/** Stores the link that an administrator made for somebody, in place of an earlier one. */
export async function putPasswordLink(
  tx: Executor,
  link: { userId: number; tokenHash: string; endsAt: Date },
): Promise<void> {
  await tx.insert(passwordLinks).values(link).onConflictDoUpdate({ target: passwordLinks.userId, set: link })
}

/** Whom an administrator's link that has not ended is for. */
export async function findPasswordLink(
  db: Executor,
  tokenHash: string,
  now: Date,
): Promise<number | undefined> {
  const [row] = await db
    .select({ userId: passwordLinks.userId })
    .from(passwordLinks)
    .where(and(eq(passwordLinks.tokenHash, tokenHash), gt(passwordLinks.endsAt, now)))
  return row?.userId
}

/** Makes all of an account's resets invalid, and an administrator's link for it. */
export async function voidResets(tx: Executor, userId: number): Promise<void> {
  await tx.delete(passwordLinks).where(eq(passwordLinks.userId, userId))
  await tx.update(passwordResets).set({ tokenHash: null }).where(eq(passwordResets.userId, userId))
  await tx.delete(earlierResets).where(eq(earlierResets.userId, userId))
}
