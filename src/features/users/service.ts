import { Value } from 'typebox/value'
import { Role } from '../../../schemas/auth.ts'
import type { RoleChange, RoleCounts, UserRow } from '../../../schemas/users.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/client.ts'
import { GHOST_ID } from '../../db/tables/users.ts'
import { AppError } from '../../errors.ts'
import { localDisplay } from '../../local-time.ts'
import { announceRevocations, renewSessionsOf } from '../auth/sessions.ts'
import * as store from './store.ts'

/** Rows of one query of a download. */
const DOWNLOAD_PAGE = 1_000

/** People, newest first, as administrators see them, and how many there are. */
export async function listUsers(core: Core, filter: store.UserFilter, limit: number, offset: number) {
  const { rows, total } = await store.listUsers(core.db, filter, limit, offset)
  return { users: rows.map((user) => describeUser(core, user)), total }
}

/** Everybody whom the list would show on any of its pages, read as fast as they are asked for. */
export async function* streamUsers(core: Core, filter: store.UserFilter) {
  let lastId: number | undefined
  do {
    const rows = await store.listUsersAfter(core.db, filter, lastId, DOWNLOAD_PAGE)
    for (const user of rows) yield describeUser(core, user)
    lastId = rows.length < DOWNLOAD_PAGE ? undefined : rows.at(-1)?.id
  } while (lastId !== undefined)
}

function describeUser({ config: { timezone } }: Core, user: store.UserRow): UserRow {
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    full_name: user.fullName,
    role: user.role,
    created_at: localDisplay(user.createdAt, timezone),
    updated_at: localDisplay(user.updatedAt, timezone),
  }
}

export async function countRoles(core: Core): Promise<RoleCounts> {
  const counts = await store.countByRole(core.db)
  return {
    success: true,
    total_users: counts.values().reduce((sum, count) => sum + count, 0),
    user_role: counts.get('user') ?? 0,
    admin_role: counts.get('admin') ?? 0,
    both_roles: counts.get('user,admin') ?? 0,
  }
}

/** Takes effect at once. 403 `ghost_account`, 400 for what is no role, 404, 409 `last_admin`. */
export async function changeRole(core: Core, change: RoleChange): Promise<void> {
  const role = readChange(change)
  await core.db.transaction((tx) => setRole(tx, change.user_id, role))
  announceRevocations(core)
}

/** Each change by itself: answers how many were made, and why the others were not. */
export async function changeRoles(core: Core, changes: RoleChange[]) {
  const errors: string[] = []
  for (const change of changes) {
    try {
      const role = readChange(change)
      await core.db.transaction((tx) => setRole(tx, change.user_id, role))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      errors.push(`User ${change.user_id}: ${error.message}`)
    }
  }
  announceRevocations(core)
  return { changed: changes.length - errors.length, errors }
}

/** Gives an account a role and voids what it was signed in with before; `announceRevocations` after the commit. */
export async function setRole(tx: Executor, userId: number, role: Role): Promise<void> {
  if (role === 'user') await requireOtherAdmin(tx, userId)
  const before = await store.findRoleForUpdate(tx, userId)
  if (before === undefined) throw new AppError('not_found', { message: 'There is no such user' })
  if (before === role) return
  await store.updateRole(tx, userId, role)
  await renewSessionsOf(tx, userId)
}

/** 409 `last_admin` if this account is the only administrator; otherwise another one stays until the transaction ends. */
export async function requireOtherAdmin(tx: Executor, userId: number): Promise<void> {
  const admins = await store.listAdminsForUpdate(tx)
  if (admins.length === 1 && admins[0] === userId) throw new AppError('last_admin')
}

function readChange({ user_id, new_role }: RoleChange): Role {
  if (user_id === GHOST_ID) throw new AppError('ghost_account')
  if (Value.Check(Role, new_role)) return new_role
  const given = typeof new_role === 'string' && new_role.length <= 100 ? `'${new_role}'` : 'that'
  throw new AppError('validation_failed', {
    message: `${given} is no role: use user, admin or user,admin`,
    details: { errors: [{ path: '/new_role', message: 'must be user, admin or user,admin' }] },
  })
}
