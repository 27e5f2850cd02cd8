import { type SQL, sql } from 'drizzle-orm'

interface TimesSubject {
  /** Expressions in the statement that this joins. */
  person: SQL | number
  /** The name of the exam's row. */
  exam: SQL
  /**
   * When the attempt began. It has the times of the classes that its person was in then: these stay, even if a class is
   * archived, and other classes give it nothing.
   */
  since?: SQL
}

/**
 * The row of somebody's times at an exam, to join as `personal`: their own ones before those of their classes, and of
 * several classes the most generous ones. An archived class gives none to attempts that begin, since nothing waits for
 * its close: keys may be open (open-keys.sql.ts).
 */
export function personalTimes({ person, exam, since }: TimesSubject): SQL {
  const isMember = since
    ? sql`(member.joined_at <= ${since} and (member.left_at is null or member.left_at > ${since}))`
    : sql`(member.left_at is null
           and exists (select from classes there where there.id = member.class_id and not there.archived))`
  return sql`lateral (
    select extra_time_percent, opens_at, closes_at from (
      select 1 as rank, own.extra_time_percent, own.opens_at, own.closes_at
        from accommodations own where own.exam_id = ${exam}.id and own.user_id = ${person}
      union all
      select 2, max(given.extra_time_percent),
             nullif(min(coalesce(given.opens_at, ${exam}.opens_at, '-infinity')), '-infinity'),
             nullif(max(coalesce(given.closes_at, ${exam}.closes_at, 'infinity')), 'infinity')
        from class_members member
        join class_accommodations given on given.class_id = member.class_id and given.exam_id = ${exam}.id
       where ${exam}.for_classes and member.user_id = ${person} and ${isMember}
      having count(*) > 0) times
     order by rank limit 1) personal`
}
