import { and, eq, gt, gte, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { only, query } from '../../db/query.ts'
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
  const isLive = sql`known.expires_at > ${now.toISOString()}`
  const isLocked = sql`(${isLive} and known.failures >= ${limit})`
  const rows = await query<{ failures: number; expiresAt: Date }>(
    db,
    { failures: 'integer', expiresAt: 'timestamptz' },
    sql`
    insert into login_failures as known (ip, identifier, failures, expires_at)
    values (${network}, ${identifier}, ${failed ? 1 : 0}, ${until.toISOString()})
    on conflict (ip, identifier) do update
      set failures = case when ${isLocked} or (${isLive} and ${failed}) then known.failures + excluded.failures
                          else excluded.failures end,
          expires_at = case when ${isLocked} then known.expires_at else excluded.expires_at end
    returning failures, expires_at as "expiresAt"`,
  )
  return only(rows)
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
