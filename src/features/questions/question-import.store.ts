import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { and, eq, not, sql } from 'drizzle-orm'
import { type Db, type Executor, toPool } from '../../db/database-client.ts'
import { exams, imports } from '../../db/tables/exams.tables.ts'
import { AppError } from '../../errors.ts'
import { isOwnExamOf } from '../exams/exam-access.sql.ts'

/** The longest that the rows of a large file may take. */
const TIMEOUT = '10min'
/** Whether the key of an import is forgotten. */
const IS_FORGOTTEN = sql`${imports.createdAt} < now() - interval '1 day'`

/** All exams, or a teacher's own ones. */
export async function listExamIds(db: Executor, teacherId: number | undefined): Promise<Set<number>> {
  const rows = await db
    .select({ id: exams.id })
    .from(exams)
    .where(teacherId === undefined ? undefined : isOwnExamOf(teacherId))
  return new Set(rows.map(({ id }) => id))
}

export interface CopyInput {
  /** Lines in COPY's text format. */
  lines: Readable
  /** The exams that the lines name. */
  examIds: number[]
  key: string | undefined
  /** Nothing is stored if it aborts. */
  end: AbortSignal
}

/**
 * Stores questions, all or none, and runs `finish` in the same transaction; its answer is the answer. If an import with
 * this `key` was done before, nothing is stored, and the answer is that import's. 503 if one of the exams is gone.
 */
export async function copyQuestions<Answer extends object>(
  db: Db,
  { lines, examIds, key, end }: CopyInput,
  finish: (tx: Executor) => Promise<Answer>,
): Promise<Answer> {
  return db.$client.begin(async (sql) => {
    const tx = toPool(db.$client, sql)
    if (key !== undefined && !(await takeKey(tx, key))) return findAnswer<Answer>(tx, key)
    const exams = await sql`select from exams where id = any(${examIds}::int[]) order by id for key share`
    if (exams.length < examIds.length)
      throw new AppError('unavailable', {
        message: 'An exam was deleted meanwhile; try again',
        retryAfter: 1,
      })
    await sql`select set_config('statement_timeout', ${TIMEOUT}, true)`
    const table = await sql`
      copy questions (exam_id, question_text, option_a, option_b, option_c, option_d, more_options,
                      correct_answer, parts, question_type, image_path, image_alt, positive_marks, negative_marks,
                      tolerance, explanation, tags, tag_keys, tolerance_is, variables, conditions, kept_draw)
      from stdin`.writable()
    await pipeline(lines, table, { signal: end })
    const answer = await finish(tx)
    if (key !== undefined) await tx.update(imports).set({ answer }).where(eq(imports.key, key))
    end.throwIfAborted()
    return answer
  }) as Promise<Answer>
}

/** False if an import has used it. If an import with the same key is running, this waits for its end. */
async function takeKey(tx: Executor, key: string): Promise<boolean> {
  await tx.delete(imports).where(IS_FORGOTTEN)
  const rows = await tx.insert(imports).values({ key }).onConflictDoNothing().returning({ key: imports.key })
  return rows.length > 0
}

/** undefined unless an import with this key was done within a day. */
export async function findAnswer<Answer>(db: Executor, key: string): Promise<Answer | undefined> {
  const [row] = await db
    .select({ answer: imports.answer })
    .from(imports)
    .where(and(eq(imports.key, key), not(IS_FORGOTTEN)))
  return row?.answer as Answer | undefined
}
