import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { query } from '../../../db/query.ts'

/** An attempt that begins. */
export interface NewAttempt {
  userId: number
  examId: number
  paperId: number
  attemptNumber: number
  startedAt: Date
  /** null: it has no end. */
  endsAt: Date | null
}

/** Stores active attempts; their ids and numbers. */
export async function insertAttempts(
  tx: Executor,
  begun: NewAttempt[],
): Promise<{ id: number; userId: number; number: number }[]> {
  if (begun.length === 0) return []
  const column = (name: keyof NewAttempt) =>
    sql.param(begun.map(({ [name]: value }) => (value instanceof Date ? value.toISOString() : value)))
  return query(
    tx,
    sql`
    insert into attempts (user_id, exam_id, paper_id, attempt_number, status, started_at, ends_at)
    select user_id, exam_id, paper_id, attempt_number, 'active', started_at::timestamptz, ends_at::timestamptz
      from unnest(${column('userId')}::int[], ${column('examId')}::int[], ${column('paperId')}::int[],
                  ${column('attemptNumber')}::int[], ${column('startedAt')}::text[], ${column('endsAt')}::text[])
             as begun(user_id, exam_id, paper_id, attempt_number, started_at, ends_at)
    returning id, user_id as "userId", attempt_number as number`,
  )
}
