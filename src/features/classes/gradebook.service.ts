import type { Viewer } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { inSnapshot } from '../../db/snapshot.ts'
import type { CsvRow } from '../../formats/csv-cells.ts'
import { offsetOf } from '../../paging.ts'
import { reaches, roundPercentage } from '../attempts/scoring.ts'
import { requireClassResults } from './class-exams.service.ts'
import { listExams } from './classes.store.ts'
import * as store from './gradebook.store.ts'
import { readKeys } from './known-keys.service.ts'

/** Students on a page. */
export const GRADEBOOK_PAGE = 100

/** The best results of a page of students at all exams of the class, and how many students there are. */
export async function readGradebook(core: Core, viewer: Viewer, classId: number, page: number) {
  await requireClassResults(core, viewer, { classId })
  return inSnapshot(core.db, async (db) => {
    const exams = await listExams(db, classId)
    return {
      ...(await readPage(core, db, viewer, classId, exams, page)),
      total: await store.countGraded(db, classId),
    }
  })
}

/** In a snapshot: with marks where somebody may know the keys. */
async function readPage(
  core: Core,
  db: Executor,
  viewer: Viewer,
  classId: number,
  listed: { id: number; name: string }[],
  page: number,
) {
  const keysOf = await readKeys(
    core,
    db,
    viewer,
    listed.map(({ id }) => id),
  )
  const exams = listed.map((exam) => ({ ...exam, ...keysOf(exam.id) }))
  const students = await store.listGraded(db, classId, GRADEBOOK_PAGE, offsetOf(page, GRADEBOOK_PAGE))
  const ids = students.map(({ userId }) => userId)
  const rows = await store.listMarks(
    db,
    classId,
    exams.map(({ id }) => id),
    ids,
  )
  const marks = Map.groupBy(rows, ({ userId }) => userId)
  const shown = new Set(exams.filter((exam) => exam.shows_keys).map(({ id }) => id))
  return {
    exams,
    students: students.map(({ userId, username, fullName, isFormer }) => ({
      user_id: userId,
      username,
      full_name: fullName,
      ...(isFormer ? { left: true as const } : {}),
      results: (marks.get(userId) ?? []).map(({ examId, attempts, finished, ...mark }) => ({
        exam_id: examId,
        ...(shown.has(examId) ? toMark(mark) : { percentage: null, passed: null }),
        attempts,
        finished,
      })),
    })),
  }
}

function toMark({ percentage, passPercentage }: Pick<store.GradeRow, 'percentage' | 'passPercentage'>) {
  if (percentage === null) return { percentage: null, passed: null }
  return { percentage: roundPercentage(percentage), passed: reaches(percentage, passPercentage) }
}

/** The whole gradebook as a download, with a column for each exam. */
export async function downloadGradebook(core: Core, viewer: Viewer, classId: number) {
  await requireClassResults(core, viewer, { classId })
  const exams = await listExams(core.db, classId)
  const nameOf = ({ id, name }: { id: number; name: string }) => `${name} (${id})`
  const columns = ['user_id', 'username', 'full_name', 'left', ...exams.map(nameOf)]

  async function* readRows(): AsyncGenerator<CsvRow> {
    for (let page = 1; ; page++) {
      const { students } = await inSnapshot(core.db, (db) => readPage(core, db, viewer, classId, exams, page))
      for (const { results, left = false, ...person } of students) {
        const marks = new Map(results.map(({ exam_id, percentage }) => [exam_id, percentage]))
        const cells = exams.map((exam) => [nameOf(exam), marks.get(exam.id) ?? null])
        yield { ...person, left, ...Object.fromEntries(cells) }
      }
      if (students.length < GRADEBOOK_PAGE) return
    }
  }
  return { columns, rows: readRows() }
}
