import { and, eq, isNotNull, isNull, ne, or } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { only } from '../../db/query.ts'
import { identities } from '../../db/tables/sign-in.tables.ts'
import { isAccount, users } from '../../db/tables/users.tables.ts'
import { foldedCase } from '../../db/text-search.ts'
import type { UserRow } from '../../db/user-rows.ts'
import { foldCase } from '../../formats/case-fold.ts'

/** Who somebody is at a provider. */
export interface ProviderSubject {
  issuer: string
  subject: string
}

/** An account, and the link that leads to it. */
export interface LinkedAccount {
  user: UserRow
  identityId: number
}

export async function findLinked(
  db: Executor,
  { issuer, subject }: ProviderSubject,
): Promise<LinkedAccount | undefined> {
  const [row] = await db
    .select({ user: users, identityId: identities.id })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject), isAccount()))
  return row
}

export async function findUserByEmailForUpdate(tx: Executor, email: string): Promise<UserRow | undefined> {
  const [row] = await tx
    .select()
    .from(users)
    .where(and(eq(foldedCase(users.email), foldCase(email)), isAccount()))
    .for('update')
  return row
}

/** An account, and the one that has this address, if that is another one; locked in the order of their ids. */
export function listForAddress(tx: Executor, userId: number, email: string): Promise<UserRow[]> {
  return tx
    .select()
    .from(users)
    .where(and(or(eq(users.id, userId), eq(foldedCase(users.email), foldCase(email))), isAccount()))
    .orderBy(users.id)
    .for('update')
}

/** The id of the new link. */
export async function insertIdentity(
  tx: Executor,
  userId: number,
  { issuer, subject }: ProviderSubject,
): Promise<number> {
  const values = { userId, issuer, subject }
  return only(await tx.insert(identities).values(values).returning({ id: identities.id })).id
}

/** Whether an account is linked to anybody at this issuer. */
export async function hasIdentity(db: Executor, userId: number, issuer: string): Promise<boolean> {
  return (await db.$count(identities, and(eq(identities.userId, userId), eq(identities.issuer, issuer)))) > 0
}

/** Whether a link is still there. */
export async function isLinked(tx: Executor, identityId: number): Promise<boolean> {
  return (await tx.$count(identities, eq(identities.id, identityId))) > 0
}

export async function deleteIdentities(tx: Executor, userId: number): Promise<void> {
  await tx.delete(identities).where(eq(identities.userId, userId))
}

/** Whether there is an administrator who could sign in with a password that the operator gave them. */
export async function hasOperatorsAdmin(db: Executor): Promise<boolean> {
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(
      and(
        users.byOperator,
        ne(users.role, 'user'),
        isNotNull(users.passwordHash),
        isNull(users.suspendedAt),
        isAccount(),
      ),
    )
    .limit(1)
  return rows.length > 0
}
