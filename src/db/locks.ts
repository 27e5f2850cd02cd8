import { type SQL, sql } from 'drizzle-orm'
import { AppError } from '../errors.ts'
import { HELD } from './batches.ts'
import type { Executor } from './database-client.ts'
import { isAnyOf, query } from './query.ts'

/**
 * Every advisory lock of this service: for decisions about things that have no row to lock. Each rule has its own
 * name, so no two of them collide. The order in which they are taken: docs/architecture.md#locks.
 */
export const LOCKS = {
  /** One node migrates at a time. */
  migration: () => 'migration' as const,
  /**
   * Shared by starts of an exam and changes of who has attempts left; exclusive for its deletion, for changes of when
   * its attempts end, and once for the first teacher who reads its keys.
   */
  examTimes: (examId: number) => `exam-times:${examId}` as const,
  /** Shared by submits of an exam and edits of its keys; exclusive for a regrade. */
  examGrading: (examId: number) => `exam-grading:${examId}` as const,
  /** Taken by changes of the number of a person's attempts at an exam. */
  attempts: (userId: number, examId: number) => `attempts:${userId}:${examId}` as const,
  /** Taken by sign-ins of one person at an OpenID Connect provider. */
  identity: (issuer: string, subject: string) => `identity:${issuer} ${subject}` as const,
  /** Taken by changes of a person's like or bookmark of a notebook. */
  interaction: (userId: number, notebookId: number) => `interaction:${userId}:${notebookId}` as const,
  /**
   * Taken by changes of roles, and by everything else that may remove an administrator, before they lock those people:
   * the set of administrators can't change while their rows are locked one after another, and a login waits for one
   * change at most.
   */
  roles: () => 'roles' as const,
  /** Taken by requests to the model while they look what is left of the day’s tokens. */
  aiBudget: () => 'ai-budget' as const,
  /** Taken by whoever writes notices, so that these can be read in the order of their ids. */
  notices: () => 'notices' as const,
  /** Shared by backups: no file is deleted meanwhile. */
  files: () => 'files' as const,
  /** Taken by changes of a connection or a block between two people. */
  pair: (one: number, other: number) => `pair:${Math.min(one, other)}:${Math.max(one, other)}` as const,
}
export type Lock = ReturnType<(typeof LOCKS)[keyof typeof LOCKS]>

/** Names are hashed to 64 bits. If two names had the same hash, one would only wait for the other. */
const keyOf = (lock: Lock) => sql`hashtextextended(${lock}, 0)`

/**
 * Waits until nobody else holds the lock, and holds it alone until the transaction ends. It is a statement of its own,
 * so the next statement sees what the previous holder has committed.
 */
export async function lockAlone(tx: Executor, lock: Lock): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${keyOf(lock)})`)
}

/** Waits until nobody holds the lock alone, and shares it until the transaction ends. */
export async function lockShared(tx: Executor, lock: Lock): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock_shared(${keyOf(lock)})`)
}

/** Takes each of the locks that nobody else holds, without waiting; answers which ones it has now, in their order. */
export function tryLockEach(tx: Executor, locks: Lock[]): Promise<boolean[]> {
  return tryEach(tx, sql`pg_try_advisory_xact_lock`, locks)
}

/** Shares each of the locks that nobody holds alone or waits for; answers which ones it shares now, in their order. */
export function tryShareEach(tx: Executor, locks: Lock[]): Promise<boolean[]> {
  return tryEach(tx, sql`pg_try_advisory_xact_lock_shared`, locks)
}

async function tryEach(tx: Executor, take: SQL, locks: Lock[]): Promise<boolean[]> {
  const rows = await query<{ taken: boolean }>(
    tx,
    { taken: 'boolean' },
    sql`
    select ${take}(hashtextextended(name, 0)) as taken
      from unnest(${sql.param(locks)}::text[]) with ordinality as asked(name, ord) order by ord`,
  )
  return rows.map(({ taken }) => taken)
}

/** Shares one lock, if nobody holds it alone or waits for it; answers whether it does. */
export async function tryLockShared(tx: Executor, lock: Lock): Promise<boolean> {
  const [shared = false] = await tryShareEach(tx, [lock])
  return shared
}

/**
 * Locks somebody's row of `users` until the transaction ends: decisions that take this lock, such as those about the
 * person's limits, are made one after another. 401 `token_expired_or_invalid` if their account was deleted while the
 * request was running.
 */
export async function lockPerson(tx: Executor, userId: number): Promise<void> {
  const rows = await tx.execute(
    sql`select from users where id = ${userId} and deleted_at is null for no key update`,
  )
  if (rows.length === 0) throw new AppError('token_expired_or_invalid')
}

/**
 * Locks the rows of many people, as `lockPerson` does, but without waiting. The answer has those who can't be locked:
 * `HELD` where somebody else has the lock, the error of `lockPerson` where the account was deleted.
 */
export async function tryLockPeople(
  tx: Executor,
  userIds: number[],
): Promise<Map<number, AppError | typeof HELD>> {
  const rows = await query<{ id: number; locked: boolean }>(
    tx,
    { id: 'integer', locked: 'boolean' },
    sql`
    with free as materialized (
      select id from users where ${isAnyOf(sql`id`, userIds)} and deleted_at is null
       order by id for no key update skip locked)
    select people.id, free.id is not null as locked
      from users people left join free using (id)
     where ${isAnyOf(sql`people.id`, userIds)} and people.deleted_at is null`,
  )
  const areLocked = new Map(rows.map(({ id, locked }) => [id, locked]))
  return new Map(
    userIds
      .filter((id) => !areLocked.get(id))
      .map((id) => [id, areLocked.has(id) ? HELD : new AppError('token_expired_or_invalid')]),
  )
}

/** Whether somebody shares the lock at this moment. */
export async function isShared(db: Executor, lock: Lock): Promise<boolean> {
  const rows = await db.execute(sql`
    select 1 from pg_locks
     where locktype = 'advisory' and mode = 'ShareLock' and granted and objsubid = 1
       and database = (select oid from pg_database where datname = current_database())
       and ((classid::bigint << 32) | objid::bigint) = ${keyOf(lock)}`)
  return rows.length > 0
}
