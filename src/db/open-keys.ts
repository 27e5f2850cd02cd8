import { type SQL, sql } from 'drizzle-orm'
import { isKeptBy, isTaughtBy, isThereFor } from './exam-access.ts'
import { GRACE_MS, UNDER_WAY } from './under-way.ts'
import { hasVisibleResults } from './visible-results.ts'

const EXAMS = sql`exams`

/** Whether somebody with times of their own, in a row `own`, may still begin an attempt until these close. */
const mayStillTake = (exam: SQL) => sql`(
  ${isThereFor(sql`own.user_id`, exam)} and not ${isTaughtBy(sql`own.user_id`, exam)}
  and (${exam}.max_attempts is null
    or (select count(*) from attempts used where used.exam_id = ${exam}.id and used.user_id = own.user_id)
       < ${exam}.max_attempts))`

/**
 * When the last of those who may still take an exam can begin no more: the exam's own close, and later ones of persons
 * and of classes, which people may join as long as they are there. null: it never closes.
 */
const lastClose = (exam: SQL) => sql`
  case when ${exam}.closes_at is not null then greatest(
    ${exam}.closes_at,
    (select max(own.closes_at) from accommodations own
      where own.exam_id = ${exam}.id and own.closes_at > ${exam}.closes_at and ${mayStillTake(exam)}),
    (select max(given.closes_at) from class_accommodations given
       join classes on classes.id = given.class_id and not classes.archived
      where given.exam_id = ${exam}.id)) end`

const attemptsUnderWay = (exam: SQL) => sql`
  from attempts begun where begun.exam_id = ${exam}.id and begun.status in ${sql.raw(UNDER_WAY)}`

/**
 * Whether a teacher may know an exam's keys, and the marks that tell them: of exams of their own always, of others once
 * students learn them, or when nobody is taking it or may still take it. It is the only rule about that: every
 * operation that shows a teacher keys or marks asks it (docs/protocol/classes.md#results).
 */
export function mayKnowKeys(teacher: SQL | number, at: Date, exam = EXAMS): SQL {
  // Nobody may have made it, and it may have no close: `is true` where that makes it null.
  return sql`((${hasVisibleResults(exam)} or ${isKeptBy(teacher, exam)}
    or (${lastClose(exam)} <= ${at.toISOString()}::timestamptz and not exists (select ${attemptsUnderWay(exam)})))
    is true)`
}

/** When these keys are open at the latest, as times are now; null: not before the results are released. */
export function keysOpenAt(exam = EXAMS): SQL {
  return sql`case when ${exam}.closes_at is not null then greatest(
    ${lastClose(exam)}, (select max(begun.ends_at) + ${GRACE_MS} * interval '1 ms' ${attemptsUnderWay(exam)})) end`
}
