import { and, eq, sql } from 'drizzle-orm'
import type { ClassRole } from '../../../schemas/classes.schemas.ts'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, query } from '../../db/query.ts'
import { classMembers } from '../../db/tables/classes.tables.ts'
import { isAccount } from '../../db/tables/users.tables.ts'
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
  return query<ClassMemberRow>(
    db,
    { userId: 'integer', username: 'text', fullName: 'text', role: 'text', joinedAt: 'timestamptz' },
    sql`
    select users.id as "userId", users.username, users.full_name as "fullName", member.role,
           member.joined_at as "joinedAt"
      from class_members member join users on users.id = member.user_id and ${isAccount()}
     where member.class_id = ${id} and member.left_at is null
     order by member.role desc, ${foldedCase(sql`users.username`)} limit ${limit} offset ${offset}`,
  )
}

export async function countMembers(db: Executor, id: number): Promise<number> {
  const [row] = await query<{ members: number }>(
    db,
    { members: 'integer' },
    sql`
    select count(*)::int as members from class_members member
      join users on users.id = member.user_id and ${isAccount()}
     where member.class_id = ${id} and member.left_at is null`,
  )
  return row?.members ?? 0
}

/** Somebody's membership, former ones included. */
export async function findMember(db: Executor, id: number, userId: number) {
  const [row] = await db.select().from(classMembers).where(isMember(id, userId))
  return row
}

/** Which of these people have an account. */
export async function listAccounts(db: Executor, userIds: number[]): Promise<number[]> {
  const rows = await query<{ id: number }>(
    db,
    { id: 'integer' },
    sql`select id from users where ${isAnyOf(sql`id`, userIds)} and ${isAccount()} order by id`,
  )
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
    select ${id}::int, person.id, person.role, ${now.toISOString()}::timestamptz
      from unnest(${sql.param(people.map(({ userId }) => userId))}::int[],
                  ${sql.param(people.map(({ role }) => role))}::text[]) as person(id, role)
     order by person.id
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
  const rows = await query<{ userId: number }>(
    db,
    { userId: 'integer' },
    sql`
    select user_id as "userId" from class_members
     where class_id = ${id} and ${isAnyOf(sql`user_id`, userIds)} and role = 'student' and left_at is null
     order by user_id`,
  )
  return rows.map(({ userId }) => userId)
}

/** Ends somebody's membership by themselves; false if there is none. */
export async function endMembership(tx: Executor, id: number, userId: number, at: Date): Promise<boolean> {
  const rows = await tx
    .update(classMembers)
    .set({ leftAt: at })
    .where(and(isMember(id, userId), sql`${classMembers.leftAt} is null`))
    .returning({ userId: classMembers.userId })
  return rows.length > 0
}

/** Removes a member, or somebody who has left: that they left when they did stays. */
export async function removeMember(tx: Executor, id: number, userId: number, at: Date): Promise<void> {
  await tx
    .update(classMembers)
    .set({
      leftAt: sql`coalesce(${classMembers.leftAt}, ${at.toISOString()}::timestamptz)`,
      removed: true,
      removedAt: at,
    })
    .where(isMember(id, userId))
}

function isMember(id: number, userId: number) {
  return and(eq(classMembers.classId, id), eq(classMembers.userId, userId))
}

export async function listTeacherIds(db: Executor, id: number): Promise<number[]> {
  const rows = await query<{ userId: number }>(
    db,
    { userId: 'integer' },
    sql`
    select user_id as "userId" from class_members
     where class_id = ${id} and role = 'teacher' and left_at is null order by joined_at, user_id`,
  )
  return rows.map(({ userId }) => userId)
}

/** The first members of a class, teachers before students and who came first before others. */
export async function listFirstMemberIds(db: Executor, id: number, limit: number): Promise<number[]> {
  const rows = await query<{ userId: number }>(
    db,
    { userId: 'integer' },
    sql`
    select member.user_id as "userId" from class_members member
      join users on users.id = member.user_id and ${isAccount()}
     where member.class_id = ${id} and member.left_at is null
     order by member.role desc, member.joined_at, member.user_id limit ${limit}`,
  )
  return rows.map(({ userId }) => userId)
}
