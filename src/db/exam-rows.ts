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
export function keepExam(tx: Executor, id: number): Promise<void> {
  return lockExamRow(tx, id, 'key share')
}

/** Keeps an exam as it is until the transaction ends; throws 404 `not_found` if there is none. */
export function freezeExam(tx: Executor, id: number): Promise<void> {
  return lockExamRow(tx, id, 'share')
}

async function lockExamRow(tx: Executor, id: number, strength: 'key share' | 'share'): Promise<void> {
  const rows = await tx.select({ id: exams.id }).from(exams).where(eq(exams.id, id)).for(strength)
  if (rows.length === 0) throw new AppError('not_found')
}
