import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { eq, sql } from 'drizzle-orm'
import { type Db, type Executor, toExecutor } from '../../../db/client.ts'
import { imports } from '../../../db/tables/exams/exams.ts'
import type { QuestionValues } from '../store.ts'

/** Longest that an import may take: a large file over a slow line. */
const TIMEOUT = '10min'
/** Characters that are sent together. */
const CHUNK = 64 * 1_024
/** How long an import's key is remembered. */
const REMEMBERED = sql`interval '1 day'`

/**
 * Streams rows into the table, all or none, and runs `finish` in the same transaction; its answer is the answer.
 * `read` gets the wanted exams that exist, which can't be deleted meanwhile. An error of either undoes everything. If
 * an import with this `key` was done before, nothing is read, and the answer is that import's.
 */
export async function copyQuestions<Answer extends object>(
  db: Db,
  { wanted, key }: { wanted: 'all' | number[]; key: string | undefined },
  read: (exams: ReadonlySet<number>) => AsyncIterable<QuestionValues>,
  finish: (tx: Executor) => Promise<Answer>,
): Promise<Answer> {
  return db.$client.begin(async (sql) => {
    const tx = toExecutor(db.$client, sql)
    await sql`select set_config('statement_timeout', ${TIMEOUT}, true)`
    if (key !== undefined && !(await takeKey(tx, key))) return findAnswer<Answer>(tx, key)
    const exams = await sql<{ id: number }[]>`
      select id from exams where ${wanted === 'all' ? sql`true` : sql`id in ${sql(wanted)}`}
       order by id for key share`
    const table = await sql`
      copy questions (exam_id, question_text, option_a, option_b, option_c, option_d, correct_answer,
                      question_type, image_path, positive_marks, negative_marks, tolerance)
      from stdin`.writable()
    const rows = read(new Set(exams.map(({ id }) => id)))
    await pipeline(Readable.from(inChunks(rows)), table)
    const answer = await finish(tx)
    if (key !== undefined) await tx.update(imports).set({ answer }).where(eq(imports.key, key))
    return answer
  }) as Promise<Answer>
}

/** False if an import has used it. If an import with the same key is running, this waits for its end. */
async function takeKey(tx: Executor, key: string): Promise<boolean> {
  await tx.delete(imports).where(sql`${imports.createdAt} < now() - ${REMEMBERED}`)
  const rows = await tx.insert(imports).values({ key }).onConflictDoNothing().returning({ key: imports.key })
  return rows.length > 0
}

async function findAnswer<Answer>(tx: Executor, key: string): Promise<Answer> {
  const [row] = await tx.select({ answer: imports.answer }).from(imports).where(eq(imports.key, key))
  return row?.answer as Answer
}

async function* inChunks(rows: AsyncIterable<QuestionValues>): AsyncGenerator<string> {
  let chunk = ''
  for await (const row of rows) {
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
