import { and, desc, eq, gt, lt, or, sql } from 'drizzle-orm'
import type { Role } from '../../../schemas/auth.ts'
import type { Executor } from '../../db/client.ts'
import { contains } from '../../db/search.ts'
import { users } from '../../db/tables/users.ts'

export type UserRow = typeof users.$inferSelect

export interface UserFilter {
  q: string | undefined
  role: Role | undefined
}

/** A page of people, newest first, and how many there are; the ghost is none of them. */
export async function listUsers(db: Executor, filter: UserFilter, limit: number, offset: number) {
  const chosen = matches(filter)
  const [rows, total] = await Promise.all([
    db.select().from(users).where(chosen).orderBy(desc(users.id)).limit(limit).offset(offset),
    db.$count(users, chosen),
  ])
  return { rows, total }
}

/** The people after the one with this id in that list, or its first ones. */
export async function listUsersAfter(
  db: Executor,
  filter: UserFilter,
  lastId: number | undefined,
  limit: number,
) {
  const chosen = and(matches(filter), lastId === undefined ? undefined : lt(users.id, lastId))
  return db.select().from(users).where(chosen).orderBy(desc(users.id)).limit(limit)
}

function matches({ q, role }: UserFilter) {
  return and(
    gt(users.id, 0),
    role === undefined ? undefined : eq(users.role, role),
    q ? or(contains(users.username, q), contains(users.email, q), contains(users.fullName, q)) : undefined,
  )
}

/** How many people have each role; a role that nobody has is missing. */
export async function countByRole(db: Executor): Promise<Map<Role, number>> {
  const rows = await db
    .select({ role: users.role, count: sql<number>`count(*)::int` })
    .from(users)
    .where(gt(users.id, 0))
    .groupBy(users.role)
  return new Map(rows.map(({ role, count }) => [role, count]))
}

/** Every administrator, kept as such until the transaction ends. In one order, so that two of these never lock one another out. */
export async function listAdminsForUpdate(tx: Executor): Promise<number[]> {
  const rows = await tx
    .select({ id: users.id })
    .from(users)
    .where(sql`${users.role} <> 'user'`)
    .orderBy(users.id)
    .for('no key update')
  return rows.map(({ id }) => id)
}

export async function findRoleForUpdate(tx: Executor, id: number): Promise<Role | undefined> {
  const [row] = await tx.select({ role: users.role }).from(users).where(eq(users.id, id)).for('no key update')
  return row?.role
}

export async function updateRole(db: Executor, id: number, role: Role): Promise<void> {
  await db.update(users).set({ role, updatedAt: sql`now()` }).where(eq(users.id, id))
}
