import { and, desc, eq, gt, isNull, type SQL, sql } from 'drizzle-orm'
import type { ClassRole } from '../../../schemas/classes.schemas.ts'
import type { Db, Executor } from '../../db/database-client.ts'
import { NOW, only, query } from '../../db/query.ts'
import { type Row, rowOf } from '../../db/rows.ts'
import { classes, classMembers, examClasses, joinFailures } from '../../db/tables/classes.tables.ts'
import { exams } from '../../db/tables/exams.tables.ts'
import { isAccount } from '../../db/tables/users.tables.ts'
import { contains, foldedCase, plannedFor } from '../../db/text-search.ts'

export type ClassRow = typeof classes.$inferSelect

/** How many students a class has; `name` names its row. */
const studentCountOf = (name: SQL) => sql`(
  select count(*)::int from class_members
   where class_id = ${name}.id and role = 'student' and left_at is null)`

// --- one's own

const OWN = rowOf(classes, ['id', 'name', 'archived'])
export type OwnClassRow = Row<typeof OWN> & { role: ClassRole; students: number }

/** The classes that somebody is in, by name, or one of them. */
export async function listOwn(
  db: Executor,
  userId: number,
  { archived, classId }: { archived: boolean; classId?: number },
): Promise<OwnClassRow[]> {
  return query<OwnClassRow>(
    db,
    { ...OWN.check, role: 'text', students: 'integer' },
    sql`
    select ${OWN.columns('c')}, member.role, ${studentCountOf(sql`c`)} as students
      from class_members member join classes c on c.id = member.class_id
     where member.user_id = ${userId} and member.left_at is null
       ${archived ? sql`` : sql`and not c.archived`}
       ${classId === undefined ? sql`` : sql`and c.id = ${classId}`}
     order by ${foldedCase(sql`c.name`)}, c.id`,
  )
}

export async function countOwn(db: Executor, userId: number): Promise<number> {
  return db.$count(classMembers, and(eq(classMembers.userId, userId), isNull(classMembers.leftAt)))
}

// --- a class

/** The class, and what somebody is in it now. */
export interface ClassStanding {
  class: ClassRow
  role: ClassRole | null
}

export async function findStanding(
  db: Executor,
  id: number,
  userId: number,
): Promise<ClassStanding | undefined> {
  const [row] = await db
    .select({ class: classes, role: classMembers.role })
    .from(classes)
    .leftJoin(
      classMembers,
      and(eq(classMembers.classId, classes.id), eq(classMembers.userId, userId), isNull(classMembers.leftAt)),
    )
    .where(eq(classes.id, id))
  return row
}

export async function findClass(db: Executor, id: number): Promise<ClassRow | undefined> {
  const [row] = await db.select().from(classes).where(eq(classes.id, id))
  return row
}

/** Locks a class until the transaction ends: its members, code and invitations are changed one after another. */
export async function lockClass(tx: Executor, id: number): Promise<ClassRow | undefined> {
  const [row] = await tx.select().from(classes).where(eq(classes.id, id)).for('no key update')
  return row
}

export async function countStudents(db: Executor, id: number): Promise<number> {
  const [row] = await query<{ students: number }>(
    db,
    { students: 'integer' },
    sql`select ${studentCountOf(sql`c`)} as students from classes c where id = ${id}`,
  )
  return row?.students ?? 0
}

export async function insertClass(tx: Executor, name: string): Promise<number> {
  return only(await tx.insert(classes).values({ name }).returning({ id: classes.id })).id
}

export async function updateClass(
  tx: Executor,
  id: number,
  values: Partial<typeof classes.$inferInsert>,
): Promise<void> {
  await tx
    .update(classes)
    .set({ ...values, updatedAt: NOW })
    .where(eq(classes.id, id))
}

/**
 * Locks the exams of a class, so that none of them gets or loses other classes, and then the class, so that it gets no
 * more.
 */
export async function lockWithExams(tx: Executor, id: number): Promise<boolean> {
  await tx.execute(sql`
    select from exams where id in (select exam_id from exam_classes where class_id = ${id})
     order by id for no key update`)
  return (await tx.execute(sql`select from classes where id = ${id} for update`)).length > 0
}

/** How many exams are for this class alone. */
export async function countOnlyExams(tx: Executor, id: number): Promise<number> {
  const [row] = await query<{ exams: number }>(
    tx,
    { exams: 'integer' },
    sql`
    select count(*)::int as exams from exam_classes own
     where own.class_id = ${id}
       and not exists (select from exam_classes other where other.exam_id = own.exam_id and other.class_id <> ${id})`,
  )
  return row?.exams ?? 0
}

export async function deleteClass(tx: Executor, id: number): Promise<void> {
  await tx.delete(classes).where(eq(classes.id, id))
}

/** Exams that a class names. */
const MOST_EXAMS = 500

/** The newest 500 exams that are for a class. */
export async function listExams(db: Executor, id: number): Promise<{ id: number; name: string }[]> {
  return db
    .select({ id: exams.id, name: exams.name })
    .from(examClasses)
    .innerJoin(exams, eq(exams.id, examClasses.examId))
    .where(eq(examClasses.classId, id))
    .orderBy(desc(exams.id))
    .limit(MOST_EXAMS)
}

// --- as administrators see them

export interface ClassFilter {
  q: string | undefined
  archived: boolean
}

export interface TeacherRow {
  user_id: number
  username: string
  full_name: string
}

const LISTED = rowOf(classes, ['id', 'name', 'archived', 'createdAt'])
export type AdminClassRow = Row<typeof LISTED> & { students: number; teachers: TeacherRow[] }

/** A page by name, or one class. */
export async function listClasses(
  db: Db,
  filter: ClassFilter & { id?: number },
  limit: number,
  offset: number,
): Promise<AdminClassRow[]> {
  return query<AdminClassRow>(
    plannedFor(filter.q, db),
    { ...LISTED.check, students: 'integer', teachers: 'jsonb' },
    sql`
    select ${LISTED.columns('classes')}, ${studentCountOf(sql`classes`)} as students,
           coalesce((
             select jsonb_agg(jsonb_build_object('user_id', users.id, 'username', users.username,
                                                 'full_name', users.full_name) order by users.id)
               from class_members member join users on users.id = member.user_id and ${isAccount()}
              where member.class_id = classes.id and member.role = 'teacher' and member.left_at is null), '[]') as teachers
      from classes
     where ${matches(filter)} ${filter.id === undefined ? sql`` : sql`and classes.id = ${filter.id}`}
     order by ${foldedCase(sql`classes.name`)}, classes.id limit ${limit} offset ${offset}`,
  )
}

export async function countClasses(db: Db, filter: ClassFilter): Promise<number> {
  return plannedFor(filter.q, db).$count(classes, matches(filter))
}

function matches({ q, archived }: ClassFilter): SQL {
  return sql`${archived ? sql`true` : sql`not classes.archived`} ${q ? sql`and ${contains(sql`classes.name`, q)}` : sql``}`
}

// --- codes

/** The class with this code, unless that has ended. */
export async function findByCode(db: Executor, code: string, now: Date): Promise<number | undefined> {
  const [row] = await query<{ id: number }>(
    db,
    { id: 'integer' },
    sql`
    select id from classes
     where join_code = ${code} and not archived and (code_ends_at is null or code_ends_at > ${now.toISOString()})`,
  )
  return row?.id
}

/** The wrong codes that somebody has tried since an instant, and when that began. */
export async function findFailures(db: Executor, userId: number, since: Date) {
  const [row] = await db
    .select({ failures: joinFailures.failures, since: joinFailures.since })
    .from(joinFailures)
    .where(and(eq(joinFailures.userId, userId), gt(joinFailures.since, since)))
  return row
}

export async function countFailure(tx: Executor, userId: number, now: Date, since: Date): Promise<void> {
  await tx.execute(sql`
    insert into join_failures as known (user_id, failures, since) values (${userId}, 1, ${now.toISOString()})
    on conflict (user_id) do update
      set failures = case when known.since > ${since.toISOString()} then known.failures + 1 else 1 end,
          since = case when known.since > ${since.toISOString()} then known.since else excluded.since end`)
}
