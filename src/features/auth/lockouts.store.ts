import { and, eq, gt, gte, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { only } from '../../db/query.ts'
import { loginFailures } from '../../db/tables/sign-in.tables.ts'

/** The case-folded identifier of a login, and the network that it came from. */
export interface LoginPair {
  network: string
  identifier: string
}

/**
 * Counts a failed login, or clears the count after a successful one; a lockout that has begun keeps its end. Answers
 * the failures so far. It is one statement, so simultaneous logins are counted one after another.
 */
export async function recordLogin(
  db: Executor,
  { network, identifier, failed }: LoginPair & { failed: boolean },
  { limit, now, until }: { limit: number; now: Date; until: Date },
): Promise<{ failures: number; expiresAt: Date }> {
  const live = sql`${loginFailures.expiresAt} > ${now.toISOString()}`
  const locked = sql`(${live} and ${loginFailures.failures} >= ${limit})`
  const one = failed ? 1 : 0
  return only(
    await db
      .insert(loginFailures)
      .values({ ip: network, identifier, failures: one, expiresAt: until })
      .onConflictDoUpdate({
        target: [loginFailures.ip, loginFailures.identifier],
        set: {
          failures: sql`case when ${locked} or (${live} and ${failed}) then ${loginFailures.failures} + ${one}::int else ${one}::int end`,
          expiresAt: sql`case when ${locked} then ${loginFailures.expiresAt} else excluded.expires_at end`,
        },
      })
      .returning({ failures: loginFailures.failures, expiresAt: loginFailures.expiresAt }),
  )
}

/** When the lockout ends; undefined if there is none. */
export async function findLockout(
  db: Executor,
  { network, identifier }: LoginPair,
  limit: number,
  now: Date,
): Promise<Date | undefined> {
  const [row] = await db
    .select({ expiresAt: loginFailures.expiresAt })
    .from(loginFailures)
    .where(
      and(
        eq(loginFailures.ip, network),
        eq(loginFailures.identifier, identifier),
        gte(loginFailures.failures, limit),
        gt(loginFailures.expiresAt, now),
      ),
    )
  return row?.expiresAt
}
