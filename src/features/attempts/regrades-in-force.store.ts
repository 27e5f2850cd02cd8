import { and, eq, gt, isNull, lte, or, sql } from 'drizzle-orm'
import type { Parts } from '../../../schemas/parts.schemas.ts'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, query } from '../../db/query.ts'
import { type Regrade, regrades } from '../../db/tables/corrections.tables.ts'

const { id, questionId, action, correctAnswer, parts, tolerance, toleranceIs, questionType, keyVersion } =
  regrades
const GRADING = {
  ...{ id, questionId, action, correctAnswer, parts, tolerance, toleranceIs, questionType, keyVersion },
}

/** The regrades of an exam that are in force, or were at an instant, oldest first. */
export async function listInForce(db: Executor, examId: number, at?: Date): Promise<Regrade[]> {
  const isUndone = at ? or(isNull(regrades.undoneAt), gt(regrades.undoneAt, at)) : isNull(regrades.undoneAt)
  const isMade = at && lte(regrades.createdAt, at)
  return db
    .select(GRADING)
    .from(regrades)
    .where(and(eq(regrades.examId, examId), isUndone, isMade))
    .orderBy(regrades.id)
}

/** The regrades of many exams that are in force, oldest first, by exam. */
export async function listInForceOf(
  db: Executor,
  examIds: readonly number[],
): Promise<ReadonlyMap<number, Regrade[]>> {
  if (examIds.length === 0) return new Map()
  const rows = await db
    .select({ examId: regrades.examId, ...GRADING })
    .from(regrades)
    .where(and(isAnyOf(regrades.examId, [...new Set(examIds)]), isNull(regrades.undoneAt)))
    .orderBy(regrades.id)
  return Map.groupBy(rows, ({ examId }) => examId)
}

/** A key by which a regrade in force grades new papers. */
export interface KeyInForce {
  questionId: number
  correctAnswer: string
  parts: Parts | null
  tolerance: number
  toleranceIs: string | null
}

/** The keys of these questions that would grade a new paper, where regrades say so. */
export async function listKeysInForce(db: Executor, questionIds: number[]): Promise<KeyInForce[]> {
  return query<KeyInForce>(
    db,
    {
      questionId: 'integer',
      correctAnswer: 'text',
      parts: 'jsonb',
      tolerance: 'float8',
      toleranceIs: 'text',
    },
    sql`
    select distinct on (r.question_id) r.question_id as "questionId", r.correct_answer as "correctAnswer",
           r.parts, r.tolerance::float8 as tolerance, r.tolerance_is as "toleranceIs"
      from regrades r join questions q on q.id = r.question_id and q.exam_id = r.exam_id
     where ${isAnyOf(sql`r.question_id`, questionIds)} and r.action = 'new_key' and r.undone_at is null
       and r.question_type = q.question_type and q.key_version <= r.key_version
     order by r.question_id, r.id desc`,
  )
}
