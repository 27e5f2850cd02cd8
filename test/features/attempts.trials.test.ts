import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam } from '../support/content/exams.ts'
import { createExamOfKinds } from '../support/content/kinds.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let admin: Client
beforeAll(async () => {
  service = await startService()
  admin = await service.admin()
})
afterAll(() => service.close())

const at = (examId: number) => `/api/v01/admin/exams/${examId}/trial` as const

test('an administrator takes an exam that is not published as a trial, which is in no figure', async () => {
  const { examId, questionIds } = await createExamOfKinds(admin, {
    is_published: false,
    result_mode: 'on_release',
    shuffle: 'both',
  })
  await (await service.person()).get(`/api/v01/exams/${examId}`, 404)
  const [one, other] = [await admin.get(at(examId), 200), await admin.get(at(examId), 200)]
  expect(one.body).toMatchObject({ is_trial: true, exam: { id: examId, name: 'Of every kind' } })
  expect(one.body.questions.map(({ id }) => id).sort()).toEqual(questionIds.toSorted())
  expect(one.body.questions[0]).not.toHaveProperty('correct_answer')
  expect(other.body.trial.seed).not.toBe(one.body.trial.seed)

  const { trial, questions } = one.body
  const idOf = (type: string) => questions.find(({ question_type }) => question_type === type)?.id ?? 0
  const answers = {
    [idOf('MCQ')]: 'B',
    [idOf('SHORT')]: 'a tree',
    [idOf('NUMERIC')]: '9',
    [idOf('MSQ')]: 'Z',
  }
  const { body } = await admin.post(at(examId), { trial, answers }, 200)
  expect(body).toMatchObject({
    is_trial: true,
    result: { score: 4 + 2 - 1, max_score: 32, correct: 1, incorrect: 2, unattempted: 5 },
    rejected: [{ question_id: idOf('MSQ') }],
  })
  expect(body.review.map(({ id }) => id)).toEqual(questions.map(({ id }) => id))
  const ordering = body.review.find(({ id }) => id === idOf('ORDERING'))
  const again = { trial, answers: { [idOf('ORDERING')]: ordering?.correct } }
  expect((await admin.post(at(examId), again, 200)).body.result).toMatchObject({ score: 4, correct: 1 })

  expect(await service.sql`select count(*)::int as attempts from attempts`).toEqual([{ attempts: 0 }])
  expect((await admin.get(`/api/v01/admin/exams/${examId}/results`, 200)).body.total).toBe(0)
  expect((await admin.get('/api/v01/attempts', 200)).body.total).toBe(0)
})

test('a trial is drawn as an attempt would be, and keeps what it drew when questions are edited', async () => {
  const { examId } = await createExam(service.sql, { published: false, questions: [{}, {}, {}] })
  await service.sql`update questions set tags = '["x"]', tag_keys = '["x"]' where exam_id = ${examId}`
  await admin.patch(`/api/v01/admin/exams/${examId}`, { draw: [{ tag: 'X', count: 1 }] }, 200)
  const { trial, questions } = (await admin.get(at(examId), 200)).body
  expect(questions).toHaveLength(1)
  const [drawn] = questions.map(({ id }) => id) as [number]
  for (const wrong of [[drawn, drawn], [999_999]]) {
    const refused = await admin.post(at(examId), { trial: { ...trial, drawn: wrong } }, 400)
    expect(refused.body.errors).toMatchObject([{ path: '/trial/drawn' }])
  }
  await service.sql`update questions set correct_answer = 'B' where exam_id = ${examId}`
  const answers = { [questions[0]?.id ?? 0]: 'A' }
  const { result, review } = (await admin.post(at(examId), { trial, answers }, 200)).body
  expect(result).toMatchObject({ score: 4, max_score: 4 })
  expect(review).toHaveLength(1)
})

test('a trial is for administrators, and for teachers of their own exams', async () => {
  const [teacher, student] = [await service.person(), await service.person()]
  const classId = await createClass(service.sql, { teachers: [teacher], students: [student] })
  const own = await teacher.post('/api/v01/admin/exams', { name: 'Mine', class_ids: [classId] }, 201)
  const examId = own.body.exam.id
  expect((await teacher.get(at(examId), 409)).body.code).toBe('exam_empty')
  const question = { question_text: 'q', option_a: 'a', option_b: 'b', correct_answer: 'A' }
  const bulk = { exam_id: examId, questions: [question] }
  await teacher.post('/api/v01/admin/questions/bulk-add', bulk, 201)
  const { trial } = (await teacher.get(at(examId), 200)).body
  expect((await teacher.post(at(examId), { trial }, 200)).body.result).toMatchObject({ unattempted: 1 })
  await student.get(at(examId), 403)
  const foreign = await createExam(service.sql)
  await teacher.get(at(foreign.examId), 403)
  const theirs = (await admin.get(at(foreign.examId), 200)).body.trial
  expect((await teacher.post(at(examId), { trial: theirs }, 400)).body.errors).toMatchObject([
    { path: '/trial/paper_id' },
  ])
  await admin.get(at(999_999), 404)
  // Nodes keep papers in memory: the exam itself has to be there.
  await admin.delete(`/api/v01/admin/exams/${examId}`, 200)
  await admin.post(at(examId), { trial }, 404)
})
