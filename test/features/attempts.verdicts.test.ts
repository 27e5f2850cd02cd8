import { beforeAll, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam, type QuestionFields } from '../support/content/exams.ts'
import { type SharedService, sharedService } from '../support/service.ts'

let service: SharedService
let admin: Client
let teacher: Client
let ann: Client
beforeAll(async () => {
  service = await sharedService()
  const people = [service.admin(), service.person(), service.person()]
  ;[admin, teacher, ann] = (await Promise.all(people)) as [Client, Client, Client]
})

const ONE_MARK = { positive_marks: 1, negative_marks: 0 }

/** An exam of a new class, at which Ann has these questions' first ones right. */
async function takeExam(questions: QuestionFields[], right: number) {
  const classId = await createClass(service.sql, { students: [ann], teachers: [teacher] })
  const exam = await createExam(service.sql, { pass_percentage: 66.67, questions })
  const { examId, questionIds } = exam
  await admin.patch(`/api/v01/admin/exams/${examId}`, { class_ids: [classId] }, 200)
  const answers = Object.fromEntries(questionIds.map((id, index) => [id, index < right ? 'A' : 'B']))
  const { body } = await ann.post(`/api/v01/exams/${examId}/start`, {}, 201)
  await ann.post(`/api/v01/exams/${examId}/submit`, { answers }, 200)
  return { ...exam, classId, attemptId: body.attempt_id }
}
type Taken = Awaited<ReturnType<typeof takeExam>>

/** The verdict in all places that have one, by place. */
async function readVerdicts({ classId, examId, attemptId }: Taken) {
  const get = (path: string) => teacher.fetch('GET', `/api/v01/classes/${classId}${path}`)
  const [own, listed, results, book, review, dashboard] = await Promise.all([
    ann.get(`/api/v01/attempts/${attemptId}`, 200),
    ann.get(`/api/v01/attempts?exam_id=${examId}`, 200),
    teacher.get(`/api/v01/classes/${classId}/results?exam_id=${examId}`, 200),
    teacher.get(`/api/v01/classes/${classId}/gradebook`, 200),
    teacher.get(`/api/v01/classes/${classId}/attempts/${attemptId}`, 200),
    teacher.get(`/api/v01/classes/${classId}/analytics?exam=${examId}`, 200),
  ])
  const [head = '', row = ''] = (await (await get(`/results.csv?exam_id=${examId}`)).text()).split('\r\n')
  const [result] = results.body.results
  return {
    review: own.body.passed,
    list: listed.body.attempts[0]?.passed,
    best: result?.best?.passed,
    newest: result?.newest?.passed,
    csv: row.split(',')[head.split(',').indexOf('passed')],
    gradebook: book.body.students[0]?.results[0]?.passed,
    teachersReview: review.body.passed,
    passRate: dashboard.body.summary.passRate,
    percentages: [
      own.body.percentage,
      own.body.result.percentage,
      result?.best?.percentage,
      result?.newest?.percentage,
      book.body.students[0]?.results[0]?.percentage,
      dashboard.body.tables.recentActivity[0]?.percentage,
    ],
  }
}

const everywhere = (passed: boolean | null, percentage: number | null) => ({
  review: passed,
  list: passed,
  best: passed,
  newest: passed,
  csv: String(passed ?? ''),
  gradebook: passed,
  teachersReview: passed,
  passRate: passed === null ? null : passed ? 100 : 0,
  percentages: Array.from({ length: 6 }, () => percentage),
})

test('whoever reaches the percentage that they are shown has passed, wherever that is said', async () => {
  const taken = await takeExam([ONE_MARK, ONE_MARK, ONE_MARK], 2)
  expect(await readVerdicts(taken)).toEqual(everywhere(true, 66.67))
  await admin.patch(`/api/v01/admin/exams/${taken.examId}`, { pass_percentage: 66.68 }, 200)
  expect(await readVerdicts(taken)).toEqual(everywhere(false, 66.67))
})

test('a result that 1.0.0 decided by more decimals stays, until it is regraded', async () => {
  const taken = await takeExam([ONE_MARK, ONE_MARK, ONE_MARK], 2)
  await service.sql`update attempts set percentage = score / max_score * 100 where id = ${taken.attemptId}`
  expect(await readVerdicts(taken)).toEqual(everywhere(false, 66.67))
  const question_id = taken.questionIds[2] as number
  const regrade = { question_id, action: 'new_key', correct_answer: 'C' } as const
  const path = `/api/v01/admin/exams/${taken.examId}/regrades` as const
  const raised = {
    attempts: 1,
    raised: 1,
    unchanged: 0,
    changes: [{ attempt_id: taken.attemptId, old_score: 2, new_score: 2 }],
  }
  expect((await admin.post(path, { ...regrade, preview: true }, 200)).body.regrade).toMatchObject(raised)
  expect(await readVerdicts(taken)).toEqual(everywhere(false, 66.67))
  const socket = await ann.socket()
  expect((await admin.post(path, regrade, 201)).body.regrade).toMatchObject(raised)
  await socket.until(() => socket.of('result_changed')[0], 2_000)
  expect(await readVerdicts(taken)).toEqual(everywhere(true, 66.67))
})

test('an exam worth nothing has no percentage and no verdict, and is in no average and no forecast', async () => {
  const taken = await takeExam([{ positive_marks: 0, negative_marks: 0 }], 1)
  expect(await readVerdicts(taken)).toEqual(everywhere(null, null))
  const { examId, classId } = taken
  const dashboard = async () => (await teacher.get(`/api/v01/classes/${classId}/analytics`, 200)).body
  expect(await dashboard()).toMatchObject({
    summary: { totalAttempts: 1, avgScore: null, passRate: null },
    charts: { scoreDistribution: [0, 0, 0, 0] },
    tables: { topPerformers: [], examStats: [{ attempts: 1, avgScore: null, passRate: null }] },
  })
  const items = await teacher.get(`/api/v01/classes/${classId}/exams/${examId}/items`, 200)
  expect(items.body.exam).toMatchObject({ attempts: 1, mean: null, median: null })
  await admin.patch(`/api/v01/admin/exams/${examId}`, { open_for_practice: true }, 200)
  const forecast = await ann.get(`/api/v01/practice/forecast?exam_id=${examId}`, 200)
  expect(forecast.body).toMatchObject({ max_score: 0, expected_percentage: null, pass_chance: null })
  // Beside a result that is worth something, also where that is below 0.
  const other = await createExam(service.sql, { questions: [{}] })
  await admin.patch(`/api/v01/admin/exams/${other.examId}`, { class_ids: [classId] }, 200)
  await ann.post(`/api/v01/exams/${other.examId}/start`, {}, 201)
  const answers = { [other.questionIds[0] as number]: 'B' }
  await ann.post(`/api/v01/exams/${other.examId}/submit`, { answers }, 200)
  expect((await dashboard()).summary).toMatchObject({ totalAttempts: 2, avgScore: -25, passRate: 0 })
  const older = await admin.get(`/admin/analytics?exam=${examId}`, 200)
  expect(older.body).toMatchObject({
    summary: { totalAttempts: 1, avgScore: 0, passRate: 0 },
    tables: { recentActivity: [{ percentage: 0 }], examStats: [{ avgScore: 0, passRate: 0 }] },
  })
})

test('a forecast passes whoever would be shown what is needed', async () => {
  // Whoever missed this leaves it out.
  const numeric = {
    question_type: 'NUMERIC',
    correct_answer: '2',
    positive_marks: 1,
    negative_marks: 1,
  } as const
  const { examId, questionIds } = await createExam(service.sql, {
    pass_percentage: 66.67,
    questions: [numeric, numeric, numeric],
  })
  await ann.post(`/api/v01/exams/${examId}/start`, {}, 201)
  await ann.post(`/api/v01/exams/${examId}/submit`, {}, 200)
  await admin.patch(`/api/v01/admin/exams/${examId}`, { open_for_practice: true }, 200)
  for (const question_id of questionIds.slice(0, 2))
    await admin.post(`/api/v01/admin/exams/${examId}/regrades`, { question_id, action: 'credit_all' }, 201)
  const { body } = await ann.get(`/api/v01/practice/forecast?exam_id=${examId}`, 200)
  expect(body).toMatchObject({ expected: 2, max_score: 3, expected_percentage: 66.67, pass_chance: 1 })
})
