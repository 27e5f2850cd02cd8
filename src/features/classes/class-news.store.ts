import { and, eq, gte, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { only, query } from '../../db/query.ts'
import { type Row, rowOf } from '../../db/rows.ts'
import { classNews } from '../../db/tables/classes.tables.ts'

/** Of one page. */
const PAGE_SIZE = 20

/** What is listed: not what was told to some students alone. */
const IS_FOR_ALL = sql.raw('user_ids is null')

const NEWS = rowOf(classNews, ['id', 'classId', 'text', 'pinned', 'createdAt', 'editedAt'])

export type NewsRow = Row<typeof NEWS> & { authorName: string }

/** An account that is being erased has the ghost's name already. */
const listNews = (db: Executor, rest: SQL, from = sql`class_news`) =>
  query<NewsRow>(
    db,
    { ...NEWS.check, authorName: 'text' },
    sql`
    select ${NEWS.columns('news')}, author.full_name as "authorName"
      from ${from} news join users author on author.id = news.author_id ${rest}`,
  )

/** The newest ones, with the pinned ones first; or the newest of the others that are older than `before`. */
export async function listPage(
  db: Executor,
  classId: number,
  before: number | undefined,
): Promise<NewsRow[]> {
  if (before !== undefined)
    return listNews(
      db,
      sql`
      where news.class_id = ${classId} and news.id < ${before} and not news.pinned and ${IS_FOR_ALL}
      order by news.id desc limit ${PAGE_SIZE}`,
    )
  // Each half by its index: a class may have thousands.
  const newest = sql`(
    (select * from class_news where class_id = ${classId} and pinned order by id desc limit ${PAGE_SIZE})
    union all
    (select * from class_news where class_id = ${classId} and not pinned and ${IS_FOR_ALL}
      order by id desc limit ${PAGE_SIZE}))`
  return listNews(db, sql`order by news.pinned desc, news.id desc limit ${PAGE_SIZE}`, newest)
}

export async function findNews(db: Executor, classId: number, id: number): Promise<NewsRow | undefined> {
  const [row] = await listNews(
    db,
    sql`where news.class_id = ${classId} and news.id = ${id} and ${IS_FOR_ALL}`,
  )
  return row
}

export async function countPinned(db: Executor, classId: number): Promise<number> {
  return db.$count(classNews, and(eq(classNews.classId, classId), eq(classNews.pinned, true)))
}

/** Counts one more on the day; false where there are `most` already. Only in the transaction that locks the class. */
export async function takeOne(
  tx: Executor,
  classId: number,
  { now, timezone, most }: { now: Date; timezone: string; most: number },
): Promise<boolean> {
  const today = sql`(${now.toISOString()}::timestamptz at time zone ${timezone})::date`
  const rows = await tx.execute(sql`
    update classes set news_day = ${today}, news_count = case when news_day = ${today} then news_count + 1 else 1 end
     where id = ${classId} and (news_day is distinct from ${today} or news_count < ${most})
    returning 1`)
  return rows.length > 0
}

/** What was told to some students alone on the day. */
export async function countMessages(
  db: Executor,
  classId: number,
  { now, timezone }: { now: Date; timezone: string },
): Promise<number> {
  const today = sql`date_trunc('day', ${now.toISOString()}::timestamptz, ${timezone})`
  return db.$count(
    classNews,
    and(eq(classNews.classId, classId), isNotNull(classNews.userIds), gte(classNews.createdAt, today)),
  )
}

/** When the next day begins. */
export async function findNextDay(db: Executor, now: Date, timezone: string): Promise<Date> {
  const rows = await query<{ at: Date }>(
    db,
    { at: 'timestamptz' },
    sql`
    select ((${now.toISOString()}::timestamptz at time zone ${timezone})::date + 1)::timestamp at time zone ${timezone} as at`,
  )
  return only(rows).at
}

export async function insertNews(tx: Executor, news: typeof classNews.$inferInsert): Promise<number> {
  return only(await tx.insert(classNews).values(news).returning({ id: classNews.id })).id
}

export async function updateNews(
  tx: Executor,
  id: number,
  values: Partial<Pick<NewsRow, 'text' | 'pinned' | 'editedAt'>>,
): Promise<void> {
  await tx.update(classNews).set(values).where(eq(classNews.id, id))
}

export async function deleteNews(tx: Executor, id: number): Promise<void> {
  await tx.delete(classNews).where(eq(classNews.id, id))
}
