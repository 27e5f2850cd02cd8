import { and, eq, isNull, ne, type SQL, sql } from 'drizzle-orm'
import type { Role } from '../../../schemas/auth.schemas.ts'
import type { Db, Executor } from '../../db/database-client.ts'
import { isAnyOf, type Page, type Places, query, statement, toPage } from '../../db/query.ts'
import { type Row, rowOf } from '../../db/rows.ts'
import { isAccount, users } from '../../db/tables/users.tables.ts'
import { containing, plannedFor } from '../../db/text-search.ts'

const USER = rowOf(users, ['id', 'username', 'email', 'fullName', 'role', 'createdAt', 'updatedAt'])
export type ListedUserRow = Row<typeof USER> & { isSuspended: boolean }

export interface UserFilter {
  q: string | undefined
  role: Role | undefined
}

interface UserCriteria {
  /** Of the username, address or full name. */
  pattern: string | undefined
  role: Role | undefined
}

const COLUMNS = { ...USER.check, isSuspended: 'boolean' } as const
const SELECTION = sql`${USER.columns()}, suspended_at is not null as "isSuspended"`

const selectPage = statement<
  UserCriteria & { limit: number; offset: number },
  ListedUserRow & { total: number }
>(
  { ...COLUMNS, total: 'integer' },
  ({ limit, offset, ...choice }) => sql`
    select ${SELECTION}, (${countChosen(choice)}) as total
      from users where ${isChosen(choice)} order by id desc limit ${limit} offset ${offset}`,
)

const selectAfter = statement<UserCriteria & { lastId: number | undefined; limit: number }, ListedUserRow>(
  COLUMNS,
  ({ lastId, limit, ...choice }) => sql`
    select ${SELECTION} from users
     where ${isChosen(choice)} ${lastId ? sql`and id < ${lastId}` : sql``} order by id desc limit ${limit}`,
)

const count = statement<UserCriteria, { total: number }>({ total: 'integer' }, countChosen)

/** Without a search, the number comes from counts that triggers maintain. */
function countChosen(choice: Places<UserCriteria>): SQL {
  if (choice.pattern) return sql`select count(*)::int as total from users where ${isChosen(choice)}`
  const what = choice.role ? sql`what = 'role:' || ${choice.role}::text` : sql`what like 'role:%'`
  return sql`select coalesce(sum(amount), 0)::int as total from counts where ${what}`
}

function isChosen({ pattern, role }: Places<UserCriteria>): SQL {
  return sql.join(
    [
      isAccount(),
      ...(role ? [sql`role = ${role}`] : []),
      ...(pattern
        ? [sql`(username ilike ${pattern} or email ilike ${pattern} or full_name ilike ${pattern})`]
        : []),
    ],
    sql` and `,
  )
}

function toChoice({ q, role }: UserFilter): UserCriteria {
  return { pattern: q ? containing(q) : undefined, role }
}

/** A page of people, newest first, and how many there are, both without the ghost. */
export async function listUsers(
  db: Db,
  filter: UserFilter,
  limit: number,
  offset: number,
): Promise<Page<ListedUserRow>> {
  const pool = plannedFor(filter.q, db)
  const choice = toChoice(filter)
  return toPage(await selectPage(pool, { ...choice, limit, offset }), offset, () => count(pool, choice))
}

/** The next people of the same list: those after `lastId`, or the first ones. */
export async function listUsersAfter(
  db: Db,
  filter: UserFilter,
  lastId: number | undefined,
  limit: number,
): Promise<ListedUserRow[]> {
  return selectAfter(plannedFor(filter.q, db), { ...toChoice(filter), lastId, limit })
}

/** How many people have each role. Roles without people are left out. */
export async function countByRole(db: Executor): Promise<Map<Role, number>> {
  const rows = await query<{ role: Role; count: number }>(
    db,
    { role: 'text', count: 'integer' },
    sql`
    select substr(what, length('role:') + 1) as role, sum(amount)::int as count
      from counts where what like 'role:%' group by what having sum(amount) > 0`,
  )
  return new Map(rows.map(({ role, count }) => [role, count]))
}

/** Whether somebody is an administrator who may sign in. */
export async function isAdmin(tx: Executor, id: number): Promise<boolean> {
  const admin = and(eq(users.id, id), isAccount(), ne(users.role, 'user'), isNull(users.suspendedAt))
  return (await tx.$count(users, admin)) > 0
}

/**
 * All administrators who may sign in, locked until the transaction ends, always in the same order so that two
 * transactions never deadlock.
 */
export async function listAdminsForUpdate(tx: Executor): Promise<number[]> {
  const rows = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(ne(users.role, 'user'), isNull(users.suspendedAt)))
    .orderBy(users.id)
    .for('no key update')
  return rows.map(({ id }) => id)
}

/**
 * The roles of these people, and whether they are kept from signing in. Their rows are locked until the transaction
 * ends. Unknown ids are left out.
 */
export async function listRolesForUpdate(
  tx: Executor,
  ids: number[],
): Promise<Map<number, { role: Role; isSuspended: boolean }>> {
  const rows = await tx
    .select({ id: users.id, role: users.role, suspendedAt: users.suspendedAt })
    .from(users)
    .where(and(isAnyOf(users.id, ids), isAccount()))
    .orderBy(users.id)
    .for('no key update')
  return new Map(rows.map(({ id, role, suspendedAt }) => [id, { role, isSuspended: suspendedAt !== null }]))
}

const ROLE = rowOf(users, ['id', 'role'])

export async function updateRoles(db: Executor, roles: ReadonlyMap<number, Role>): Promise<void> {
  const rows = [...roles].map(([id, role]) => ({ id, role }))
  await db.execute(sql`
    update users set role = given.role, updated_at = now() from ${ROLE.given(rows)}
     where users.id = given.id`)
}
