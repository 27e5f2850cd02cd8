import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, query } from '../../db/query.ts'

/** An attempt under way that locks its person's help. */
export interface HelpLock {
  userId: number
  examId: number
  /** Milliseconds since the epoch; null: it has no end. */
  endsAt: number | null
}

/** The locks of these people, or of everybody. If a person has several, the one that ends last comes last. */
export async function listLocks(db: Executor, userIds?: number[]): Promise<HelpLock[]> {
  return query<HelpLock>(
    db,
    { userId: 'integer', examId: 'integer', endsAt: 'float8' },
    sql`
    select a.user_id as "userId", a.exam_id as "examId",
           (extract(epoch from a.ends_at) * 1000)::float8 as "endsAt"
      from attempts a
      join exams e on e.id = a.exam_id and e.lock_help
      join users u on u.id = a.user_id and u.role = 'user'
     where a.status = 'active'
       ${userIds === undefined ? sql`` : sql`and ${isAnyOf(sql`a.user_id`, userIds)}`}
     order by a.user_id, a.ends_at nulls last`,
  )
}
