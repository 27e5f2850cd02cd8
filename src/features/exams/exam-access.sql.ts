import { type SQL, sql } from 'drizzle-orm'

const EXAMS = sql`exams`

/** The students and teachers of the classes that exams are for, as rows `exam_id`, `user_id`. */
const MEMBERS = sql`
  select taken.exam_id, member.user_id
    from class_members member
    join classes on classes.id = member.class_id and not classes.archived
    join exam_classes taken on taken.class_id = member.class_id
   where member.left_at is null`

const IS_STAFF = sql`(staff.role <> 'user' and staff.deleted_at is null)`

/**
 * Whom an exam is there for: everybody, or the students and teachers of its classes, administrators, and people who
 * have an attempt at it under way. It is the only rule about that: every operation, frame and job that shows somebody
 * an exam or what belongs to it has it in its statement. `person` is an expression for their id, `exam` the name of the
 * exam's row in the statement. Whether it is published is another question.
 */
export function isThereFor(person: SQL | number, exam = EXAMS): SQL {
  return sql`(not ${exam}.for_classes
    or ${exam}.id in (select there.exam_id from (${MEMBERS}) there where there.user_id = ${person})
    or exists (select from users staff where staff.id = ${person} and ${IS_STAFF})
    or exists (
      select from attempts own
       where own.user_id = ${person} and own.exam_id = ${exam}.id and own.status = 'active'))`
}

/**
 * Whom these exams for classes are there for, and who has attempted them, as rows `exam_id`, `user_id`: the same rule
 * for statements that count people. `exams` and `people` are subqueries of ids; without `people` they are everybody.
 */
export function knowClassExams(exams: SQL, people?: SQL): SQL {
  const ofThese = people ? sql`in ${people}` : sql`is not null`
  return sql`
    select exam_id, user_id from (${MEMBERS}) there where exam_id in ${exams} and user_id ${ofThese}
    union select exam_id, user_id from attempts where exam_id in ${exams} and user_id ${ofThese}
    union select exam.id, staff.id from exams exam cross join users staff
     where exam.id in ${exams} and ${IS_STAFF} and staff.id ${ofThese}`
}

/** Whether somebody teaches a class that the exam is for. */
export function isTaughtBy(person: SQL | number, exam = EXAMS): SQL {
  return sql`(${exam}.for_classes and exists (
    select from exam_classes taken join class_members member on member.class_id = taken.class_id
     where taken.exam_id = ${exam}.id and member.user_id = ${person} and member.role = 'teacher' and member.left_at is null))`
}

/** A subquery of the ids of a class's students. */
export function studentsOf(classId: SQL | number): SQL {
  return sql`(select user_id from class_members where class_id = ${classId} and role = 'student' and left_at is null)`
}

/** Whether a class is there, and with it all of its exams for all of its students. */
export function isOpenClass(classId: SQL | number): SQL {
  return sql`exists (select from classes where id = ${classId} and not archived)`
}

/** A subquery of the ids of a class's exams. */
export function examsOf(classId: SQL | number): SQL {
  return sql`(select exam_id from exam_classes where class_id = ${classId})`
}

/** Whether an exam is a teacher's own: they made it, and they teach all classes that it is for. */
export function isOwnExamOf(person: SQL | number, exam = EXAMS): SQL {
  return sql`(${exam}.created_by = ${person} and ${exam}.for_classes and not exists (
    select from exam_classes taken
     where taken.exam_id = ${exam}.id and not exists (
       select from class_members member
        where member.class_id = taken.class_id and member.user_id = ${person} and member.role = 'teacher'
          and member.left_at is null)))`
}
