import { type SQL, sql } from 'drizzle-orm'
import type { Language } from '../../../schemas/languages.ts'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, only, query } from '../../db/query.ts'
import { type Row, rowOf } from '../../db/rows.ts'
import { noticeCauses, notices } from '../../db/tables/notices.tables.ts'
import { personalTimes } from '../timing/personal-times.sql.ts'
import { HOLDS, IS_UNREAD } from './notices.sql.ts'

/** Newest notices of a person that are kept. */
export const MOST_KEPT = 500

export type NewCause = Omit<typeof noticeCauses.$inferInsert, 'id' | 'toldUpTo'>

export async function insertCauses(tx: Executor, causes: NewCause[]): Promise<void> {
  await tx.insert(noticeCauses).values(causes)
}

const NOTICE = rowOf(notices, ['id', 'userId', 'kind', 'subjectId', 'examId', 'classId', 'minutes', 'at'])

/** A notice, and what it says, as that is now. */
export type NoticeRow = Row<typeof NOTICE> & {
  isRead: boolean
  examName: string | null
  className: string | null
  /** Of news. */
  text: string | null
  /** How a challenge or a request was decided. */
  status: string | null
  /** When the exam closes for its reader; null: never. */
  closesAt: Date | null
  /** The reader's, where they have set one. */
  language: Language | null
  timeZone: string | null
}

const TOLD = {
  ...NOTICE.check,
  isRead: 'boolean',
  examName: 'text',
  className: 'text',
  text: 'text',
  status: 'text',
  closesAt: 'timestamptz',
  language: 'text',
  timeZone: 'text',
} as const

/** Rows `notice` of a subquery, with what they say. */
const toldBy = (from: SQL) => sql`
  select ${NOTICE.columns('notice')}, not ${IS_UNREAD} as "isRead", exam.name as "examName",
         there.name as "className", news.text, coalesce(challenge.status, request.status) as status,
         case when exam.id is not null then coalesce(personal.closes_at, exam.closes_at) end as "closesAt",
         settings.language, settings.time_zone as "timeZone"
    from ${from}
    left join exams exam on exam.id = notice.exam_id
    left join ${personalTimes({ person: sql`notice.user_id`, exam: sql`exam` })} on true
    left join classes there on there.id = notice.class_id
    left join class_news news on notice.kind = 'class_news' and news.id = notice.subject_id
    left join challenges challenge on notice.kind = 'challenge_answered' and challenge.id = notice.subject_id
    left join access_requests request on notice.kind = 'access_decided' and request.id = notice.subject_id
    left join push_settings settings on settings.user_id = notice.user_id`

/** Somebody's notices that are still kept. */
const keptOf = (person: SQL | number, since: Date) => sql`(
  select * from notices kept where kept.user_id = ${person} and kept.at > ${since.toISOString()}::timestamptz
   order by kept.id desc limit ${MOST_KEPT}) notice`

export interface NoticePage {
  before: number | undefined
  limit: number
}

/** Newest first. */
export async function listNotices(
  db: Executor,
  userId: number,
  since: Date,
  { before, limit }: NoticePage,
): Promise<NoticeRow[]> {
  const isEarlier = before === undefined ? sql`` : sql`and notice.id < ${before}`
  return query<NoticeRow>(
    db,
    TOLD,
    sql`${toldBy(keptOf(userId, since))} where ${HOLDS} ${isEarlier} order by notice.id desc limit ${limit}`,
  )
}

/** These notices, as far as what they tell of is still there, oldest first. */
export async function listTold(db: Executor, ids: number[]): Promise<NoticeRow[]> {
  return query<NoticeRow>(
    db,
    TOLD,
    sql`${toldBy(sql`notices notice`)} where ${isAnyOf(sql`notice.id`, ids)} and ${HOLDS} order by notice.id`,
  )
}

export interface UnreadRow {
  userId: number
  unread: number
}

/** How many notices each of these people hasn't read. */
export async function countUnread(db: Executor, userIds: number[], since: Date): Promise<UnreadRow[]> {
  return query<UnreadRow>(
    db,
    { userId: 'integer', unread: 'integer' },
    sql`
    select person.id as "userId", (
      select count(*)::int from ${keptOf(sql`person.id`, since)} where ${IS_UNREAD} and ${HOLDS}) as unread
      from unnest(${sql.param(userIds)}::int[]) as person(id)`,
  )
}

/** Moves somebody's pointer forward, never past their newest notice; whether it has moved. */
export async function moveRead(db: Executor, userId: number, upTo: number): Promise<boolean> {
  const rows = await query<{ isMoved: boolean }>(
    db,
    { isMoved: 'boolean' },
    sql`
    with seen as (
      insert into notice_readers as reader (user_id, read_up_to)
      select ${userId}::int, id from notices where user_id = ${userId} and id <= ${upTo}
       order by id desc limit 1
      on conflict (user_id) do update set read_up_to = excluded.read_up_to
        where reader.read_up_to < excluded.read_up_to
      returning 1)
    select exists (select from seen) as "isMoved"`,
  )
  return only(rows).isMoved
}

/** Deletes some of the oldest notices that aren't kept any longer; how many. */
export async function deleteOld(db: Executor, since: Date, limit: number): Promise<number> {
  const rows = await db.execute(sql`
    delete from notices where id in (
      select past.id from (select id from notices order by id limit ${limit}) oldest
        join notices past using (id)
       where past.at <= ${since.toISOString()}::timestamptz for update of past skip locked)
    returning 1`)
  return rows.length
}
