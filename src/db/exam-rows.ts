import { eq } from 'drizzle-orm'
import { AppError } from '../errors.ts'
import type { Executor } from './database-client.ts'
import { exams } from './tables/exams.tables.ts'

/** Throws 404 `not_found` if there is no such exam. */
export async function requireExam(db: Executor, id: number): Promise<void> {
  const rows = await db.select({ id: exams.id }).from(exams).where(eq(exams.id, id))
  if (rows.length === 0) throw new AppError('not_found')
}

/** Keeps an exam from being deleted until the transaction ends; throws 404 `not_found` if there is none. */
export async function keepExam(tx: Executor, id: number): Promise<void> {
  const rows = await tx.select({ id: exams.id }).from(exams).where(eq(exams.id, id)).for('key share')
  if (rows.length === 0) throw new AppError('not_found')
}
