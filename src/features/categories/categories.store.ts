import { eq } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { only } from '../../db/query.ts'
import { categories } from '../../db/tables/exams.tables.ts'

export type CategoryRow = typeof categories.$inferSelect

export async function listCategories(db: Executor): Promise<CategoryRow[]> {
  return db.select().from(categories).orderBy(categories.name, categories.id)
}

export async function insertCategory(
  db: Executor,
  values: Pick<CategoryRow, 'name' | 'imageKey'>,
): Promise<CategoryRow> {
  return only(await db.insert(categories).values(values).returning())
}

export async function findCategory(db: Executor, id: number): Promise<CategoryRow | undefined> {
  const [row] = await db.select().from(categories).where(eq(categories.id, id))
  return row
}

/** Locks it until the transaction ends. */
export async function findCategoryForUpdate(db: Executor, id: number): Promise<CategoryRow | undefined> {
  const [row] = await db.select().from(categories).where(eq(categories.id, id)).for('update')
  return row
}

export async function updateCategory(
  db: Executor,
  id: number,
  values: Partial<Pick<CategoryRow, 'name' | 'imageKey'>>,
): Promise<CategoryRow> {
  return only(await db.update(categories).set(values).where(eq(categories.id, id)).returning())
}

/** Answers the deleted row. */
export async function deleteCategory(db: Executor, id: number): Promise<CategoryRow | undefined> {
  const [row] = await db.delete(categories).where(eq(categories.id, id)).returning()
  return row
}
