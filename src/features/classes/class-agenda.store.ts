import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { query } from '../../db/query.ts'
import { type Row, rowOf } from '../../db/rows.ts'
import { exams } from '../../db/tables/exams.tables.ts'
import { hasVisibleResults } from '../results/visible-results.sql.ts'

const LISTED = rowOf(exams, ['id', 'name', 'opensAt', 'closesAt', 'durationMinutes'])

export type ListedExam = Row<typeof LISTED> & {
  /** How many questions it has. */
  poolCount: number
  /** The best percentage of somebody's results that they may see. */
  best: number | null
}

/** Exams of a class that are looked at. */
const MOST_EXAMS = 500

/** The newest exams of a class that are published or under way for somebody, with their best result at each. */
export async function listExamsFor(db: Executor, classId: number, userId: number): Promise<ListedExam[]> {
  return query<ListedExam>(
    db,
    { ...LISTED.check, poolCount: 'integer', best: 'float8' },
    sql`
    select ${LISTED.columns('exams')},
           (select count(*)::int from questions where questions.exam_id = exams.id) as "poolCount",
           case when ${hasVisibleResults()} then (
             select max(own.percentage) from attempts own
              where own.user_id = ${userId} and own.exam_id = exams.id and own.submitted_at is not null
                and own.max_score <> 0) end as best
      from exam_classes taken join exams on exams.id = taken.exam_id
     where taken.class_id = ${classId}
       and (exams.published or exists (
         select from attempts own
          where own.user_id = ${userId} and own.exam_id = exams.id and own.status = 'active'))
     order by exams.id desc limit ${MOST_EXAMS}`,
  )
}
