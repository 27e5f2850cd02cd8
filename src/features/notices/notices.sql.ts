import { type SQL, sql } from 'drizzle-orm'
import { isThereFor } from '../exams/exam-access.sql.ts'
import { hasVisibleResults } from '../results/visible-results.sql.ts'

/**
 * Whether what a row `notice` tells of is still there for its reader. It is the only rule about that: lists, counts,
 * frames, pushes and mails have it in their statements.
 */
export const HOLDS: SQL = sql`
  case
    when notice.kind in ('exam_published', 'exam_closing') then exists (
      select from exams where exams.id = notice.exam_id and exams.published and ${isThereFor(sql`notice.user_id`)})
    when notice.kind in ('result_released', 'result_changed') then exists (
      select from exams where exams.id = notice.exam_id and ${hasVisibleResults()})
    when notice.kind = 'challenge_answered' then exists (
      select from challenges where challenges.id = notice.subject_id and challenges.status <> 'open')
    when notice.kind = 'class_news' then exists (
      select from class_news news
        join class_members member on member.class_id = news.class_id and member.left_at is null
       where news.id = notice.subject_id and member.user_id = notice.user_id)
    when notice.kind = 'access_decided' then exists (
      select from access_requests request where request.id = notice.subject_id and request.status <> 'pending')
    else true
  end`

/** Whether its reader hasn't seen a row of this name. */
export const isUnread = (notice: SQL): SQL => sql`(${notice}.id > coalesce((
  select reader.read_up_to from notice_readers reader where reader.user_id = ${notice}.user_id), 0))`

export const IS_UNREAD: SQL = isUnread(sql`notice`)

/** Whether somebody with a row of `push_settings`, or without one, wants pushes about the kind of a row `notice`. */
export const WANTS_PUSH: SQL = sql`coalesce((settings.notices -> notice.kind ->> 'push')::boolean, true)`

/** The same for mails. */
export const WANTS_MAIL: SQL = sql`coalesce((settings.notices -> notice.kind ->> 'mail')::boolean, false)`
