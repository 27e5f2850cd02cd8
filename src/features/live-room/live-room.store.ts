import { type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, query } from '../../db/query.ts'
import { type Row, rowOf } from '../../db/rows.ts'
import { attempts } from '../../db/tables/attempts.tables.ts'
import { exams } from '../../db/tables/exams.tables.ts'
import { isAccount } from '../../db/tables/users.tables.ts'
import { foldedCase } from '../../db/text-search.ts'

export interface RoomScope {
  examId: number
  /** undefined: all students of the exam. */
  classId: number | undefined
}

const EXAM = rowOf(exams, ['id', 'name', 'opensAt', 'closesAt', 'draw', 'watchPage'])
export type RoomExam = Row<typeof EXAM> & { poolCount: number }

export async function findExam(db: Executor, id: number): Promise<RoomExam | undefined> {
  const [row] = await query<RoomExam>(
    db,
    { ...EXAM.check, poolCount: 'integer' },
    sql`
    select ${EXAM.columns('exams')}, (select count(*)::int from questions where exam_id = exams.id) as "poolCount"
      from exams where id = ${id}`,
  )
  return row
}

const ATTEMPT = rowOf(attempts, ['id', 'status', 'paperId', 'startedAt', 'endsAt', 'lastSavedAt', 'isAway'])
type AttemptColumns = { [Name in keyof Row<typeof ATTEMPT>]: Row<typeof ATTEMPT>[Name] | null }

/** A student of a room with the newest of their attempts; null in everything that is its own: none. */
export type StudentRow = AttemptColumns & {
  userId: number
  username: string
  fullName: string
  answered: number | null
  marked: number | null
  /** null: all of the paper's. */
  drawn: number | null
}

/** The students of a room, or those of these people who are; who began comes first, each by username. */
export function listStudents(
  db: Executor,
  scope: RoomScope,
  { userIds, limit }: { userIds?: number[]; limit: number },
): Promise<StudentRow[]> {
  return query<StudentRow>(
    db,
    {
      ...ATTEMPT.check,
      userId: 'integer',
      username: 'text',
      fullName: 'text',
      answered: 'integer',
      marked: 'integer',
      drawn: 'integer',
    },
    sql`
    select users.id as "userId", users.username, users.full_name as "fullName", ${ATTEMPT.columns('a')},
           (select count(*)::int from jsonb_each(a.answers) answer where answer.value <> 'null') as answered,
           cardinality(a.marked_for_review) as marked, cardinality(a.drawn) as drawn
      from users
      left join lateral (
        select * from attempts own
         where own.exam_id = ${scope.examId} and own.user_id = users.id and own.status <> 'manual'
         order by own.attempt_number desc limit 1) a on true
     where users.id in (${studentIds(scope)}) and ${isAccount()}
       ${userIds === undefined ? sql`` : sql`and ${isAnyOf(sql`users.id`, userIds)}`}
     order by a.id is null, ${foldedCase(sql`users.username`)} limit ${limit}`,
  )
}

export async function listStudentIds(db: Executor, scope: RoomScope, limit: number): Promise<number[]> {
  const rows = await query<{ id: number }>(
    db,
    { id: 'integer' },
    sql`select user_id as id from (${studentIds(scope)}) student order by 1 limit ${limit}`,
  )
  return rows.map(({ id }) => id)
}

function studentIds({ examId, classId }: RoomScope): SQL {
  const ofClass = sql`select user_id from class_members where role = 'student' and left_at is null and class_id`
  if (classId !== undefined) return sql`${ofClass} = ${classId}`
  return sql`
    select user_id from attempts where exam_id = ${examId} and status <> 'manual'
    union ${ofClass} in (
      select taken.class_id from exam_classes taken join classes on classes.id = taken.class_id
       where taken.exam_id = ${examId} and not classes.archived)`
}

/** Notes whether somebody has their paper in view, if their exam watches that. False: that changed nothing. */
export async function updateAway(
  db: Executor,
  userId: number,
  examId: number,
  away: boolean,
): Promise<boolean> {
  const { count } = await db.execute(sql`
    update attempts set is_away = ${away} from exams
     where exams.id = attempts.exam_id and exams.watch_page and attempts.exam_id = ${examId}
       and attempts.user_id = ${userId} and attempts.status = 'active' and attempts.is_away <> ${away}`)
  return count > 0
}
