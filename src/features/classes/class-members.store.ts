import { and, asc, count, desc, eq, isNull, sql } from 'drizzle-orm'
import type { ClassRole } from '../../../schemas/classes.schemas.ts'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, query } from '../../db/query.ts'
import { given } from '../../db/rows.ts'
import { classMembers } from '../../db/tables/classes.tables.ts'
import { isAccount, users } from '../../db/tables/users.tables.ts'
import { foldedCase } from '../../db/text-search.ts'

export interface ClassMemberRow {
  userId: number
  username: string
  fullName: string
  role: ClassRole
  joinedAt: Date
}

/** A page, teachers first, then by username. */
export async function listMembers(
  db: Executor,
  id: number,
  limit: number,
  offset: number,
): Promise<ClassMemberRow[]> {
  return db
    .select({
      userId: users.id,
      username: users.username,
      fullName: users.fullName,
      role: classMembers.role,
      joinedAt: classMembers.joinedAt,
    })
    .from(classMembers)
    .innerJoin(users, isMembersAccount)
    .where(isInClass(id))
    .orderBy(desc(classMembers.role), foldedCase(users.username))
    .limit(limit)
    .offset(offset)
}

export async function countMembers(db: Executor, id: number): Promise<number> {
  const [row] = await db
    .select({ members: count() })
    .from(classMembers)
    .innerJoin(users, isMembersAccount)
    .where(isInClass(id))
  return row?.members ?? 0
}

/** Somebody's membership, former ones included. */
export async function findMember(db: Executor, id: number, userId: number) {
  const [row] = await db.select().from(classMembers).where(isMember(id, userId))
  return row
}

/** Which of these people have an account. */
export async function listAccounts(db: Executor, userIds: number[]): Promise<number[]> {
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(and(isAnyOf(users.id, userIds), isAccount()))
    .orderBy(users.id)
  return rows.map(({ id }) => id)
}

/** Those of these addresses, in lower case, that their owners have confirmed, with their accounts. */
export async function listConfirmed(
  db: Executor,
  emails: string[],
): Promise<{ email: string; userId: number }[]> {
  return query<{ email: string; userId: number }>(
    db,
    { email: 'text', userId: 'integer' },
    sql`
    select ${foldedCase(sql`email`)} as email, id as "userId" from users
     where ${isAnyOf(foldedCase(sql`email`), emails)} and email_verified and ${isAccount()}`,
  )
}

/**
 * Makes people members, former ones too; present members stay, and a student may become a teacher. Answers the new
 * ones.
 */
export async function insertMembers(
  tx: Executor,
  id: number,
  people: { userId: number; role: ClassRole }[],
  now: Date,
): Promise<number[]> {
  const rows = await query<{ userId: number; isNew: boolean }>(
    tx,
    { userId: 'integer', isNew: 'boolean' },
    sql`
    insert into class_members as known (class_id, user_id, role, joined_at)
    select ${id}::int, user_id, role, ${now.toISOString()}::timestamptz
      from ${given({ userId: 'integer', role: 'text' }, people)}
     order by user_id
    on conflict (class_id, user_id) do update
      set role = excluded.role, left_at = null, removed = false, removed_at = null,
          joined_at = case when known.left_at is null then known.joined_at else excluded.joined_at end
      where known.left_at is not null or (known.role = 'student' and excluded.role = 'teacher')
    returning user_id as "userId", joined_at = ${now.toISOString()}::timestamptz as "isNew"`,
  )
  return rows.filter(({ isNew }) => isNew).map(({ userId }) => userId)
}

/** Which of these people are students of a class. */
export async function listStudentsAmong(db: Executor, id: number, userIds: number[]): Promise<number[]> {
  const rows = await db
    .select({ userId: classMembers.userId })
    .from(classMembers)
    .where(and(isInClass(id), isAnyOf(classMembers.userId, userIds), eq(classMembers.role, 'student')))
    .orderBy(classMembers.userId)
  return rows.map(({ userId }) => userId)
}

/** Somebody who reads a class. */
export interface ClassReader {
  classId: number
  userId: number
}

/** Which of these people are in the class, in their order. */
export async function listArePresent(db: Executor, readers: ClassReader[]): Promise<boolean[]> {
  const rows = await query<{ isPresent: boolean }>(
    db,
    { isPresent: 'boolean' },
    sql`
    select member.user_id is not null as "isPresent"
      from ${given({ classId: 'integer', userId: 'integer' }, readers, 'asked')}
      left join class_members member
        on member.class_id = asked.class_id and member.user_id = asked.user_id and member.left_at is null
     order by asked.ord`,
  )
  return rows.map(({ isPresent }) => isPresent)
}

/** Ends somebody's membership by themselves; false if there is none. */
export async function endMembership(tx: Executor, id: number, userId: number, at: Date): Promise<boolean> {
  const rows = await tx
    .update(classMembers)
    .set({ leftAt: at })
    .where(and(isMember(id, userId), isNull(classMembers.leftAt)))
    .returning({ userId: classMembers.userId })
  return rows.length > 0
}

/** Removes a member, or somebody who has left: that they left when they did stays. */
export async function removeMember(tx: Executor, id: number, userId: number, at: Date): Promise<void> {
  const removedAt = sql`${at.toISOString()}::timestamptz`
  await tx.execute(sql`
    update class_members set left_at = coalesce(left_at, ${removedAt}), removed = true, removed_at = ${removedAt}
     where class_id = ${id} and user_id = ${userId}`)
}

function isMember(id: number, userId: number) {
  return and(eq(classMembers.classId, id), eq(classMembers.userId, userId))
}

function isInClass(id: number) {
  return and(eq(classMembers.classId, id), isNull(classMembers.leftAt))
}

const isMembersAccount = and(eq(users.id, classMembers.userId), isAccount())

/** With an account, in the order in which they joined. */
export async function listTeachers(
  db: Executor,
  id: number,
): Promise<Pick<ClassMemberRow, 'userId' | 'fullName'>[]> {
  return db
    .select({ userId: users.id, fullName: users.fullName })
    .from(classMembers)
    .innerJoin(users, isMembersAccount)
    .where(and(isInClass(id), eq(classMembers.role, 'teacher')))
    .orderBy(classMembers.joinedAt, classMembers.userId)
}

export async function listTeacherIds(db: Executor, id: number): Promise<number[]> {
  const rows = await db
    .select({ userId: classMembers.userId })
    .from(classMembers)
    .where(and(isInClass(id), eq(classMembers.role, 'teacher')))
    .orderBy(classMembers.joinedAt, classMembers.userId)
  return rows.map(({ userId }) => userId)
}

/** The first members of a class, teachers before students and who came first before others. */
export async function listFirstMemberIds(db: Executor, id: number, limit: number): Promise<number[]> {
  const rows = await db
    .select({ userId: classMembers.userId })
    .from(classMembers)
    .innerJoin(users, isMembersAccount)
    .where(isInClass(id))
    .orderBy(desc(classMembers.role), asc(classMembers.joinedAt), asc(classMembers.userId))
    .limit(limit)
  return rows.map(({ userId }) => userId)
}
