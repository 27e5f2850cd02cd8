import type { StudentResult } from '../../../schemas/exam-results.schemas.ts'
import type { Keys } from '../../../schemas/items.schemas.ts'
import type { Core } from '../../core.ts'
import type { Pool } from '../../db/database-client.ts'
import { inSnapshot } from '../../db/snapshot.ts'
import { AppError } from '../../errors.ts'
import type { CsvRow } from '../../formats/csv-cells.ts'
import { offsetOf } from '../../paging.ts'
import { submittedBy } from '../attempts/result-visibility.service.ts'
import { judgeResult } from '../attempts/scoring.ts'
import * as store from './exam-results.store.ts'

/** Students on a page. */
export const RESULTS_PER_PAGE = 100
/** Students of one query of a download. */
const DOWNLOAD_PAGE = 1_000

export type { ResultsScope } from './exam-results.store.ts'

export const RESULT_COLUMNS = [
  'user_id',
  'username',
  'full_name',
  'attempts',
  'score',
  'max_score',
  'percentage',
  'passed',
  'newest_attempt_id',
  'newest_submitted_at',
  'newest_percentage',
  'active_attempt_id',
  'active_ends_at',
  'active_answered',
] as const

/** Whether the caller may know the keys, in the snapshot that the results are read from. */
export type ReadKeys = (db: Pool) => Keys | Promise<Keys>

/** One page by username, with marks where keys are shown, and how many students there are. 404 without such an exam. */
export async function listExamResults(
  core: Core,
  whose: store.ResultsScope,
  readKeys: ReadKeys,
  page: number,
) {
  return inSnapshot(core.db, async (db) => {
    const name = await store.findExamName(db, whose.examId)
    if (name === undefined) throw new AppError('not_found')
    const [keys, rows, total] = await Promise.all([
      readKeys(db),
      store.listResults(db, whose, RESULTS_PER_PAGE, offsetOf(page, RESULTS_PER_PAGE)),
      store.countResults(db, whose),
    ])
    const results = rows.map((row) => toStudentResult(row, keys))
    return { exam: { id: whose.examId, name, ...keys }, results, total }
  })
}

/** All of them as rows of a download, read as fast as they are asked for. */
export async function* streamExamResults(
  core: Core,
  whose: store.ResultsScope,
  readKeys: ReadKeys,
): AsyncGenerator<CsvRow> {
  for (let page = 1; ; page++) {
    const [keys, rows] = await inSnapshot(core.db, (db) =>
      Promise.all([readKeys(db), store.listResults(db, whose, DOWNLOAD_PAGE, offsetOf(page, DOWNLOAD_PAGE))]),
    )
    for (const row of rows) yield toCsvRow(toStudentResult(row, keys))
    if (rows.length < DOWNLOAD_PAGE) return
  }
}

const HIDDEN_MARK = { score: null, max_score: null, percentage: null, passed: null }

function toStudentResult(row: store.StudentResultRow, { shows_keys: showsMarks }: Keys): StudentResult {
  const { newest, active } = row
  const toMark = (mark: NonNullable<store.StudentResultRow['best']>) => ({
    score: mark.score,
    max_score: mark.maxScore,
    ...judgeResult(mark, row.passPercentage),
  })
  return {
    user_id: row.userId,
    username: row.username,
    full_name: row.fullName,
    attempts: row.attempts,
    best: row.best && showsMarks ? toMark(row.best) : null,
    newest: newest && {
      attempt_id: newest.id,
      attempt_number: newest.attemptNumber,
      status: newest.status,
      submitted_by: submittedBy(newest),
      submitted_at: new Date(newest.submittedAt).toISOString(),
      ...(showsMarks ? toMark(newest) : HIDDEN_MARK),
    },
    active: active && {
      attempt_id: active.id,
      started_at: new Date(active.startedAt).toISOString(),
      ends_at: active.endsAt === null ? null : new Date(active.endsAt).toISOString(),
      answered: active.answered,
    },
  }
}

function toCsvRow({ best, newest, active, ...row }: StudentResult): CsvRow {
  return {
    ...row,
    score: best?.score ?? null,
    max_score: best?.max_score ?? null,
    percentage: best?.percentage ?? null,
    passed: best?.passed ?? null,
    newest_attempt_id: newest?.attempt_id ?? null,
    newest_submitted_at: newest?.submitted_at ?? null,
    newest_percentage: newest?.percentage ?? null,
    active_attempt_id: active?.attempt_id ?? null,
    active_ends_at: active?.ends_at ?? null,
    active_answered: active?.answered ?? null,
  }
}
