import { and, eq } from 'drizzle-orm'
import type { Executor } from './database-client.ts'
import { NOW, only } from './query.ts'
import { isAccount, users } from './tables/users.tables.ts'

export type UserRow = typeof users.$inferSelect

/** Locks an account until the transaction ends. */
export async function lockUser(tx: Executor, id: number): Promise<UserRow | undefined> {
  const [row] = await tx
    .select()
    .from(users)
    .where(and(eq(users.id, id), isAccount()))
    .for('update')
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
      .set({ ...change, updatedAt: NOW })
      .where(eq(users.id, id))
      .returning(),
  )
}
