import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMMAND_LINE } from '../../src/actor.ts'
import * as attempts from '../../src/features/attempts/manual-attempts.service.ts'
import type { Answer, Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ nodes: 2 })
})
afterAll(() => service.close())

/** Clients of one person on both nodes. */
async function personAtBoth(): Promise<[Client, Client]> {
  const here = await service.person()
  return [here, here.at(service.urls[1] as string)]
}

function times<T>(count: number, call: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => call(index)))
}

const countOf = (answers: Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length

describe('starts', () => {
  test('of one exam, 50 at once over two nodes, make one attempt that 49 resume', async () => {
    const { examId } = await createExam(service.sql)
    const nodes = await personAtBoth()
    const answers = await times(50, (index) =>
      (nodes[index % 2] as Client).post(`/api/v01/exams/${examId}/start`),
    )
    expect(countOf(answers, 201)).toBe(1)
    expect(countOf(answers, 200)).toBe(49)
    expect(new Set(answers.map(({ body }) => body.attempt_id)).size).toBe(1)
    expect(answers.filter(({ body }) => body.resumed === true)).toHaveLength(49)
    expect(await service.sql`select attempt_number, status from attempts where exam_id = ${examId}`).toEqual([
      { attempt_number: 1, status: 'active' },
    ])
  })

  test('with every outcome, at once, don’t affect one another', async () => {
    const past = new Date(Date.now() - 60_000)
    const kinds = {
      201: await createExam(service.sql),
      'without help': await createExam(service.sql, { lock_help: true }),
      exam_empty: await createExam(service.sql, { questions: [] }),
      not_found: await createExam(service.sql, { published: false }),
      exam_closed: await createExam(service.sql, { closes_at: past }),
      attempts_exhausted: await createExam(service.sql, { max_attempts: 0 }),
    }
    const starts = Object.entries(kinds).flatMap(([outcome, { examId }]) =>
      Array.from({ length: 6 }, () => ({ outcome, examId })),
    )
    const people = await times(starts.length, personAtBoth)
    const answers = await times(starts.length, async (index) => {
      const { outcome, examId } = starts[index] as (typeof starts)[number]
      const nodes = people[index] as [Client, Client]
      const { status, body } = await (nodes[index % 2] as Client).post(`/api/v01/exams/${examId}/start`)
      return { outcome, answered: status === 201 ? status : body.code }
    })
    for (const { outcome, answered } of answers)
      expect(String(answered), outcome).toBe(outcome === 'without help' ? '201' : outcome)
    const rows = await service.sql`
      select count(*)::int from attempts where exam_id = any(${Object.values(kinds).map(({ examId }) => examId)})`
    expect(rows).toEqual([{ count: 12 }])
  })

  test('and submits at once never exceed the cap, nor skip an attempt number', async () => {
    const { examId } = await createExam(service.sql, { max_attempts: 5 })
    const nodes = await personAtBoth()
    const base = `/api/v01/exams/${examId}` as const
    const answers = await times(80, (index) => {
      const client = nodes[index % 2] as Client
      return client.post(`${base}/${index % 4 < 2 ? 'start' : 'submit'}`)
    })
    expect(answers.filter(({ status }) => ![200, 201, 403, 409].includes(status))).toEqual([])
    while ((await nodes[0].post(`${base}/start`)).status !== 403)
      await nodes[0].post(`${base}/submit`, {}, 200)
    const rows =
      await service.sql`select attempt_number, status from attempts where exam_id = ${examId} order by 1`
    expect(rows).toEqual([1, 2, 3, 4, 5].map((attempt_number) => ({ attempt_number, status: 'submitted' })))
  })

  test('beside changes of the allowance never exceed it, nor skip an attempt number', async () => {
    const { examId } = await createExam(service.sql, { max_attempts: 3 })
    const nodes = await personAtBoth()
    const studentId = nodes[0].id
    const [core, other] = service.nodes.map((node) => node.core) as [
      (typeof service.nodes)[0]['core'],
      (typeof service.nodes)[0]['core'],
    ]
    await attempts.addManualAttempts(core, COMMAND_LINE, studentId, examId, 2)
    await times(60, async (index) => {
      const client = nodes[index % 2] as Client
      if (index % 6 === 0) await attempts.removeLatestAttempts(core, COMMAND_LINE, studentId, examId, 1)
      else if (index % 6 === 3) await attempts.removeLatestAttempts(other, COMMAND_LINE, studentId, examId, 2)
      else await client.post(`/api/v01/exams/${examId}/${index % 2 === 0 ? 'submit' : 'start'}`)
      const [row] = await service.sql<{ used: number }[]>`
        select count(*)::int as used from attempts where user_id = ${studentId} and exam_id = ${examId}`
      expect(row?.used).toBeLessThanOrEqual(3)
    })
    await attempts.resetAttempts(core, COMMAND_LINE, studentId, examId)
    await Promise.all([
      ...Array.from({ length: 10 }, (_, index) =>
        attempts.addManualAttempts(index % 2 ? core : other, COMMAND_LINE, studentId, examId, 3),
      ),
      nodes[0].post(`/api/v01/exams/${examId}/start`),
    ])
    const rows =
      await service.sql`select attempt_number from attempts where user_id = ${studentId} order by 1`
    expect(rows.map(({ attempt_number }) => attempt_number)).toEqual(rows.map((_, index) => index + 1))
    expect([30, 31]).toContain(rows.length)
  })
})

describe('submits', () => {
  test('of one attempt, 50 at once over two nodes, grade it once', async () => {
    const { examId, questionIds } = await createExam(service.sql)
    const nodes = await personAtBoth()
    const base = `/api/v01/exams/${examId}` as const
    await nodes[0].post(`${base}/start`, {}, 201)
    await nodes[1].put(`${base}/answers`, { answers: { [questionIds[0] as number]: 'A' } }, 200)
    const answers = await times(50, (index) => (nodes[index % 2] as Client).post(`${base}/submit`, {}, 200))
    expect(answers.filter(({ body }) => body.already_submitted === false)).toHaveLength(1)
    for (const { body } of answers)
      expect({ ...body, already_submitted: true }).toEqual({ ...answers[0]?.body, already_submitted: true })
    expect(answers[0]?.body.result).toMatchObject({ score: 4, correct: 1 })
  })
})

describe('syncs', () => {
  test('that race a submit over two nodes, 200 times, are graded if and only if they were acknowledged', {
    meta: { costly: 'starts and submits 200 attempts' },
  }, async () => {
    const { examId, questionIds } = await createExam(service.sql, { questions: [{}, {}] })
    const [first, second] = questionIds as [number, number]
    const base = `/api/v01/exams/${examId}` as const
    const people = await times(20, personAtBoth)
    const seen = { acknowledged: 0, refused: 0 }
    for (let round = 0; round < 10; round++)
      await Promise.all(
        people.map(async ([here, there], index) => {
          await here.post(`${base}/start`, {}, 201)
          const early = (client: Client) => client.put(`${base}/answers`, { answers: { [first]: 'A' } })
          // In half of the cases the submit is sent first, so that both orders happen.
          const submitted = index % 2 ? there.post(`${base}/submit`, {}, 200) : undefined
          const [one, other] = await Promise.all([
            early(here),
            here.put(`${base}/answers`, { answers: { [second]: 'A' } }),
          ])
          const { result } = (await (submitted ?? there.post(`${base}/submit`, {}, 200))).body
          const acknowledged = countOf([one, other], 200)
          expect(countOf([one, other], 409)).toBe(2 - acknowledged)
          expect(result).toMatchObject({ correct: acknowledged, unattempted: 2 - acknowledged })
          seen.acknowledged += acknowledged
          seen.refused += 2 - acknowledged
        }),
      )
    expect(seen.acknowledged).toBeGreaterThan(0)
    expect(seen.refused).toBeGreaterThan(0)
  })

  test('of one attempt at once over two nodes are all kept', async () => {
    const { examId, questionIds } = await createExam(service.sql, {
      questions: Array.from({ length: 60 }, () => ({})),
    })
    const nodes = await personAtBoth()
    const base = `/api/v01/exams/${examId}` as const
    await nodes[0].post(`${base}/start`, {}, 201)
    await Promise.all(
      questionIds.map((id, index) =>
        (nodes[index % 2] as Client).put(`${base}/answers`, { answers: { [id]: 'A' } }, 200),
      ),
    )
    expect((await nodes[0].post(`${base}/submit`, {}, 200)).body.result?.correct).toBe(60)
  })

  test('with rising revisions at once leave the newest one', async () => {
    const { examId, questionIds } = await createExam(service.sql)
    const nodes = await personAtBoth()
    const base = `/api/v01/exams/${examId}` as const
    await nodes[0].post(`${base}/start`, {}, 201)
    const answers = await times(40, (index) =>
      (nodes[index % 2] as Client).put(`${base}/answers`, {
        answers: { [questionIds[0] as number]: 'ABCD'.charAt(index % 4) },
        revision: index,
      }),
    )
    expect(countOf(answers, 200) + countOf(answers, 409)).toBe(40)
    expect(answers[39]?.status).toBe(200)
    const paper = (await nodes[1].get(`${base}/paper`, 200)).body
    expect(paper).toMatchObject({ answers: { [questionIds[0] as number]: 'D' }, revision: 39 })
  })

  test('with an invalid answer don’t affect others in the same batch', async () => {
    const { examId, questionIds } = await createExam(service.sql)
    const people = await times(20, () => service.person())
    const base = `/api/v01/exams/${examId}` as const
    await Promise.all(people.map((person) => person.post(`${base}/start`, {}, 201)))
    const answers = await Promise.all(
      people.map((person, index) =>
        person.put(`${base}/answers`, { answers: { [questionIds[0] as number]: index === 7 ? 'X' : 'A' } }),
      ),
    )
    expect(answers.map(({ body }) => body.saved)).toEqual(people.map((_, index) => (index === 7 ? 0 : 1)))
  })

  test('fit the new paper when the attempt ended, and the next one began, on another node', async () => {
    const { examId, questionIds } = await createExam(service.sql)
    const [here, there] = await personAtBoth()
    const base = `/api/v01/exams/${examId}` as const
    await here.post(`${base}/start`, {}, 201)
    await here.put(`${base}/answers`, { answers: { [questionIds[0] as number]: 'A' } }, 200)
    await there.post(`${base}/submit`, {}, 200)
    await service.sql`update questions set question_type = 'NUMERIC', correct_answer = '7' where id = ${questionIds[0] as number}`
    await there.post(`${base}/start`, {}, 201)
    await here.put(`${base}/answers`, { answers: { [questionIds[0] as number]: '7' } }, 200)
    const other = await here.put(`${base}/answers`, { answers: { [questionIds[0] as number]: ['A'] } }, 200)
    expect(other.body.rejected).toHaveLength(1)
    expect((await there.post(`${base}/submit`, {}, 200)).body.result?.correct).toBe(1)
  })
})

test('while an exam is deleted, each start gets an attempt or 404, and no attempt is left', async () => {
  const people = await times(20, () => service.person())
  for (let headStart = 0; headStart < 10; headStart++) {
    const { examId } = await createExam(service.sql)
    const starts = people.map((person) => person.post(`/api/v01/exams/${examId}/start`))
    await sleep(headStart)
    await service.sql`delete from exams where id = ${examId}`
    for (const { status } of await Promise.all(starts)) expect([201, 404]).toContain(status)
    expect(await service.sql`select from attempts where exam_id = ${examId}`).toHaveLength(0)
  }
})
