import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Db } from '../../db/client.ts'
import type { QuestionValues } from './store.ts'

/** Longest that an import may take: a large file over a slow line. */
const TIMEOUT = '10min'
/** Characters that travel together. */
const CHUNK = 64 * 1_024

/**
 * Streams rows into the table, all or none. `read` is told every exam that there is: none of them goes away
 * meanwhile. What it throws undoes everything.
 */
export async function copyQuestions(
  db: Db,
  read: (exams: ReadonlySet<number>) => AsyncIterable<QuestionValues>,
): Promise<void> {
  await db.$client.begin(async (sql) => {
    await sql`select set_config('statement_timeout', ${TIMEOUT}, true)`
    const exams = await sql<{ id: number }[]>`select id from exams order by id for key share`
    const table = await sql`
      copy questions (exam_id, question_text, option_a, option_b, option_c, option_d, correct_answer,
                      question_type, image_path, positive_marks, negative_marks, tolerance)
      from stdin`.writable()
    const rows = read(new Set(exams.map(({ id }) => id)))
    await pipeline(Readable.from(inChunks(rows)), table)
  })
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
