import { Value } from 'typebox/value'
import { Role } from '../../../schemas/auth.schemas.ts'
import type { Content } from '../../../schemas/common.ts'
import { RoleChange, type RoleCounts, type UserRow } from '../../../schemas/users.schemas.ts'
import type { Actor } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { LOCKS, lockAlone } from '../../db/locks.ts'
import { GHOST_ID } from '../../db/tables/users.tables.ts'
import { AppError } from '../../errors.ts'
import { localDisplay } from '../../formats/local-time.ts'
import { slicesOf } from '../../formats/slices.ts'
import { offsetOf } from '../../paging.ts'
import { record } from '../audit/audit.service.ts'
import { describeRole } from '../audit/audit-words.ts'
import { announceRevocations, renewSessionsOf } from '../auth/sessions.service.ts'
import * as store from './users.store.ts'

/** Users on a page of the administrators' list. */
export const USERS_PER_PAGE = 50
/** Rows of one query of a download. */
const DOWNLOAD_PAGE = 1_000

/** One page, newest first, and how many there are. */
export async function listUsers(core: Core, filter: store.UserFilter, page: number) {
  const offset = offsetOf(page, USERS_PER_PAGE)
  const { rows, total } = await store.listUsers(core.db, filter, USERS_PER_PAGE, offset)
  return { users: rows.map((user) => describeUser(core, user)), total }
}

/** Everybody on all pages of the list, read as fast as they are taken. */
export async function* streamUsers(core: Core, filter: store.UserFilter) {
  let lastId: number | undefined
  do {
    const rows = await store.listUsersAfter(core.db, filter, lastId, DOWNLOAD_PAGE)
    for (const user of rows) yield describeUser(core, user)
    lastId = rows.length < DOWNLOAD_PAGE ? undefined : rows.at(-1)?.id
  } while (lastId !== undefined)
}

function describeUser({ config: { timezone } }: Core, user: store.ListedUserRow): UserRow {
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    full_name: user.fullName,
    role: user.role,
    ...(user.isSuspended ? { suspended: true as const } : {}),
    created_at: localDisplay(user.createdAt, timezone),
    updated_at: localDisplay(user.updatedAt, timezone),
  }
}

export async function countRoles(core: Core): Promise<Content<RoleCounts>> {
  const counts = await store.countByRole(core.db)
  return {
    total_users: counts.values().reduce((sum, count) => sum + count, 0),
    user_role: counts.get('user') ?? 0,
    admin_role: counts.get('admin') ?? 0,
    both_roles: counts.get('user,admin') ?? 0,
  }
}

/** Takes effect at once. */
export async function changeRole(core: Core, actor: Actor, change: RoleChange): Promise<void> {
  const role = readRole(change)
  if (role instanceof AppError) throw role
  await core.db.transaction((tx) => setRole(tx, actor, change.user_id, role))
  announceRevocations(core)
}

/** Changes of one transaction: meanwhile these people can't sign in. */
const AT_ONCE = 500

/**
 * Makes each change that is possible, in order: how many were made, and why the others were not. 403 `ghost_account` if
 * only the ghost is named.
 */
export async function changeRoles(core: Core, actor: Actor, offered: unknown[]) {
  if (offered.every((each) => isObject(each) && each.user_id === GHOST_ID))
    throw new AppError('ghost_account')
  const read = offered.map(readOffered)
  const changes = read.filter((each) => 'role' in each)
  const outcomes: (AppError | undefined)[] = []
  for (const some of slicesOf(changes, AT_ONCE)) {
    try {
      const applied = await core.db.transaction(async (tx) => {
        await lockRoles(tx, actor)
        return applyRoles(tx, actor, some)
      })
      outcomes.push(...applied)
    } catch (error) {
      // What is committed stays, so the remaining people get `unavailable` rather than the whole request.
      if (outcomes.length === 0) throw error
      outcomes.push(...some.map(() => new AppError('unavailable')))
    }
  }
  announceRevocations(core)
  const failures = new Map(changes.map((change, index) => [change, outcomes[index]]))
  const errors = read.flatMap((each, index) => {
    const error = 'role' in each ? failures.get(each) : each.error
    return error ? [`${nameOffered(offered[index], index)}: ${error.message}`] : []
  })
  return { changed: offered.length - errors.length, errors }
}

/**
 * Lets administrators decide about roles and access one after another. Their own role is checked behind the lock:
 * somebody who lost it while this waited can't decide anything any more, not even about themselves. 403
 * `admin_required`.
 */
export async function lockRoles(tx: Executor, { id }: Actor): Promise<void> {
  await lockAlone(tx, LOCKS.roles())
  if (id !== null && !(await store.isAdmin(tx, id))) throw new AppError('admin_required')
}

/** Gives an account a role and ends its current tokens; call `announceRevocations` after the commit. */
export async function setRole(tx: Executor, actor: Actor, userId: number, role: Role): Promise<void> {
  await lockRoles(tx, actor)
  const [error] = await applyRoles(tx, actor, [{ userId, role }])
  if (error) throw error
}

/**
 * Gives a role to somebody who has just proved that it is theirs, or takes it from somebody who no longer proves it,
 * and ends their tokens as `setRole` does. `because` ends the line in the audit log.
 */
export async function setOwnRole(
  tx: Executor,
  userId: number,
  ip: string,
  role: Role,
  because: string,
): Promise<void> {
  await lockAlone(tx, LOCKS.roles())
  const [error] = await applyRoles(tx, { id: userId, ip }, [{ userId, role }], because)
  if (error) throw error
}

interface ReadChange {
  userId: number
  role: Role
}

/** Applies the changes as if one after another; answers for each why it was not made: `not_found`, `last_admin`. */
async function applyRoles(
  tx: Executor,
  actor: Actor,
  changes: ReadChange[],
  because = '',
): Promise<(AppError | undefined)[]> {
  // Administrators first, then the others, each in the order of their ids, so that two transactions never deadlock.
  const admins = new Set(await store.listAdminsForUpdate(tx))
  const before = await store.listRolesForUpdate(
    tx,
    changes.map(({ userId }) => userId),
  )
  const after = new Map<number, Role>()
  const outcomes = changes.map(({ userId, role }) => {
    const known = before.get(userId)
    if (!known) return new AppError('not_found', { message: 'There is no such user' })
    if (role !== 'user') {
      // Somebody who can't sign in can't replace somebody who can.
      if (!known.isSuspended) admins.add(userId)
    } else if (admins.size === 1 && admins.has(userId)) return new AppError('last_admin')
    else admins.delete(userId)
    after.set(userId, role)
    return undefined
  })
  const changed = [...after].filter(([userId, role]) => before.get(userId)?.role !== role)
  if (changed.length === 0) return outcomes
  await store.updateRoles(tx, new Map(changed))
  const notes = changed.map(([userId, role]) => ({
    action: 'user.change_role' as const,
    subject: ['user', userId] as const,
    summary: `From ${describeRole(before.get(userId)?.role)} to ${describeRole(role)}${because}`,
  }))
  await record(tx, actor, ...notes)
  await renewSessionsOf(
    tx,
    changed.map(([userId]) => userId),
  )
  return outcomes
}

/**
 * 409 `last_admin` if this account is the only administrator. If not, another one keeps the role until the
 * transaction ends.
 */
export async function requireOtherAdmin(tx: Executor, userId: number): Promise<void> {
  await lockAlone(tx, LOCKS.roles())
  const admins = await store.listAdminsForUpdate(tx)
  if (admins.length === 1 && admins[0] === userId) throw new AppError('last_admin')
}

/** The new role, or why it can't be given. */
function readRole({ user_id, new_role }: RoleChange): Role | AppError {
  if (user_id === GHOST_ID) return new AppError('ghost_account')
  if (Value.Check(Role, new_role)) return new_role
  return new AppError('validation_failed', {
    message: `${quote(new_role)} is no role: use user, admin or user,admin`,
    details: { errors: [{ path: '/new_role', message: 'must be user, admin or user,admin' }] },
  })
}

/** Reads an entry of a list, which may be anything. */
function readOffered(offered: unknown): ReadChange | { error: AppError } {
  const entry = isObject(offered) ? offered : {}
  if (!Value.Check(RoleChange, entry))
    return { error: new AppError('validation_failed', { message: 'user_id must be the id of a user' }) }
  const role = readRole(entry)
  return role instanceof AppError ? { error: role } : { userId: entry.user_id, role }
}

function nameOffered(offered: unknown, index: number): string {
  return isObject(offered) && 'user_id' in offered ? `User ${quote(offered.user_id)}` : `Entry ${index + 1}`
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** A text or number of reasonable length; anything else is called `that`. */
function quote(given: unknown): string {
  if (typeof given === 'number') return String(given)
  return typeof given === 'string' && given.length <= 100 ? `'${given}'` : 'that'
}
