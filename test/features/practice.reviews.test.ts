import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import {
  choice,
  expectedMemory,
  type GivenReview,
  openExam as openFor,
  PRACTICE,
  readMemory,
  readOverview,
  sendReviews,
  takeExam,
} from '../support/practice.ts'
import { startService, type TestService, withService } from '../support/service.ts'

const DAY = 24 * 3_600_000

let service: TestService
beforeAll(async () => {
  service = await startService({ nodes: 2 })
})
afterAll(() => service.close())

const elsewhere = (client: Client) => client.at(service.urls[1] as string)

const openExam = (count: number) => openFor(service.sql, count)
const cardOf = (client: Client, questionId: number) => readMemory(service.sql, client, questionId)

test('a client_id counts once, in any case, however often it comes, on both nodes', async () => {
  const { questionIds } = await openExam(2)
  const [questionId, other] = questionIds as [number, number]
  const alice = await service.person()
  const client_id = randomUUID()
  const all = await Promise.all(
    Array.from({ length: 24 }, (_, n) =>
      sendReviews(n % 2 ? alice : elsewhere(alice), {
        client_id: n % 3 ? client_id : client_id.toUpperCase(),
        question_id: questionId,
        answer: n % 4 ? 'A' : 'B',
      }),
    ),
  )
  const results = all.map(([result]) => ({ ...result, client_id: undefined }))
  expect(new Set(results.map((each) => JSON.stringify(each))).size).toBe(1)
  expect(await readOverview(alice)).toMatchObject({
    today: { reviews: 1 },
    learning: 1,
    new: expect.any(Number),
  })
  expect(await cardOf(alice, questionId)).toMatchObject({ reps: 1 })
  const twice = await sendReviews(
    alice,
    { client_id: randomUUID(), question_id: other },
    { client_id, question_id: other },
  )
  expect(twice[1]).toEqual({ ...results[0], client_id })
  const bob = await service.person()
  expect(await sendReviews(bob, { client_id, question_id: questionId })).toMatchObject([
    { card: { reps: 1 } },
  ])
})

test('undo takes the newest review of a card back, and it stays undone', async () => {
  const { examId, questionIds } = await createExam(service.sql, { questions: [choice()] })
  const questionId = questionIds[0] as number
  const alice = await service.person()
  await takeExam(alice, examId, { [questionId]: 'A' })
  await readOverview(alice)
  const seeded = await cardOf(alice, questionId)
  const [first, second] = [randomUUID(), randomUUID()]
  const undo = (client_id: string, status: 200 | 404 | 409) =>
    alice.post(`${PRACTICE}/reviews/undo`, { client_id }, status as 200)
  await sendReviews(alice, {
    client_id: first,
    question_id: questionId,
    answer: 'B',
    answered_at: new Date(Date.now() + 1).toISOString(),
  })
  const once = await cardOf(alice, questionId)
  await sleep(5)
  const [result] = await sendReviews(alice, { client_id: second, question_id: questionId })
  expect((await undo(first, 409)).body).toMatchObject({ code: 'not_newest' })
  await undo(randomUUID(), 404)
  const undone = await undo(second.toUpperCase(), 200)
  expect(undone.body).toMatchObject({ card: { question_id: questionId, reps: 2 } })
  expect(await cardOf(alice, questionId)).toEqual(once)
  await undo(second, 200)
  expect(await sendReviews(alice, { client_id: second, question_id: questionId })).toEqual([result])
  expect(await readOverview(alice)).toMatchObject({ today: { reviews: 1 } })
  await undo(first, 200)
  expect(await cardOf(alice, questionId)).toEqual(seeded)
  expect(await readOverview(alice)).toMatchObject({ today: { reviews: 0 }, streak_days: 0 })
})

test('reviews without a time are dated by the service’s clock, each after the card’s earlier ones, and can be taken back in turn', async () => {
  const { questionIds } = await openExam(1)
  const [question_id] = questionIds as [number]
  const alice = await service.person()
  const ids = Array.from({ length: 6 }, () => randomUUID())
  const answers = ['A', 'B', 'A', 'A', 'B', 'A']
  const reviews = ids.map((client_id, n) => ({ client_id, question_id, answer: answers[n] }))
  const [one, two, three, ...kept] = reviews as [GivenReview, GivenReview, GivenReview, ...GivenReview[]]
  await sendReviews(alice, one)
  await sendReviews(elsewhere(alice), two)
  // The service's clock has not gone on: several of one card in a request have the same time.
  await sendReviews(alice, three, ...kept)
  const log = await service.sql<{ client_id: string; answered_at: Date }[]>`
    select client_id, answered_at from practice_reviews where user_id = ${alice.id} order by answered_at, client_id`
  expect(log.map(({ client_id }) => client_id)).toEqual(ids)
  const times = log.map(({ answered_at }) => answered_at.getTime())
  expect(new Set(times).size).toBe(6)
  expect(times[0]).toBeGreaterThan(Date.now() - 60_000)
  const sent = log.map(({ client_id, answered_at }, n) => ({
    client_id,
    question_id,
    answer: answers[n] as string,
    sure: true,
    answered_at: answered_at.toISOString(),
  }))
  expect(await cardOf(alice, question_id)).toEqual(expectedMemory(sent, []))
  for (const client_id of ids.toReversed()) await alice.post(`${PRACTICE}/reviews/undo`, { client_id }, 200)
})

test('errors cost the others nothing, and are not kept', async () => {
  const { questionIds } = await openExam(1)
  const question_id = questionIds[0]
  const alice = await service.person()
  const client_id = randomUUID()
  const results = await sendReviews(
    alice,
    { client_id, question_id, answer: ['A', 'B'] },
    { question_id, took_ms: 3_600_000 },
    { question_id: 2_000_000_000 },
    { question_id, answer: '' },
  )
  expect(results).toMatchObject([
    { client_id, error: { code: 'validation_failed', message: expect.any(String) } },
    { outcome: 'right' },
    { error: { code: 'not_found' } },
    { outcome: 'wrong', rating: 1, correct: 'A' },
  ])
  expect(await sendReviews(alice, { client_id, question_id })).toMatchObject([{ outcome: 'right' }])
  expect(await readOverview(alice)).toMatchObject({
    today: { reviews: 3, right: 2, minutes: 10 },
    streak_days: 1,
  })
  const send = (reviews: object[]) => alice.post(`${PRACTICE}/reviews`, { reviews } as never, 400)
  await send([])
  await send(
    Array.from({ length: 101 }, () => ({ client_id: randomUUID(), question_id, answer: 'A', sure: true })),
  )
  await send([{ client_id: 'x', question_id, answer: 'A', sure: true }])
  await send([{ client_id: randomUUID(), question_id, answer: 'A', sure: true, answered_at: 'yesterday' }])
})

test('answers may be thirty days late, and none is in the future', async () => {
  const { questionIds } = await openExam(2)
  const [late, early] = questionIds as [number, number]
  const alice = await service.person()
  const began = Date.now()
  await sendReviews(
    alice,
    { question_id: late, answered_at: new Date(began - 50 * DAY).toISOString() },
    { question_id: early, answered_at: new Date(began + DAY).toISOString() },
  )
  const rows = await service.sql<{ question_id: number; answered_at: Date }[]>`
    select question_id, answered_at from practice_reviews where user_id = ${alice.id} order by answered_at`
  expect(rows.map(({ question_id }) => question_id)).toEqual([late, early])
  const [first, last] = rows.map(({ answered_at }) => answered_at.getTime()) as [number, number]
  for (const at of [first + 30 * DAY, last]) {
    expect(at).toBeGreaterThanOrEqual(began)
    expect(at).toBeLessThanOrEqual(Date.now())
  }
  const { body } = await alice.get(`${PRACTICE}/history?days=40` as `${typeof PRACTICE}/history`, 200)
  expect(body.days).toHaveLength(40)
  expect(body.days.filter(({ reviews }) => reviews > 0)).toMatchObject([{ reviews: 1 }, { reviews: 1 }])
  expect(body.days.at(-1)).toEqual({
    date: new Date().toISOString().slice(0, 10),
    reviews: 1,
    right: 1,
    minutes: 0,
  })
  expect(body).toMatchObject({
    sure: { n: 2, right: 2 },
    unsure: { n: 0, right: 0 },
    retention: { n: 0, expected: null },
  })
})

test('two thousand reviews arrive on a day: a batch that crosses it counts not at all, and repeats are free', async () => {
  const { questionIds } = await openExam(1)
  const question_id = questionIds[0] as number
  const alice = await service.person()
  const client_id = randomUUID()
  await sendReviews(alice, { client_id, question_id })
  await service.sql`update practice_learners set arrived = 1998 where user_id = ${alice.id}`
  const reviews = [1, 2, 3].map(() => ({ client_id: randomUUID(), question_id, answer: 'A', sure: true }))
  const refused = await alice.post(`${PRACTICE}/reviews`, { reviews }, 429)
  expect(refused.body).toMatchObject({ code: 'daily_limit', retry_after: expect.any(Number) })
  expect(await cardOf(alice, question_id)).toMatchObject({ reps: 1 })
  const again = Array.from({ length: 8 }, () => sendReviews(alice, { client_id, question_id }))
  await Promise.all(again)
  const rush = await Promise.all(
    Array.from({ length: 6 }, (_, n) =>
      (n % 2 ? alice : elsewhere(alice)).post(`${PRACTICE}/reviews`, {
        reviews: [{ client_id: randomUUID(), question_id, answer: 'A', sure: true }],
      }),
    ),
  )
  expect(rush.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429, 429, 429])
  await service.sql`update practice_learners set arrived_on = '2026-01-01' where user_id = ${alice.id}`
  await sendReviews(alice, { question_id })
})

test('reviews of many people at once count each for itself, whatever becomes of the others', async () => {
  const { examId, questionIds } = await openExam(3)
  const [seen, other, later] = questionIds as [number, number, number]
  const people = await Promise.all(Array.from({ length: 12 }, () => service.person()))
  await Promise.all(people.map((client) => sendReviews(client, { question_id: seen, answer: 'B' })))
  const [full, examinee, late, lost, wrong, ...plain] = people as [
    ...[Client, Client, Client, Client, Client],
    ...Client[],
  ]
  await service.sql`update practice_learners set arrived = 2000 where user_id = ${full.id}`
  const locking = await createExam(service.sql, { lock_help: true, questions: [choice()] })
  await examinee.post(`/api/v01/exams/${locking.examId}/start`, {}, 201)
  const answered_at = new Date(Date.now() - DAY).toISOString()
  const post = (client: Client, question_id: number, given: object = {}) =>
    client.post(`${PRACTICE}/reviews`, {
      reviews: [{ client_id: randomUUID(), question_id, answer: 'A', sure: true, ...given }],
    })
  const sent = [
    post(full, other),
    post(examinee, other),
    post(late, seen, { answered_at }),
    post(lost, 2_000_000_000),
    post(wrong, other, { answer: { no: 'answer' } }),
    // One after another, of one card and of another one.
    ...[seen, other, later, seen, other].flatMap((id, n) =>
      plain.map((client) => post(n % 2 ? client : elsewhere(client), id)),
    ),
  ]
  const [noRoom, locked, replayed, unknown, refused, ...rest] = await Promise.all(sent)
  expect(noRoom).toMatchObject({ status: 429, body: { code: 'daily_limit' } })
  expect(locked).toMatchObject({ status: 403, body: { code: 'exam_in_progress' } })
  expect(replayed).toMatchObject({
    status: 200,
    body: { results: [{ outcome: 'right', card: { reps: 2 } }] },
  })
  expect(unknown).toMatchObject({ status: 200, body: { results: [{ error: { code: 'not_found' } }] } })
  expect(refused).toMatchObject({
    status: 200,
    body: { results: [{ error: { code: 'validation_failed' } }] },
  })
  for (const each of rest)
    expect(each).toMatchObject({ status: 200, body: { results: [{ outcome: 'right', correct: 'A' }] } })
  for (const client of plain) {
    expect(await cardOf(client, seen)).toMatchObject({ reps: 3 })
    expect(await cardOf(client, other)).toMatchObject({ reps: 2 })
    expect(await cardOf(client, later)).toMatchObject({ reps: 1 })
    expect(await readOverview(client)).toMatchObject({
      today: { reviews: 6, right: 5 },
      new: expect.any(Number),
    })
    const { body } = await client.get(`${PRACTICE}/next?exam_id=${examId}` as `${typeof PRACTICE}/next`, 200)
    expect(body.new).toBe(0)
  }
  for (const client of [full, lost, wrong, examinee]) expect(await cardOf(client, other)).toBeUndefined()
})

test('the twenty thousand and first card is refused', async () => {
  const { examId, questionIds } = await openExam(2)
  const alice = await service.person()
  await sendReviews(alice, { question_id: questionIds[0] })
  await service.sql`
    insert into practice_cards (user_id, question_id, exam_id, state, stability, difficulty, learning_steps, reps, lapses)
    select ${alice.id}, 1000000 + n, 1000000, 'new', 0, 0, 0, 0, 0 from generate_series(1, 19999) n`
  const reviews = [
    { client_id: randomUUID(), question_id: questionIds[1] as number, answer: 'A', sure: true },
  ]
  expect((await alice.post(`${PRACTICE}/reviews`, { reviews }, 409)).body.code).toBe('too_many')
  await sendReviews(alice, { question_id: questionIds[0] })
  // A result goes on making no cards either.
  await takeExam(alice, examId, {})
  expect(await readOverview(alice)).toMatchObject({ learning: 0, known: 1 })
})

describe('settings', () => {
  test('are kept within their bounds, and what is left out stays', async () => {
    const alice = await service.person()
    const put = async (settings: object, status: 200 | 400 = 200) =>
      (await alice.put(`${PRACTICE}/settings`, settings, status)).body
    expect(await put({ new_per_day: 0 })).toEqual({
      success: true,
      settings: { new_per_day: 0, retention: 0.9 },
    })
    expect(await put({ retention: 0.97 })).toMatchObject({ settings: { new_per_day: 0, retention: 0.97 } })
    expect(await put({})).toMatchObject({ settings: { new_per_day: 0, retention: 0.97 } })
    for (const wrong of [{ retention: 0.98 }, { retention: 0.69 }, { new_per_day: 501 }, { new_per_day: -1 }])
      await put(wrong, 400)
    expect(await readOverview(alice)).toMatchObject({ settings: { new_per_day: 0, retention: 0.97 } })
  })
})

test('another device hears of a review at once', async () => {
  const { questionIds } = await openExam(3)
  const alice = await service.person()
  await service.sql`update exams set open_for_practice = false where not id = (select exam_id from questions where id = ${questionIds[0] as number})`
  const socket = await elsewhere(alice).socket()
  await socket.waitFor(({ type }) => type === 'ready')
  await sendReviews(alice, { question_id: questionIds[0] })
  const frame = await socket.waitFor(({ type }) => type === 'practice')
  expect(frame).toEqual({ type: 'practice', due: 0, new: 2 })
  socket.ws.close()
})

test('a device hears what waits while somebody else keeps cards from being looked at again', async () => {
  const { questionIds } = await openExam(3)
  const alice = await service.person()
  await sendReviews(alice, { question_id: questionIds[0] })
  const socket = await elsewhere(alice).socket()
  await socket.waitFor(({ type }) => type === 'ready')
  await service.sql`update practice_decks set basis = 'another' where user_id = ${alice.id}`
  await service.sql.begin(async (tx) => {
    await tx`select from practice_decks where user_id = ${alice.id} for update`
    await alice.put(`${PRACTICE}/settings`, { new_per_day: 0 }, 200)
    const frame = await socket.waitFor(({ type }) => type === 'practice')
    expect(frame).toEqual({ type: 'practice', due: 0, new: 0 })
  })
  socket.ws.close()
})

test('reviews are stored while the results of others are still looked up', async () => {
  const { questionIds } = await openExam(1)
  const [alice, bob] = [await service.person(), await service.person()]
  for (const each of [alice, bob]) await sendReviews(each, { question_id: questionIds[0] })
  const reps = async (client: Client) => (await cardOf(client, questionIds[0] as number))?.reps
  const sent: Promise<unknown>[] = []
  await service.sql.begin(async (tx) => {
    await tx`lock table past_explanations in access exclusive mode`
    for (const each of [alice, bob]) {
      sent.push(sendReviews(each, { question_id: questionIds[0] }))
      await expect.poll(() => reps(each)).toBe(2)
    }
  })
  expect(await Promise.all(sent)).toMatchObject([[{ card: { reps: 2 } }], [{ card: { reps: 2 } }]])
})

test('during an exam that locks help every call is refused', async () => {
  const { examId, questionIds } = await createExam(service.sql, { lock_help: true, questions: [choice()] })
  const alice = await service.person()
  await alice.post(`/api/v01/exams/${examId}/start`, {}, 201)
  const calls = [
    alice.get(PRACTICE, 403),
    alice.put(`${PRACTICE}/settings`, {}, 403),
    alice.get(`${PRACTICE}/next`, 403),
    alice.post(
      `${PRACTICE}/reviews`,
      {
        reviews: [
          { client_id: randomUUID(), question_id: questionIds[0] as number, answer: 'A', sure: true },
        ],
      },
      403,
    ),
    alice.post(`${PRACTICE}/reviews/undo`, { client_id: randomUUID() }, 403),
    alice.get(`${PRACTICE}/forecast?exam_id=${examId}` as `${typeof PRACTICE}/forecast`, 403),
    alice.get(`${PRACTICE}/history`, 403),
  ]
  for (const { body } of await Promise.all(calls)) expect(body.code).toBe('exam_in_progress')
  await alice.post(`/api/v01/exams/${examId}/submit`, {}, 200)
  await readOverview(alice)
})

test('days are those of the service’s own clocks, also over UTC’s midnight and where clocks change', async () => {
  const timezone = 'America/New_York'
  // Clocks were set back on 2026-11-01 at 06:00 UTC.
  const now = Date.UTC(2026, 10, 20)
  const own = await withService({ clock: () => now, config: { timezone } })
  const { questionIds } = await openFor(own.sql, 5)
  const alice = await own.person()
  const given = [
    ['2026-10-30T23:55:00.000Z', '2026-10-31T00:05:00.000Z'],
    ['2026-10-31T03:55:00.000Z', '2026-10-31T04:05:00.000Z'],
    ['2026-10-30T18:00:00.000Z', '2026-10-30T18:10:00.000Z', '2026-11-02T04:30:00.000Z'],
    ['2026-11-01T05:05:00.000Z'],
    ['2026-11-01T06:05:00.000Z'],
  ]
  const reviews = given.flatMap((times, n) =>
    times.map((answered_at) => ({
      client_id: randomUUID(),
      question_id: questionIds[n] as number,
      answer: 'A',
      sure: true,
      answered_at,
    })),
  )
  await sendReviews(alice, ...reviews)
  const cards = await Promise.all(questionIds.map((id) => readMemory(own.sql, alice, id)))
  expect(cards).toEqual(
    questionIds.map((id) =>
      expectedMemory(
        reviews.filter(({ question_id }) => question_id === id),
        [],
        timezone,
      ),
    ),
  )
  const dues = cards.map((card) => card?.due.toISOString())
  // The same evening there: two days by those clocks, which are an hour longer. Over their midnight it is a day.
  expect(dues[0]).toBe('2026-11-02T01:05:00.000Z')
  expect(cards[1]?.stability).toBeGreaterThan(cards[0]?.stability)
  // Ten minutes, in the first and in the second of two equal hours.
  expect(dues.slice(3)).toEqual(['2026-11-01T05:15:00.000Z', '2026-11-01T06:15:00.000Z'])
})

test('a card that was scheduled by other days follows at its next review', async () => {
  const { questionIds } = await openExam(1)
  const [questionId] = questionIds as [number]
  const alice = await service.person()
  const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString()
  const reviews = [20, 12, 3].map((days) => ({
    client_id: randomUUID(),
    question_id: questionId,
    answer: 'A',
    sure: true,
    answered_at: daysAgo(days),
  }))
  await sendReviews(alice, ...reviews.slice(0, 2))
  const [stored] = await service.sql`
    update practice_cards set timezone = null, stability = 1, last_at = null where user_id = ${alice.id}
    returning stability`
  expect(stored).toEqual({ stability: 1 })
  await sendReviews(alice, ...reviews.slice(2))
  expect(await cardOf(alice, questionId)).toEqual(expectedMemory(reviews, []))
})
