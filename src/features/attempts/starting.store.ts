import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { query } from '../../db/query.ts'

/** An attempt that begins. */
export interface NewAttempt {
  userId: number
  sessionId: number
  examId: number
  paperId: number
  seed: string
  shuffle: 'questions' | 'options' | 'both' | null
  /** Ids of questions; null: all of the paper. */
  drawn: number[] | null
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
  const column = (name: keyof NewAttempt) => sql.param(begun.map(({ [name]: value }) => toText(value)))
  return query<{ id: number; userId: number; number: number }>(
    tx,
    { id: 'integer', userId: 'integer', number: 'integer' },
    sql`
    insert into attempts (user_id, session_id, exam_id, paper_id, attempt_number, status, seed, shuffle, drawn, started_at,
                          ends_at)
    select user_id, session_id, exam_id, paper_id, attempt_number, 'active', seed, shuffle, drawn::int[], started_at::timestamptz,
           ends_at::timestamptz
      from unnest(${column('userId')}::int[], ${column('sessionId')}::int[], ${column('examId')}::int[], ${column('paperId')}::int[],
                  ${column('attemptNumber')}::int[], ${column('seed')}::uuid[],
                  ${column('shuffle')}::text[], ${column('drawn')}::text[], ${column('startedAt')}::text[],
                  ${column('endsAt')}::text[])
             as begun(user_id, session_id, exam_id, paper_id, attempt_number, seed, shuffle, drawn, started_at, ends_at)
    returning id, user_id as "userId", attempt_number as number`,
  )
}

/** Times and lists as PostgreSQL reads them from text. */
function toText<T>(value: T) {
  if (value instanceof Date) return value.toISOString()
  return Array.isArray(value) ? `{${value.join()}}` : value
}
