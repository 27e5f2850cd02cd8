import { eq, sql } from 'drizzle-orm'
import type { WishedKind } from '../../../schemas/notices.schemas.ts'
import type { Executor } from '../../db/database-client.ts'
import { query } from '../../db/query.ts'
import { notices } from '../../db/tables/notices.tables.ts'
import { isHelpLocked } from '../help-lock/help-lock.sql.ts'
import { HOLDS, IS_UNREAD, WANTS_MAIL } from './notices.sql.ts'

export interface DueMail {
  id: number
  userId: number
  tries: number
}

/** Takes mails that are due, without those of people whose help is locked: nobody else takes them until `again`. */
export async function claimDue(db: Executor, now: Date, again: Date, limit: number): Promise<DueMail[]> {
  return query<DueMail>(
    db,
    { id: 'integer', userId: 'integer', tries: 'integer' },
    sql`
    update notices set mail_due_at = ${again.toISOString()}::timestamptz, mail_tries = mail_tries + 1
     where id = any(array(
       select id from notices due
        where mail_due_at <= ${now.toISOString()}::timestamptz and not ${isHelpLocked(sql`due.user_id`)}
        order by mail_due_at limit ${limit} for no key update skip locked))
    returning id, user_id as "userId", mail_tries as tries`,
  )
}

/** Where a mail goes; undefined if it isn't wanted any more, was read, or what it tells of is gone. */
export async function findAddress(db: Executor, id: number): Promise<string | undefined> {
  const [row] = await query<{ email: string }>(
    db,
    { email: 'text' },
    sql`
    select owner.email from notices notice
      join users owner on owner.id = notice.user_id and owner.email_verified and owner.deleted_at is null
       and owner.suspended_at is null
      left join push_settings settings on settings.user_id = notice.user_id
     where notice.id = ${id} and ${WANTS_MAIL} and ${IS_UNREAD} and ${HOLDS}
       and not (notice.kind = 'exam_closing' and exists (
         select from attempts own where own.exam_id = notice.exam_id and own.user_id = notice.user_id))`,
  )
  return row?.email
}

/** Counts one more mail of somebody on this day; false where there were `most` already. */
export async function takeOne(
  db: Executor,
  userId: number,
  { now, timezone, most }: { now: Date; timezone: string; most: number },
): Promise<boolean> {
  const today = sql`(${now.toISOString()}::timestamptz at time zone ${timezone})::date`
  const rows = await db.execute(sql`
    insert into notice_readers as reader (user_id, mail_day, mails) values (${userId}, ${today}, 1)
    on conflict (user_id) do update
      set mail_day = ${today}, mails = case when reader.mail_day = ${today} then reader.mails + 1 else 1 end
      where reader.mail_day is distinct from ${today} or reader.mails < ${most}
    returning 1`)
  return rows.length > 0
}

/** The token whose link is in the mail that is about to be sent. */
export async function setToken(db: Executor, id: number, mailTokenHash: string): Promise<void> {
  await db.update(notices).set({ mailTokenHash }).where(eq(notices.id, id))
}

export async function endMail(db: Executor, id: number): Promise<void> {
  await db.update(notices).set({ mailDueAt: null }).where(eq(notices.id, id))
}

/** The kind of the notice whose mail had this token, and whose it is. */
export async function findByToken(
  db: Executor,
  tokenHash: string,
): Promise<{ userId: number; kind: WishedKind } | undefined> {
  const [row] = await query<{ userId: number; kind: WishedKind }>(
    db,
    { userId: 'integer', kind: 'text' },
    sql`
    select notice.user_id as "userId", notice.kind from notices notice
      join users owner on owner.id = notice.user_id and owner.deleted_at is null
     where notice.mail_token_hash = ${tokenHash}`,
  )
  return row
}
