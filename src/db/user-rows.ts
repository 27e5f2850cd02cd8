import { eq } from 'drizzle-orm'
import type { Executor } from './database-client.ts'
import { NOW, only } from './query.ts'
import { users } from './tables/users.tables.ts'

export type UserRow = typeof users.$inferSelect

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
