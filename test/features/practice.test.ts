import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { addQuestion, createExam, type ExamFields } from '../support/content/exams.ts'
import {
  choice,
  listNext as next,
  readOverview as overview,
  PRACTICE,
  sendReviews as review,
  takeExam as take,
} from '../support/practice.ts'
import { startService, type TestService } from '../support/service.ts'

const DAY = 24 * 3_600_000

let service: TestService
let admin: Client
/** Milliseconds by which the service's clock is ahead. */
let ahead = 0
beforeAll(async () => {
  service = await startService({ nodes: 2, clock: () => Date.now() + ahead })
  admin = await service.admin()
})
afterAll(() => service.close())
// Its questions would be everybody's cards.
afterEach(() => service.sql`update exams set open_for_practice = false`)

/** An exam of questions whose right answer is A. */
const examOf = (count: number, given: ExamFields & { open_for_practice?: boolean } = {}) =>
  createExam(service.sql, { questions: Array.from({ length: count }, () => choice()), ...given })

/** Lets time pass; tokens end meanwhile. */
async function pass(ms: number, ...clients: Client[]): Promise<void> {
  ahead += ms
  for (const client of [admin, ...clients]) await client.login(client.username)
}

const idsOf = ({ cards }: Awaited<ReturnType<typeof next>>) => cards.map(({ card }) => card.question_id)

describe('cards', () => {
  test('begin with the answers of a visible result, and wait until they are due', async () => {
    const { examId, questionIds } = await examOf(3, { name: 'Begun' })
    const [right, wrong, empty] = questionIds as [number, number, number]
    const alice = await service.person()
    expect(await overview(alice)).toEqual({
      success: true,
      due: 0,
      new: 0,
      learning: 0,
      known: 0,
      next_due_at: null,
      today: { reviews: 0, right: 0, minutes: 0 },
      streak_days: 0,
      settings: { new_per_day: 20, retention: 0.9 },
    })
    await take(alice, examId, { [right]: 'A', [wrong]: 'B' })
    expect(await overview(alice)).toMatchObject({ due: 0, new: 0, learning: 3, today: { reviews: 0 } })
    await pass(2 * 60_000, alice)
    const first = await next(alice)
    expect(idsOf(first).sort()).toEqual([wrong, empty].sort())
    expect(first).toMatchObject({ due: 2, new: 0 })
    expect(first.cards[0]).toMatchObject({
      card: { exam_id: examId, exam_name: 'Begun', tags: [], state: 'learning', reps: 1, lapses: 0 },
      question: { option_a: 'one', question_version: expect.any(Number) },
    })
    expect(first.cards[0]?.question).not.toHaveProperty('correct_answer')
    expect(await next(alice)).toMatchObject({
      cards: first.cards.map(({ question }) => ({ question })),
    })
    await pass(10 * 60_000, alice)
    expect((await next(alice)).due).toBe(3)
  })

  test('are those of results that may be seen, and come back as they were', async () => {
    const { examId, questionIds } = await examOf(2, { result_mode: 'on_release' })
    const alice = await service.person()
    await take(alice, examId, {})
    await pass(2 * 60_000, alice)
    expect(await next(alice)).toMatchObject({ cards: [], due: 0, new: 0 })
    const release = (released: boolean) =>
      admin.post(`/api/v01/admin/exams/${examId}/toggle-results`, { released }, 200)
    await release(true)
    const shown = await next(alice)
    expect(idsOf(shown).sort()).toEqual(questionIds)
    await release(false)
    expect(await overview(alice)).toMatchObject({ due: 0, learning: 0, next_due_at: null })
    expect((await review(alice, { question_id: questionIds[0] }))[0]).toMatchObject({
      error: { code: 'not_found' },
    })
    await release(true)
    expect(await next(alice)).toMatchObject({
      due: 2,
      cards: shown.cards.map(({ question }) => ({ question })),
    })
    await admin.delete(`/api/v01/admin/exams/${examId}`, 200)
    expect(await overview(alice)).toMatchObject({ due: 0, learning: 0 })
  })

  test('of a result keep its form, unless the exam is open for practice', async () => {
    const { examId, questionIds } = await examOf(2)
    const [edited, deleted] = questionIds as [number, number]
    const alice = await service.person()
    await take(alice, examId, {})
    const edit = (changes: object) =>
      service.sql`update questions set ${service.sql(changes)} where id = ${edited}`
    await edit({ question_text: 'The new text', correct_answer: 'B' })
    await pass(2 * 60_000, alice)
    expect(idsOf(await next(alice)).sort()).toEqual([edited, deleted])
    await admin.delete(`/api/v01/admin/questions/${deleted}`, 200)
    expect(idsOf(await next(alice))).toEqual([edited])
    expect(await overview(alice)).toMatchObject({ due: 1, learning: 1 })
    expect(await review(alice, { question_id: deleted })).toMatchObject([{ error: { code: 'not_found' } }])
    const [old] = (await next(alice)).cards
    expect(old?.question.question_text).toBe('Which one?')
    expect(await review(alice, { question_id: edited, answer: 'A' })).toMatchObject([{ outcome: 'right' }])
    const version = old?.question.question_version
    await admin.patch(`/api/v01/admin/exams/${examId}`, { open_for_practice: true }, 200)
    await pass(DAY, alice)
    const now = (await next(alice)).cards.find(({ card }) => card.question_id === edited)
    expect(now?.question).toMatchObject({ question_text: 'The new text' })
    const both = await review(
      alice,
      { question_id: edited, answer: 'B', question_version: now?.question.question_version },
      { question_id: edited, answer: 'B', question_version: version },
      { question_id: edited, answer: 'B', question_version: 999_999_999 },
    )
    expect(both).toMatchObject([
      { outcome: 'right', correct_answer: 'B' },
      { outcome: 'wrong', correct_answer: 'A' },
      { error: { code: 'not_found' } },
    ])
    // What was shown while it was open is judged by its form after one more edit.
    await edit({ correct_answer: 'C' })
    const later = await review(
      alice,
      { question_id: edited, answer: 'B', question_version: now?.question.question_version },
      { question_id: edited, answer: 'C' },
    )
    expect(later).toMatchObject([{ outcome: 'right' }, { outcome: 'right', correct_answer: 'C' }])
    await admin.patch(`/api/v01/admin/exams/${examId}`, { open_for_practice: false }, 200)
  })

  test('of open exams are new until today has brought enough of them', async () => {
    const { examId, questionIds } = await examOf(30, { name: 'Open' })
    await service.sql`update questions set correct_answer = '' where id = ${questionIds[29] as number}`
    const alice = await service.person()
    const open = (open_for_practice: boolean) =>
      admin.patch(`/api/v01/admin/exams/${examId}`, { open_for_practice }, 200)
    const ofExam = () => next(alice, `exam_id=${examId}&limit=70`)
    expect(await ofExam()).toMatchObject({ cards: [], new: 0 })
    await open(true)
    const first = await ofExam()
    expect(first).toMatchObject({ due: 0, new: 20, cards: { length: 20 } })
    expect(first.cards[0]?.card).toMatchObject({ state: 'new', reps: 0, stability: 0, retrievability: null })
    expect(await ofExam()).toMatchObject({ cards: first.cards.map(({ question }) => ({ question })) })
    const [one, two] = idsOf(first)
    const results = await review(alice, { question_id: one }, { question_id: two, answer: 'B' })
    expect(results).toMatchObject([
      {
        outcome: 'right',
        rating: 3,
        correct: 'A',
        correct_answer: 'A',
        explanation: '',
        card: { reps: 1, exam_name: 'Open' },
      },
      { outcome: 'wrong', rating: 1, card: { state: 'learning' } },
    ])
    expect(await ofExam()).toMatchObject({ new: 18 })
    await alice.put(`${PRACTICE}/settings`, { new_per_day: 100 }, 200)
    expect(await ofExam()).toMatchObject({ new: 27 })

    // An attempt under way closes it, also for what has been reviewed.
    const { body } = await alice.post(`/api/v01/exams/${examId}/start`, {}, 201)
    expect(body.attempt_id).toBeGreaterThan(0)
    await pass(20 * 60_000, alice)
    expect(await ofExam()).toMatchObject({ cards: [], due: 0, new: 0 })
    expect(await review(alice, { question_id: one })).toMatchObject([{ error: { code: 'not_found' } }])
    await alice.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    await service.sql`update attempts set submitted_at = submitted_at + interval '1 hour' where user_id = ${alice.id}`
    expect(await ofExam()).toMatchObject({ due: 2 })

    // Hidden it is as if it weren't there, but for what the result shows.
    const bob = await service.person()
    await review(bob, { question_id: one })
    await pass(DAY, bob)
    expect(await next(bob, `exam_id=${examId}`)).toMatchObject({ due: 1 })
    await admin.patch(`/api/v01/admin/exams/${examId}`, { is_published: false }, 200)
    expect(await next(bob, `exam_id=${examId}`)).toMatchObject({ due: 0, new: 0 })
    expect(await overview(bob)).toMatchObject({ learning: 0, known: 0, next_due_at: null })
    await admin.patch(`/api/v01/admin/exams/${examId}`, { is_published: true }, 200)
    expect(await next(bob, `exam_id=${examId}`)).toMatchObject({ due: 1 })
    await open(false)
  })

  test('of an exam whose questions were all asked are new again where there is another question or key', async () => {
    const { examId, questionIds } = await examOf(2, { open_for_practice: true })
    const [one, two] = questionIds as [number, number]
    const keyless = await addQuestion(service.sql, examId, choice(''))
    const alice = await service.person()
    const asNew = async () => {
      const found = await next(alice, `exam_id=${examId}`)
      expect(found.new).toBe(found.cards.length)
      return idsOf(found)
    }
    expect(await asNew()).toEqual([one, two])
    await review(alice, { question_id: two })
    expect(await asNew()).toEqual([one])
    const client_id = randomUUID()
    await review(alice, { question_id: one, client_id })
    expect(await asNew()).toEqual([])
    await alice.post(`${PRACTICE}/reviews/undo`, { client_id }, 200)
    expect(await asNew()).toEqual([one])
    await review(alice, { question_id: one })
    const added = await addQuestion(service.sql, examId, choice())
    expect(await asNew()).toEqual([added])
    await service.sql`update questions set correct_answer = 'A' where id = ${keyless}`
    expect(await asNew()).toEqual([keyless, added])
    await review(alice, { question_id: keyless }, { question_id: added })
    expect(await asNew()).toEqual([])
    await admin.patch(`/api/v01/admin/exams/${examId}`, { open_for_practice: false }, 200)
  })

  test('follow corrections, but their first rating doesn’t', async () => {
    const { examId, questionIds } = await examOf(3)
    const [rekeyed, dropped, credited] = questionIds as [number, number, number]
    const [alice, bob] = [await service.person(), await service.person()]
    const answers = { [rekeyed]: 'A', [dropped]: 'A', [credited]: 'B' }
    await take(alice, examId, answers)
    await take(bob, examId, answers)
    await pass(20 * 60_000, alice, bob)
    const before = await next(alice)
    expect(before.due).toBe(3)
    const regrade = (question_id: number, given: object) =>
      admin.post(`/api/v01/admin/exams/${examId}/regrades`, { question_id, ...given } as never, 201)
    await regrade(rekeyed, { action: 'new_key', correct_answer: 'B' })
    await regrade(dropped, { action: 'drop' })
    await regrade(credited, { action: 'credit_all' })
    // Bob's results were visible before, though he practises for the first time now.
    for (const client of [alice, bob]) {
      const { cards } = await next(client)
      const card = (id: number) => cards.find((each) => each.card.question_id === id)?.card
      expect(cards).toHaveLength(2)
      expect(card(rekeyed)?.stability).toBeGreaterThan(2)
      expect(card(credited)?.stability).toBeLessThan(1)
      expect(await review(client, { question_id: rekeyed }, { question_id: credited })).toMatchObject([
        { outcome: 'wrong', correct_answer: 'B' },
        { outcome: 'right', correct_answer: 'A' },
      ])
      expect(await review(client, { question_id: dropped })).toMatchObject([{ error: { code: 'not_found' } }])
    }
  })
})

describe('next', () => {
  test('asks first what gains most, spreads tags, and goes by exam and tag', async () => {
    const marks = [1, 4, 2, 8]
    const { examId, questionIds } = await createExam(service.sql, {
      questions: marks.map((positive_marks) => choice('A', { positive_marks, negative_marks: 0 })),
    })
    const { sql } = service
    const alice = await service.person()
    await take(alice, examId, {})
    await pass(DAY, alice)
    expect(idsOf(await next(alice))).toEqual([3, 1, 2, 0].map((index) => questionIds[index]))
    const tag = (index: number, tags: string[]) =>
      sql`update questions set tags = ${sql.json(tags)}, tag_keys = ${sql.json(tags.map((each) => each.toLowerCase()))}
           where id = ${questionIds[index] as number}`
    await tag(3, ['Motion', 'x'])
    await tag(1, ['motion'])
    await tag(2, ['Heat'])
    expect(idsOf(await next(alice))).toEqual([3, 2, 1, 0].map((index) => questionIds[index]))
    expect(idsOf(await next(alice, 'tag=MOTION'))).toEqual([3, 1].map((index) => questionIds[index]))
    expect(await next(alice, 'tag=heat&limit=1')).toMatchObject({ due: 1, cards: { length: 1 } })
    expect(await next(alice, `exam_id=${examId + 1_000}`)).toMatchObject({ due: 0, cards: [] })
    expect(idsOf(await next(alice, 'limit=2'))).toEqual([3, 1].map((index) => questionIds[index]))
    await alice.get(`${PRACTICE}/next?limit=0` as `${typeof PRACTICE}/next`, 400)
  })

  test('takes for known what was right, and little of what was wrong, less where nobody showed it', async () => {
    const marks = [4, 0.5, 0.5]
    const { examId, questionIds } = await createExam(service.sql, {
      questions: marks.map((positive_marks) => choice('A', { positive_marks, negative_marks: 0 })),
    })
    await service.sql`update exams set open_for_practice = true where id = ${examId}`
    const [right, missed, shown] = questionIds as [number, number, number]
    const alice = await service.person()
    await review(alice, { question_id: right }, { question_id: shown, answer: 'B' })
    await take(alice, examId, { [missed]: 'B' })
    await pass(DAY / 2, alice)
    expect(idsOf(await next(alice))).toEqual([missed, shown, right])
  })

  test('keeps ids of choices, and shuffles options after each review', async () => {
    const pairs = ['a', 'b', 'c', 'd'].map((prompt) => ({ prompt, match: prompt.toUpperCase() }))
    const created = await admin.post(
      '/api/v01/admin/exams',
      { name: 'Parts', is_published: true, open_for_practice: true },
      201,
    )
    const exam_id = created.body.exam.id
    const questions = [
      {
        question_text: 'Q',
        question_type: 'MATCHING',
        parts: { pairs, distractors: [] },
        explanation: 'Look.',
      },
      { question_text: 'Q', ...choice('C'), more_options: ['five', 'six', 'seven', 'eight'] },
    ]
    await admin.post('/api/v01/admin/questions/bulk-add', { exam_id, questions }, 201)
    const listed = await admin.get(`/api/v01/admin/questions?exam_id=${exam_id}`, 200)
    const [matching, mcq] = listed.body.questions.map(({ id }) => id) as [number, number]
    const alice = await service.person()
    const ask = async () => {
      const { cards } = await next(alice, `exam_id=${exam_id}`)
      return new Map(cards.map(({ question }) => [question.id, question]))
    }
    const before = await ask()
    const parts = before.get(matching)?.parts as { choices: { id: string; text: string }[] }
    const answer = pairs.map(({ match }) => parts.choices.find(({ text }) => text === match)?.id)
    expect(
      await review(alice, { question_id: matching, answer: answer.with(0, '') }, { question_id: mcq }),
    ).toMatchObject([
      { outcome: 'wrong', correct: answer, explanation: 'Look.' },
      { outcome: 'wrong', correct: 'C' },
    ])
    await service.sql`update exams set msq_scoring = 'partial' where id = ${exam_id}`
    expect(await review(alice, { question_id: matching, answer: answer.with(0, '') })).toMatchObject([
      { outcome: 'partly', rating: 1 },
    ])
    expect(
      await review(
        alice,
        { question_id: matching, answer, sure: false },
        { question_id: matching, answer: ['x'] },
        { question_id: matching, answer: [] },
      ),
    ).toMatchObject([
      { outcome: 'right', rating: 2 },
      { error: { code: 'validation_failed' } },
      { outcome: 'wrong', rating: 1 },
    ])
    await pass(DAY, alice)
    const after = await ask()
    expect(after.get(matching)?.parts).toEqual(parts)
    const orders = [before, after].map((asked) => asked.get(mcq)?.option_order)
    expect(orders[0]?.toSorted()).toEqual(orders[1]?.toSorted())
    expect(orders[0]).not.toEqual(orders[1])
    const bob = await service.person()
    const others = (await next(bob, `exam_id=${exam_id}`)).cards.map(({ question }) => question)
    expect(others.map(({ parts }) => parts)).not.toContainEqual(parts)
  })
})

test('a thousand attempts at an exam of 300 questions begin each card once, and hold nobody up', async () => {
  const { examId } = await createExam(service.sql)
  await service.sql`
    insert into questions (exam_id, question_text, option_a, option_b, correct_answer)
    select ${examId}, 'One of many', 'one', 'two', 'B' from generate_series(1, 299) n`
  const student = await service.person()
  await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
  await student.post(`/api/v01/exams/${examId}/submit`, {}, 200)
  await service.sql`
    insert into attempts overriding user value
    select (jsonb_populate_record(first, jsonb_build_object(
             'attempt_number', n, 'started_at', first.started_at - n * interval '1 second',
             'submitted_at', first.submitted_at - n * interval '1 second'))).*
      from attempts first, generate_series(2, 1000) n where first.user_id = ${student.id}`
  const began = performance.now()
  const { body } = await student.get('/api/v01/practice/next', 200)
  expect(performance.now() - began).toBeLessThan(5_000)
  expect(body.cards.length).toBeGreaterThan(0)
  const [stored] = await service.sql`
    select count(*)::int, count(distinct question_id)::int as questions from practice_reviews where user_id = ${student.id}`
  expect(stored).toEqual({ count: stored?.questions, questions: stored?.count })
  expect(stored?.count).toBeGreaterThanOrEqual(299)
})
