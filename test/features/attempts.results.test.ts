import { describe, expect, inject, test } from 'vitest'
import { publishReleased } from '../../src/features/attempts/attempts.service.ts'
import type { Answer, Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { sharedService, withService } from '../support/service.ts'

const service = await sharedService()

/** Does what the administrator's toggle does: changes the row, then publishes it. */
async function release(examId: number, released: boolean): Promise<void> {
  await service.sql`update exams set results_released = ${released} where id = ${examId}`
  publishReleased((service.nodes[0] as (typeof service.nodes)[number]).core, examId, released)
}

describe('results on release', () => {
  test('stay pending until they are released, and are pending again when that is undone', async () => {
    const { examId, questionIds } = await createExam(service.sql, { result_mode: 'on_release' })
    const alice = await service.person()
    const base = `/api/v01/exams/${examId}` as const
    const attemptId = (await alice.post(`${base}/start`, {}, 201)).body.attempt_id
    const refused = await alice.get(`/api/v01/attempts/${attemptId}`, 403)
    expect(refused.body.code).toBe('results_not_released')
    const submitted = await alice.post(
      `${base}/submit`,
      { answers: { [questionIds[0] as number]: 'A' } },
      200,
    )
    expect(submitted.body).toEqual({
      success: true,
      attempt_id: attemptId,
      result_mode: 'on_release',
      already_submitted: false,
      rejected: null,
      message: expect.any(String),
    })
    await alice.get(`/api/v01/attempts/${attemptId}`, 403)
    const pending = {
      attempt_id: attemptId,
      score: null,
      max_score: null,
      percentage: null,
      status: 'submitted',
    }
    expect((await alice.get('/api/v01/attempts', 200)).body.attempts).toMatchObject([pending])

    await release(examId, true)
    const result = { score: 4, max_score: 4, percentage: 100, correct: 1, incorrect: 0, unattempted: 0 }
    expect((await alice.post(`${base}/submit`, {}, 200)).body).toEqual({
      success: true,
      attempt_id: attemptId,
      result_mode: 'on_release',
      already_submitted: true,
      rejected: null,
      result,
    })
    expect((await alice.get('/api/v01/attempts', 200)).body.attempts).toMatchObject([
      { score: 4, percentage: 100 },
    ])
    expect((await alice.get(`/api/v01/attempts/${attemptId}`, 200)).body.result).toEqual(result)

    await release(examId, false)
    await alice.get(`/api/v01/attempts/${attemptId}`, 403)
    expect((await alice.get('/api/v01/attempts', 200)).body.attempts).toMatchObject([pending])
  })

  test('a score may be negative, and an exam without marks has no percentage; in the older generation 0', async () => {
    const { examId, questionIds } = await createExam(service.sql, {
      questions: [{ positive_marks: 0, negative_marks: 1.5 }],
    })
    const alice = await service.person()
    await alice.post(`/api/v01/exams/${examId}/start`, {}, 201)
    const body = { answers: { [questionIds[0] as number]: 'B' } }
    expect((await alice.post(`/api/v01/exams/${examId}/submit`, body, 200)).body.result).toEqual({
      score: -1.5,
      max_score: 0,
      percentage: null,
      correct: 0,
      incorrect: 1,
      unattempted: 0,
    })
    const [row] = (await alice.get('/api/v01/attempts', 200)).body.attempts
    expect(row).toMatchObject({ score: -1.5, max_score: 0, percentage: null, passed: null })
    const id = row?.attempt_id ?? 0
    expect((await alice.get(`/api/v01/attempts/${id}`, 200)).body).toMatchObject({
      percentage: null,
      passed: null,
      result: { percentage: null },
    })
    expect((await alice.get('/api/attempts', 200)).body.attempts).toMatchObject([{ percentage: 0 }])
    expect((await alice.get(`/api/attempts/${id}`, 200)).body).toMatchObject({
      percentage: 0,
      result: { percentage: 0, max_score: 0 },
    })
    expect((await alice.post(`/api/exams/${examId}/submit`, {}, 200)).body.result).toMatchObject({
      percentage: 0,
    })
  })

  test('the history is newest first, filtered by exam, and paged', async () => {
    const [one, other] = [
      await createExam(service.sql, { name: 'One' }),
      await createExam(service.sql, { name: 'Other' }),
    ]
    const alice = await service.person()
    for (const { examId } of [one, other, one]) {
      await alice.post(`/api/v01/exams/${examId}/start`, {}, 201)
      await alice.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    }
    const all = (await alice.get('/api/v01/attempts', 200)).body
    expect(all).toMatchObject({ total: 3, page: 1, per_page: 50, total_pages: 1 })
    expect(all.attempts.map((row) => [row.exam_name, row.attempt_number])).toEqual([
      ['One', 2],
      ['Other', 1],
      ['One', 1],
    ])
    expect((await alice.get(`/api/v01/attempts?exam_id=${other.examId}`, 200)).body.attempts).toHaveLength(1)
    expect((await alice.get('/api/v01/attempts?page=2', 200)).body).toMatchObject({ attempts: [], total: 3 })
  })
})

describe('nothing leaks', () => {
  // Values that occur nowhere else, so that a leak is found anywhere.
  const SECRETS = ['31415.9265', '0.0271828', '7654.321', '99.94', 'correct_answer', 'tolerance']

  /** Requests every documented GET operation with each of these ids. */
  async function crawl(student: Client, ids: Record<string, number>): Promise<Answer[]> {
    const { body } = await student.get('/openapi.json', 200)
    const paths = Object.entries<Record<string, unknown>>(body.paths)
      .filter(([, operations]) => 'get' in operations)
      .map(([path]) => path)
    expect(paths).toEqual(
      expect.arrayContaining(['/api/v01/attempts/{attempt_id}', '/api/v01/exams/{exam_id}/paper']),
    )
    const answers = []
    for (const path of paths) {
      const variants = path.includes('{')
        ? Object.values(ids).map((id) => path.replace(/\{(\w+)\}/g, (_, name) => String(ids[name] ?? id)))
        : [path]
      for (const variant of new Set(variants)) answers.push(await student.get(variant))
    }
    return answers
  }

  function expectNothing(given: unknown[]): void {
    for (const each of given) for (const secret of SECRETS) expect(JSON.stringify(each)).not.toContain(secret)
  }

  test('of keys, tolerances and unreleased scores, over every route and every frame', {
    meta: { costly: 'asks every route' },
  }, async () => {
    const { examId, questionIds } = await createExam(service.sql, {
      result_mode: 'on_release',
      questions: [
        {
          question_type: 'NUMERIC',
          correct_answer: '31415.9265',
          tolerance: '0.0271828',
          positive_marks: 7654.321,
        },
        { question_type: 'MSQ', correct_answer: 'B,C', positive_marks: 4.58 },
      ],
    })
    const [numeric, msq] = questionIds as [number, number]
    const alice = await service.person()
    const socket = await alice.socket()
    const base = `/api/v01/exams/${examId}` as const
    const prepared = await alice.post(`${base}/prepare`)
    const started = await alice.post(`${base}/start`)
    const attemptId = started.body.attempt_id
    const ids = { exam_id: examId, attempt_id: attemptId, question_id: numeric, id: msq }
    const paper = await alice.get(`${base}/paper`, 200)
    expect(paper.body.questions[0]).not.toHaveProperty('correct_answer')

    // A paper may hold the marks of its questions. Without them, only results could hold this number.
    const marks = (text: unknown) =>
      JSON.parse(JSON.stringify(text).replaceAll('"positive_marks":7654.321', '"positive_marks":0'))
    const told = [
      prepared,
      started,
      ...(await crawl(alice, ids)),
      await alice.put(`${base}/answers`, { answers: { [numeric]: '31415.92', [msq]: ['A'] }, revision: 3 }),
      await alice.put(`${base}/answers`, { answers: {}, revision: 2 }),
      await alice.put(`${base}/answers`, { answers: { [msq]: 'B' } }),
      await alice.post(`${base}/start`),
      await alice.post(`${base}/submit`, { answers: { [msq]: [] } }),
      await alice.post(`${base}/submit`),
      await alice.post(`${base}/prepare`),
      ...(await crawl(alice, ids)),
    ]
    expectNothing(told.map(({ body }) => (Object(body).paths ? {} : marks(body))))

    await release(examId, true)
    await socket.waitFor(({ type }) => type === 'results_released')
    const seen = await alice.get(`/api/v01/attempts/${attemptId}`, 200)
    expect(seen.body.result).toMatchObject({ score: 7654.321, percentage: 99.94 })
    await release(examId, false)
    await socket.until(() => socket.of('results_released').length === 2)
    expectNothing((await crawl(alice, ids)).map(({ body }) => (Object(body).paths ? {} : marks(body))))
    expectNothing(socket.frames)
    // The check works: all of them are found in the released result.
    for (const secret of SECRETS) expect(JSON.stringify(seen.body)).toContain(secret)
    await socket.close()
  })
})

describe('results_released', () => {
  test.skipIf(!inject('redisUrl'))(
    'reaches those with an attempt of that exam, on every device and node, and nobody else',
    async () => {
      const two = await withService({ nodes: 2 })
      const [{ examId }, other] = [await createExam(two.sql), await createExam(two.sql)]
      const [taker, active, manual, stranger] = await Promise.all(
        [0, 1, 0, 1].map((node) => two.person(undefined, node)),
      )
      if (!taker || !active || !manual || !stranger) throw new Error('nobody there')
      await taker.post(`/api/v01/exams/${examId}/start`, {}, 201)
      await taker.post(`/api/v01/exams/${examId}/submit`, {}, 200)
      await active.post(`/api/v01/exams/${examId}/start`, {}, 201)
      await stranger.post(`/api/v01/exams/${other.examId}/start`, {}, 201)
      await two.sql`insert into attempts (user_id, exam_id, attempt_number, status, started_at)
                  values (${manual.id}, ${examId}, 1, 'manual', now())`
      const sockets = await Promise.all(
        [taker, taker, active, manual, stranger].map((person) => person.socket()),
      )

      publishReleased((two.nodes[0] as (typeof two.nodes)[number]).core, examId, true)
      publishReleased((two.nodes[0] as (typeof two.nodes)[number]).core, examId, false)
      const frames = [true, false].map((released) => ({
        type: 'results_released',
        exam_id: examId,
        released,
      }))
      for (const socket of sockets.slice(0, 3)) {
        await socket.until(() => socket.of('results_released').length >= 2)
        expect(socket.of('results_released')).toEqual(frames)
      }
      for (const socket of sockets.slice(3)) {
        await socket.ask({ type: 'ping' })
        expect(socket.of('results_released')).toEqual([])
      }
    },
  )
})
