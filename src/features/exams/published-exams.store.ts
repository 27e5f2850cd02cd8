import { type SQL, sql } from 'drizzle-orm'
import type { StudentExam } from '../../../schemas/attempts.schemas.ts'
import type { Db } from '../../db/database-client.ts'
import { type Columns, iso, type Page, type Places, statement, toPage } from '../../db/query.ts'
import type { exams } from '../../db/tables/exams.tables.ts'
import { containing, plannedFor } from '../../db/text-search.ts'
import { personalTimes } from '../timing/personal-times.sql.ts'
import { isThereFor } from './exam-access.sql.ts'

/** An exam as a student sees it, with their own times. */
export interface PublishedRow extends Omit<StudentExam, 'question_count' | 'extra_time_percent'> {
  extra_time_percent: number
  draw: typeof exams.$inferSelect.draw
  /** All of its questions. */
  pool_count: number
}

const PUBLISHED_TYPES = {
  id: 'integer',
  name: 'text',
  description: 'text',
  category_id: 'integer',
  duration_minutes: 'integer',
  max_attempts: 'integer',
  result_mode: 'text',
  results_released: 'boolean',
  is_published: 'boolean',
  open_for_practice: 'boolean',
  pass_percentage: 'float8',
  msq_scoring: 'text',
  opens_at: 'text',
  closes_at: 'text',
  lock_help: 'boolean',
  extra_time_percent: 'integer',
  draw: 'jsonb',
  pool_count: 'integer',
} as const satisfies Columns<PublishedRow>

function selectPublished(person: SQL, columns: SQL): SQL {
  return sql`
    select exams.id, exams.name, description, category_id, duration_minutes, max_attempts, result_mode, results_released,
           published as is_published, open_for_practice, pass_percentage::float8, msq_scoring,
           ${iso(sql`coalesce(personal.opens_at, exams.opens_at)`)} as opens_at,
           ${iso(sql`coalesce(personal.closes_at, exams.closes_at)`)} as closes_at, lock_help,
           coalesce(personal.extra_time_percent, 0) as extra_time_percent, draw,
           (select count(*)::int from questions where exam_id = exams.id) as pool_count,
           ${columns}
      from exams left join ${personalTimes({ person, exam: sql`exams` })} on true`
}

interface PublishedPage {
  userId: number
  categoryId: number | undefined
  /** Of the name or description. */
  pattern: string | undefined
  limit: number
  offset: number
}

const selectPage = statement<PublishedPage, PublishedRow & { total: number }>(
  { ...PUBLISHED_TYPES, total: 'integer' },
  ({ limit, offset, ...choice }) => sql`
    ${selectPublished(choice.userId, sql`(${countChosen(choice)}) as total`)}
     where ${isChosen(choice)} order by exams.id desc limit ${limit} offset ${offset}`,
)

type PublishedExamsCriteria = Pick<PublishedPage, 'userId' | 'categoryId' | 'pattern'>
const count = statement<PublishedExamsCriteria, { total: number }>({ total: 'integer' }, (choice) =>
  countChosen(choice),
)

function countChosen(choice: Places<PublishedExamsCriteria>): SQL {
  return sql`select count(*)::int as total from exams where ${isChosen(choice)}`
}

function isChosen({ userId, categoryId, pattern }: Places<PublishedExamsCriteria>): SQL {
  return sql.join(
    [
      sql`published and ${isThereFor(userId)}`,
      ...(categoryId ? [sql`category_id = ${categoryId}`] : []),
      ...(pattern ? [sql`(name ilike ${pattern} or description ilike ${pattern})`] : []),
    ],
    sql` and `,
  )
}

/** A page of the published exams that are there for somebody, newest first, and how many there are. */
export async function listPublished(
  db: Db,
  userId: number,
  { categoryId, q }: { categoryId: number | undefined; q: string | undefined },
  limit: number,
  offset: number,
): Promise<Page<PublishedRow>> {
  const choice = { userId, categoryId, pattern: q ? containing(q) : undefined }
  const pool = plannedFor(q, db)
  return toPage(await selectPage(pool, { ...choice, limit, offset }), offset, () => count(pool, choice))
}

type StandingRow = PublishedRow & { attempts_used: number }

const selectOne = statement<{ userId: number; examId: number }, StandingRow>(
  { ...PUBLISHED_TYPES, attempts_used: 'integer' },
  ({ userId, examId }) => sql`
    ${selectPublished(
      userId,
      sql`(select count(*)::int from attempts where user_id = ${userId} and exam_id = exams.id) as attempts_used`,
    )}
     where exams.id = ${examId} and ${isThereFor(userId)}
       and (published or exists (select from attempts where user_id = ${userId} and exam_id = exams.id))`,
)

/** An exam that is there for somebody, and is published or has attempts of theirs from a time when it was. */
export async function findPublished(
  db: Db,
  userId: number,
  examId: number,
): Promise<StandingRow | undefined> {
  const [row] = await selectOne(db, { userId, examId })
  return row
}
