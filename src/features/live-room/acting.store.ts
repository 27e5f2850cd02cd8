import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, query } from '../../db/query.ts'
import type { attemptMessages } from '../../db/tables/attempts.tables.ts'
import { isHelpLocked } from '../help-lock/help-lock.sql.ts'

/** Which of these people have an attempt under way. */
export async function listTaking(db: Executor, examId: number, userIds: number[]): Promise<number[]> {
  const rows = await query<{ userId: number }>(
    db,
    { userId: 'integer' },
    sql`
    select user_id as "userId" from attempts
     where exam_id = ${examId} and status = 'active' and ${isAnyOf(sql`user_id`, userIds)}`,
  )
  return rows.map(({ userId }) => userId)
}

/** Whether the newest attempt that each of these people took is under way; nobody who took none. */
export function listNewest(db: Executor, examId: number, userIds: number[]) {
  return query<{ userId: number; isUnderWay: boolean }>(
    db,
    { userId: 'integer', isUnderWay: 'boolean' },
    sql`
    select distinct on (user_id) user_id as "userId", status = 'active' as "isUnderWay" from attempts
     where exam_id = ${examId} and status <> 'manual' and ${isAnyOf(sql`user_id`, userIds)}
     order by user_id, attempt_number desc`,
  )
}

type NewMessage = Pick<Required<typeof attemptMessages.$inferInsert>, 'authorId' | 'text' | 'sentAt'>

/**
 * Adds a message to the attempts under way of these people, or of everybody, that have fewer than `most`; whose they are.
 * `isHeld`: another exam locks their help.
 */
export function insertMessages(
  tx: Executor,
  examId: number,
  userIds: number[] | undefined,
  { authorId, text, sentAt }: NewMessage,
  most: number,
) {
  return query<{ userId: number; isHeld: boolean }>(
    tx,
    { userId: 'integer', isHeld: 'boolean' },
    sql`
    with reader as materialized (
      select a.id, a.user_id, not exams.lock_help and ${isHelpLocked(sql`a.user_id`)} as held
        from attempts a join exams on exams.id = a.exam_id
       where a.exam_id = ${examId} and a.status = 'active'
         ${userIds === undefined ? sql`` : sql`and ${isAnyOf(sql`a.user_id`, userIds)}`}
         and (select count(*) from attempt_messages told where told.attempt_id = a.id) < ${most}
       order by a.id for key share of a
    ), added as (
      insert into attempt_messages (attempt_id, author_id, text, sent_at)
      select id, ${authorId}::int, ${text}, ${sentAt.toISOString()}::timestamptz from reader
    )
    select user_id as "userId", held as "isHeld" from reader`,
  )
}
