import { and, count, isNotNull, or, sql } from 'drizzle-orm'
import type { Db } from '../db/database-client.ts'
import { attempts } from '../db/tables/attempts.tables.ts'
import { isAccount, users } from '../db/tables/users.tables.ts'
import { contains, plannedFor } from '../db/text-search.ts'

export interface UserResults {
  username: string
  fullName: string
  role: string
  attempts: number
  /** Percent; null without an attempt. */
  average: number | null
  best: number | null
  lastAt: Date | null
}

/** A page of people by name, each with the results of their finished attempts, and how many people there are. */
export async function listUserResults(db: Db, q: string | undefined, limit: number, offset: number) {
  const chosen = and(
    isAccount(),
    q ? or(contains(users.username, q), contains(users.fullName, q)) : undefined,
  )
  // Only for the people of the page: each one is a range of an index.
  const results = db
    .select({
      attempts: count().as('attempts'),
      average: sql<number | null>`avg(coalesce(score::float8 / nullif(max_score::float8, 0) * 100, 0))`.as(
        'average',
      ),
      best: sql<number | null>`max(${attempts.percentage})`.as('best'),
      lastAt: sql<Date | null>`max(${attempts.submittedAt})`.mapWith(attempts.submittedAt).as('last_at'),
    })
    .from(attempts)
    .where(and(sql`${attempts.userId} = people.id`, isNotNull(attempts.submittedAt)))
    .as('results')
  const people = db
    .select({ id: users.id, username: users.username, fullName: users.fullName, role: users.role })
    .from(users)
    .where(chosen)
    .orderBy(sql`lower(${users.username})`)
    .limit(limit)
    .offset(offset)
    .as('people')
  const [rows, total] = await Promise.all([
    plannedFor(q, db)
      .select({
        username: people.username,
        fullName: people.fullName,
        role: people.role,
        attempts: results.attempts,
        average: results.average,
        best: results.best,
        lastAt: results.lastAt,
      })
      .from(people)
      .innerJoinLateral(results, sql`true`)
      .orderBy(sql`lower(${people.username})`),
    plannedFor(q, db).$count(users, chosen),
  ])
  return { rows: rows satisfies UserResults[], total }
}
