import { expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { atOf, curveOf, DAY, daysAgo, firstSight, forecast } from '../support/forecasts.ts'
import { choice, listNext, openExam, PRACTICE, sendReviews, takeExam } from '../support/practice.ts'
import { sharedService } from '../support/service.ts'

const service = await sharedService()
const admin = await service.admin()

const numeric = { question_type: 'NUMERIC', correct_answer: '2', negative_marks: 0 } as const

/** An exam that is open for practice. */
async function open(questions: object[]) {
  const exam = await createExam(service.sql, { questions })
  await service.sql`update exams set open_for_practice = true where id = ${exam.examId}`
  return exam
}

test('what somebody keeps worse than the curve says is not told from lucky guesses', async () => {
  const { examId, questionIds } = await open(
    Array.from({ length: 40 }, () => choice('A', { negative_marks: 0 })),
  )
  const alice = await service.person()
  const answers = (days: number, answerOf: (n: number) => string) =>
    questionIds.map((question_id, n) => ({ question_id, answer: answerOf(n), answered_at: daysAgo(days) }))
  await sendReviews(alice, ...answers(25, () => 'A'))
  // A quarter is right, as blind guesses are.
  await sendReviews(alice, ...answers(15, (n) => (n < 10 ? 'A' : 'B')))
  const [row] = await service.sql<{ expected: number }[]>`
    select expected from practice_reviews where user_id = ${alice.id} and expected is not null limit 1`
  const logOdds = Math.log((row?.expected as number) / (1 - (row?.expected as number)))
  const logistic = (x: number) => 1 / (1 + Math.exp(-x))
  let [best, most] = [0, Number.NEGATIVE_INFINITY]
  for (let by = -3; by <= 3; by += 0.0001) {
    const p = 1 / 4 + (3 / 4) * logistic(logOdds + by)
    const likelihood = 10 * Math.log(p) + 30 * Math.log(1 - p) - by ** 2 / 0.72
    if (likelihood > most) [best, most] = [by, likelihood]
  }
  expect(best).toBeLessThan(-1)
  expect(best).toBeGreaterThan(-3)
  const at = Date.now() + DAY
  const sight = firstSight(40, 40, 1 / 4).known
  const knownOf = async (n: number, isRight: boolean) => {
    const curve = await curveOf(service.sql, alice, questionIds[n], at)
    const known = isRight ? curve : Math.max(sight / 2, curve / 4)
    return logistic(Math.log(known / (1 - known)) + best)
  }
  const [right, wrong] = [await knownOf(0, true), await knownOf(39, false)]
  const expected = 4 * (10 * (1 / 4 + (3 / 4) * right) + 30 * (1 / 4 + (3 / 4) * wrong))
  expect(await forecast(alice, examId, atOf(at))).toMatchObject({ expected: expect.closeTo(expected, 1) })
})

test('nobody is taken to know more or less than the curve by more than a factor of e to the third', async () => {
  const { examId, questionIds } = await open(Array.from({ length: 40 }, () => numeric))
  const alice = await service.person()
  const answers = (days: number, answer: string) =>
    questionIds.map((question_id) => ({ question_id, answer, answered_at: daysAgo(days) }))
  // A minute later all are wrong that were as good as certain.
  await sendReviews(alice, ...answers(20, '2'))
  await sendReviews(alice, ...answers(20 - 1 / 1440, '1'))
  const at = Date.now() + DAY
  const known = firstSight(40, 40).known / 2
  const odds = (known / (1 - known)) * Math.exp(-3)
  expect(await forecast(alice, examId, atOf(at))).toMatchObject({
    expected: expect.closeTo((40 * 4 * odds) / (1 + odds), 3),
  })
})

test('how much there is to go by begins with 30 % of the paper, and is good with 80 and 30 reviews', async () => {
  const { examId, questionIds } = await open(Array.from({ length: 100 }, () => numeric))
  const [alice, bob] = [await service.person(), await service.person()]
  const answer = async (person: Client, [from, to]: [number, number], days: number) => {
    const asked = questionIds.slice(from, to)
    const answered_at = daysAgo(days)
    await sendReviews(person, ...asked.map((question_id) => ({ question_id, answer: '2', answered_at })))
    return (await forecast(person, examId)).confidence
  }
  expect(await answer(alice, [0, 29], 20)).toBe('low')
  expect(await answer(alice, [29, 30], 20)).toBe('fair')
  // Second answers tell how well somebody remembers.
  expect(await answer(alice, [0, 30], 10)).toBe('fair')
  expect(await answer(alice, [30, 79], 20)).toBe('fair')
  expect(await answer(alice, [79, 80], 20)).toBe('good')
  expect(await answer(bob, [0, 80], 20)).toBe('fair')
  expect(await answer(bob, [0, 29], 10)).toBe('fair')
  expect(await answer(bob, [29, 30], 10)).toBe('good')
})

test('questions that nobody can be asked are not counted as never answered', async () => {
  const { examId, questionIds } = await open([
    numeric,
    numeric,
    ...Array.from({ length: 8 }, () => choice('')),
  ])
  const alice = await service.person()
  const answers = questionIds.slice(0, 2).map((question_id) => ({ question_id, answer: '2' }))
  await sendReviews(alice, ...answers)
  expect(await forecast(alice, examId)).toMatchObject({
    confidence: 'fair',
    answered: { right: 2, wrong: 0, unseen: 0 },
    questions: 2,
    max_score: 40,
  })
})

test('of an exam that draws, as many answers are enough as an attempt has questions', async () => {
  const { examId, questionIds } = await open(Array.from({ length: 40 }, () => numeric))
  await service.sql`
    update questions set tags = ${service.sql.json(['Sets'])}, tag_keys = ${service.sql.json(['sets'])}
     where exam_id = ${examId}`
  const draw = service.sql.json([{ tag: 'Sets', count: 10 }])
  await service.sql`update exams set draw = ${draw} where id = ${examId}`
  const alice = await service.person()
  const answer = async (from: number, to: number) => {
    const asked = questionIds.slice(from, to)
    await sendReviews(alice, ...asked.map((question_id) => ({ question_id, answer: '2' })))
    return forecast(alice, examId)
  }
  expect(await answer(0, 9)).toMatchObject({ confidence: 'low', questions: 40 })
  expect(await answer(9, 10)).toMatchObject({ confidence: 'fair', answered: { unseen: 30 } })
})

test('ten minutes are worth what may be asked today', async () => {
  const { examId, questionIds } = await open(Array.from({ length: 5 }, () => numeric))
  const alice = await service.person()
  await alice.put(`${PRACTICE}/settings`, { new_per_day: 2 }, 200)
  const worth = async () => (await forecast(alice, examId)).ten_minutes
  const unseen = await worth()
  expect(unseen.questions).toBe(2)
  expect(unseen.marks).toBeCloseTo(2 * 4 * (3 / 4), 3)
  await sendReviews(alice, ...questionIds.slice(0, 2).map((question_id) => ({ question_id, answer: '1' })))
  expect(await worth()).toEqual({ questions: 0, marks: 0 })
  expect((await listNext(alice, `exam_id=${examId}`)).cards).toEqual([])
  await service.sql`update practice_cards set due = now() where user_id = ${alice.id}`
  expect((await listNext(alice, `exam_id=${examId}`)).cards).toHaveLength(2)
  expect(await worth()).toMatchObject({ questions: 2, marks: expect.closeTo(6, 1) })
})

test('a question with a single option is known, and tells nothing of its person', async () => {
  const marks = { positive_marks: 4, negative_marks: 1 }
  const only = { ...marks, option_b: '', option_c: '', option_d: '' }
  const { examId, questionIds } = await createExam(service.sql, {
    questions: [
      choice('A', only),
      choice('A', { ...only, question_type: 'MSQ' }),
      { question_type: 'NUMERIC', correct_answer: '2', ...marks },
    ],
  })
  await service.sql`update exams set open_for_practice = true where id = ${examId}`
  const alice = await service.person()
  const known = { expected: expect.closeTo(4 + 4 + 4 / 4 - 3 / 4, 6), confidence: 'none' }
  expect(await forecast(alice, examId)).toMatchObject(known)
  for (const [days, answer] of [
    [9, 'A'],
    [4, ''],
    [2, 'A'],
  ] as const)
    await sendReviews(
      alice,
      ...questionIds.slice(0, 2).map((question_id, n) => ({
        question_id,
        answer: n === 0 || answer === '' ? answer : [answer],
        answered_at: new Date(Date.now() - days * DAY).toISOString(),
      })),
    )
  const shown = await forecast(alice, examId)
  expect(shown).toMatchObject({ ...known, confidence: 'low', answered: { right: 2, wrong: 0, unseen: 1 } })
  // What guesses leave open is the third question alone: 1 of 4, which four answers say.
  const deviation = 5 * Math.sqrt(3 / 16 + 3 / 16 / 5)
  expect(shown.low).toBeCloseTo(8.25 - 1.2816 * deviation, 6)
})

test('what is better left out neither raises what can be reached nor lowers it', async () => {
  const { examId, questionIds } = await createExam(service.sql, {
    questions: [
      choice('A', { positive_marks: 1, negative_marks: 0 }),
      ...Array.from({ length: 3 }, () => ({
        question_type: 'NUMERIC' as const,
        correct_answer: '2',
        positive_marks: 2,
        negative_marks: 2,
      })),
    ],
  })
  const alice = await service.person()
  await takeExam(alice, examId, { [questionIds[0] as number]: 'B' })
  // All were missed, and the first had four options.
  const known = 0.75 / 7.75 / 2
  const p = 1 / 4 + (3 / 4) * known
  const deviation = Math.sqrt(p * (1 - p) + 0.36 * ((3 / 4) * known * (1 - known)) ** 2)
  expect(await forecast(alice, examId)).toMatchObject({
    expected: expect.closeTo(p, 6),
    low: 0,
    high: expect.closeTo(p + 1.2816 * deviation, 6),
    max_score: 7,
  })
  // Two are credited to everybody: nothing lies below or above these and the first.
  for (const question_id of questionIds.slice(1, 3))
    await admin.post(`/api/v01/admin/exams/${examId}/regrades`, { question_id, action: 'credit_all' }, 201)
  expect(await forecast(alice, examId)).toMatchObject({ expected: expect.closeTo(4 + p, 6), low: 4 })
})

test('nobody sits an exam in the past: a forecast is of now at the earliest', async () => {
  const { examId, questionIds } = await openExam(service.sql, 2)
  const alice = await service.person()
  await sendReviews(alice, {
    question_id: questionIds[0],
    answered_at: new Date(Date.now() - 9 * DAY).toISOString(),
  })
  const before = Date.now()
  const shown = await forecast(alice, examId, atOf(before - 9 * DAY))
  expect(Date.parse(shown.at)).toBeGreaterThanOrEqual(before)
  expect(shown.expected).toBeCloseTo((await forecast(alice, examId)).expected, 3)
})
