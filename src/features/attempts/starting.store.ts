import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { query } from '../../db/query.ts'
import { type Row, rowOf } from '../../db/rows.ts'
import { attempts } from '../../db/tables/attempts.tables.ts'

const NEW = rowOf(attempts, [
  'userId',
  'sessionId',
  'examId',
  'paperId',
  'attemptNumber',
  'seed',
  'shuffle',
  'drawn',
  'startedAt',
  'endsAt',
])

/** An attempt that begins. */
export type NewAttempt = Row<typeof NEW> & {
  sessionId: number
  paperId: number
  seed: string
}

/** Stores active attempts; their ids and numbers. */
export async function insertAttempts(
  tx: Executor,
  begun: NewAttempt[],
): Promise<{ id: number; userId: number; number: number }[]> {
  if (begun.length === 0) return []
  return query<{ id: number; userId: number; number: number }>(
    tx,
    { id: 'integer', userId: 'integer', number: 'integer' },
    sql`
    insert into attempts (status, ${NEW.names()}) select 'active', ${NEW.names()} from ${NEW.given(begun)}
    returning id, user_id as "userId", attempt_number as number`,
  )
}
