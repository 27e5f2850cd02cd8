import { pipeline } from 'node:stream/promises'
import { and, eq, sql } from 'drizzle-orm'
import { spool } from '../../../adapters/spool.ts'
import type { Core } from '../../../core.ts'
import { type Executor, toExecutor } from '../../../db/client.ts'
import { exams, imports } from '../../../db/tables/exams/exams.ts'
import { AppError } from '../../../errors.ts'
import type { QuestionValues } from '../store.ts'

/** Longest that the rows of a large file may take. */
const TIMEOUT = '10min'
/** Characters that are sent together. */
const CHUNK = 64 * 1_024
/** How long an import's key is remembered. */
const REMEMBERED = sql`interval '1 day'`

export async function listExamIds(db: Executor): Promise<Set<number>> {
  return new Set((await db.select({ id: exams.id }).from(exams)).map(({ id }) => id))
}

/**
 * Stores rows, all or none, and runs `finish` in the same transaction; its answer is the answer. It begins once all
 * rows have been read, so a slow or long file holds no lock and no connection. If an import with this `key` was done
 * before, nothing is read, and the answer is that import's. 503 if an exam of the rows was deleted meanwhile.
 */
export async function copyQuestions<Answer extends object>(
  { db, config }: Pick<Core, 'db' | 'config'>,
  key: string | undefined,
  rows: AsyncIterable<QuestionValues>,
  finish: (tx: Executor) => Promise<Answer>,
): Promise<Answer> {
  const earlier = key === undefined ? undefined : await findAnswer<Answer>(db, key)
  if (earlier) return earlier
  const into = new Set<number>()
  await using lines = await spool(config.dataDir, inChunks(rows, into))
  return (await db.$client.begin(async (sql) => {
    const tx = toExecutor(db.$client, sql)
    await sql`select set_config('statement_timeout', ${TIMEOUT}, true)`
    if (key !== undefined && !(await takeKey(tx, key))) return findAnswer<Answer>(tx, key)
    const found = await sql`select from exams where id = any(${[...into]}::int[]) order by id for key share`
    if (found.length < into.size)
      throw new AppError('unavailable', {
        message: 'An exam was deleted meanwhile; try again',
        retryAfter: 1,
      })
    const table = await sql`
      copy questions (exam_id, question_text, option_a, option_b, option_c, option_d, correct_answer,
                      question_type, image_path, positive_marks, negative_marks, tolerance)
      from stdin`.writable()
    await pipeline(lines.read(), table)
    const answer = await finish(tx)
    if (key !== undefined) await tx.update(imports).set({ answer }).where(eq(imports.key, key))
    return answer
  })) as Answer
}

/** False if an import has used it. If an import with the same key is running, this waits for its end. */
async function takeKey(tx: Executor, key: string): Promise<boolean> {
  await tx.delete(imports).where(sql`${imports.createdAt} < now() - ${REMEMBERED}`)
  const rows = await tx.insert(imports).values({ key }).onConflictDoNothing().returning({ key: imports.key })
  return rows.length > 0
}

/** undefined unless an import with this key was done within a day. */
async function findAnswer<Answer>(db: Executor, key: string): Promise<Answer | undefined> {
  const [row] = await db
    .select({ answer: imports.answer })
    .from(imports)
    .where(and(eq(imports.key, key), sql`${imports.createdAt} >= now() - ${REMEMBERED}`))
  return row?.answer as Answer | undefined
}

/** The rows in COPY's text format. The ids of their exams are added to `into`. */
async function* inChunks(rows: AsyncIterable<QuestionValues>, into: Set<number>): AsyncGenerator<string> {
  let chunk = ''
  for await (const row of rows) {
    into.add(row.examId)
    chunk += toLine(row)
    if (chunk.length < CHUNK) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}

/** A row in COPY's text format. */
function toLine(row: QuestionValues): string {
  return `${[
    row.examId,
    escaped(row.questionText),
    escaped(row.optionA),
    escaped(row.optionB),
    escaped(row.optionC),
    escaped(row.optionD),
    row.correctAnswer,
    row.questionType,
    row.imagePath == null ? '\\N' : escaped(row.imagePath),
    row.positiveMarks,
    row.negativeMarks,
    row.tolerance,
  ].join('\t')}\n`
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function escaped(text = ''): string {
  return text.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character)
}
