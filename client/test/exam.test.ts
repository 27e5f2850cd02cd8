import { afterAll, beforeAll, expect, test } from 'vitest'
import { createExam } from '../../test/support/content/exams.ts'
import { startService, type TestService } from '../../test/support/service.ts'
import { type ExamSession, forgetUndelivered, listUndelivered, openExam } from '../src/exam/open-exam.ts'
import { type Client, type Platform, Unreachable } from '../src/index.ts'
import { memoryStore } from '../src/storage/memory.ts'
import { newApp, openApp, until } from './support/app.ts'
import { tab } from './support/tab.ts'

let service: TestService
/** How far the service's clock is ahead. */
let aheadMs = 0
beforeAll(async () => {
  service = await startService({ clock: () => Date.now() + aheadMs })
})
afterAll(() => service.close())

const HOUR_MS = 60 * 60_000

/** A network that the test can switch off, and that records its requests. */
function network() {
  const state = { isOn: true, sent: [] as { url: string; keepalive: boolean; bytes: number }[] }
  const platform: Partial<Platform> = {
    async fetch(request) {
      const bytes = request.body ? (await request.clone().arrayBuffer()).byteLength : 0
      state.sent.push({ url: `${request.method} ${request.url}`, keepalive: request.keepalive, bytes })
      if (!state.isOn) throw new TypeError('fetch failed')
      return fetch(request)
    },
  }
  return { state, platform }
}

async function begin(given: Parameters<typeof createExam>[1] = {}) {
  const { examId, questionIds } = await createExam(service.sql, {
    questions: [{ correct_answer: 'B' }, { correct_answer: 'C' }, { correct_answer: 'A' }],
    ...given,
  })
  return { examId, questionIds, person: await service.person(), store: memoryStore() }
}

async function open(client: Client, examId: number): Promise<ExamSession> {
  const { exam, error } = await openExam(client, examId)
  if (!exam) throw new Error(error.message)
  return exam
}

async function answersStored(userId: number) {
  const [row] = await service.sql`select answers from attempts where user_id = ${userId} order by id desc`
  return row?.answers
}

test('answers are stored on the device first, then by the service, and a submitted attempt is graded', async () => {
  const { examId, questionIds, person, store } = await begin()
  const client = await openApp(person, { store })
  const exam = await open(client, examId)
  expect(exam.$state.get()).toMatchObject({ phase: 'active', canWrite: true, unsynced: 0 })
  for (const [at, letter] of ['B', 'C', 'D'].entries()) await exam.answer(questionIds[at] as number, letter)
  await exam.answer(questionIds[2] as number, null)
  expect(exam.$state.get()).toMatchObject({ unsynced: 3 })
  await until(exam.$state, ({ unsynced }) => unsynced === 0)
  expect(await answersStored(person.id)).toEqual({
    [questionIds[0] as number]: 'B',
    [questionIds[1] as number]: 'C',
  })
  await exam.mark(questionIds[2] as number, true)
  await exam.submit()
  const { result } = await until(exam.$state, ({ phase }) => phase === 'submitted')
  expect(result).toMatchObject({ already_submitted: false, result: { correct: 2, unattempted: 1 } })
  expect(await listUndelivered(client)).toEqual([])
  expect((await store.list('kept/')).length).toBe(0)
})

test('no answer is lost offline or by a crash', async () => {
  const { examId, questionIds, person, store } = await begin()
  const { state, platform } = network()
  const first = await open(await openApp(person, { store, platform }), examId)
  state.isOn = false
  for (const [at, letter] of ['B', 'C'].entries()) await first.answer(questionIds[at] as number, letter)
  // A crash: the first app closes nothing and sends nothing more.
  const again = newApp(person.url, { store, platform })
  await until(again.session.$user, (user) => user?.id === person.id)
  const second = await open(again, examId)
  expect(second.$state.get()).toMatchObject({ unsynced: 2, answers: { [questionIds[1] as number]: 'C' } })
  await second.answer(questionIds[2] as number, 'A')
  first.close()
  state.isOn = true
  await second.submit()
  const { result } = await until(second.$state, ({ phase }) => phase === 'submitted', 20_000)
  expect(result?.result).toMatchObject({ correct: 3 })
})

test('answers that are too large together go in parts, and one that is too large alone holds up no other', async () => {
  const { examId, questionIds, person, store } = await begin({
    questions: Array.from({ length: 6 }, () => ({})),
  })
  const { state, platform } = network()
  const client = await openApp(person, { store, platform })
  const exam = await open(client, examId)
  state.isOn = false
  const given = ['x'.repeat(1_200_000), 'B', 'x'.repeat(700_000), 'C', 'x'.repeat(700_001), 'D']
  for (const [at, answer] of given.entries()) await exam.answer(questionIds[at] as number, answer)
  state.isOn = true
  await exam.submit()
  const { rejected } = await until(exam.$state, ({ phase }) => phase === 'submitted', 30_000)
  const [q1, q2, q3, q4, q5, q6] = questionIds as [number, number, number, number, number, number]
  expect(await answersStored(person.id)).toEqual({ [q2]: 'B', [q4]: 'C', [q6]: 'D' })
  const fits = 'This is no answer to this question of type MCQ'
  expect(rejected).toEqual({ [q1]: 'payload_too_large', [q3]: fits, [q5]: fits })
})

test('each of two devices takes over what the other one answered, and undoes nothing newer', async () => {
  const { examId, questionIds, person } = await begin()
  const [q1, q2, q3] = questionIds as [number, number, number]
  let laterMs = 0
  const { platform, tell } = tab()
  const aside = { watch: platform.watch, now: () => Date.now() + laterMs }
  const phone = await open(await openApp(person, { platform: aside }), examId)
  const laptop = await open(await openApp(person, { platform: aside }), examId)
  await phone.answer(q1, 'A')
  await phone.answer(q2, 'D')
  await until(phone.$state, ({ unsynced }) => unsynced === 0)
  for (const letter of ['B', 'C']) {
    await laptop.answer(q2, letter)
    await until(laptop.$state, ({ unsynced }) => unsynced === 0)
  }
  // A device that wakes up reads the attempt again, unless it did so a moment ago.
  laterMs = 60_000
  tell('wake')
  await until(laptop.$state, ({ answers }) => answers[q1] === 'A' && answers[q2] === 'C')
  await phone.answer(q3, 'A')
  await until(phone.$state, ({ unsynced }) => unsynced === 0)
  laterMs += 60_000
  tell('wake')
  for (const device of [phone, laptop])
    await until(
      device.$state,
      ({ answers }) => answers[q1] === 'A' && answers[q2] === 'C' && answers[q3] === 'A',
    )
  expect(await answersStored(person.id)).toEqual({ [q1]: 'A', [q2]: 'C', [q3]: 'A' })
})

test('answers that could not be delivered in time are kept, and listed for that account alone', async () => {
  const { examId, questionIds, person, store } = await begin({ duration_minutes: 10 })
  const { state, platform } = network()
  const client = await openApp(person, { store, platform })
  const exam = await open(client, examId)
  state.isOn = false
  await exam.answer(questionIds[0] as number, 'B')
  // The attempt of ten minutes is over.
  aheadMs += HOUR_MS
  state.isOn = true
  const closed = await until(exam.$state, ({ phase }) => phase === 'closed', 20_000)
  expect(closed).toMatchObject({ unsynced: 1, canWrite: false })
  await client.session.logout()
  expect(await listUndelivered(client)).toEqual([])
  const other = await service.person()
  await client.session.login({ username: other.username, password: 'a password of the tests' })
  expect(await listUndelivered(client)).toEqual([])
  await client.session.login({ username: person.username, password: 'a password of the tests' })
  const [kept] = await listUndelivered(client)
  expect(kept).toMatchObject({ examId, unsynced: { [questionIds[0] as number]: 'B' } })
  if (kept) await forgetUndelivered(client, kept)
  expect(await listUndelivered(client)).toEqual([])
})

test('a second tab reads along until it takes over; when it is closed, the first one writes again', async () => {
  const { examId, questionIds, person, store } = await begin()
  const [q1, q2] = questionIds as [number, number]
  const one = tab()
  const two = tab()
  const first = await open(await openApp(person, { store, platform: one.platform }), examId)
  const other = newApp(person.url, { store, platform: two.platform })
  await until(other.session.$user, (user) => user?.id === person.id)
  const second = await open(other, examId)
  expect(first.$state.get().canWrite).toBe(true)
  expect(second.$state.get().canWrite).toBe(false)
  await expect(second.answer(q1, 'A')).rejects.toThrow('only be read')
  await first.answer(q1, 'B')
  await until(second.$state, ({ answers }) => answers[q1] === 'B')

  second.takeOver()
  await until(second.$state, ({ canWrite }) => canWrite)
  await until(first.$state, ({ canWrite }) => !canWrite)
  await second.answer(q2, 'C')
  await until(first.$state, ({ answers }) => answers[q2] === 'C')
  second.close()
  await until(first.$state, ({ canWrite }) => canWrite)
  expect(first.$state.get().answers).toEqual({ [q1]: 'B', [q2]: 'C' })
  await first.submit()
  await until(first.$state, ({ phase }) => phase === 'submitted')
})

test('a page that is hidden sends unsaved answers by a keepalive request, within the limit of 64 KiB', async () => {
  // Their answers of about 95 bytes are more than one keepalive request may carry.
  const questions = Array.from({ length: 650 }, () => ({
    question_type: 'NUMERIC' as const,
    correct_answer: '1',
  }))
  const { examId, questionIds, person, store } = await begin({ questions })
  const page = tab()
  const { state, platform } = network()
  const exam = await open(
    await openApp(person, { store, platform: { ...platform, ...page.platform } }),
    examId,
  )
  state.isOn = false
  await Promise.all(questionIds.map((id) => exam.answer(id, `${id}.${'0'.repeat(90)}`)))
  state.isOn = true
  state.sent.length = 0
  page.tell('hide')
  await until(exam.$state, ({ unsynced }) => unsynced < 650)
  const last = state.sent.find(({ keepalive }) => keepalive)
  expect(last?.url).toMatch(/^PUT .*\/answers$/)
  expect(last?.bytes).toBeGreaterThan(50 * 1_024)
  expect(last?.bytes).toBeLessThan(64 * 1_024)
  await until(exam.$state, ({ unsynced }) => unsynced === 0, 15_000)
})

test('a page that is hidden shows the answer that was refused then, and why', async () => {
  const { examId, questionIds, person, store } = await begin()
  const page = tab()
  const exam = await open(await openApp(person, { store, platform: page.platform }), examId)
  const [first = 0, second = 0] = questionIds
  await Promise.all([exam.answer(first, 'no letter'), exam.answer(second, 'A')])
  page.tell('hide')
  const { rejected, answers } = await until(exam.$state, ({ unsynced }) => unsynced === 0)
  expect(Object.keys(rejected)).toEqual([`${first}`])
  expect(answers[second]).toBe('A')
  expect(await answersStored(person.id)).toEqual({ [second]: 'A' })
})

test('an exam and a chat can be used before it is known who is signed in', async () => {
  const { examId, questionIds, person, store } = await begin()
  const before = await openApp(person, { store })
  before.close()
  const client = newApp(person.url, { store })
  expect(client.session.$user.get()).toBeUndefined()
  const [exam, undelivered] = await Promise.all([open(client, examId), listUndelivered(client)])
  await exam.answer(questionIds[0] as number, 'B')
  expect(undelivered).toEqual([])
  expect(exam.$state.get().canWrite).toBe(true)
})

test("shows the service's time whatever this machine's clock does", async () => {
  const { examId, person } = await begin({ duration_minutes: 30 })
  let jumpMs = 7 * 60_000
  const exam = await open(await openApp(person, { platform: { now: () => Date.now() + jumpMs } }), examId)
  const serviceNow = () => Date.now() + aheadMs
  expect(Math.abs(exam.now() - serviceNow())).toBeLessThan(2_000)
  jumpMs -= 20 * 60_000
  expect(Math.abs(exam.now() - serviceNow())).toBeLessThan(2_000)
  expect(exam.remaining()).toBeGreaterThan(29 * 60_000)
  // A clock set forward looks like a sleep: until the service is asked, too little time is shown, never too much.
  jumpMs += 30 * 60_000
  expect(exam.now()).toBeGreaterThan(serviceNow())
})

test("goes on by the service's time after a restart without the service", async () => {
  const { examId, person, store } = await begin({ duration_minutes: 30 })
  const now = () => Date.now() - 40 * 60_000
  await open(await openApp(person, { store, platform: { now } }), examId)
  const { state, platform } = network()
  state.isOn = false
  const restarted = await open(newApp(person.url, { store, platform: { ...platform, now } }), examId)
  expect(Math.abs(restarted.now() - (Date.now() + aheadMs))).toBeLessThan(2_000)
  expect(restarted.remaining()).toBeGreaterThan(29 * 60_000)
})

test('a refused exam gives the service’s code; one that is neither reachable nor stored throws Unreachable', async () => {
  const { examId, person } = await begin({ questions: [] })
  const client = await openApp(person)
  expect((await openExam(client, examId)).error?.code).toBe('exam_empty')
  const { state, platform } = network()
  const offline = await openApp(person, { platform })
  state.isOn = false
  await expect(openExam(offline, examId)).rejects.toThrow(Unreachable)
})
