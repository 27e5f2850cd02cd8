import { default_w, forgetting_curve } from 'ts-fsrs'
import { expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam } from '../support/content/exams.ts'
import { createExamOfKinds } from '../support/content/kinds.ts'
import {
  choice,
  listNext,
  openExam,
  PRACTICE,
  readMemory,
  sendReviews,
  takeExam,
} from '../support/practice.ts'
import { sharedService } from '../support/service.ts'

const DAY = 24 * 3_600_000

const service = await sharedService()
const admin = await service.admin()

async function forecast(client: Client, examId: number, query = '', status = 200) {
  const path = `${PRACTICE}/forecast?exam_id=${examId}${query}` as `${typeof PRACTICE}/forecast`
  return (await client.get(path, status)).body
}

test('a forecast is worked out of the forgetting curve at its time, marks and blind guesses', async () => {
  const marks = { positive_marks: 4, negative_marks: 1 }
  const { examId, questionIds } = await createExam(service.sql, {
    questions: [
      choice('A', marks),
      choice('A,C', { ...marks, question_type: 'MSQ' }),
      { question_type: 'NUMERIC', correct_answer: '2', ...marks },
    ],
  })
  await service.sql`update exams set open_for_practice = true, pass_percentage = 50 where id = ${examId}`
  const [practised] = questionIds as [number]
  const tags = service.sql.json(['Sets'])
  await service.sql`update questions set tags = ${tags} where id = ${practised}`
  const alice = await service.person()
  const guesses = [1 / 4, 1 / 15, 0]
  const sum = (of: (p: number) => number, ps = guesses) => ps.reduce((total, p) => total + of(p), 0)
  expect(await forecast(alice, examId)).toMatchObject({
    expected: expect.closeTo(sum((p) => 4 * p - (1 - p))),
    max_score: 12,
    pass_percentage: 50,
    covered: 0,
    questions: 3,
  })

  await sendReviews(alice, { question_id: practised })
  const at = Date.now() + 10 * DAY
  const memory = await readMemory(service.sql, alice, practised)
  const known = forgetting_curve(default_w, (at - memory?.last_review.getTime()) / DAY, memory?.stability)
  const ps = [known + (1 - known) / 4, 1 / 15, 0]
  const expected = sum((p) => 4 * p - (1 - p), ps)
  const deviation = Math.sqrt(sum((p) => p * (1 - p) * 25, ps))
  const shown = await forecast(alice, examId, `&at=${new Date(at).toISOString()}`)
  expect(shown).toMatchObject({
    expected: expect.closeTo(expected),
    low: expect.closeTo(Math.max(-3, expected - 1.2816 * deviation)),
    high: expect.closeTo(Math.min(12, expected + 1.2816 * deviation)),
    expected_percentage: expect.closeTo((100 * expected) / 12),
    covered: 1,
    by_tag: [{ tag: 'Sets', questions: 1, covered: 1, expected_percentage: expect.any(Number) }],
  })
  expect(shown.pass_chance).toBeGreaterThan(0)
  expect(shown.pass_chance).toBeLessThan(0.5)
})

test('a forecast takes spellings of a tag that differ in case for one', async () => {
  const { examId, questionIds } = await openExam(service.sql, 3)
  for (const [index, tag] of ['Geo', 'geo', 'Algebra'].entries())
    await service.sql`update questions set tags = ${service.sql.json([tag])} where id = ${questionIds[index] as number}`
  const { by_tag } = await forecast(await service.person(), examId)
  expect(by_tag).toMatchObject([
    { tag: 'Algebra', questions: 1 },
    { tag: 'Geo', questions: 2 },
  ])
})

test('a forecast of an exam that draws weighs each question by its chance', async () => {
  const { examId } = await openExam(service.sql, 4)
  await service.sql`
    update questions set tags = ${service.sql.json(['Sets'])}, tag_keys = ${service.sql.json(['sets'])},
                         positive_marks = 2, negative_marks = 0 where exam_id = ${examId}`
  const draw = service.sql.json([{ tag: 'Sets', count: 2 }])
  await service.sql`update exams set draw = ${draw} where id = ${examId}`
  const alice = await service.person()
  expect(await forecast(alice, examId)).toMatchObject({
    questions: 4,
    max_score: expect.closeTo(4),
    expected: expect.closeTo(4 * 0.5 * 0.25 * 2),
  })
})

test('there is no forecast of an exam that isn’t there, or of which no key may be seen', async () => {
  const alice = await service.person()
  const hidden = await createExam(service.sql, { published: false })
  expect(await forecast(alice, hidden.examId, '', 404)).toMatchObject({ code: 'not_found' })
  expect(await forecast(alice, 999_999_999, '', 404)).toMatchObject({ code: 'not_found' })
  const { examId } = await createExam(service.sql, { questions: [choice()] })
  expect(await forecast(alice, examId, '', 409)).toMatchObject({ code: 'not_practisable' })
  await takeExam(alice, examId, {})
  expect(await forecast(alice, examId)).toMatchObject({ covered: 1 })
})

test('an exam of a class is practised by its students alone', async () => {
  const { examId, questionIds } = await openExam(service.sql, 1)
  const [alice, bob] = [await service.person(), await service.person()]
  const classId = await createClass(service.sql, { students: [alice] })
  await admin.patch(`/api/v01/admin/exams/${examId}`, { class_ids: [classId] }, 200)
  const idsOf = async (client: Client) =>
    (await listNext(client, `exam_id=${examId}`)).cards.map(({ card }) => card.question_id)
  expect([await idsOf(alice), await idsOf(bob)]).toEqual([questionIds, []])
  const review = { question_id: questionIds[0] }
  expect(await sendReviews(bob, review)).toMatchObject([{ error: { code: 'not_found' } }])
  expect(await sendReviews(alice, review)).toMatchObject([{ outcome: 'right' }])
  await forecast(bob, examId, '', 404)
  await service.sql`update class_members set left_at = now() where user_id = ${alice.id}`
  expect(await sendReviews(alice, review)).toMatchObject([{ error: { code: 'not_found' } }])
})

test('questions of every kind are asked without their key, and judged by it', async () => {
  const { examId } = await createExamOfKinds(admin, { open_for_practice: true })
  const alice = await service.person()
  const { cards } = await listNext(alice, `exam_id=${examId}&limit=50`)
  expect(cards.map(({ question }) => question.question_type).sort()).toEqual([
    'GAPS',
    'MATCHING',
    'MCQ',
    'MSQ',
    'NUMERIC',
    'ORDERING',
    'SHORT',
  ])
  for (const { question } of cards) {
    const first = { question_id: question.id, question_version: question.question_version }
    const [wrong] = await sendReviews(alice, { ...first, answer: '' })
    if (!wrong || 'error' in wrong) throw new Error(JSON.stringify(wrong))
    expect(wrong.outcome).toBe('wrong')
    expect(wrong.explanation).not.toBe('')
    // The key in the form of an answer is right.
    expect(await sendReviews(alice, { ...first, answer: wrong.correct })).toMatchObject([
      { outcome: 'right' },
    ])
  }
})

test('the history compares what was expected to be known with what was', async () => {
  const { questionIds } = await openExam(service.sql, 2)
  const alice = await service.person()
  const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString()
  for (const question_id of questionIds) {
    await sendReviews(alice, { question_id, answered_at: daysAgo(9) })
    await sendReviews(alice, {
      question_id,
      answer: question_id === questionIds[0] ? 'A' : 'B',
      answered_at: daysAgo(4),
    })
  }
  const { retention, sure } = (await alice.get(`${PRACTICE}/history`, 200)).body
  expect(sure).toEqual({ n: 4, right: 3 })
  expect(retention).toMatchObject({ n: 2, measured: 0.5 })
  expect(retention.expected).toBeGreaterThan(0.5)
  expect(retention.expected).toBeLessThan(1)
})
