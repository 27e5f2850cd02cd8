import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { addQuestion, createExam } from '../support/content/exams.ts'
import { startService, type TestService } from '../support/service.ts'

const QUESTIONS = '/api/v01/admin/questions'
let service: TestService
let admin: Client
beforeAll(async () => {
  service = await startService({ nodes: 2 })
  admin = await service.admin()
})
afterAll(() => service.close())

const order = (examId: number) => `/api/v01/admin/exams/${examId}/order` as const
const texts = ['One', 'Two', 'Three', 'Four']
const newExam = (count = texts.length) =>
  createExam(service.sql, {
    max_attempts: null,
    questions: Array.from({ length: count }, (_, index) => ({ question_text: texts[index] ?? `Q${index}` })),
  })
const listed = async (examId: number): Promise<number[]> => {
  const { body } = await admin.get(`${QUESTIONS}?exam_id=${examId}`, 200)
  return body.questions.map(({ id }) => id)
}
async function startPaper(examId: number): Promise<{ person: Client; ids: () => Promise<number[]> }> {
  const person = await service.person()
  await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
  return {
    person,
    ids: async () =>
      (await person.get(`/api/v01/exams/${examId}/paper`, 200)).body.questions.map(({ id }) => id),
  }
}

test('lists, new papers, exports and copies have the order; attempts under way and their reviews keep theirs', async () => {
  const { examId, questionIds } = await newExam()
  const before = await startPaper(examId)
  const wanted = questionIds.toReversed()
  expect((await admin.put(order(examId), { ids: wanted }, 200)).body).toEqual({ success: true })
  expect(await listed(examId)).toEqual(wanted)
  expect(await before.ids()).toEqual(questionIds)
  const after = await startPaper(examId)
  expect(await after.ids()).toEqual(wanted)
  await before.person.post(`/api/v01/exams/${examId}/submit`, {}, 200)
  const [attempt] = (await before.person.get(`/api/v01/attempts?exam_id=${examId}`, 200)).body.attempts
  const { body } = await before.person.get(`/api/v01/attempts/${attempt?.attempt_id as number}`, 200)
  expect(body.review.map(({ id }) => id)).toEqual(questionIds)

  for (const format of ['csv', 'gift', 'moodle_xml'] as const) {
    const file = await admin.fetch('GET', `/api/v01/admin/exams/${examId}/export?format=${format}`)
    const found = (await file.text()).match(/\b(One|Two|Three|Four)\b/g)
    expect(found).toEqual(texts.toReversed())
  }
  const { examId: other } = await newExam(0)
  await admin.post(`${QUESTIONS}/copy`, { ids: wanted, exam_id: other }, 201)
  const copies = (await admin.get(`${QUESTIONS}?exam_id=${other}`, 200)).body.questions
  expect(copies.map(({ question_text }) => question_text)).toEqual(texts.toReversed())

  const added = await addQuestion(service.sql, examId)
  expect(await listed(examId)).toEqual([...wanted, added])
  const { body: log } = await admin.get(`/api/v01/admin/audit?subject=exam:${examId}`, 200)
  expect(log.entries[0]).toMatchObject({ summary: 'The order of its questions was changed' })
})

test('an order that is not exactly the exam’s questions answers the stored one and changes nothing', async () => {
  const { examId, questionIds } = await newExam()
  const [first, second] = questionIds as [number, number]
  const other = await newExam(1)
  const wrong = [
    questionIds.slice(1),
    [...questionIds, first],
    [first, first, ...questionIds.slice(2)],
    [...questionIds.slice(1), other.questionIds[0] as number],
    [],
  ]
  for (const ids of wrong)
    expect((await admin.put(order(examId), { ids }, 409)).body).toMatchObject({
      code: 'order_changed',
      ids: questionIds,
    })
  expect(await listed(examId)).toEqual(questionIds)
  await admin.put(order(examId), { ids: questionIds }, 200)
  const [before] = await service.sql`select paper_version from exams where id = ${examId}`
  await admin.put(order(examId), { ids: questionIds }, 200)
  expect(await service.sql`select paper_version from exams where id = ${examId}`).toEqual([before])
  await admin.put(order(999_999), { ids: [] }, 404)
  await admin.put(order(examId), { ids: ['x'] as never }, 400)
  await (await service.person()).put(order(examId), { ids: questionIds }, 403)

  // A question that moves to another exam comes last there, whatever its place was.
  await admin.put(order(examId), { ids: questionIds.toReversed() }, 200)
  await admin.put(order(other.examId), { ids: other.questionIds }, 200)
  await service.sql`update questions set place_in_exam = 1 where id = ${second}`
  const form = new FormData()
  form.append('exam_id', String(other.examId))
  await admin.request('PATCH', `${QUESTIONS}/${second}`, form, 200)
  expect(await listed(other.examId)).toEqual([...other.questionIds, second])
})

test('of many orders at once over two nodes one stays whole, and a question that is added meanwhile comes last', async () => {
  const { examId, questionIds } = await newExam(12)
  const nodes = [admin, admin.at(service.urls[1] as string)]
  const wanted = questionIds.map((_, turn) => [...questionIds.slice(turn), ...questionIds.slice(0, turn)])
  const answers = await Promise.all(
    wanted.map((ids, index) => (nodes[index % 2] as Client).put(order(examId), { ids })),
  )
  expect(answers.map(({ status }) => status)).toEqual(wanted.map(() => 200))
  expect(wanted).toContainEqual(await listed(examId))

  const race = await Promise.all([
    ...wanted.map((ids, index) => (nodes[index % 2] as Client).put(order(examId), { ids })),
    ...Array.from({ length: 6 }, async () => ({ status: 0, added: await addQuestion(service.sql, examId) })),
  ])
  const added = race.flatMap((each) => ('added' in each ? [each.added] : [])).toSorted((a, b) => a - b)
  expect(race.every(({ status }) => [0, 200, 409].includes(status))).toBe(true)
  const stored = await listed(examId)
  expect(stored.slice(12)).toEqual(added)
  expect(wanted).toContainEqual(stored.slice(0, 12))
})

test('a description of an image is in papers and reviews, and its correction reaches those that there are', async () => {
  const { examId, questionIds } = await createExam(service.sql, {
    questions: [{ image_path: 'Optics/lens.png' }, {}],
  })
  const [id, plain] = questionIds as [number, number]
  const change = async (questionId: number, fields: Record<string, string>, status = 200) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    return admin.request('PATCH', `${QUESTIONS}/${questionId}`, form, status)
  }
  await change(id, { image_alt: '  A lens of glass ' })
  const { person } = await startPaper(examId)
  const shown = async () =>
    (await person.get(`/api/v01/exams/${examId}/paper`, 200)).body.questions.map(({ image_alt }) => image_alt)
  expect(await shown()).toEqual(['A lens of glass', ''])
  await change(id, { image_alt: 'A convex lens' })
  await change(plain, { image_alt: 'Of no image' })
  expect(await shown()).toEqual(['A convex lens', ''])
  // Of another image: the paper still has the old one.
  await change(id, { image_alt: 'A mirror', image_path: 'Optics/mirror.png' })
  expect(await shown()).toEqual(['A lens of glass', ''])
  await change(id, { image_path: 'Optics/lens.png', image_alt: 'A biconvex lens' })
  await person.post(`/api/v01/exams/${examId}/submit`, {}, 200)
  const [attempt] = (await person.get(`/api/v01/attempts?exam_id=${examId}`, 200)).body.attempts
  const { body } = await person.get(`/api/v01/attempts/${attempt?.attempt_id as number}`, 200)
  expect(body.review.map(({ image_alt }) => image_alt)).toEqual(['A biconvex lens', ''])

  await change(id, { image_alt: 'x'.repeat(500) })
  const refused = await change(id, { image_alt: 'x'.repeat(501) }, 400)
  expect(refused.body).toMatchObject({ code: 'validation_failed', errors: [{ path: '/image_alt' }] })
  const csv = await admin.fetch('GET', `/api/v01/admin/exams/${examId}/export?format=csv`)
  expect(await csv.text()).toContain('x'.repeat(500))
})
