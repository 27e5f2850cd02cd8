import { type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, query } from '../../db/query.ts'
import { given, type Row, rowOf } from '../../db/rows.ts'
import { noticeCauses, notices } from '../../db/tables/notices.tables.ts'
import { isTaughtBy } from '../exams/exam-access.sql.ts'
import { hasVisibleResults } from '../results/visible-results.sql.ts'
import { personalTimes } from '../timing/personal-times.sql.ts'
import { WANTS_MAIL } from './notices.sql.ts'
import { MOST_KEPT } from './notices.store.ts'

/** Closes that one statement finds. */
const CLOSINGS_AT_ONCE = 100
/** Exams of which somebody hears who joins a class. */
export const MOST_OF_CLASS = 20

const CAUSE = rowOf(noticeCauses)
export type CauseRow = Row<typeof CAUSE>

/** Whether there is anything to tell of. */
export async function hasDue(db: Executor, now: Date): Promise<boolean> {
  const rows = await query<{ has: boolean }>(
    db,
    { has: 'boolean' },
    sql`select exists (select from notice_causes where due_at <= ${now.toISOString()}::timestamptz) as has`,
  )
  return rows[0]?.has === true
}

/** What is to be told of next: a cause of which many have been told already lets new ones go first. */
export async function listDue(tx: Executor, now: Date, limit: number): Promise<CauseRow[]> {
  return query<CauseRow>(
    tx,
    CAUSE.check,
    sql`
    select ${CAUSE.columns('cause')} from notice_causes cause
     where due_at <= ${now.toISOString()}::timestamptz order by told_up_to > 0, due_at, id limit ${limit}`,
  )
}

/** Somebody who may be told of a cause. */
export interface Candidate {
  userId: number
  /** The exam of the notice; null: there is none. */
  examId: number | null
  isTold: boolean
}

/** Whether somebody, with their times joined as `personal`, may begin an attempt at an exam now or later. */
const mayStart = (person: SQL, now: Date) => sql`(
  exams.published and not ${isTaughtBy(person)}
  and coalesce(personal.closes_at, exams.closes_at, 'infinity') > ${now.toISOString()}::timestamptz
  and (exams.max_attempts is null
    or (select count(*) from attempts used where used.exam_id = exams.id and used.user_id = ${person}) < exams.max_attempts)
  and not exists (
    select from attempts own where own.exam_id = exams.id and own.user_id = ${person} and own.status = 'active'))`

const PERSON = sql`person.user_id`

/** The people of a list in a cause. */
const namedIn = ({ id }: CauseRow) =>
  sql`select unnest(cause.user_ids) as user_id from notice_causes cause where cause.id = ${id}`

/** The students of the classes that an exam was given to, or of all classes that it is for. */
const studentsOfExam = ({ subjectId, classIds }: CauseRow) => sql`
  select member.user_id
    from exams given_exam
    join exam_classes taken on taken.exam_id = given_exam.id
    join classes there on there.id = taken.class_id and not there.archived
    join class_members member
      on member.class_id = taken.class_id and member.role = 'student' and member.left_at is null
   where given_exam.id = ${subjectId} and given_exam.for_classes and given_exam.published
     ${classIds === null ? sql`` : sql`and ${isAnyOf(sql`taken.class_id`, classIds)}`}`

const ofExam = (cause: CauseRow, now: Date) => sql`
  join exams on exams.id = ${cause.subjectId}
  left join ${personalTimes({ person: PERSON, exam: sql`exams` })} on true
  cross join lateral (select ${mayStart(PERSON, now)} as may_start) standing`

/**
 * Whom each kind of cause may concern, and of those `person` which exam they are told of, and whether: what it tells of
 * must still hold for them.
 */
function audienceOf(cause: CauseRow, now: Date): { people: SQL; joined: SQL; examId: SQL; isTold: SQL } {
  const { subjectId, examId, at } = cause
  switch (cause.kind) {
    case 'exam_published':
      return {
        people: studentsOfExam(cause),
        joined: ofExam(cause, now),
        examId: sql`exams.id`,
        isTold: sql`standing.may_start`,
      }
    case 'exam_closing': {
      const aDayBefore = sql`(exams.closes_at_for - interval '1 day')`
      return {
        people: studentsOfExam(cause),
        joined: sql`
          join (select *, ${cause.closesAt?.toISOString()}::timestamptz as closes_at_for from exams) exams
            on exams.id = ${subjectId}
          left join ${personalTimes({ person: PERSON, exam: sql`exams` })} on true
          cross join lateral (select ${mayStart(PERSON, now)} as may_start) standing`,
        examId: sql`exams.id`,
        isTold: sql`standing.may_start and coalesce(personal.closes_at, exams.closes_at) = exams.closes_at_for
          and not exists (
            select from attempts own
             where own.exam_id = exams.id and own.user_id = ${PERSON} and own.submitted_at is not null)
          and not exists (
            select from notices told
             where told.user_id = ${PERSON} and told.kind = 'exam_published' and told.subject_id = exams.id
               and told.at > ${aDayBefore})
          and not exists (
            select from notice_causes other
             where other.kind = 'exam_published' and other.subject_id = exams.id and other.at > ${aDayBefore}
               and (other.class_ids is null or exists (
                 select from class_members added
                  where added.class_id = any(other.class_ids) and added.user_id = ${PERSON} and added.left_at is null)))`,
      }
    }
    case 'class_joined':
      return {
        people: sql`
          select member.user_id from (${namedIn(cause)}) named
            join class_members member on member.user_id = named.user_id and member.class_id = ${subjectId}
             and member.role = 'student' and member.left_at is null
            join classes there on there.id = member.class_id and not there.archived`,
        joined: sql`
          left join lateral (
            select exams.id from exam_classes taken
              join exams on exams.id = taken.exam_id and exams.for_classes
              left join ${personalTimes({ person: PERSON, exam: sql`exams` })} on true
             where taken.class_id = ${subjectId} and ${mayStart(PERSON, now)}
             order by coalesce(personal.closes_at, exams.closes_at) nulls last, exams.id limit ${MOST_OF_CLASS}) exams on true`,
        examId: sql`exams.id`,
        isTold: sql`exams.id is not null`,
      }
    case 'result_released':
      return {
        people: sql`
          select own.user_id from attempts own
           where own.exam_id = ${subjectId} and own.submitted_at <= ${at.toISOString()}::timestamptz`,
        joined: sql`join exams on exams.id = ${subjectId}`,
        examId: sql`exams.id`,
        isTold: hasVisibleResults(),
      }
    case 'result_changed':
      return {
        people: namedIn(cause),
        joined: sql`join exams on exams.id = ${examId}`,
        examId: sql`exams.id`,
        // One that they haven't read says the same.
        isTold: sql`${hasVisibleResults()} and not exists (
          select from notices told left join notice_readers reader on reader.user_id = told.user_id
           where told.user_id = ${PERSON} and told.kind = 'result_changed' and told.exam_id = exams.id
             and told.id > coalesce(reader.read_up_to, 0))`,
      }
    case 'class_news':
      return {
        people: sql`
          select member.user_id from class_news news
            join class_members member on member.class_id = news.class_id
             and member.role = 'student' and member.left_at is null
             and (news.user_ids is null or member.user_id = any(news.user_ids))
           where news.id = ${subjectId}`,
        joined: sql``,
        examId: sql`null::int`,
        isTold: sql`true`,
      }
    case 'challenge_answered':
    case 'more_time':
      return {
        people: namedIn(cause),
        joined: sql`join exams on exams.id = ${examId}`,
        examId: sql`exams.id`,
        isTold: sql`true`,
      }
    case 'access_decided':
      return { people: namedIn(cause), joined: sql``, examId: sql`null::int`, isTold: sql`true` }
  }
}

/**
 * The next people whom a cause may concern, by their ids. Accounts that are being erased, or are gone, are told nothing,
 * and count: fewer than `limit` are the last ones.
 */
export async function listCandidates(
  tx: Executor,
  cause: CauseRow,
  now: Date,
  limit: number,
): Promise<Candidate[]> {
  const { people, joined, examId, isTold } = audienceOf(cause, now)
  return query<Candidate>(
    tx,
    { userId: 'integer', examId: 'integer', isTold: 'boolean' },
    sql`
    with person as materialized (
      select distinct concerned.user_id from (${people}) concerned
       where concerned.user_id > ${cause.toldUpTo} and concerned.user_id is distinct from ${cause.actorId}::int
       order by concerned.user_id limit ${limit}
    )
    select person.user_id as "userId", ${examId} as "examId", (owner.id is not null and owner.deleted_at is null and ${isTold}) as "isTold"
      from person left join users owner on owner.id = person.user_id ${joined}
     order by person.user_id`,
  )
}

const NEW = rowOf(notices, ['userId', 'kind', 'subjectId', 'examId', 'classId', 'minutes', 'at'])
export type NewNotice = Row<typeof NEW>

export interface WrittenNotice {
  id: number
  userId: number
  subjectId: number
}

/** Stores notices, and that a mail is to be sent where that is wanted. What was told before isn't told again. */
export async function insertNotices(tx: Executor, told: NewNotice[], now: Date): Promise<WrittenNotice[]> {
  if (told.length === 0) return []
  return query<WrittenNotice>(
    tx,
    { id: 'integer', userId: 'integer', subjectId: 'integer' },
    sql`
    insert into notices (${NEW.names()}, mail_due_at)
    select ${NEW.names('notice')},
           case when ${WANTS_MAIL} and owner.email_verified then ${now.toISOString()}::timestamptz end
      from ${NEW.given(told, 'notice')}
      join users owner on owner.id = notice.user_id
      left join push_settings settings on settings.user_id = notice.user_id
     order by notice.ord
    on conflict (user_id, kind, subject_id) do nothing
    returning id, user_id as "userId", subject_id as "subjectId"`,
  )
}

/** Deletes what is more than the newest ones of these people that are kept. */
export async function deleteMoreThanKept(tx: Executor, userIds: number[]): Promise<void> {
  await tx.execute(sql`
    delete from notices where id in (
      select past.id
        from unnest(${sql.param(userIds)}::int[]) as person(id)
       cross join lateral (
         select last.id from notices last where last.user_id = person.id
          order by last.id desc offset ${MOST_KEPT} limit 1) last
        join notices past on past.user_id = person.id and past.id <= last.id
         for update of past skip locked)`)
}

/** Notes up to whom people have been told of causes; null: everybody has. */
export async function moveCauses(
  tx: Executor,
  moved: { id: number; toldUpTo: number | null }[],
): Promise<void> {
  await tx.execute(sql`
    with moved as materialized (
      select * from ${given({ id: 'integer', toldUpTo: 'integer' }, moved, 'moved')}
    ), done as (
      delete from notice_causes using moved where notice_causes.id = moved.id and moved.told_up_to is null
    )
    update notice_causes set told_up_to = moved.told_up_to from moved
     where notice_causes.id = moved.id and moved.told_up_to is not null`)
}

/**
 * Stores a cause for each close of an exam, of a class or of a person that is near, once. They are told a day before
 * it; of one that comes up later, when it has been so for a moment. Closes that aren't any more are forgotten, so that
 * they are found again if they come back.
 */
export async function insertClosings(
  db: Executor,
  { now, until, dayMs, pauseMs }: { now: Date; until: Date; dayMs: number; pauseMs: number },
): Promise<number> {
  const at = sql`${now.toISOString()}::timestamptz`
  const isNear = (column: SQL) => sql`${column} > ${at} and ${column} <= ${until.toISOString()}::timestamptz`
  const ms = (duration: number) => sql`${duration}::int * interval '1 ms'`
  const rows = await query<{ id: number }>(
    db,
    { id: 'integer' },
    sql`
    with near as materialized (
      select exams.id as exam_id, exams.closes_at from exams
       where ${isNear(sql`exams.closes_at`)} and published and for_classes
      union
      select exam_id, own.closes_at from accommodations own join exams on exams.id = exam_id
       where ${isNear(sql`own.closes_at`)} and published and for_classes
      union
      select exam_id, given.closes_at from class_accommodations given join exams on exams.id = exam_id
       where ${isNear(sql`given.closes_at`)} and published and for_classes
    ), past as (
      delete from notice_closings known
       where not exists (
         select from near where near.exam_id = known.exam_id and near.closes_at = known.closes_at)
    ), found as (
      insert into notice_closings (exam_id, closes_at)
      select exam_id, closes_at from near
       where not exists (
         select from notice_closings known where known.exam_id = near.exam_id and known.closes_at = near.closes_at)
       order by closes_at limit ${CLOSINGS_AT_ONCE}
      on conflict do nothing
      returning exam_id, closes_at
    )
    insert into notice_causes (kind, subject_id, exam_id, closes_at, at, due_at)
    select 'exam_closing', exam_id, exam_id, closes_at, due.due_at, due.due_at
      from found cross join lateral (
        select greatest(${at} + ${ms(pauseMs)}, closes_at - ${ms(dayMs)}) as due_at) due
    returning id`,
  )
  return rows.length
}
