import { and, desc, eq, lt, or, sql } from 'drizzle-orm'
import type { Role } from '../../../schemas/accounts/auth.ts'
import type { Executor } from '../../db/client.ts'
import { isAnyOf, query } from '../../db/query.ts'
import { contains } from '../../db/search.ts'
import { isAccount, users } from '../../db/tables/people/users.ts'

export type UserRow = typeof users.$inferSelect

export interface UserFilter {
  q: string | undefined
  role: Role | undefined
}

/** A page of people, newest first, and how many there are, both without the ghost. */
export async function listUsers(db: Executor, filter: UserFilter, limit: number, offset: number) {
  const chosen = matches(filter)
  const [rows, total] = await Promise.all([
    db.select().from(users).where(chosen).orderBy(desc(users.id)).limit(limit).offset(offset),
    filter.q ? db.$count(users, chosen) : countPeople(db, filter.role),
  ])
  return { rows, total }
}

async function countPeople(db: Executor, role: Role | undefined): Promise<number> {
  const roles = await countByRole(db)
  return role === undefined ? roles.values().reduce((sum, count) => sum + count, 0) : (roles.get(role) ?? 0)
}

/** The next people of the same list: those after `lastId`, or the first ones. */
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
    isAccount(),
    role === undefined ? undefined : eq(users.role, role),
    q ? or(contains(users.username, q), contains(users.email, q), contains(users.fullName, q)) : undefined,
  )
}

/** How many people have each role. Roles without people are left out. */
export async function countByRole(db: Executor): Promise<Map<Role, number>> {
  const rows = await query<{ role: Role; count: number }>(
    db,
    sql`
    select substr(what, length('role:') + 1) as role, sum(amount)::int as count
      from counts where what like 'role:%' group by what having sum(amount) > 0`,
  )
  return new Map(rows.map(({ role, count }) => [role, count]))
}

/**
 * All administrators, locked until the transaction ends, always in the same order so that two transactions never
 * deadlock.
 */
export async function listAdminsForUpdate(tx: Executor): Promise<number[]> {
  const rows = await tx
    .select({ id: users.id })
    .from(users)
    .where(sql`${users.role} <> 'user'`)
    .orderBy(users.id)
    .for('no key update')
  return rows.map(({ id }) => id)
}

/** The roles of these people, whose rows are locked until the transaction ends. Unknown ids are left out. */
export async function listRolesForUpdate(tx: Executor, ids: number[]): Promise<Map<number, Role>> {
  const rows = await tx
    .select({ id: users.id, role: users.role })
    .from(users)
    .where(and(isAnyOf(users.id, ids), isAccount()))
    .orderBy(users.id)
    .for('no key update')
  return new Map(rows.map(({ id, role }) => [id, role]))
}

export async function updateRoles(db: Executor, roles: ReadonlyMap<number, Role>): Promise<void> {
  await db.execute(sql`
    update users set role = given.role, updated_at = now()
      from unnest(${sql.param([...roles.keys()])}::int[], ${sql.param([...roles.values()])}::text[]) as given(id, role)
     where users.id = given.id`)
}
