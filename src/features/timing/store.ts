import { and, eq, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { query } from '../../db/query.ts'
import { accommodations, extensions, type PersonalTimes } from '../../db/tables/exams/accommodations.ts'
import { users } from '../../db/tables/people/users.ts'

// --- accommodations

export interface AccommodationRow extends PersonalTimes {
  userId: number
  username: string
  fullName: string
}

export async function listAccommodations(db: Executor, examId: number): Promise<AccommodationRow[]> {
  return selectAccommodations(db)
    .where(eq(accommodations.examId, examId))
    .orderBy(sql`lower(${users.username})`)
}

export async function findAccommodation(
  db: Executor,
  examId: number,
  userId: number,
): Promise<AccommodationRow | undefined> {
  const [row] = await selectAccommodations(db).where(own(examId, userId))
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
      set: { ...times, updatedAt: sql`now()` },
    })
}

export async function deleteAccommodation(tx: Executor, examId: number, userId: number): Promise<boolean> {
  const rows = await tx
    .delete(accommodations)
    .where(own(examId, userId))
    .returning({ userId: accommodations.userId })
  return rows.length > 0
}

function own(examId: number, userId: number) {
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

// --- attempts under way

/** An attempt whose end has changed. */
export interface Retimed {
  attemptId: number
  userId: number
  /** Milliseconds since the epoch; null: it has no end any more. */
  endsAt: number | null
}

const returned = sql`a.id as "attemptId", a.user_id as "userId",
  (extract(epoch from a.ends_at) * 1000)::float8 as "endsAt"`

/**
 * Sets the ends of attempts under way, of everybody or of one person, as the exam's and the person's times are now;
 * answers those that have changed. Attempts are locked in the order of their ids, as by syncs, so the two never
 * deadlock.
 */
export async function retimeAttempts(tx: Executor, examId: number, userId?: number): Promise<Retimed[]> {
  return query<Retimed>(
    tx,
    sql`
    with target as materialized (
      select a.id,
             least(a.started_at + e.duration_minutes * (100 + coalesce(p.extra_time_percent, 0)) * interval '600 ms',
                   coalesce(p.closes_at, e.closes_at))
               + a.extra_minutes * interval '1 minute' as ends_at
        from attempts a
        join exams e on e.id = a.exam_id
        left join accommodations p on p.exam_id = a.exam_id and p.user_id = a.user_id
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
): Promise<Retimed[]> {
  return query<Retimed>(
    tx,
    sql`
    with target as materialized (
      select id from attempts
       where exam_id = ${examId} and status = 'active' and ends_at is not null
         ${userIds === undefined ? sql`` : sql`and user_id = any(${sql.param(userIds)}::int[])`}
       order by id for no key update
    )
    update attempts a
       set extra_minutes = a.extra_minutes + ${minutes}, ends_at = a.ends_at + ${minutes} * interval '1 minute'
      from target where a.id = target.id
    returning ${returned}`,
  )
}

/** How many attempts the extension with this key has changed; undefined if there was none. */
export async function findExtension(tx: Executor, examId: number, key: string): Promise<number | undefined> {
  const [row] = await tx
    .select({ extended: extensions.extended })
    .from(extensions)
    .where(and(eq(extensions.examId, examId), eq(extensions.key, key)))
  return row?.extended
}

export async function insertExtension(
  tx: Executor,
  extension: typeof extensions.$inferInsert,
): Promise<void> {
  await tx.insert(extensions).values(extension)
}
