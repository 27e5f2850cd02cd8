import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { form } from '../support/content/forms.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let admin: Client
beforeAll(async () => {
  service = await startService({ nodes: 2 })
  admin = await service.admin()
})
afterAll(() => service.close())

const elsewhere = (client: Client) => client.at(service.urls[1] as string)

/** Takes an exam; answers the id of the attempt. */
async function sit(person: Client, examId: number, answers: object): Promise<number> {
  const { body } = await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
  await person.post(`/api/v01/exams/${examId}/submit`, { answers }, 200)
  return body.attempt_id
}

const regrade = (examId: number, body: object, status = 201) =>
  admin.post(`/api/v01/admin/exams/${examId}/regrades`, body, status)
const resultOf = async (person: Client, attemptId: number) =>
  (await person.get(`/api/v01/attempts/${attemptId}`, 200)).body

describe('a regrade', () => {
  test('is previewed, applied, shown in every result and undone', async () => {
    const { examId, questionIds } = await createExam(service.sql, { questions: [{}, { positive_marks: 2 }] })
    const [first, second] = questionIds as [number, number]
    const [alice, bob] = [await service.person(), await service.person()]
    const a = await sit(alice, examId, { [first]: 'A', [second]: 'A' })
    const b = await sit(bob, examId, { [first]: 'B', [second]: 'A' })
    const change = (person: Client, attempt_id: number, old_score: number, new_score: number) => ({
      attempt_id,
      user_id: person.id,
      username: person.username,
      old_score,
      new_score,
      old_max_score: 6,
      new_max_score: 6,
    })
    const expected = {
      exam_id: examId,
      question_id: first,
      action: 'new_key',
      correct_answer: 'B',
      parts: null,
      tolerance: 0,
      attempts: 2,
      raised: 1,
      lowered: 1,
      unchanged: 0,
      changes: [change(alice, a, 6, 1), change(bob, b, 1, 6)],
      created_at: expect.stringMatching(/Z$/),
      created_by: admin.username,
      undone_at: null,
    }
    const body = { question_id: first, action: 'new_key', correct_answer: ' b ' }
    const preview = await regrade(examId, { ...body, preview: true }, 200)
    expect(preview.body).toEqual({ success: true, regrade: { id: null, ...expected } })
    expect((await resultOf(alice, a)).result.score).toBe(6)
    expect((await admin.get(`/api/v01/admin/exams/${examId}/regrades`, 200)).body.regrades).toEqual([])

    const sockets = [await bob.socket(), await elsewhere(bob).socket()]
    const applied = await regrade(examId, body)
    expect(applied.body).toEqual({ success: true, regrade: { id: expect.any(Number), ...expected } })
    for (const socket of sockets)
      expect(await socket.waitFor(({ type }) => type === 'result_changed')).toEqual({
        type: 'result_changed',
        exam_id: examId,
        attempt_id: b,
      })
    const review = await resultOf(bob, b)
    expect(review.result).toEqual({
      score: 6,
      max_score: 6,
      percentage: 100,
      correct: 2,
      incorrect: 0,
      unattempted: 0,
    })
    expect(review.review).toMatchObject([
      { id: first, correct_answer: 'B', regraded: true, is_correct: true, marks_awarded: 4 },
      { id: second, correct_answer: 'A', regraded: false },
    ])
    expect((await bob.get('/api/v01/attempts', 200)).body.attempts).toMatchObject([{ score: 6 }])
    // Also in the older generation.
    const older = (await bob.get(`/api/attempts/${b}`, 200)).body
    expect(review).toMatchObject(older)
    expect((await bob.get('/api/attempts', 200)).body.attempts).toMatchObject([{ score: 6 }])
    const { body: dashboard } = await admin.get(`/api/v01/admin/analytics?exam=${examId}`, 200)
    expect(dashboard.summary.avgScore).toBe(58.33)
    // The question shows the key that a new paper gets; the stored one doesn't change.
    const question = `/api/v01/admin/questions/${first}` as const
    expect((await admin.get(question, 200)).body.question.correct_answer).toBe('B')
    expect((await service.sql`select correct_answer from questions where id = ${first}`)[0]).toEqual({
      correct_answer: 'A',
    })
    await sit(alice, examId, { [first]: 'B', [second]: 'A' })
    expect((await alice.get('/api/v01/attempts', 200)).body.attempts[0]?.score).toBe(6)

    const undone = await admin.post(`/api/v01/admin/regrades/${applied.body.regrade.id}/undo`, {}, 200)
    expect(undone.body.regrade).toEqual({ ...applied.body.regrade, undone_at: expect.stringMatching(/Z$/) })
    expect((await resultOf(bob, b)).result.score).toBe(1)
    expect((await resultOf(bob, b)).review[0]).toMatchObject({ correct_answer: 'A', regraded: false })
    expect((await admin.get(question, 200)).body.question.correct_answer).toBe('A')
    const listed = await admin.get(`/api/v01/admin/exams/${examId}/regrades`, 200)
    expect(listed.body.regrades).toEqual([undone.body.regrade])
    const audit = await admin.get(`/api/v01/admin/audit?subject=regrade:${applied.body.regrade.id}`, 200)
    expect(audit.body.entries.map(({ action }) => action)).toEqual(['regrade.undo', 'regrade.apply'])
  })

  test('drops a question, or gives its marks to everybody; nothing left to score is no percentage', async () => {
    const { examId, questionIds } = await createExam(service.sql, { questions: [{}, {}] })
    const [first, second] = questionIds as [number, number]
    const alice = await service.person()
    const attemptId = await sit(alice, examId, { [first]: 'B' })
    await regrade(examId, { question_id: first, action: 'drop' })
    expect((await resultOf(alice, attemptId)).result).toMatchObject({ score: 0, max_score: 4, percentage: 0 })
    const credit = await regrade(examId, { question_id: second, action: 'credit_all' })
    expect((await resultOf(alice, attemptId)).result).toMatchObject({
      score: 4,
      max_score: 4,
      percentage: 100,
    })
    expect(credit.body.regrade).toMatchObject({ correct_answer: null, tolerance: null, raised: 1 })
    const drop = await regrade(examId, { question_id: second, action: 'drop' })
    expect((await resultOf(alice, attemptId)).result).toMatchObject({
      score: 0,
      max_score: 0,
      percentage: null,
    })
    await admin.post(`/api/v01/admin/regrades/${drop.body.regrade.id}/undo`, {}, 200)
    expect((await resultOf(alice, attemptId)).result).toMatchObject({ score: 4, max_score: 4 })
  })

  test('does not apply to papers that are drawn after the key was edited again', async () => {
    const { examId, questionIds } = await createExam(service.sql)
    const [question] = questionIds as [number]
    const path = `/api/v01/admin/questions/${question}` as const
    const key = async () => (await admin.get(path, 200)).body.question.correct_answer
    const edit = (correct_answer: string) => {
      const form = new FormData()
      form.set('correct_answer', correct_answer)
      return admin.request('PATCH', path, form, 200)
    }
    const alice = await service.person()
    const before = await sit(alice, examId, { [question]: 'C' })
    await regrade(examId, { question_id: question, action: 'new_key', correct_answer: 'C' })
    const during = await sit(alice, examId, { [question]: 'C' })
    expect(await key()).toBe('C')
    // Although the key is the old one again, it is newer than the regrade.
    await edit('D')
    await edit('A')
    expect(await key()).toBe('A')
    const after = await sit(alice, examId, { [question]: 'C' })
    const scores = async () =>
      Promise.all([before, during, after].map(async (id) => (await resultOf(alice, id)).result.score))
    expect(await scores()).toEqual([4, 4, -1])
    // A newer regrade applies to all of them.
    const { body } = await regrade(examId, { question_id: question, action: 'new_key', correct_answer: 'B' })
    expect(body.regrade).toMatchObject({ attempts: 3, lowered: 2, unchanged: 1 })
    expect(await scores()).toEqual([-1, -1, -1])
  })

  describe('gives a question a key that', () => {
    const questionOf = (id: number) => `/api/v01/admin/questions/${id}` as const
    const edit = (id: number, fields: Record<string, string | number>) =>
      admin.request('PATCH', questionOf(id), form(fields), 200)
    const shown = async (id: number) => {
      const { correct_answer, tolerance } = (await admin.get(questionOf(id), 200)).body.question
      return [correct_answer, tolerance]
    }
    /** An exam with a question whose key 5 was corrected to 6 ± 0.5. */
    const corrected = async () => {
      const { examId, questionIds } = await createExam(service.sql, {
        questions: [{ question_type: 'NUMERIC', correct_answer: '5' }],
      })
      const id = questionIds[0] as number
      const body = { question_id: id, action: 'new_key', correct_answer: '6', tolerance: 0.5 }
      const made = await regrade(examId, body)
      return { examId, id, undo: `/api/v01/admin/regrades/${made.body.regrade.id}/undo` as const }
    }
    const scoreOf = async (examId: number, id: number, answer: string) => {
      const person = await service.person()
      return (await resultOf(person, await sit(person, examId, { [id]: answer }))).result.score
    }

    test('stays above its own while something else is edited, and is gone once undone', async () => {
      const { examId, id, undo } = await corrected()
      await edit(id, { question_text: 'Other words', correct_answer: '6', positive_marks: 3 })
      const marks = { exam_id: examId, question_type: 'numeric', positive_marks: 2 }
      await admin.post('/api/v01/admin/questions/bulk-marks', marks, 200)
      expect(await shown(id)).toEqual(['6', 0.5])
      await admin.post(undo, {}, 200)
      expect(await shown(id)).toEqual(['5', 0])
    })

    test('an edit of the tolerance, of one question or of many, leaves as it is', async () => {
      for (const of of ['one', 'many']) {
        const { examId, id, undo } = await corrected()
        const marks = { exam_id: examId, question_type: 'NUMERIC', tolerance: 0.25 }
        if (of === 'one') await edit(id, { tolerance: 0.25 })
        else await admin.post('/api/v01/admin/questions/bulk-marks', marks, 200)
        expect(await shown(id)).toEqual(['6', 0.25])
        expect(await scoreOf(examId, id, '6.25')).toBe(4)
        expect(await scoreOf(examId, id, '5')).toBe(-1)
        // The key was edited after the regrade, so its undoing is of no effect on new papers.
        await admin.post(undo, {}, 200)
        expect(await shown(id)).toEqual(['6', 0.25])
      }
    })

    test('an edit back to its own key ends', async () => {
      const { examId, id } = await corrected()
      await edit(id, { correct_answer: '5', tolerance: 0 })
      expect(await shown(id)).toEqual(['5', 0])
      expect(await scoreOf(examId, id, '5')).toBe(4)
    })

    test('goes with it to another exam, and into its export', async () => {
      const { examId, id } = await corrected()
      const csv = await admin.request(
        'GET',
        `/api/v01/admin/exams/${examId}/export?format=csv`,
        undefined,
        200,
      )
      expect(csv.body).toMatch(/,6,.*,0\.5/)
      const other = await createExam(service.sql)
      await edit(id, { exam_id: other.examId })
      expect(await shown(id)).toEqual(['6', 0.5])
      expect(await scoreOf(other.examId, id, '6.5')).toBe(4)
    })

    test('keeps its tolerance when it is corrected once more', async () => {
      const { examId, id } = await corrected()
      await regrade(examId, { question_id: id, action: 'new_key', correct_answer: '7' })
      expect(await shown(id)).toEqual(['7', 0.5])
    })
  })

  test('is refused with an invalid key, question or action', async () => {
    const { examId, questionIds } = await createExam(service.sql, {
      questions: [
        {},
        { question_type: 'NUMERIC', correct_answer: '1' },
        { question_type: 'MSQ', correct_answer: 'A' },
      ],
    })
    const other = await createExam(service.sql)
    const [mcq, numeric, msq] = questionIds as [number, number, number]
    const bad = [
      { question_id: mcq, action: 'new_key' },
      { question_id: mcq, action: 'new_key', correct_answer: '' },
      { question_id: mcq, action: 'new_key', correct_answer: 'A,B' },
      { question_id: msq, action: 'new_key', correct_answer: 'E' },
      { question_id: numeric, action: 'new_key', correct_answer: 'B' },
      { question_id: numeric, action: 'new_key', correct_answer: '1', tolerance: -1 },
      { question_id: numeric, action: 'new_key', correct_answer: '1', tolerance: 'wide' },
      { question_id: mcq, action: 'forgive' },
      { action: 'drop' },
    ]
    for (const body of bad) {
      await regrade(examId, body, 400)
      await regrade(examId, { ...body, preview: true }, 400)
    }
    for (const preview of [true, false]) {
      await regrade(examId, { question_id: other.questionIds[0], action: 'drop', preview }, 404)
      await regrade(2_000_000_000, { question_id: mcq, action: 'drop', preview }, 404)
    }
    await admin.get('/api/v01/admin/exams/2000000000/regrades', 404)
    await admin.post('/api/v01/admin/regrades/2000000000/undo', {}, 404)
    const alice = await service.person()
    await alice.post(`/api/v01/admin/exams/${examId}/regrades`, { question_id: mcq, action: 'drop' }, 403)
    await service.guest().post(`/api/v01/admin/exams/${examId}/regrades`, {}, 401)
    for (const [id, key] of [
      [msq, ['C', 'A']],
      [msq, 'ca'],
      [numeric, 2.5],
    ] as const)
      await regrade(examId, { question_id: id, action: 'new_key', correct_answer: key, preview: true }, 200)
  })

  test('sends nothing about results that are not released', async () => {
    const { examId, questionIds } = await createExam(service.sql, { result_mode: 'on_release' })
    const alice = await service.person()
    const socket = await alice.socket()
    await sit(alice, examId, { [questionIds[0] as number]: 'B' })
    await regrade(examId, { question_id: questionIds[0], action: 'credit_all' })
    await admin.post(`/api/v01/admin/exams/${examId}/toggle-results`, { released: true }, 200)
    await socket.waitFor(({ type }) => type === 'results_released')
    expect(socket.of('result_changed')).toEqual([])
    expect((await alice.get('/api/v01/attempts', 200)).body.attempts).toMatchObject([{ score: 4 }])
  })

  test('tells those who saw their result because it was released while the regrade ran', async () => {
    const { examId, questionIds } = await createExam(service.sql, { result_mode: 'on_release' })
    const alice = await service.person()
    const socket = await alice.socket()
    const attempt_id = await sit(alice, examId, { [questionIds[0] as number]: 'B' })
    let regrading: Promise<unknown> | undefined
    await service.sql.begin(async (sql) => {
      await sql`select from attempts where id = ${attempt_id} for update`
      regrading = regrade(examId, { question_id: questionIds[0], action: 'credit_all' })
      await expect.poll(service.lockWaits).toHaveLength(1)
      await admin.post(`/api/v01/admin/exams/${examId}/toggle-results`, { released: true }, 200)
      await socket.waitFor(({ type }) => type === 'results_released')
    })
    await regrading
    expect(await socket.waitFor(({ type }) => type === 'result_changed')).toMatchObject({ attempt_id })
  })
})

test('after submits, starts and regrades at once over two nodes every result is by the regrade in force', async () => {
  const { examId, questionIds } = await createExam(service.sql, { questions: [{}, {}] })
  const other = await createExam(service.sql)
  const [first, second] = questionIds as [number, number]
  const people = await Promise.all(Array.from({ length: 24 }, () => service.person()))
  const submit = async (person: Client, index: number) => {
    await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
    const at = index % 2 ? person : elsewhere(person)
    await at.post(`/api/v01/exams/${examId}/submit`, { answers: { [first]: 'B', [second]: 'A' } }, 200)
    await sit(at, other.examId, {})
  }
  const admins = [admin, elsewhere(admin)]
  await Promise.all([
    ...people.map(submit),
    ...Array.from({ length: 8 }, async (_, index) => {
      const path = `/api/v01/admin/exams/${examId}/regrades` as const
      const by = admins[index % 2] as Client
      const { body } = await by.post(
        path,
        { question_id: first, action: 'new_key', correct_answer: 'ABCD'.charAt(index % 4) },
        201,
      )
      if (index % 3 === 0) await by.post(`/api/v01/admin/regrades/${body.regrade.id}/undo`, {}, 200)
    }),
  ])
  const [newest] = await service.sql`
    select correct_answer from regrades where exam_id = ${examId} and undone_at is null order by id desc limit 1`
  const rows = await service.sql`
    select distinct score::float8, max_score::float8, correct from attempts where exam_id = ${examId}`
  expect(rows).toEqual([
    newest?.correct_answer === 'B'
      ? { score: 8, max_score: 8, correct: 2 }
      : { score: 3, max_score: 8, correct: 1 },
  ])
})
