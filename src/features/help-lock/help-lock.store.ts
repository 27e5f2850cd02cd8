import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, query } from '../../db/query.ts'
import { type Row, rowOf } from '../../db/rows.ts'
import { attempts } from '../../db/tables/attempts.tables.ts'

const HELP_LOCK = rowOf(attempts, ['userId', 'examId', 'endsAt'], { instants: 'ms' })

/** An attempt under way that locks its person's help. */
export type HelpLock = Row<typeof HELP_LOCK>

/** The locks of these people, or of everybody. If a person has several, the one that ends last comes last. */
export async function listLocks(db: Executor, userIds?: number[]): Promise<HelpLock[]> {
  return query<HelpLock>(
    db,
    HELP_LOCK.check,
    sql`
    select ${HELP_LOCK.columns('a')}
      from attempts a
      join exams e on e.id = a.exam_id and e.lock_help
      join users u on u.id = a.user_id and u.role = 'user'
     where a.status = 'active'
       ${userIds === undefined ? sql`` : sql`and ${isAnyOf(sql`a.user_id`, userIds)}`}
     order by a.user_id, a.ends_at nulls last`,
  )
}
