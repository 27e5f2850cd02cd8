import { and, eq, lt, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { notebooks } from '../../db/tables/notes.tables.ts'
import { identities } from '../../db/tables/sign-in.tables.ts'
import { GHOST_ID, isAccount, users } from '../../db/tables/users.tables.ts'
import type { UserRow } from '../../db/user-rows.ts'

/** Accounts without a password; those whose name or address is taken are left out. */
export async function insertUsersIfFree(
  tx: Executor,
  offered: { email: string; username: string; fullName: string | undefined; role: UserRow['role'] }[],
): Promise<UserRow[]> {
  return tx
    .insert(users)
    .values(
      offered.map(({ email, username, fullName, role }) => ({
        email,
        username,
        fullName: fullName ?? username,
        role,
        unclaimed: true,
      })),
    )
    .onConflictDoNothing()
    .returning()
}

/**
 * Removes somebody's names and every way to sign in, and hides their public notebooks. The new username and address are
 * invalid as such, so nobody else can have them.
 */
export async function closeUser(tx: Executor, id: number): Promise<void> {
  await tx.execute(sql`
    update users
       set username = ghost.username || ' ' || users.id, email = ghost.email || users.id, full_name = ghost.full_name,
           role = ghost.role, password_hash = null, google_subject = null, email_verified = false, deleted_at = now()
      from users ghost where ghost.id = ${GHOST_ID} and users.id = ${id}`)
  await tx.delete(identities).where(eq(identities.userId, id))
  await tx
    .update(notebooks)
    .set({ isPublic: false })
    .where(and(eq(notebooks.ownerId, id), notebooks.isPublic))
}

/** Accounts that have been suspended since before then, the longest first. */
export async function listSuspended(db: Executor, before: Date, limit: number): Promise<number[]> {
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(and(lt(users.suspendedAt, before), isAccount()))
    .orderBy(users.suspendedAt)
    .limit(limit)
  return rows.map(({ id }) => id)
}
