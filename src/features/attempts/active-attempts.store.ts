import { sql } from 'drizzle-orm'
import type { ActiveAttempt } from '../../../schemas/attempts.schemas.ts'
import type { Sittings } from '../../../schemas/exam-results.schemas.ts'
import type { Executor } from '../../db/database-client.ts'
import { iso, query } from '../../db/query.ts'
import { isAccount } from '../../db/tables/users.tables.ts'

/** Attempts under way that did not end before this instant: the others are about to be closed. */
const isActive = (endedBefore: Date) => sql`a.status = 'active'
  and (a.ends_at is null or a.ends_at >= ${endedBefore.toISOString()}::timestamptz)`

/** Somebody's own, the newest first. */
export async function listOwnActive(
  db: Executor,
  userId: number,
  endedBefore: Date,
): Promise<ActiveAttempt[]> {
  return query<ActiveAttempt>(
    db,
    {
      attempt_id: 'integer',
      attempt_number: 'integer',
      exam_id: 'integer',
      exam_name: 'text',
      started_at: 'text',
      ends_at: 'text',
    },
    sql`
    select a.id as attempt_id, a.attempt_number, a.exam_id, exams.name as exam_name,
           ${iso(sql`a.started_at`)} as started_at, ${iso(sql`a.ends_at`)} as ends_at
      from attempts a join exams on exams.id = a.exam_id
     where a.user_id = ${userId} and ${isActive(endedBefore)}
     order by a.id desc`,
  )
}

/**
 * Exams with attempts under way, those with most students first, and the first `attempts` of each by username. What ended
 * before `endedBefore` only waits to be closed, and isn't counted.
 */
export async function listSittings(
  db: Executor,
  endedBefore: Date,
  { exams, attempts }: { exams: number; attempts: number },
): Promise<Sittings> {
  return query<Sittings[number]>(
    db,
    { exam_id: 'integer', exam_name: 'text', students: 'integer', attempts: 'jsonb' },
    sql`
    select ranked.exam_id, exams.name as exam_name, ranked.students, jsonb_agg(jsonb_build_object(
             'user_id', ranked.user_id, 'username', ranked.username, 'full_name', ranked.full_name,
             'attempt_id', a.id, 'started_at', ${iso(sql`a.started_at`)}, 'ends_at', ${iso(sql`a.ends_at`)},
             'answered', (select count(*) from jsonb_each(a.answers) answer where answer.value <> 'null')
           ) order by ranked.place) as attempts
      from (select a.id, a.exam_id, a.user_id, users.username, users.full_name,
                   (count(*) over (partition by a.exam_id))::int as students,
                   row_number() over (partition by a.exam_id order by users.username) as place
              from attempts a join users on users.id = a.user_id and ${isAccount()}
             where ${isActive(endedBefore)}) ranked
      join attempts a on a.id = ranked.id
      join exams on exams.id = ranked.exam_id
     where ranked.place <= ${attempts}
     group by ranked.exam_id, exams.name, ranked.students
     order by ranked.students desc, ranked.exam_id desc
     limit ${exams}`,
  )
}
