import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { type Columns, isAnyOf, NOW, query } from '../../db/query.ts'
import { type Row, rowOf } from '../../db/rows.ts'
import { accommodations, extensions, type PersonalTimes } from '../../db/tables/accommodations.tables.ts'
import { attempts } from '../../db/tables/attempts.tables.ts'
import { classAccommodations, examClasses } from '../../db/tables/classes.tables.ts'
import { users } from '../../db/tables/users.tables.ts'
import { foldedCase } from '../../db/text-search.ts'
import { isReopenable } from '../attempts/reopenable.sql.ts'
import { studentsOf } from '../exams/exam-access.sql.ts'
import { personalTimes } from './personal-times.sql.ts'

// --- accommodations

export interface AccommodationRow extends PersonalTimes {
  userId: number
  username: string
  fullName: string
}

/** Of everybody, or of the students of a class. */
export async function listAccommodations(
  db: Executor,
  examId: number,
  classId: number | undefined,
): Promise<AccommodationRow[]> {
  const isOfClass = classId === undefined ? undefined : inArray(accommodations.userId, studentsOf(classId))
  return selectAccommodations(db)
    .where(and(eq(accommodations.examId, examId), isOfClass))
    .orderBy(foldedCase(users.username))
}

export async function findAccommodation(
  db: Executor,
  examId: number,
  userId: number,
): Promise<AccommodationRow | undefined> {
  const [row] = await selectAccommodations(db).where(ofPerson(examId, userId))
  return row
}

/** Stores a person's times; replaces earlier ones. */
export async function putAccommodation(
  tx: Executor,
  examId: number,
  userId: number,
  times: PersonalTimes,
): Promise<void> {
  await tx
    .insert(accommodations)
    .values({ examId, userId, ...times })
    .onConflictDoUpdate({
      target: [accommodations.examId, accommodations.userId],
      set: { ...times, updatedAt: NOW },
    })
}

/** Answers what they were. */
export async function deleteAccommodation(
  tx: Executor,
  examId: number,
  userId: number,
): Promise<PersonalTimes | undefined> {
  const [row] = await tx.delete(accommodations).where(ofPerson(examId, userId)).returning()
  return row
}

// --- of classes

export async function findClassAccommodation(
  db: Executor,
  examId: number,
  classId: number,
): Promise<PersonalTimes | undefined> {
  const [row] = await db.select().from(classAccommodations).where(ofClass(examId, classId))
  return row
}

/** Stores a class's times; replaces earlier ones. False where the exam isn't for the class. */
export async function putClassAccommodation(
  tx: Executor,
  examId: number,
  classId: number,
  times: PersonalTimes,
): Promise<boolean> {
  const isFor = and(eq(examClasses.examId, examId), eq(examClasses.classId, classId))
  const held = await tx.select({ examId: examClasses.examId }).from(examClasses).where(isFor).for('key share')
  if (held.length === 0) return false
  await tx
    .insert(classAccommodations)
    .values({ examId, classId, ...times })
    .onConflictDoUpdate({
      target: [classAccommodations.examId, classAccommodations.classId],
      set: { ...times, updatedAt: NOW },
    })
  return true
}

/** Answers what they were. */
export async function deleteClassAccommodation(
  tx: Executor,
  examId: number,
  classId: number,
): Promise<PersonalTimes | undefined> {
  const [row] = await tx.delete(classAccommodations).where(ofClass(examId, classId)).returning()
  return row
}

function ofClass(examId: number, classId: number) {
  return and(eq(classAccommodations.examId, examId), eq(classAccommodations.classId, classId))
}

function ofPerson(examId: number, userId: number) {
  return and(eq(accommodations.examId, examId), eq(accommodations.userId, userId))
}

function selectAccommodations(db: Executor) {
  return db
    .select({
      userId: accommodations.userId,
      username: users.username,
      fullName: users.fullName,
      extraTimePercent: accommodations.extraTimePercent,
      opensAt: accommodations.opensAt,
      closesAt: accommodations.closesAt,
    })
    .from(accommodations)
    .innerJoin(users, eq(users.id, accommodations.userId))
    .$dynamic()
}

/** Whether these times and the exam's own leave a window: it may have become impossible, where both are given apart. */
export async function leavesWindow(tx: Executor, examId: number, times: PersonalTimes): Promise<boolean> {
  const [opensAt, closesAt] = [times.opensAt, times.closesAt].map((at) => at?.toISOString() ?? null)
  const rows = await tx.execute(sql`
    select from exams where id = ${examId}
       and coalesce(${opensAt}::timestamptz, opens_at) >= coalesce(${closesAt}::timestamptz, closes_at)`)
  return rows.length === 0
}

// --- attempts under way

const RETIMED = rowOf(attempts, ['userId', 'endsAt'], { instants: 'ms' })

/** An attempt whose end has changed; `endsAt` of null: it has none any more. */
export type RetimedAttempt = Row<typeof RETIMED> & { attemptId: number }

const RETIMED_TYPES: Columns<RetimedAttempt> = { ...RETIMED.check, attemptId: 'integer' }
const returned = sql`a.id as "attemptId", ${RETIMED.columns('a')}`

/** Times have years of four digits. */
const LATEST = sql`timestamptz '9999-12-31 23:59:59.999Z'`

/**
 * Sets the ends of attempts under way, of everybody or of one person, as the exam's and the person's times are now;
 * answers those that have changed. Attempts are locked in the order of their ids, as by syncs, so the two never
 * deadlock.
 */
export async function retimeAttempts(
  tx: Executor,
  examId: number,
  userId?: number,
): Promise<RetimedAttempt[]> {
  return query<RetimedAttempt>(
    tx,
    RETIMED_TYPES,
    sql`
    with target as materialized (
      select a.id,
             case when limits.ends_at is not null
                  then least(limits.ends_at + a.extra_minutes * interval '1 minute'
                               + a.closed_ms * interval '1 ms', ${LATEST}) end as ends_at
        from attempts a
        join exams e on e.id = a.exam_id
        left join ${personalTimes({ person: sql`a.user_id`, exam: sql`e`, since: sql`a.started_at` })} on true
       cross join lateral (
         select least(a.started_at
                        + e.duration_minutes * (100 + coalesce(personal.extra_time_percent, 0)) * interval '600 ms',
                      coalesce(personal.closes_at, e.closes_at)) as ends_at) limits
       where a.exam_id = ${examId} and a.status = 'active'
         ${userId === undefined ? sql`` : sql`and a.user_id = ${userId}`}
       order by a.id for no key update of a
    )
    update attempts a set ends_at = target.ends_at from target
     where a.id = target.id and a.ends_at is distinct from target.ends_at
    returning ${returned}`,
  )
}

/** Adds minutes to attempts under way that have an end, of everybody or of these people; answers them. */
export async function extendAttempts(
  tx: Executor,
  examId: number,
  minutes: number,
  userIds: number[] | undefined,
): Promise<RetimedAttempt[]> {
  return query<RetimedAttempt>(
    tx,
    RETIMED_TYPES,
    sql`
    with target as materialized (
      select id from attempts
       where exam_id = ${examId} and status = 'active' and ends_at is not null
         ${userIds === undefined ? sql`` : sql`and ${isAnyOf(sql`user_id`, userIds)}`}
       order by id for no key update
    )
    update attempts a
       set extra_minutes = a.extra_minutes + ${minutes},
           ends_at = least(a.ends_at + ${minutes} * interval '1 minute', ${LATEST})
      from target where a.id = target.id
    returning ${returned}`,
  )
}

/**
 * Opens the attempts of these people that their time has closed, or a teacher handed in, if they can be. They end so many
 * minutes from now, if they had an end; answers them. To be called once the exam's row is locked, so that nobody releases its results meanwhile.
 */
export async function reopenAttempts(
  tx: Executor,
  examId: number,
  minutes: number,
  userIds: number[],
  now: number,
): Promise<RetimedAttempt[]> {
  const at = sql`${new Date(now).toISOString()}::timestamptz`
  return query<RetimedAttempt>(
    tx,
    RETIMED_TYPES,
    sql`
    with target as materialized (
      select a.id from attempts a join exams on exams.id = a.exam_id
       where a.exam_id = ${examId} and ${isAnyOf(sql`a.user_id`, userIds)}
         and ${isReopenable(sql`a`, sql`exams`, new Date(now))}
       order by a.id for no key update of a
    )
    update attempts a
       set status = 'active',
           extra_minutes = a.extra_minutes + ${minutes},
           handed_in = false,
           closed_ms = a.closed_ms + coalesce(extract(epoch from ${at} - a.ends_at) * 1000, 0)::bigint,
           ends_at = case when a.ends_at is not null then ${at} + ${minutes} * interval '1 minute' end,
           submitted_at = null, score = null, max_score = null, percentage = null, correct = null, incorrect = null,
           unattempted = null
      from target where a.id = target.id
    returning ${returned}`,
  )
}

/**
 * Locks those of these people who have an attempt at the exam: whether their help is locked may change. They are locked
 * in the order of their ids.
 */
export async function lockTakers(tx: Executor, examId: number, userIds: number[]): Promise<void> {
  await tx.execute(sql`
    select from users
     where ${isAnyOf(sql`id`, userIds)} and id in (select user_id from attempts where exam_id = ${examId})
     order by id for no key update`)
}

/** What an extension has changed. */
export interface ExtensionResult {
  /** Attempts under way that got more minutes. */
  extended: number
  /** Attempts that were over. */
  reopened: number
}

/** What the extension with this key has changed; undefined if there was none. */
export async function findExtension(
  tx: Executor,
  examId: number,
  key: string,
): Promise<ExtensionResult | undefined> {
  const [row] = await tx
    .select({ extended: extensions.extended, reopened: extensions.reopened })
    .from(extensions)
    .where(and(eq(extensions.examId, examId), eq(extensions.key, key)))
  return row
}

export async function insertExtension(
  tx: Executor,
  extension: typeof extensions.$inferInsert,
): Promise<void> {
  await tx.insert(extensions).values(extension)
}
