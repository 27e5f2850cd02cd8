import { expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam } from '../support/content/exams.ts'
import { createExamOfKinds } from '../support/content/kinds.ts'
import { atOf, curveOf as curveOfCard, DAY, daysAgo, firstSight, forecast } from '../support/forecasts.ts'
import { choice, listNext, openExam, PRACTICE, sendReviews, takeExam } from '../support/practice.ts'
import { sharedService } from '../support/service.ts'

const service = await sharedService()
const admin = await service.admin()

const curveOf = (client: Client, questionId: number | undefined, at: number) =>
  curveOfCard(service.sql, client, questionId, at)

/** By adding up the density. */
function normalShareAbove(z: number): number {
  const step = 1e-4
  let sum = 0
  for (let x = z + step / 2; x < 10; x += step) sum += Math.exp((-x * x) / 2)
  return (sum * step) / Math.sqrt(2 * Math.PI)
}

test('a forecast is worked out of the forgetting curve at its time, of what is known at first sight, marks and blind guesses', async () => {
  const marks = { positive_marks: 4, negative_marks: 1 }
  const { examId, questionIds } = await createExam(service.sql, {
    questions: [
      choice('A', marks),
      choice('A,C', { ...marks, question_type: 'MSQ' }),
      { question_type: 'NUMERIC', correct_answer: '2', ...marks },
    ],
  })
  await service.sql`update exams set open_for_practice = true, pass_percentage = 30 where id = ${examId}`
  const [practised] = questionIds as [number]
  const tags = service.sql.json(['Sets'])
  await service.sql`update questions set tags = ${tags} where id = ${practised}`
  const alice = await service.person()
  const guesses = [1 / 4, 1 / 15, 0]
  const marksOf = (ps: readonly number[]) => ps.reduce((sum, p) => sum + 4 * p - (1 - p), 0)
  const rightOf = (known: number, guess = 0) => guess + (1 - guess) * known
  expect(await forecast(alice, examId)).toMatchObject({
    expected: expect.closeTo(marksOf(guesses.map((guess) => rightOf(1 / 4, guess))), 6),
    max_score: 12,
    pass_percentage: 30,
    pass_chance: null,
    confidence: 'none',
    answered: { right: 0, wrong: 0, unseen: 3 },
    covered: 0,
    questions: 3,
  })

  await sendReviews(alice, { question_id: practised })
  const at = Date.now() + 10 * DAY
  const curve = await curveOf(alice, practised, at)
  const { known, variance } = firstSight(1, 1, 1 / 4)
  const ps = guesses.map((guess, n) => rightOf(n === 0 ? curve : known, guess))
  const own = ps.reduce((sum, p) => sum + p * (1 - p) * 25, 0)
  const slope = (3 / 4) * curve * (1 - curve) * 5
  const unseen = (14 / 15 + 1) * 5
  const deviation = Math.sqrt(own + 0.36 * slope ** 2 + variance * unseen ** 2)
  const expected = marksOf(ps)
  const shown = await forecast(alice, examId, atOf(at))
  expect(shown).toMatchObject({
    expected: expect.closeTo(expected, 6),
    low: expect.closeTo(Math.max(-3, expected - 1.2816 * deviation), 6),
    high: expect.closeTo(Math.min(12, expected + 1.2816 * deviation), 6),
    expected_percentage: expect.closeTo((100 * expected) / 12),
    confidence: 'low',
    pass_chance: null,
    answered: { right: 1, wrong: 0, unseen: 2 },
    covered: 1,
    by_tag: [{ tag: 'Sets', questions: 1, covered: 1, expected_percentage: expect.any(Number) }],
  })
  // Right answers to the two others now.
  expect(shown.ten_minutes.questions).toBe(2)
  expect(shown.ten_minutes.marks).toBeGreaterThan(2)

  for (const question_id of questionIds.slice(1))
    await sendReviews(alice, { question_id, answer: question_id === questionIds[2] ? '2' : ['A', 'C'] })
  const { pass_chance, confidence } = await forecast(alice, examId, atOf(at))
  expect(confidence).toBe('fair')
  expect(pass_chance).toBeGreaterThan(0.9)
})

test('who fails an exam is not foretold that they know what nobody showed them', async () => {
  const questions = Array.from({ length: 12 }, () => choice('A', { positive_marks: 1, negative_marks: 0 }))
  const { examId, questionIds } = await createExam(service.sql, { questions, pass_percentage: 40 })
  const alice = await service.person()
  const missed = Object.fromEntries(questionIds.map((id) => [id, 'B']))
  await takeExam(alice, examId, { ...missed, [questionIds[0] as number]: 'A' })
  await takeExam(alice, examId, missed)
  await takeExam(alice, examId, missed)
  const at = Date.now() + 7 * DAY
  const shown = await forecast(alice, examId, atOf(at))
  const curve = await curveOf(alice, questionIds[0], at)
  expect(shown).toMatchObject({
    // Eleven blind guesses, and what they knew.
    expected: expect.closeTo(11 / 4 + 1 / 4 + (3 / 4) * curve, 6),
    confidence: 'fair',
    answered: { right: 1, wrong: 11, unseen: 0 },
  })
  expect(shown.expected_percentage).toBeLessThan(34)
  const p = 1 / 4 + (3 / 4) * curve
  const deviation = Math.sqrt((11 * 3) / 16 + p * (1 - p) + 0.36 * ((3 / 4) * curve * (1 - curve)) ** 2)
  // What is shown as 40 % begins at 39.995.
  const z = (12 * 0.39995 - 11 / 4 - p) / deviation
  expect(shown.pass_chance).toBeCloseTo(normalShareAbove(z), 5)
  expect(shown.pass_chance).toBeGreaterThan(0.1)
  expect(shown.pass_chance).toBeLessThan(0.4)
})

test('who was wrong in practice was shown the answer, which is a quarter of what the curve says', async () => {
  const questions = Array.from(
    { length: 6 },
    () => ({ question_type: 'NUMERIC', correct_answer: '2' }) as const,
  )
  const { examId, questionIds } = await createExam(service.sql, { questions, pass_percentage: 40 })
  await service.sql`update exams set open_for_practice = true where id = ${examId}`
  const alice = await service.person()
  await sendReviews(alice, ...questionIds.map((question_id) => ({ question_id, answer: '1' })))
  const at = Date.now() + 7 * DAY
  const shown = await forecast(alice, examId, atOf(at))
  const curve = await curveOf(alice, questionIds[0], at)
  expect(curve).toBeGreaterThan(0.5)
  const p = Math.max(firstSight(0, 6).known / 2, curve / 4)
  // A wrong answer costs more than these bring: all are left out.
  expect(4 * p).toBeLessThan(1 - p)
  expect(shown).toMatchObject({ expected: 0, low: 0, high: 0, confidence: 'fair', pass_chance: 0 })
  await service.sql`update questions set negative_marks = 0 where exam_id = ${examId}`
  expect(await forecast(alice, examId, atOf(at))).toMatchObject({
    expected: expect.closeTo(6 * 4 * p, 6),
    answered: { right: 0, wrong: 6, unseen: 0 },
  })
})

test('who never answered anything is expected to score what they may know, without a chance to pass', async () => {
  const { examId } = await createExam(service.sql, {
    questions: Array.from({ length: 10 }, () => ({
      question_type: 'NUMERIC',
      correct_answer: '2',
      negative_marks: 4,
    })),
  })
  await service.sql`update exams set open_for_practice = true where id = ${examId}`
  expect(await forecast(await service.person(), examId)).toMatchObject({
    expected: 0,
    expected_percentage: 0,
    pass_chance: null,
    confidence: 'none',
    answered: { right: 0, wrong: 0, unseen: 10 },
  })
})

test('what somebody keeps better or worse than the curve says is found in their reviews', async () => {
  const { examId, questionIds } = await createExam(service.sql, {
    questions: Array.from({ length: 40 }, () => ({
      question_type: 'NUMERIC' as const,
      correct_answer: '2',
      negative_marks: 0,
    })),
  })
  await service.sql`update exams set open_for_practice = true where id = ${examId}`
  const [alice, bob] = [await service.person(), await service.person()]
  const at = Date.now() + 7 * DAY
  for (const person of [alice, bob]) {
    const reviews = (days: number, answer: string) =>
      questionIds.map((question_id) => ({
        question_id,
        answer,
        answered_at: new Date(Date.now() - days * DAY).toISOString(),
      }))
    await sendReviews(person, ...reviews(25, '2'))
    await sendReviews(person, ...reviews(15, person === alice ? '2' : '1'))
  }
  // Before the second answers all cards were the same.
  const [row] = await service.sql<{ expected: number }[]>`
    select expected from practice_reviews where user_id = ${alice.id} and expected is not null limit 1`
  const before = row?.expected as number
  const logistic = (x: number) => 1 / (1 + Math.exp(-x))
  const logit = (k: number) => Math.log(k / (1 - k))
  const mostLikely = (isRight: boolean) => {
    let [best, most] = [0, Number.NEGATIVE_INFINITY]
    for (let by = -3; by <= 3; by += 0.0001) {
      const p = logistic(logit(before) + by)
      const sum = 40 * Math.log(isRight ? p : 1 - p) - by ** 2 / 0.72
      if (sum > most) [best, most] = [by, sum]
    }
    const p = logistic(logit(before) + best)
    return { by: best, variance: 1 / (1 / 0.36 + 40 * p * (1 - p)) }
  }
  for (const [person, isRight] of [
    [alice, true],
    [bob, false],
  ] as const) {
    const curve = await curveOf(person, questionIds[0], at)
    const { by, variance } = mostLikely(isRight)
    const sight = firstSight(40, 40).known
    const known = logistic(logit(isRight ? curve : Math.max(sight / 2, curve / 4)) + by)
    const deviation = Math.sqrt(
      40 * known * (1 - known) * 16 + variance * (40 * known * (1 - known) * 4) ** 2,
    )
    expect(await forecast(person, examId, atOf(at))).toMatchObject({
      expected: expect.closeTo(160 * known, 1),
      low: expect.closeTo(Math.max(0, 160 * known - 1.2816 * deviation), 1),
      confidence: 'good',
    })
  }
})

test('after a wrong answer it matters what was known at first sight at that time', async () => {
  const { examId, questionIds } = await createExam(service.sql, {
    questions: Array.from({ length: 12 }, () => ({
      question_type: 'NUMERIC' as const,
      correct_answer: '2',
      negative_marks: 0,
    })),
  })
  await service.sql`update exams set open_for_practice = true where id = ${examId}`
  const alice = await service.person()
  const [first, ...others] = questionIds as [number, ...number[]]
  const answers = (ids: readonly number[], answer: string, days: number) =>
    ids.map((question_id) => ({ question_id, answer, answered_at: daysAgo(days) }))
  await sendReviews(alice, ...answers(others.slice(0, 8), '2', 29), ...answers([first], '1', 28))
  await sendReviews(alice, ...answers([first], '2', 20))
  // Known at first sight since then, but not before the one review that counts.
  await sendReviews(alice, ...answers(others.slice(8), '2', 10))
  const [row] = await service.sql<{ expected: number }[]>`
    select expected from practice_reviews where user_id = ${alice.id} and expected is not null`
  const before = Math.max(firstSight(8, 9).known / 2, (row?.expected as number) / 4)
  expect(before).toBe(firstSight(8, 9).known / 2)
  const logistic = (x: number) => 1 / (1 + Math.exp(-x))
  const logit = (k: number) => Math.log(k / (1 - k))
  let [best, most] = [0, Number.NEGATIVE_INFINITY]
  for (let by = -3; by <= 3; by += 0.00001) {
    const likelihood = Math.log(logistic(logit(before) + by)) - by ** 2 / 0.72
    if (likelihood > most) [best, most] = [by, likelihood]
  }
  const at = Date.now()
  const curves = await Promise.all(questionIds.map((id) => curveOf(alice, id, at)))
  const expected = curves.reduce((sum, curve) => sum + 4 * logistic(logit(curve) + best), 0)
  expect(await forecast(alice, examId, atOf(at))).toMatchObject({ expected: expect.closeTo(expected, 4) })
})

test('a partly right answer brings its share where partly right ones bring one', async () => {
  const { examId, questionIds } = await createExam(service.sql, {
    msq_scoring: 'partial',
    questions: [choice('A,B,C', { question_type: 'MSQ', positive_marks: 3, negative_marks: 1 })],
  })
  await service.sql`update exams set open_for_practice = true where id = ${examId}`
  const [alice, bob] = [await service.person(), await service.person()]
  expect(await sendReviews(alice, { question_id: questionIds[0], answer: ['A', 'B'] })).toMatchObject([
    { outcome: 'partly' },
  ])
  await takeExam(bob, examId, { [questionIds[0] as number]: ['A', 'B'] as never })
  for (const person of [alice, bob])
    expect(await forecast(person, examId)).toMatchObject({
      expected: expect.closeTo(2, 6),
      low: expect.closeTo(2 - 1.2816 * Math.sqrt(2), 6),
      high: 3,
      answered: { right: 0, wrong: 1, unseen: 0 },
    })
  // What was partly right is wrong otherwise.
  await service.sql`update exams set msq_scoring = 'all_or_nothing' where id = ${examId}`
  expect((await forecast(alice, examId)).expected).toBeLessThan(1)
})

test('cards that 1.0.0 stored are foretold by their reviews, and follow at their next one', async () => {
  const { examId, questionIds } = await openExam(service.sql, 3)
  const alice = await service.person()
  const at = Date.now() + 7 * DAY
  const sent = questionIds.map((question_id, n) => ({ question_id, answer: n === 0 ? 'A' : 'B' }))
  await sendReviews(alice, ...sent)
  await sendReviews(alice, { question_id: questionIds[1], answer: 'A' })
  const now = await forecast(alice, examId, atOf(at))
  await service.sql`
    update practice_cards set timezone = null, first_at = null, is_first_right = null, last_at = null, last_outcome = null,
                              is_last_shown = null
     where user_id = ${alice.id}`
  expect(await forecast(alice, examId, atOf(at))).toEqual({ ...now, ten_minutes: expect.any(Object) })
  await sendReviews(alice, { question_id: questionIds[0] })
  const [card] = await service.sql`
    select timezone, is_first_right, last_outcome, is_last_shown, last_at = last_review as is_last, reps
      from practice_cards where user_id = ${alice.id} and question_id = ${questionIds[0] as number}`
  expect(card).toEqual({
    timezone: 'UTC',
    is_first_right: true,
    last_outcome: 'right',
    is_last_shown: true,
    is_last: true,
    reps: 2,
  })
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
    expected: expect.closeTo(4 * 0.5 * (1 / 4 + (3 / 4) * (1 / 4)) * 2),
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
    'FORMULA',
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
