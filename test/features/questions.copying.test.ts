import { expect, test } from 'vitest'
import { sharedService } from '../support/service.ts'

const EXAMS = '/api/v01/admin/exams'
const QUESTIONS = '/api/v01/admin/questions'
const service = await sharedService()
const admin = await service.admin()

const newExam = async () => (await admin.post(EXAMS, { name: 'An exam' }, 201)).body.exam.id
const listed = async (examId: number) =>
  (await admin.get(`${QUESTIONS}?exam_id=${examId}`, 200)).body.questions

test('copies are as their questions are shown, in the given order, after what the exam has', async () => {
  const [from, to] = [await newExam(), await newExam()]
  const questions = [
    { question_text: 'First', option_a: 'a', option_b: 'b', correct_answer: 'A', tags: ['Easy'] },
    { question_text: 'Second', question_type: 'SHORT', correct_answer: 'red', explanation: 'As blood is.' },
    {
      question_text: 'Third',
      question_type: 'ORDERING',
      parts: { items: ['one', 'two'] },
      positive_marks: 2.5,
    },
  ]
  await admin.post(`${QUESTIONS}/bulk-add`, { exam_id: from, questions }, 201)
  await admin.post(`${QUESTIONS}/bulk-add`, { exam_id: to, questions: questions.slice(0, 1) }, 201)
  await service.sql`update questions set image_path = 'Physics/a.png' where exam_id = ${from}`
  const [first, second, third] = await listed(from)
  const body = { question_id: first?.id as number, action: 'new_key' as const, correct_answer: 'B' }
  await admin.post(`${EXAMS}/${from}/regrades`, body, 201)

  const ids = [third, second, first].map((question) => question?.id as number)
  const answer = await admin.post(`${QUESTIONS}/copy`, { ids: [...ids, 2_000_000_000], exam_id: to }, 201)
  expect(answer.body).toEqual({ success: true, copied: 3, errors: ['Question 2000000000: not found'] })
  const [, ...copies] = await listed(to)
  const originals = (await listed(from)).toReversed()
  expect(originals[2]).toMatchObject({ correct_answer: 'B', image_path: 'Physics/a.png' })
  const own = { id: expect.any(Number), exam_id: to, image_url: expect.any(String) }
  expect(copies).toEqual(originals.map((original) => ({ ...original, ...own })))
  expect(new Set([...copies, ...originals].map(({ id }) => id)).size).toBe(6)
  const { body: log } = await admin.get(`/api/v01/admin/audit?subject=exam:${to}&action=question.create`, 200)
  expect(log.entries[0]).toMatchObject({ summary: '3 questions were copied' })
})

test('many are copied at once, and none into an exam that there is not', async () => {
  const [from, to] = [await newExam(), await newExam()]
  await service.sql`
    insert into questions (exam_id, question_text) select ${from}, n::text from generate_series(1, 2500) n`
  const rows = await service.sql<{ id: number }[]>`
    select id from questions where exam_id = ${from} order by id desc`
  const ids = rows.map(({ id }) => id)
  const { body } = await admin.post(`${QUESTIONS}/copy`, { ids, exam_id: to }, 201)
  expect(body).toEqual({ success: true, copied: 2_500, errors: null })
  const [{ isReversed } = { isReversed: false }] = await service.sql<{ isReversed: boolean }[]>`
    select array_agg(question_text order by id)
             = (select array_agg(n::text order by n desc) from generate_series(1, 2500) n) as "isReversed"
      from questions where exam_id = ${to}`
  expect(isReversed).toBe(true)
  await admin.post(`${QUESTIONS}/copy`, { ids: [1], exam_id: 999_999 }, 404)
  await admin.post(`${QUESTIONS}/copy`, { ids: Array(10_001).fill(1), exam_id: to }, 400)
  await (await service.person()).post(`${QUESTIONS}/copy`, { ids: [1], exam_id: to }, 403)
})
