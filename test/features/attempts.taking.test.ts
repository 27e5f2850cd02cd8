import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { addQuestion, createExam } from '../support/content/exams.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { startService, type TestService } from '../support/service.ts'

const MINUTE_MS = 60_000
let now = Date.UTC(2026, 10, 20, 10, 15)
let service: TestService
beforeAll(async () => {
  service = await startService({ nodes: 2, clock: () => now, config: { timezone: 'Asia/Kolkata' } })
})
afterAll(() => service.close())

function exam(client: Client, examId: number) {
  const base = `/api/v01/exams/${examId}` as const
  return {
    prepare: (status?: number) => client.post(`${base}/prepare`, {}, status),
    start: (status?: number) => client.post(`${base}/start`, {}, status),
    paper: (status?: number) => client.get(`${base}/paper`, status),
    save: (body: object, status?: number) => client.put(`${base}/answers`, body, status),
    submit: (body: object = {}, status?: number) => client.post(`${base}/submit`, body, status),
    status: (status?: number) => client.get(`${base}/attempt-status`, status),
  }
}

describe('the list of exams', () => {
  test('shows what is published, filtered and paged', async () => {
    const [category] = await service.sql`insert into categories (name) values ('Physics') returning id`
    const { examId } = await createExam(service.sql, {
      name: 'Optics 100%_real',
      description: 'Lenses',
      category_id: category?.id,
      questions: [{}, {}],
    })
    const hidden = await createExam(service.sql, { name: 'Optics draft', published: false })
    const alice = await service.person()

    const found = await alice.get('/api/v01/exams?q=100%25_r', 200)
    expect(found.body).toMatchObject({ success: true, total: 1, page: 1, per_page: 50, total_pages: 1 })
    expect(found.body.exams[0]).toEqual({
      id: examId,
      name: 'Optics 100%_real',
      description: 'Lenses',
      category_id: category?.id,
      duration_minutes: null,
      max_attempts: null,
      result_mode: 'instant',
      results_released: false,
      is_published: true,
      pass_percentage: 40,
      msq_scoring: 'all_or_nothing',
      opens_at: null,
      closes_at: null,
      lock_help: false,
      open_for_practice: false,
      question_count: 2,
    })
    expect((await alice.get('/api/v01/exams?q=LENSES', 200)).body.total).toBe(1)
    expect((await alice.get(`/api/v01/exams?category_id=${category?.id}`, 200)).body.total).toBe(1)
    expect((await alice.get('/api/v01/exams?q=draft', 200)).body.exams).toEqual([])
    expect((await alice.get('/api/v01/exams?q=optics&page=2', 200)).body).toMatchObject({
      exams: [],
      total: 1,
    })
    await alice.get('/api/v01/exams?page=0', 400)
    await alice.get(`/api/v01/exams/${hidden.examId}`, 404)
    await exam(alice, hidden.examId).start(404)
    await service.guest().get('/api/v01/exams', 401)
  })

  test('an exam says how many attempts are left', async () => {
    const { examId } = await createExam(service.sql, { max_attempts: 2 })
    const alice = await service.person()
    const read = async () => (await alice.get(`/api/v01/exams/${examId}`, 200)).body.exam
    expect(await read()).toMatchObject({ attempts_used: 0, attempts_remaining: 2, question_count: 1 })
    await exam(alice, examId).start(201)
    expect(await read()).toMatchObject({ attempts_used: 1, attempts_remaining: 1 })
  })
})

describe('an attempt', () => {
  test('is started, resumed, filled, submitted and graded', async () => {
    const { examId, questionIds } = await createExam(service.sql, {
      questions: [
        { correct_answer: 'B' },
        { question_type: 'MSQ', correct_answer: 'A,C', negative_marks: 2 },
        { question_type: 'NUMERIC', correct_answer: '0.1', tolerance: '0.2', negative_marks: 0 },
        { correct_answer: 'D' },
      ],
    })
    const [mcq, msq, numeric, blank] = questionIds as [number, number, number, number]
    const alice = await service.person()
    const { start, paper, save, submit, status } = exam(alice, examId)

    expect((await status(200)).body).toEqual({
      success: true,
      has_active_attempt: false,
      attempt_id: null,
      attempt_number: null,
      start_time: null,
      ends_at: null,
      completed_count: 0,
      attempts_used: 0,
      max_attempts: null,
      attempts_remaining: null,
    })
    await paper(409)
    await save({ answers: {} }, 409)
    expect((await submit({}, 409)).body.code).toBe('no_active_attempt')

    const started = await start(201)
    const attemptId = started.body.attempt_id
    expect(started.body).toEqual({
      success: true,
      redirect_url: `/exam/${examId}`,
      resumed: false,
      attempt_id: attemptId,
      attempt_number: 1,
      fresh_start: true,
    })
    expect((await start(200)).body).toEqual({
      success: true,
      resumed: true,
      attempt_id: attemptId,
      redirect_url: `/exam/${examId}`,
    })
    expect((await status(200)).body).toMatchObject({
      has_active_attempt: true,
      attempt_id: attemptId,
      attempt_number: 1,
      attempts_used: 1,
      start_time: expect.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/),
    })

    const saved = await save(
      { answers: { [mcq]: 'A', [msq]: ['C', 'A'], [blank]: 'D' }, markedForReview: [mcq] },
      200,
    )
    expect(saved.body).toEqual({
      success: true,
      attempt_id: expect.any(Number),
      saved: 3,
      rejected: null,
      revision: 0,
      saved_at: expect.any(String),
      ends_at: null,
    })
    // Keys that are sent overwrite, null clears, others stay; the list of marked questions is replaced.
    await save({ answers: { [mcq]: 'B', [blank]: null }, markedForReview: [msq, msq], revision: 7 }, 200)
    expect((await paper(200)).body).toMatchObject({
      attempt_id: attemptId,
      answers: { [mcq]: 'B', [msq]: ['A', 'C'] },
      markedForReview: [msq],
      revision: 7,
      ends_at: null,
    })

    const submitted = await submit({ answers: { [numeric]: '0.3' } }, 200)
    const result = { score: 12, max_score: 16, percentage: 75, correct: 3, incorrect: 0, unattempted: 1 }
    expect(submitted.body).toEqual({
      success: true,
      attempt_id: attemptId,
      result_mode: 'instant',
      already_submitted: false,
      rejected: null,
      result,
    })
    expect((await submit({ answers: { [blank]: 'D' } }, 200)).body).toEqual({
      ...submitted.body,
      already_submitted: true,
    })
    expect((await save({ answers: { [blank]: 'D' } }, 409)).body.code).toBe('no_active_attempt')

    const [row] = (await alice.get(`/api/v01/attempts?exam_id=${examId}`, 200)).body.attempts
    expect(row).toMatchObject({
      attempt_id: attemptId,
      exam_id: examId,
      attempt_number: 1,
      score: 12,
      status: 'submitted',
      submitted_by: 'student',
    })
    const detail = (await alice.get(`/api/v01/attempts/${attemptId}`, 200)).body
    expect(detail).toMatchObject({ ...row, result_mode: 'instant', result })
    expect(detail.review).toMatchObject([
      { id: mcq, given_answer: 'B', correct_answer: 'B', is_correct: true, marks_awarded: 4 },
      { id: msq, given_answer: ['A', 'C'], correct_answer: 'A,C', is_correct: true, marks_awarded: 4 },
      { id: numeric, given_answer: '0.3', correct_answer: '0.1', tolerance: 0.2, is_correct: true },
      { id: blank, given_answer: null, correct_answer: 'D', is_correct: false, marks_awarded: 0 },
    ])
    const bob = await service.person()
    await bob.get(`/api/v01/attempts/${attemptId}`, 404)
  })

  test('saves valid answers, names the others, and keeps a number as it was typed', async () => {
    const { examId, questionIds } = await createExam(service.sql, {
      questions: [
        {},
        { question_type: 'MSQ', correct_answer: 'A,B' },
        { question_type: 'NUMERIC', correct_answer: '3' },
      ],
    })
    const other = await createExam(service.sql)
    const foreign = other.questionIds[0] as number
    const [mcq, msq, numeric] = questionIds as [number, number, number]
    const alice = await service.person()
    const { start, paper, save, submit } = exam(alice, examId)
    await start(201)

    const odd: [key: string | number, answer: unknown][] = [
      [foreign, 'A'],
      [mcq, 'E'],
      [mcq, 'AB'],
      [mcq, ['A']],
      [mcq, 3],
      [mcq, true],
      [mcq, { letter: 'A' }],
      [mcq, 'x'.repeat(100_000)],
      [msq, 'A'],
      [msq, ['A', 'E']],
      [msq, ['A', '']],
      [msq, [null]],
      [msq, [['A']]],
      [numeric, ['3']],
      [numeric, true],
      [numeric, {}],
      [numeric, '1'.repeat(101)],
      [numeric, '1\u0000'],
      [numeric, '1\ud800'],
    ]
    for (const [key, answer] of odd) {
      await save({ answers: { [mcq]: null, [msq]: null, [numeric]: null } }, 200)
      const good = { [mcq]: 'a', [msq]: ['b', 'A', 'A'], [numeric]: '2' }
      const { body } = await save({ answers: { ...good, [key]: answer } }, 200)
      expect(body.rejected, JSON.stringify([key, answer])).toEqual([
        { question_id: key, message: expect.any(String) },
      ])
      const stored: Record<string, unknown> = { [mcq]: 'A', [msq]: ['A', 'B'], [numeric]: '2' }
      delete stored[key]
      expect(body.saved).toBe(Object.keys(stored).length)
      expect((await paper(200)).body.answers).toEqual(stored)
    }
    for (const key of ['constructor', '', '-1', '1.5', ` ${mcq}`, '99999999999', `0${mcq}`]) {
      const { body } = await save({ answers: { [key]: 'A', [mcq]: 'B' } }, 200)
      expect(body, key).toMatchObject({ saved: 1, rejected: [{ question_id: null }] })
    }
    const marked = await save({ answers: {}, markedForReview: [mcq, foreign, 'x', null, mcq, 1.5] }, 200)
    expect(marked.body).toMatchObject({
      saved: 0,
      rejected: [foreign, null, null, null].map((question_id) => ({ question_id })),
    })
    expect((await paper(200)).body.markedForReview).toEqual([mcq])

    for (const body of [
      {},
      { answers: [] },
      { answers: 'A' },
      { answers: {}, markedForReview: mcq },
      { answers: {}, revision: '1' },
    ])
      await save(body, 400)

    for (const typed of ['-', '3.', '1e', '.', '-.', 'abc', '3,', '1,000.5', '∞', '½'.repeat(100), '']) {
      expect((await save({ answers: { [numeric]: typed } }, 200)).body.rejected).toBeNull()
      expect((await paper(200)).body.answers[numeric]).toBe(typed)
    }
    await save({ answers: { [mcq]: '', [msq]: [], [numeric]: 3 } }, 200)
    const submitted = await submit({ answers: { [mcq]: 'Z', [foreign]: 'A' } }, 200)
    expect(submitted.body).toMatchObject({
      rejected: [{ question_id: mcq }, { question_id: foreign }],
      result: { score: 4, correct: 1, incorrect: 0, unattempted: 2 },
    })
  })

  test.each([
    ['3,5', 'correct'],
    [' 3,50 ', 'correct'],
    ['+3.5', 'correct'],
    ['35e-1', 'correct'],
    ['-3,5', 'incorrect'],
    [',5', 'incorrect'],
    ['3,', 'unattempted'],
    ['3,5,0', 'unattempted'],
    ['3.5,0', 'unattempted'],
    ['3,5.', 'unattempted'],
    ['three', 'unattempted'],
    ['0x3', 'unattempted'],
    ['Infinity', 'unattempted'],
  ] as const)('a NUMERIC answer %j is graded as %s', async (answer, verdict) => {
    const { examId, questionIds } = await createExam(service.sql, {
      questions: [{ question_type: 'NUMERIC', correct_answer: '3.5' }],
    })
    const { start, submit } = exam(await service.person(), examId)
    await start(201)
    const { body } = await submit({ answers: { [questionIds[0] as number]: answer } }, 200)
    expect(body.result?.[verdict]).toBe(1)
  })

  test('a submit with an outdated revision neither changes nor closes anything', async () => {
    const { examId, questionIds } = await createExam(service.sql)
    const question = questionIds[0] as number
    const alice = await service.person()
    const { start, save } = exam(alice, examId)
    await start(201)
    await save({ answers: { [question]: 'B' }, revision: 5 }, 200)
    const submit = (revision: number, status: number) =>
      alice.post(`/api/v01/exams/${examId}/submit`, { answers: { [question]: 'C' }, revision }, status)
    expect((await submit(4, 409)).body).toMatchObject({
      code: 'stale_revision',
      answers: { [question]: 'B' },
      revision: 5,
    })
    expect((await submit(6, 200)).body).toMatchObject({ already_submitted: false })
    expect((await submit(4, 200)).body).toMatchObject({ already_submitted: true })
  })

  test('what names another attempt than the active one touches nothing', async () => {
    const { examId, questionIds } = await createExam(service.sql)
    const question = questionIds[0] as number
    const alice = await service.person()
    const { start, save, submit } = exam(alice, examId)
    const path = `/api/v01/exams/${examId}` as const
    const first = (await start(201)).body.attempt_id
    const saved = await save({ attempt_id: first, answers: { [question]: 'A' }, revision: 7 }, 200)
    expect(saved.body).toMatchObject({ attempt_id: first, saved: 1 })
    expect((await alice.get(`${path}/paper?attempt_id=${first}`, 200)).body.attempt_id).toBe(first)
    await submit({ attempt_id: first }, 200)
    // Nothing is active: a repetition is about the attempt that it names.
    expect((await submit({ attempt_id: first }, 200)).body).toMatchObject({
      attempt_id: first,
      already_submitted: true,
    })
    await submit({ attempt_id: first + 1_000_000 }, 409)

    const second = (await start(201)).body.attempt_id
    await save({ attempt_id: second, answers: { [question]: 'B' }, revision: 1 }, 200)
    const refusal = {
      code: 'another_attempt',
      attempt_id: second,
      answers: { [question]: 'B' },
      markedForReview: [],
      revision: 1,
    }
    const late = { attempt_id: first, answers: { [question]: 'D' }, revision: 8 }
    expect((await save(late, 409)).body).toMatchObject(refusal)
    expect((await submit(late, 409)).body).toMatchObject(refusal)
    expect((await alice.get(`${path}/paper?attempt_id=${first}`, 409)).body).toMatchObject(refusal)
    expect((await alice.get(`${path}/paper`, 200)).body).toMatchObject({
      attempt_id: second,
      answers: { [question]: 'B' },
      revision: 1,
    })
  })

  test('a sync that comes after the end is told which of its answers had arrived', async () => {
    const { examId, questionIds } = await createExam(service.sql)
    const [first, second] = questionIds as [number, number]
    const alice = await service.person()
    const { start, save, submit } = exam(alice, examId)
    const attempt_id = (await start(201)).body.attempt_id
    await save({ attempt_id, answers: { [first]: 'A', [second]: 'B' }, revision: 1 }, 200)
    await submit({ attempt_id }, 200)
    const late = { attempt_id, answers: { [first]: 'A', [second]: 'C' }, revision: 2 }
    expect((await save(late, 409)).body).toMatchObject({ code: 'no_active_attempt', arrived: [first] })
    expect((await save({ answers: late.answers }, 409)).body).not.toHaveProperty('arrived')
    await start(201)
    expect((await save(late, 409)).body).toMatchObject({ code: 'another_attempt', arrived: [first] })
    // Another person's attempt tells nothing.
    const bob = exam(await service.person(), examId)
    await bob.start(201)
    expect((await bob.save(late, 409)).body).not.toHaveProperty('arrived')
  })

  test('a late sync never undoes a newer answer', async () => {
    const { examId, questionIds } = await createExam(service.sql)
    const question = questionIds[0] as number
    const alice = await service.person()
    const { start, save, paper } = exam(alice, examId)
    await start(201)
    await save({ answers: { [question]: 'A' }, markedForReview: [question], revision: 5 }, 200)
    const late = await save({ answers: { [question]: 'B' }, revision: 4 }, 409)
    expect(late.body).toMatchObject({
      code: 'stale_revision',
      answers: { [question]: 'A' },
      markedForReview: [question],
      revision: 5,
    })
    // Clients may use milliseconds since 1970 as revisions.
    const now = Date.UTC(2026, 10, 21)
    const clocked = exam(await service.person(), examId)
    await clocked.start(201)
    expect((await clocked.save({ answers: {}, revision: now }, 200)).body.revision).toBe(now)
    await clocked.save({ answers: {}, revision: now + 1 }, 200)
    expect((await clocked.save({ answers: {}, revision: now }, 409)).body.revision).toBe(now + 1)
    expect((await clocked.paper(200)).body.revision).toBe(now + 1)
    await clocked.save({ answers: {}, revision: 2 ** 53 }, 400)
    // A sync with the same revision, or without one, is not late.
    expect((await save({ answers: { [question]: 'A' }, revision: 5 }, 200)).body.revision).toBe(5)
    expect((await save({ answers: { [question]: 'C' } }, 200)).body.revision).toBe(5)
    expect((await paper(200)).body.answers).toEqual({ [question]: 'C' })
  })

  test('without a cap ends at 1,000 attempts of one person', async () => {
    const { examId } = await createExam(service.sql)
    const alice = await service.person()
    await service.sql`
      insert into attempts (user_id, exam_id, attempt_number, status, started_at)
      select ${alice.id}, ${examId}, n, 'manual', now() from generate_series(1, 999) n`
    const { start, submit } = exam(alice, examId)
    expect((await start(201)).body.attempt_number).toBe(1_000)
    await start(200)
    await submit({}, 200)
    expect((await start(409)).body.code).toBe('too_many')
    await exam(await service.person(), examId).start(201)
  })

  test('can’t be started beyond the cap', async () => {
    const { examId } = await createExam(service.sql, { max_attempts: 2 })
    const alice = await service.person()
    const { start, submit, status } = exam(alice, examId)
    await start(201)
    await submit({}, 200)
    expect((await start(201)).body.attempt_number).toBe(2)
    await start(200)
    await submit({}, 200)
    expect((await start(403)).body.code).toBe('attempts_exhausted')
    expect((await status(200)).body).toMatchObject({
      completed_count: 2,
      max_attempts: 2,
      attempts_remaining: 0,
    })
  })

  test('needs an exam with questions', async () => {
    const { examId } = await createExam(service.sql, { questions: [] })
    const alice = await service.person()
    const { prepare, start } = exam(alice, examId)
    expect((await prepare(200)).body).toEqual({ success: true, cached: false, question_count: 0 })
    expect((await start(409)).body.code).toBe('exam_empty')
    await addQuestion(service.sql, examId)
    await start(201)
    const missing = exam(alice, 999_999)
    await missing.prepare(404)
    await missing.start(404)
    await missing.paper(404)
    await missing.save({ answers: {} }, 404)
    await missing.submit({}, 404)
    await missing.status(404)
    await alice.post('/api/v01/exams/abc/start', {}, 400)
  })

  test('goes on when its exam is unpublished', async () => {
    const { examId } = await createExam(service.sql)
    const [alice, bob] = [await service.person(), await service.person()]
    await exam(alice, examId).start(201)
    await service.sql`update exams set published = false where id = ${examId}`
    await exam(bob, examId).start(404)
    await exam(alice, examId).start(200)
    await exam(alice, examId).paper(200)
    await exam(alice, examId).submit({}, 200)
    await alice.get(`/api/v01/exams/${examId}`, 200)
    await exam(alice, examId).start(404)
  })
})

describe('the paper', () => {
  test('is frozen at the start, and so is its grade', async () => {
    const { examId, questionIds } = await createExam(service.sql, {
      questions: [{ correct_answer: 'A' }, { correct_answer: 'B' }],
    })
    const [first, second] = questionIds as [number, number]
    const [alice, bob] = [await service.person(), await service.person()]
    const hers = exam(alice, examId)
    await hers.start(201)
    const before = (await hers.paper(200)).body.questions

    await service.sql`update questions set correct_answer = 'D', question_text = 'Other', positive_marks = 9 where id = ${first}`
    await service.sql`delete from questions where id = ${second}`
    const added = await addQuestion(service.sql, examId, { correct_answer: 'C' })

    expect((await hers.paper(200)).body.questions).toEqual(before)
    await hers.save({ answers: { [first]: 'A', [second]: 'B' } }, 200)
    expect((await hers.save({ answers: { [added]: 'C' } }, 200)).body).toMatchObject({
      saved: 0,
      rejected: [{ question_id: added, message: expect.any(String) }],
    })
    expect((await hers.submit({}, 200)).body.result).toMatchObject({ score: 8, max_score: 8, correct: 2 })

    const his = exam(bob, examId)
    await his.start(201)
    expect((await his.paper(200)).body.questions.map(({ id }) => id)).toEqual([first, added])
    expect((await his.submit({ answers: { [first]: 'D', [added]: 'C' } }, 200)).body.result).toMatchObject({
      score: 13,
    })
  })

  test('freezes the scoring of MSQ too', async () => {
    const { examId, questionIds } = await createExam(service.sql, {
      msq_scoring: 'partial',
      questions: [{ question_type: 'MSQ', correct_answer: 'A,B', negative_marks: 2 }],
    })
    const question = questionIds[0] as number
    const alice = await service.person()
    const { start, submit } = exam(alice, examId)
    await start(201)
    await service.sql`update exams set msq_scoring = 'all_or_nothing' where id = ${examId}`
    expect((await submit({ answers: { [question]: ['A'] } }, 200)).body.result).toMatchObject({
      score: 2,
      incorrect: 1,
    })
    await start(201)
    expect((await submit({ answers: { [question]: ['A'] } }, 200)).body.result).toMatchObject({
      score: -2,
      incorrect: 1,
    })
  })

  test('stays in memory as long as all papers there are no larger than 128 MiB', {
    meta: { costly: 'has papers of 128 MiB' },
  }, async () => {
    const alice = await service.person()
    const [small, large] = await Promise.all([createExam(service.sql), createExam(service.sql)])
    const prepare = async ({ examId }: { examId: number }) =>
      (await exam(alice, examId).prepare(200)).body.cached
    await service.sql`
      insert into questions (exam_id, question_text)
      select ${large.examId}, repeat('x', 20000) from generate_series(1, 750) n`
    expect([await prepare(small), await prepare(small)]).toEqual([false, true])
    for (let version = 0; version < 9; version++) {
      await service.sql`update questions set question_text = ${`Version ${version}`} where id = ${large.questionIds[0] as number}`
      expect([await prepare(large), await prepare(large)]).toEqual([false, true])
    }
    expect(await prepare(small)).toBe(false)
  })

  test('is prepared once per node and version, however the questions change, and shared by all attempts', async () => {
    const { examId, questionIds } = await createExam(service.sql)
    const here = await service.person()
    const there = here.at(service.urls[1] as string)
    const prepare = async (client: Client) => (await exam(client, examId).prepare(200)).body

    expect(await prepare(here)).toEqual({ success: true, cached: false, question_count: 1 })
    expect(await prepare(here)).toEqual({ success: true, cached: true, question_count: 1 })
    expect(await prepare(there)).toEqual({ success: true, cached: false, question_count: 1 })

    await addQuestion(service.sql, examId)
    for (const client of [here, there]) {
      expect(await prepare(client)).toEqual({ success: true, cached: false, question_count: 2 })
      expect(await prepare(client)).toEqual({ success: true, cached: true, question_count: 2 })
    }
    // A question that moves away changes both exams.
    const other = await createExam(service.sql)
    await prepareOther()
    await service.sql`update questions set exam_id = ${other.examId} where id = ${questionIds[0] as number}`
    expect(await prepare(here)).toEqual({ success: true, cached: false, question_count: 1 })
    expect(await prepareOther()).toEqual({ success: true, cached: false, question_count: 2 })
    async function prepareOther() {
      return (await exam(here, other.examId).prepare(200)).body
    }

    const people = await Promise.all(
      Array.from({ length: 10 }, (_, index) => service.person(undefined, index % 2)),
    )
    await addQuestion(service.sql, examId)
    await Promise.all(people.map((person) => exam(person, examId).start(201)))
    const papers = await service.sql`select distinct paper_id from attempts where exam_id = ${examId}`
    expect(papers).toHaveLength(1)
  })

  test('shows signed addresses of images', async () => {
    const { examId } = await createExam(service.sql, { questions: [{ image_path: 'Optics/lens 1.png' }, {}] })
    const alice = await service.person()
    await exam(alice, examId).start(201)
    const [withImage, without] = (await exam(alice, examId).paper(200)).body.questions
    expect(withImage).toMatchObject({
      image_path: 'Optics/lens 1.png',
      image_url: expect.stringMatching(/^\/files\/Optics\/lens%201\.png\?expires=\d+&signature=/),
    })
    expect(without).toMatchObject({ image_path: null, image_url: null })
  })
})

describe('time', () => {
  test('a timed attempt takes syncs for 30 s past its end, and is then graded from what was saved', async () => {
    now = Date.UTC(2026, 10, 20, 10, 15)
    const { examId, questionIds } = await createExam(service.sql, { duration_minutes: 30, max_attempts: 1 })
    const question = questionIds[0] as number
    const alice = await service.person()
    const { start, paper, save, submit, status } = exam(alice, examId)
    await start(201)
    expect((await paper(200)).body).toMatchObject({
      start_time: '2026-11-20 15:45:00',
      ends_at: '2026-11-20T10:45:00.000Z',
      server_time: '2026-11-20T10:15:00.000Z',
    })
    const end = { ends_at: '2026-11-20T10:45:00.000Z' }
    expect((await status(200)).body).toMatchObject(end)
    // The first sync reads the stored attempt, later ones use what the node has cached.
    for (const answer of ['C', 'D'])
      expect((await save({ answers: { [question]: answer } }, 200)).body).toMatchObject(end)
    now += 30 * MINUTE_MS + 30_000
    await save({ answers: { [question]: 'A' } }, 200)
    now += 1
    expect((await save({ answers: { [question]: 'B' } }, 409)).body.code).toBe('no_active_attempt')
    expect((await status(200)).body).toMatchObject({ has_active_attempt: false, completed_count: 1 })
    await paper(409)
    await start(403)
    // Too late to change anything, but it gets the result.
    const late = await submit({ answers: { [question]: 'B' } }, 200)
    expect(late.body).toMatchObject({ already_submitted: true, result: { score: 4, correct: 1 } })
    const { attempts } = (await alice.get('/api/v01/attempts', 200)).body
    expect(attempts).toMatchObject([
      { status: 'expired', submitted_by: 'time', score: 4, submitted_at: '2026-11-20T10:45:00.000Z' },
    ])
  })

  test('whichever call meets an overdue attempt first closes it', async () => {
    const { examId, questionIds } = await createExam(service.sql, { duration_minutes: 5 })
    const calls: ((attempt: ReturnType<typeof exam>, alice: Client, id: number) => Promise<unknown>)[] = [
      (attempt) => attempt.start(201),
      (attempt) => attempt.status(200),
      (attempt) => attempt.paper(409),
      (attempt) => attempt.save({ answers: {} }, 409),
      (attempt) => attempt.submit({}, 200),
      (_, alice) => alice.get('/api/v01/attempts', 200),
      (_, alice, id) => alice.get(`/api/v01/attempts/${id}`, 200),
    ]
    for (const call of calls) {
      const alice = await service.person()
      const attempt = exam(alice, examId)
      const id = (await attempt.start(201)).body.attempt_id
      await attempt.save({ answers: { [questionIds[0] as number]: 'A' } }, 200)
      now += 6 * MINUTE_MS
      await call(attempt, alice, id)
      const [row] = await service.sql`select status, score::float8 as score from attempts where id = ${id}`
      expect(row).toEqual({ status: 'expired', score: 4 })
    }
  })

  test('nodes close overdue attempts without any request, each once', async () => {
    const { examId, questionIds } = await createExam(service.sql, { duration_minutes: 5 })
    const untimed = await createExam(service.sql)
    const alice = await service.person()
    await exam(alice, untimed.examId).start(201)
    await exam(alice, examId).start(201)
    await exam(alice, examId).save({ answers: { [questionIds[0] as number]: 'A' } }, 200)
    // 119 copies of her attempt: more than one transaction closes.
    await service.sql`
      with people as (
        insert into users (username, email, full_name, role)
        select 'u' || n, 'u' || n || '@example.org', 'U', 'user' from generate_series(1, 119) n returning id
      )
      insert into attempts (user_id, exam_id, paper_id, attempt_number, status, started_at, ends_at, answers)
      select people.id, exam_id, paper_id, 1, status, started_at, ends_at, answers from people, attempts
       where exam_id = ${examId}`
    now += 6 * MINUTE_MS
    await expect
      .poll(
        () => service.sql`
          select status, count(*)::int, sum(score)::int as score from attempts
           where exam_id in (${examId}, ${untimed.examId}) group by status order by status`,
        { timeout: PATIENCE_MS, interval: 100 },
      )
      .toEqual([
        { status: 'active', count: 1, score: null },
        { status: 'expired', count: 120, score: 480 },
      ])
  })
})
