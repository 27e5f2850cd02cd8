import type postgres from 'postgres'
import type { Client } from '../client.ts'

interface Members {
  students?: Pick<Client, 'id'>[]
  teachers?: Pick<Client, 'id'>[]
}

/** Inserts a class with these people; answers its id. */
export async function createClass(
  sql: postgres.Sql,
  { students = [], teachers = [] }: Members = {},
): Promise<number> {
  const [row] = await sql<{ id: number }[]>`insert into classes (name) values ('10 b') returning id`
  const classId = row?.id ?? 0
  for (const { id } of students) await addMember(sql, classId, id, 'student')
  for (const { id } of teachers) await addMember(sql, classId, id, 'teacher')
  return classId
}

async function addMember(sql: postgres.Sql, classId: number, userId: number, role: string): Promise<void> {
  // Before all attempts, whatever clock the service has.
  await sql`
    insert into class_members (class_id, user_id, role, joined_at)
    values (${classId}, ${userId}, ${role}, '2020-01-01')`
}
