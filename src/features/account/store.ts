import { and, eq, gt, isNotNull, lte, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { passwordResets } from '../../db/tables/account.ts'
import { users } from '../../db/tables/users.ts'

export type UserRow = typeof users.$inferSelect

export async function findUser(db: Executor, id: number): Promise<UserRow | undefined> {
  const [row] = await db.select().from(users).where(eq(users.id, id))
  return row
}

export async function findUserForUpdate(tx: Executor, id: number): Promise<UserRow | undefined> {
  const [row] = await tx.select().from(users).where(eq(users.id, id)).for('update')
  return row
}

export async function findUserByEmail(db: Executor, email: string): Promise<UserRow | undefined> {
  const [row] = await db
    .select()
    .from(users)
    .where(eq(sql`lower(${users.email})`, sql`lower(${email})`))
  return row
}

export async function updateUser(
  db: Executor,
  id: number,
  change: Partial<typeof users.$inferInsert>,
): Promise<UserRow> {
  const [row] = await db
    .update(users)
    .set({ ...change, updatedAt: sql`now()` })
    .where(eq(users.id, id))
    .returning()
  return row as UserRow
}

export async function deleteUser(db: Executor, id: number): Promise<void> {
  await db.delete(users).where(eq(users.id, id))
}

/** Replaces an account's earlier reset; false where that is younger than `notSince`. */
export async function upsertReset(
  db: Executor,
  reset: { userId: number; tokenHash: string; requestedAt: Date },
  notSince: Date,
): Promise<boolean> {
  const rows = await db
    .insert(passwordResets)
    .values(reset)
    .onConflictDoUpdate({
      target: passwordResets.userId,
      set: { tokenHash: reset.tokenHash, requestedAt: reset.requestedAt },
      setWhere: lte(passwordResets.requestedAt, notSince),
    })
    .returning({ userId: passwordResets.userId })
  return rows.length > 0
}

/** Whose reset this is, if it was asked for after `since` and is not used up. */
export async function findReset(
  db: Executor,
  tokenHash: string,
  since: Date,
): Promise<{ userId: number } | undefined> {
  const [row] = await db
    .select({ userId: passwordResets.userId })
    .from(passwordResets)
    .where(and(eq(passwordResets.tokenHash, tokenHash), gt(passwordResets.requestedAt, since)))
  return row
}

/** Makes a reset useless; false if it was. */
export async function voidReset(db: Executor, userId: number, tokenHash?: string): Promise<boolean> {
  const rows = await db
    .update(passwordResets)
    .set({ tokenHash: null })
    .where(
      and(
        eq(passwordResets.userId, userId),
        tokenHash === undefined
          ? isNotNull(passwordResets.tokenHash)
          : eq(passwordResets.tokenHash, tokenHash),
      ),
    )
    .returning({ userId: passwordResets.userId })
  return rows.length > 0
}
