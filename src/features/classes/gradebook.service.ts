import type { Actor, Viewer } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { inSnapshot } from '../../db/snapshot.ts'
import { AppError } from '../../errors.ts'
import type { CsvRow } from '../../formats/csv-cells.ts'
import { localDay } from '../../formats/local-time.ts'
import { offsetOf } from '../../paging.ts'
import { reaches, roundPercentage } from '../attempts/scoring.ts'
import { record } from '../audit/audit.service.ts'
import { lockTaughtClass } from './class-access.service.ts'
import { requireClassResults } from './class-exams.service.ts'
import { totalOf } from './class-weights.ts'
import { findClass } from './classes.store.ts'
import * as store from './gradebook.store.ts'
import { readKeys } from './known-keys.service.ts'

/** Students on a page. */
export const GRADEBOOK_PAGE = 100
/** The newest exams that it has. */
const MOST_EXAMS = 500

/** The best results of a page of students at all exams of the class, and how many students there are. */
export async function readGradebook(core: Core, viewer: Viewer, classId: number, page: number) {
  await requireClassResults(core, viewer, { classId })
  return inSnapshot(core.db, async (db) => {
    const listed = await store.listBookExams(db, classId, MOST_EXAMS)
    const { exams, students, counts } = await readPage(core, db, viewer, classId, listed, page)
    const shown = exams.filter(({ shows_keys }) => shows_keys).map(({ id }) => id)
    const averages = await store.listAverages(db, classId, shown, counts)
    const averageOf = new Map(averages.map(({ examId, ...rest }) => [examId, rest]))
    return {
      exams: exams.map((exam) => {
        if (!exam.shows_keys) return { ...exam, average: null, marked: null, passed: null }
        const { average = null, marked = 0, passed = 0 } = averageOf.get(exam.id) ?? {}
        return { ...exam, average: average === null ? null : roundPercentage(average), marked, passed }
      }),
      students: students.map(({ email: _, ...student }) => student),
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
  listed: store.BookExam[],
  page: number,
) {
  const { weights, counts } = await getClass(db, classId)
  const keysOf = await readKeys(
    core,
    db,
    viewer,
    listed.map(({ id }) => id),
  )
  const exams = listed.map(({ id, name }) => ({ id, name, ...keysOf(id) }))
  const students = await store.listGraded(db, classId, GRADEBOOK_PAGE, offsetOf(page, GRADEBOOK_PAGE))
  const ids = students.map(({ userId }) => userId)
  const rows = await store.listMarks(
    db,
    classId,
    exams.map(({ id }) => id),
    ids,
    counts,
  )
  const marks = Map.groupBy(rows, ({ userId }) => userId)
  const shown = new Set(exams.filter((exam) => exam.shows_keys).map(({ id }) => id))
  const visible = new Set(listed.flatMap(({ id, isVisible }) => (isVisible && shown.has(id) ? [id] : [])))
  const missed = Map.groupBy(
    await store.listMissed(db, classId, [...visible], ids, new Date(core.clock())),
    ({ userId }) => userId,
  )
  return {
    counts,
    exams,
    students: students.map(({ userId, username, fullName, isFormer, email, comment, excused }) => ({
      user_id: userId,
      username,
      full_name: fullName,
      email,
      ...(isFormer ? { left: true as const } : {}),
      total: totalOf(weights, [
        ...(marks.get(userId) ?? []).filter(({ examId }) => visible.has(examId) && !excused.includes(examId)),
        ...(missed.get(userId) ?? [])
          .filter(({ examId }) => !excused.includes(examId))
          .map(({ examId }) => ({ examId, percentage: 0 })),
      ]),
      excused,
      comment,
      results: (marks.get(userId) ?? []).map(({ examId, attempts, finished, ...mark }) => ({
        exam_id: examId,
        ...(shown.has(examId)
          ? { ...toMark(mark), attempt_id: mark.countedId }
          : { percentage: null, passed: null, attempt_id: mark.latestId }),
        attempts,
        finished,
      })),
    })),
  }
}

async function getClass(db: Executor, classId: number) {
  const row = await findClass(db, classId)
  if (!row) throw new AppError('not_found')
  return row
}

/** Whether an exam counts for somebody. 404 for people and exams that aren't in the gradebook. */
export async function setExcused(
  core: Core,
  actor: Actor,
  viewer: Viewer,
  at: { classId: number; userId: number; examId: number },
  isExcused: boolean,
): Promise<void> {
  const { classId, userId, examId } = at
  await core.db.transaction(async (tx) => {
    await lockTaughtClass(tx, viewer, classId)
    if (!(await store.isGraded(tx, classId, userId)) || !(await store.hasExam(tx, classId, examId)))
      throw new AppError('not_found')
    const isChanged = await (isExcused ? store.insertExcused(tx, at) : store.deleteExcused(tx, at))
    if (!isChanged) return
    const summary = `User ${userId}: exam ${examId} ${isExcused ? 'doesn’t count' : 'counts again'}`
    await record(tx, actor, { action: 'class.excuse', subject: ['class', classId], summary })
  })
}

/** What the class's teachers note about a student. 404 for people who aren't in the gradebook. */
export async function setComment(
  core: Core,
  actor: Actor,
  viewer: Viewer,
  { classId, userId }: { classId: number; userId: number },
  text: string,
): Promise<void> {
  await core.db.transaction(async (tx) => {
    await lockTaughtClass(tx, viewer, classId)
    if (!(await store.isGraded(tx, classId, userId))) throw new AppError('not_found')
    await store.putComment(tx, { classId, userId, text, updatedAt: new Date(core.clock()) })
    const summary = `The comment about user ${userId} was changed`
    await record(tx, actor, { action: 'class.comment', subject: ['class', classId], summary })
  })
}

function toMark({ percentage, passPercentage }: Pick<store.GradeRow, 'percentage' | 'passPercentage'>) {
  if (percentage === null) return { percentage: null, passed: null }
  return { percentage: roundPercentage(percentage), passed: reaches(percentage, passPercentage) }
}

/** The whole gradebook as a download, with a column for each exam. */
export async function downloadGradebook(core: Core, viewer: Viewer, classId: number) {
  await requireClassResults(core, viewer, { classId })
  const { name } = await getClass(core.db, classId)
  const exams = await store.listBookExams(core.db, classId, MOST_EXAMS)
  const nameOf = ({ id, name }: { id: number; name: string }) => `${name} (${id})`
  const columns = ['id', 'username', 'full_name', 'email', 'left', ...exams.map(nameOf), 'total', 'comment']

  async function* readRows(): AsyncGenerator<CsvRow> {
    for (let page = 1; ; page++) {
      const { students } = await inSnapshot(core.db, (db) => readPage(core, db, viewer, classId, exams, page))
      for (const { results, left = false, user_id: id, email, excused: _, ...student } of students) {
        const marks = new Map(results.map(({ exam_id, percentage }) => [exam_id, percentage]))
        const cells = exams.map((exam) => [nameOf(exam), marks.get(exam.id) ?? null])
        yield { id, ...student, email: email ?? '', left, ...Object.fromEntries(cells) }
      }
      if (students.length < GRADEBOOK_PAGE) return
    }
  }
  const day = localDay(new Date(core.clock()), core.config.timezone)
  return { name: `${toFileName(name)}-${day}`, columns, rows: readRows() }
}

/** A name without what files can't have in theirs. */
function toFileName(name: string): string {
  return name.replaceAll(/[\p{Cc}<>:"/\\|?*]/gu, '_').trim() || 'gradebook'
}
