import type { ExamsQuery, StudentExam } from '../../../schemas/attempts.schemas.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { offsetOf } from '../../paging.ts'
import { remainingOf } from '../attempts/attempts-left.service.ts'
import { countGiven, EXAMS_PER_PAGE } from './exams.service.ts'
import * as store from './published-exams.store.ts'

/** One page, newest first, and how many there are. */
export async function listPublishedExams(
  core: Core,
  userId: number,
  { category_id: categoryId, q, page }: ExamsQuery,
) {
  const offset = offsetOf(page, EXAMS_PER_PAGE)
  const { rows, total } = await store.listPublished(
    core.db,
    userId,
    { categoryId, q },
    EXAMS_PER_PAGE,
    offset,
  )
  const counts = await countQuestions(core, rows)
  return { exams: rows.map((row) => toStudentExam(row, counts)), total }
}

/** 404 unless the exam is there for this person, and is published or they have attempts from a time when it was. */
export async function getPublishedExam(core: Core, userId: number, examId: number) {
  const exam = await store.findPublished(core.db, userId, examId)
  if (!exam) throw new AppError('not_found')
  const { max_attempts: most, attempts_used: used } = exam
  const counts = await countQuestions(core, [exam])
  return { ...toStudentExam(exam, counts), attempts_used: used, attempts_remaining: remainingOf(most, used) }
}

function countQuestions(core: Core, rows: readonly store.PublishedRow[]) {
  return countGiven(
    core.db,
    rows.map(({ id, draw, pool_count: poolCount }) => ({ id, draw, poolCount })),
  )
}

function toStudentExam(row: store.PublishedRow, counts: ReadonlyMap<number, number>): StudentExam {
  const { extra_time_percent } = row
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    category_id: row.category_id,
    duration_minutes: row.duration_minutes,
    max_attempts: row.max_attempts,
    result_mode: row.result_mode,
    results_released: row.results_released,
    is_published: row.is_published,
    open_for_practice: row.open_for_practice,
    pass_percentage: row.pass_percentage,
    msq_scoring: row.msq_scoring,
    opens_at: row.opens_at,
    closes_at: row.closes_at,
    lock_help: row.lock_help,
    ...(extra_time_percent === 0 ? {} : { extra_time_percent }),
    question_count: counts.get(row.id) ?? 0,
  }
}
