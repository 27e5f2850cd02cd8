import { and, asc, count, desc, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, only, query } from '../../db/query.ts'
import { attempts, examPapers } from '../../db/tables/attempts.tables.ts'
import { challenges } from '../../db/tables/corrections.tables.ts'
import { users } from '../../db/tables/users.tables.ts'
import { isOwnExamOf } from '../exams/exam-access.sql.ts'

export type ChallengeRow = typeof challenges.$inferSelect & { examId: number; userId: number }

export async function countOpen(db: Executor, userId: number): Promise<number> {
  const [row] = await db
    .select({ total: count() })
    .from(challenges)
    .innerJoin(attempts, eq(attempts.id, challenges.attemptId))
    .where(and(eq(attempts.userId, userId), eq(challenges.status, 'open')))
  return row?.total ?? 0
}

export async function insertChallenge(
  tx: Executor,
  challenge: typeof challenges.$inferInsert,
): Promise<ChallengeRow> {
  const { id } = only(await tx.insert(challenges).values(challenge).returning({ id: challenges.id }))
  return only(await selectChallenges(tx).where(eq(challenges.id, id)))
}

export async function findChallenge(db: Executor, id: number): Promise<ChallengeRow | undefined> {
  const [row] = await selectChallenges(db).where(eq(challenges.id, id))
  return row
}

/** Of one attempt, oldest first. */
export async function listOfAttempt(db: Executor, attemptId: number): Promise<ChallengeRow[]> {
  return selectChallenges(db).where(eq(challenges.attemptId, attemptId)).orderBy(asc(challenges.id))
}

/** False where it was resolved before. */
export async function updateResolved(
  tx: Executor,
  id: number,
  resolution: Required<Pick<typeof challenges.$inferInsert, 'status' | 'reply' | 'resolvedAt'>>,
): Promise<boolean> {
  const rows = await tx
    .update(challenges)
    .set(resolution)
    .where(and(eq(challenges.id, id), eq(challenges.status, 'open')))
    .returning({ id: challenges.id })
  return rows.length > 0
}

function selectChallenges(db: Executor) {
  return db
    .select({ ...getTableColumns(challenges), examId: attempts.examId, userId: attempts.userId })
    .from(challenges)
    .innerJoin(attempts, eq(attempts.id, challenges.attemptId))
    .$dynamic()
}

// --- as administrators see them

export interface ChallengeFilter {
  status: ChallengeRow['status'] | undefined
  examId: number | undefined
  /** Only those at this teacher's own exams. */
  teacherId: number | undefined
}

/** A page, newest first, each with its student and its question as their paper has it, and how many there are. */
export async function listChallenges(db: Executor, filter: ChallengeFilter, limit: number, offset: number) {
  const chosen = and(
    filter.status && eq(challenges.status, filter.status),
    filter.examId === undefined ? undefined : eq(attempts.examId, filter.examId),
    filter.teacherId === undefined
      ? undefined
      : sql`${attempts.examId} in (select id from exams where ${isOwnExamOf(filter.teacherId)})`,
  )
  const [rows, totals] = await Promise.all([
    db
      .select({
        ...getTableColumns(challenges),
        examId: attempts.examId,
        userId: attempts.userId,
        username: users.username,
        paperId: examPapers.id,
        seed: attempts.seed,
      })
      .from(challenges)
      .innerJoin(attempts, eq(attempts.id, challenges.attemptId))
      .innerJoin(users, eq(users.id, attempts.userId))
      .innerJoin(examPapers, eq(examPapers.id, attempts.paperId))
      .where(chosen)
      .orderBy(desc(challenges.id))
      .limit(limit)
      .offset(offset),
    db
      .select({ total: count() })
      .from(challenges)
      .innerJoin(attempts, eq(attempts.id, challenges.attemptId))
      .where(chosen),
  ])
  const texts = await findTexts(db, rows)
  return {
    rows: rows.map((row) => ({ ...row, questionText: texts.get(`${row.paperId}/${row.questionId}`) ?? '' })),
    total: totals[0]?.total ?? 0,
  }
}

/** The texts of these questions by `paper/question`; each paper, which can be large, is read once. */
async function findTexts(
  db: Executor,
  asked: readonly { paperId: number; questionId: number }[],
): Promise<ReadonlyMap<string, string>> {
  const papers = [...new Set(asked.map(({ paperId }) => paperId))]
  const questions = [...new Set(asked.map(({ questionId }) => questionId))]
  const rows = await query<{ name: string; text: string }>(
    db,
    { name: 'text', text: 'text' },
    sql`
    select paper.id || '/' || (question ->> 'id') as name, question ->> 'question_text' as text
      from exam_papers paper, jsonb_array_elements(questions) question
     where ${isAnyOf(sql`paper.id`, papers)} and ${isAnyOf(sql`(question ->> 'id')::int`, questions)}`,
  )
  return new Map(rows.map(({ name, text }) => [name, text]))
}
