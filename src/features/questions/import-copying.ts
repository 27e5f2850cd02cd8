import { createHash } from 'node:crypto'
import type { Actor } from '../../actor.ts'
import { spool } from '../../adapters/spool.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { AppError } from '../../errors.ts'
import { copyQuestions, findAnswer } from './question-import.store.ts'
import {
  type KnownKind,
  requireFewTags,
  requireKnownKinds,
  requirePublishedExamSize,
} from './questions.service.ts'
import type { QuestionValues } from './questions.store.ts'

/** Characters that are written together. */
const CHUNK = 64 * 1_024

export interface ImportOptions {
  /**
   * Makes repetitions import nothing more. It is one person's, for one place: elsewhere the same key is another one.
   */
  key: string | undefined
  /** Aborts when nobody waits for the import any more. */
  end: AbortSignal
}

/**
 * Stores rows, all or none, and runs `finish` in the same transaction; its answer is the answer. The transaction begins
 * once all rows have been read, so a slow or long file holds no lock and no connection. If an import with this `key`
 * was done before, nothing is read, and the answer is that import's. When `end` aborts, nothing is stored: `aborted`.
 * 503 if an exam of the rows was deleted meanwhile.
 */
export async function importRows<Answer extends object>(
  core: Core,
  place: ImportPlace,
  { key: given, end }: ImportOptions,
  rows: AsyncIterable<QuestionValues>,
  finish: (tx: Executor) => Promise<Answer>,
): Promise<Answer> {
  const key = given && keyAt(place, given)
  const earlier = key === undefined ? undefined : await findAnswer<Answer>(core.db, key)
  if (earlier) return earlier
  const examIds = new Set<number>()
  const tagged = new Set<number>()
  const kinds = new Map<string, KnownKind>()
  try {
    await using lines = await spool(inChunks(rows, { examIds, tagged, kinds }, end))
    // Awaited, because the file is closed when this function returns.
    const copied = { lines: lines.read(), examIds: [...examIds], key, end }
    return await copyQuestions(core.db, copied, async (tx) => {
      await requirePublishedExamSize(tx, copied.examIds)
      await requireFewTags(tx, [...tagged])
      await requireKnownKinds(tx, [...kinds.values()])
      return finish(tx)
    })
  } catch (error) {
    throw end.aborted ? new AppError('aborted', { cause: error }) : error
  }
}

/** Who imports, and into which exam; undefined: into those that the file names. */
interface ImportPlace {
  actor: Actor
  examId: number | undefined
}

/** A UUID that stands for a key at its place. */
function keyAt({ actor, examId = 0 }: ImportPlace, key: string): string {
  return createHash('sha256').update(`${actor.id} ${examId} ${key.toLowerCase()}`).digest('hex').slice(0, 32)
}

/**
 * The rows in COPY's text format. The ids of their exams are added to `examIds`, of those that get tags to `tagged`, and
 * their types to `kinds`.
 */
async function* inChunks(
  rows: AsyncIterable<QuestionValues>,
  { examIds, tagged, kinds }: Record<'examIds' | 'tagged', Set<number>> & { kinds: Map<string, KnownKind> },
  end: AbortSignal,
): AsyncGenerator<string> {
  let chunk = ''
  for await (const row of rows) {
    end.throwIfAborted()
    examIds.add(row.examId)
    kinds.set(`${row.questionType} ${row.variables?.length ?? 0}`, row)
    if (row.tagKeys && row.tagKeys.length > 0) tagged.add(row.examId)
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
    escaped(JSON.stringify(row.moreOptions)),
    escaped(row.correctAnswer),
    row.parts == null ? NULL : escaped(JSON.stringify(row.parts)),
    row.questionType,
    row.imagePath == null ? NULL : escaped(row.imagePath),
    escaped(row.imageAlt),
    row.positiveMarks,
    row.negativeMarks,
    row.tolerance,
    escaped(row.explanation),
    escaped(JSON.stringify(row.tags)),
    escaped(JSON.stringify(row.tagKeys)),
    row.toleranceIs == null ? NULL : escaped(row.toleranceIs),
    escaped(JSON.stringify(row.variables ?? [])),
    escaped(JSON.stringify(row.conditions ?? [])),
    row.keptDraw == null ? NULL : escaped(JSON.stringify(row.keptDraw)),
  ].join('\t')}\n`
}

const NULL = '\\N'
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function escaped(text = ''): string {
  return text.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character)
}
