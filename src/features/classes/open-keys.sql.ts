import { type SQL, sql } from 'drizzle-orm'
import { isReopenable, reopenableUntil } from '../attempts/reopenable.sql.ts'
import { isOwnExamOf, isTaughtBy } from '../exams/exam-access.sql.ts'
import { hasVisibleResults } from '../results/visible-results.sql.ts'

const EXAMS = sql`exams`

/** A start that came before the close is stored by then. */
const ON_ITS_WAY = sql.raw(`interval '30 seconds'`)

/** Whether somebody with times of their own, in a row `own`, has attempts left. */
const hasAttemptsLeft = (exam: SQL) => sql`(
  ${exam}.max_attempts is null
  or (select count(*) from attempts used where used.exam_id = ${exam}.id and used.user_id = own.user_id)
     < ${exam}.max_attempts)`

/**
 * When the last person who may still take an exam can no longer begin: the exam's own close, and later ones of people
 * and of classes, by the same rule as starts (personal-times.sql.ts). People for whom the exam isn't there at the
 * moment count too, since they may join one of its classes as long as these exist. null: it never closes.
 */
const lastClose = (exam: SQL) => sql`
  case when ${exam}.closes_at is not null then greatest(
    ${exam}.closes_at,
    (select max(own.closes_at) from accommodations own
      where own.exam_id = ${exam}.id and own.closes_at > ${exam}.closes_at and ${hasAttemptsLeft(exam)}),
    (select max(given.closes_at) from class_accommodations given
       join classes on classes.id = given.class_id and not classes.archived
      where given.exam_id = ${exam}.id)) end`

/** Attempts under way, and those that can be again. */
const goingOn = (exam: SQL, at: Date) => sql`
  from attempts begun where begun.exam_id = ${exam}.id
   and (begun.status = 'active' or ${isReopenable(sql`begun`, exam, at)})`

/**
 * Whether the time of an exam's keys has come: students learn them, or nobody is taking it, can go on with it, or may
 * still begin.
 */
const areDue = (exam: SQL, at: Date) => sql`(${hasVisibleResults(exam)}
  or (${lastClose(exam)} + ${ON_ITS_WAY} <= ${at.toISOString()}::timestamptz and not exists (select ${goingOn(exam, at)})))`

/**
 * Whether a teacher may know an exam's keys, and the marks that tell them: of exams of their own always, of others in
 * their time, once it is remembered that teachers know them (`openKeys` of known-keys.service.ts). It is the only rule
 * about that: every operation that shows a teacher keys or marks asks it (docs/protocol/classes.md#results).
 */
export function mayKnowKeys(teacher: SQL | number, at: Date, exam = EXAMS): SQL {
  // Nobody may have made it, and it may have no close: `is true` where that makes it null.
  return sql`((${isOwnExamOf(teacher, exam)} or (${exam}.keys_known_since is not null and ${areDue(exam, at)})) is true)`
}

/** Whether a teacher is the first to read the keys of an exam of their classes, which is to be remembered before. */
export function learnsKeys(teacher: SQL | number, at: Date, exam = EXAMS): SQL {
  return sql`(${exam}.keys_known_since is null and ${isTaughtBy(teacher, exam)}
    and ${isOwnExamOf(teacher, exam)} is not true and ${areDue(exam, at)} is true)`
}

/**
 * Whether teachers may know, or have read, the keys of an exam that isn't this teacher's own before its students do:
 * also where a later change has closed them again.
 */
export function knowsKeysFirst(teacher: SQL | number, at: Date, exam = EXAMS): SQL {
  return sql`(not ${hasVisibleResults(exam)} and ${isOwnExamOf(teacher, exam)} is not true
    and (${exam}.keys_known_since is not null or ${areDue(exam, at)} is true))`
}

/**
 * When these keys are open at the latest, as times are now; null: not before the results are released. What is under
 * way, or may still begin, may be closed by its time, and then it can be opened again.
 */
export function keysOpenAt(at: Date, exam = EXAMS): SQL {
  const close = lastClose(exam)
  return sql`case when ${exam}.closes_at is not null then greatest(
    case when ${close} > ${at.toISOString()}::timestamptz then ${reopenableUntil(close)} else ${close} + ${ON_ITS_WAY} end,
    (select ${reopenableUntil(sql`max(coalesce(begun.submitted_at, begun.ends_at))`)} ${goingOn(exam, at)})) end`
}
