import { type SQL, sql } from 'drizzle-orm'

/*
 * Whether somebody's help is locked: the tutor, the chat and the discussions are closed to people with an active
 * attempt at an exam that locks help, except to administrators.
 *
 * It is a part of the statement that it decides about, so that nothing can change in between. For people without an
 * active attempt it costs one index look-up. The LIMIT keeps PostgreSQL from reading all active attempts.
 */
const BEFORE_ID = `coalesce((
  select true from attempts under_way
    join exams locking on locking.id = under_way.exam_id and locking.lock_help
    join users locked on locked.id = under_way.user_id and locked.role = 'user'
   where under_way.user_id = `
const AFTER_ID = ` and under_way.status = 'active' limit 1), false)`

/** For statements that are plain text: `userId` is an expression in it. */
export const helpLockedText = (userId: string): string => BEFORE_ID + userId + AFTER_ID

/** For all others. */
export const isHelpLocked = (userId: SQL | number): SQL =>
  sql`${sql.raw(BEFORE_ID)}${userId}${sql.raw(AFTER_ID)}`
