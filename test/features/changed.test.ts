import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
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

/** Statuses of requests that are sent at once, half of them to the other node. */
async function race(count: number, send: (client: Client, turn: number) => Promise<{ status: number }>) {
  const sent = Array.from({ length: count }, (_, turn) =>
    send(turn % 2 === 0 ? admin : elsewhere(admin), turn),
  )
  return (await Promise.all(sent)).map(({ status }) => status).sort()
}

describe('an exam', () => {
  test('changes only if what was changed is as it was seen; the answer says what is stored', async () => {
    const { examId } = await createExam(service.sql, { name: 'Optics', duration_minutes: 60 })
    const [classId] = [await createClass(service.sql)]
    const path = `/api/v01/admin/exams/${examId}` as const
    const { exam } = (
      await admin.patch(path, { class_ids: [classId], closes_at: '2999-01-01T10:00:30Z' }, 200)
    ).body
    // Somebody else.
    await admin.patch(path, { duration_minutes: 90, description: 'Bring a pencil' }, 200)
    const refused = await admin.patch(
      path,
      {
        name: 'Optics 2',
        duration_minutes: 30,
        class_ids: [],
        was: {
          name: exam.name,
          duration_minutes: 60,
          class_ids: [],
          description: exam.description,
          closes_at: '2999-01-01 11:00:30+01:00',
        },
      },
      409,
    )
    expect(refused.body).toMatchObject({ success: false, code: 'changed' })
    expect(refused.body.stored).toEqual({
      duration_minutes: 90,
      description: 'Bring a pencil',
      class_ids: [classId],
    })
    expect((await admin.get(path, 200)).body.exam).toMatchObject({
      name: 'Optics',
      duration_minutes: 90,
      class_ids: [classId],
    })
    // As it is stored: times by another spelling, ids in any order, null where there is none.
    await admin.patch(
      path,
      { duration_minutes: 30, was: { duration_minutes: 90, category_id: null, class_ids: [classId] } },
      200,
    )
    // What has been stored already is no conflict: the answer of the first one was lost.
    await admin.patch(path, { duration_minutes: 30, was: { duration_minutes: 90 } }, 200)
    await admin.patch(path, { was: { duration_minutes: 30 } }, 400)
    await admin.patch(path, { name: 'x', was: { duration_minutes: 'long' as never } }, 400)
    await admin.patch(path, { name: 'x', was: 'before' as never }, 400)
    await admin.patch('/api/v01/admin/exams/999999', { name: 'x', was: { name: 'y' } }, 404)
  })

  test('of many changes at once from the same sight of it one is made', async () => {
    for (const field of ['duration_minutes', 'max_attempts'] as const) {
      const { examId } = await createExam(service.sql, { duration_minutes: 60, max_attempts: 60 })
      const statuses = await race(12, (client, turn) =>
        client.patch(`/api/v01/admin/exams/${examId}`, { [field]: 100 + turn, was: { [field]: 60 } }),
      )
      expect(statuses, field).toEqual([200, ...Array(11).fill(409)])
    }
  })

  test('says whom a change would concern', async () => {
    const { examId } = await createExam(service.sql, { name: 'Waves' })
    const path = `/api/v01/admin/exams/${examId}/changes-mean` as const
    expect((await admin.get(path, 200)).body).toEqual({
      success: true,
      published: true,
      attempts: 0,
      under_way: 0,
    })
    const [done, still] = [await service.person(), await service.person()]
    for (const person of [done, still]) await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
    await done.post(`/api/v01/exams/${examId}/submit`, { answers: {}, markedForReview: [] }, 200)
    const class_ids = [await createClass(service.sql, { students: [still] })]
    await admin.patch(`/api/v01/admin/exams/${examId}`, { class_ids }, 200)
    expect((await admin.get(path, 200)).body).toMatchObject({ published: true, attempts: 1, under_way: 1 })
    await still.get(path, 403)
    await admin.get('/api/v01/admin/exams/999999/changes-mean', 404)
  })
})

describe('a question', () => {
  const seen = (was: object | string) => (typeof was === 'string' ? was : JSON.stringify(was))
  const change = (client: Client, id: number, fields: Record<string, string>, was: object | string) =>
    client.patch(`/api/v01/admin/questions/${id}`, form({ ...fields, was: seen(was) }))
  const questionOf = async (id: number) =>
    (await admin.get(`/api/v01/admin/questions/${id}`, 200)).body.question

  test('changes only if what was changed is as it was seen; the answer says what is stored', async () => {
    const { questionIds } = await createExam(service.sql, { questions: [{ correct_answer: 'A' }] })
    const [id] = questionIds as [number]
    const { image_url: _, id: __, ...before } = await questionOf(id)
    // Somebody else.
    await change(admin, id, { correct_answer: 'B', positive_marks: '2', tags: '["waves"]' }, {})
    const wanted = { correct_answer: 'C', question_text: 'Which?', tags: '[]' }
    const refused = await change(elsewhere(admin), id, wanted, before)
    expect(refused.status).toBe(409)
    expect(refused.body).toEqual({
      success: false,
      code: 'changed',
      message: expect.any(String),
      stored: { correct_answer: 'B', positive_marks: 2, tags: ['waves'] },
    })
    expect(await questionOf(id)).toMatchObject({ question_text: before.question_text, correct_answer: 'B' })
    const { positive_marks: ___, ...rest } = before
    expect(await change(admin, id, wanted, { ...rest, correct_answer: 'B', tags: ['waves'] })).toMatchObject({
      status: 200,
    })
    // What has been stored already is no conflict, however it is written.
    expect(await change(admin, id, { ...wanted, correct_answer: 'c' }, before)).toMatchObject({
      status: 409,
      body: { stored: { positive_marks: 2 } },
    })
    expect(await change(admin, id, { ...wanted, correct_answer: ' c ' }, rest)).toMatchObject({ status: 200 })
    // A key that is wrong for the type which somebody else has given it.
    await change(admin, id, { question_type: 'NUMERIC', correct_answer: '5' }, {})
    expect(await change(admin, id, { correct_answer: 'D' }, { correct_answer: 'C' })).toMatchObject({
      status: 409,
      body: { stored: { correct_answer: '5' } },
    })
    for (const wrong of ['before', '[1]', '{', '{"tags":"waves"}', '{"positive_marks":"2"}'])
      expect(await change(admin, id, { explanation: 'x' }, wrong), wrong).toMatchObject({
        status: 400,
        body: { code: 'validation_failed', errors: [{ path: expect.stringMatching('^/was') }] },
      })
    expect(await change(admin, id, {}, {})).toMatchObject({
      status: 400,
      body: { code: 'nothing_to_update' },
    })
    expect(await change(admin, 999_999, { explanation: 'x' }, {})).toMatchObject({ status: 404 })
  })

  test('is seen with the key that a regrade gave it', async () => {
    const { examId, questionIds } = await createExam(service.sql, { questions: [{ correct_answer: 'A' }] })
    const [id] = questionIds as [number]
    const regrade = { question_id: id, action: 'new_key', correct_answer: 'B' } as const
    await admin.post(`/api/v01/admin/exams/${examId}/regrades`, regrade, 201)
    expect(await change(admin, id, { correct_answer: 'C' }, { correct_answer: 'A' })).toMatchObject({
      status: 409,
      body: { stored: { correct_answer: 'B' } },
    })
    expect(await change(admin, id, { correct_answer: 'C' }, { correct_answer: 'B' })).toMatchObject({
      status: 200,
    })
  })

  test('of many changes at once from the same sight of it one is made', async () => {
    const { questionIds } = await createExam(service.sql, { questions: [{ positive_marks: 4 }] })
    const [id] = questionIds as [number]
    const statuses = await race(12, (client, turn) =>
      change(client, id, { positive_marks: String(100 + turn) }, { positive_marks: 4 }),
    )
    expect(statuses).toEqual([200, ...Array(11).fill(409)])
  })
})

describe('times', () => {
  const NONE = { extra_time_percent: 0, opens_at: null, closes_at: null }

  test('of a person, as an administrator or a teacher sets them, keep what isn’t named', async () => {
    const [teacher, student] = [await service.person(), await service.person()]
    const classId = await createClass(service.sql, { teachers: [teacher], students: [student] })
    const { examId } = await createExam(service.sql)
    await admin.patch(`/api/v01/admin/exams/${examId}`, { class_ids: [classId] }, 200)
    const own = `/api/v01/admin/exams/${examId}/accommodations/${student.id}` as const
    const taught = `/api/v01/classes/${classId}/exams/${examId}/accommodations/${student.id}` as const
    const closes_at = '2999-01-01T10:00:30.250Z'
    await admin.patch(own, { closes_at, was: NONE }, 200)
    const { body } = await teacher.patch(
      taught,
      { extra_time_percent: 25, was: { extra_time_percent: 0 } },
      200,
    )
    expect(body.accommodation).toMatchObject({ extra_time_percent: 25, opens_at: null, closes_at })
    const refused = await teacher.patch(
      taught,
      { extra_time_percent: 50, closes_at: null, was: { extra_time_percent: 0, closes_at } },
      409,
    )
    expect(refused.body).toMatchObject({ code: 'changed', stored: { extra_time_percent: 25 } })
    const replaced = await admin.put(own, { extra_time_percent: 50, was: NONE }, 409)
    expect(replaced.body.stored).toEqual({ extra_time_percent: 25, closes_at })
    await admin.patch(own, { opens_at: '2999-01-02T00:00Z' }, 400)
    for (const nothing of [{}, { was: NONE }]) await admin.patch(own, nothing, 400)
    await admin.put(own, { extra_time_percent: 50 }, 200)
    const { accommodations } = (await admin.get(`/api/v01/admin/exams/${examId}/accommodations`, 200)).body
    expect(accommodations).toMatchObject([{ ...NONE, extra_time_percent: 50 }])
    await teacher.patch(taught, { extra_time_percent: 10, was: { extra_time_percent: null } }, 409)
    await admin.patch(`/api/v01/admin/exams/${examId}/accommodations/999999`, { extra_time_percent: 1 }, 404)
  })

  test('of a class too; of many changes at once from the same sight of them one is made', async () => {
    const student = await service.person()
    const classId = await createClass(service.sql, { students: [student] })
    const { examId } = await createExam(service.sql)
    await admin.patch(`/api/v01/admin/exams/${examId}`, { class_ids: [classId] }, 200)
    const ofClass = `/api/v01/admin/exams/${examId}/class-accommodations/${classId}` as const
    const ofPerson = `/api/v01/admin/exams/${examId}/accommodations/${student.id}` as const
    const once = [200, ...Array(11).fill(409)]
    for (const path of [ofClass, ofPerson]) {
      const change = (client: Client, turn: number) =>
        client.patch(path, { extra_time_percent: 100 + turn, was: { extra_time_percent: 0 } })
      expect(await race(12, change)).toEqual(once)
    }
    await admin.patch(ofClass, { opens_at: '2026-01-01T00:00Z', was: { opens_at: null } }, 200)
    const { accommodation } = (await admin.get(ofClass, 200)).body
    expect(accommodation.extra_time_percent).toBeGreaterThanOrEqual(100)
    await admin.put(ofClass, { extra_time_percent: 5, was: { opens_at: null } }, 409)
  })

  test('are taken away only as they were seen, a person’s and a class’s', async () => {
    const [teacher, student] = [await service.person(), await service.person()]
    const classId = await createClass(service.sql, { teachers: [teacher], students: [student] })
    const { examId } = await createExam(service.sql)
    await admin.patch(`/api/v01/admin/exams/${examId}`, { class_ids: [classId] }, 200)
    const own = `/api/v01/admin/exams/${examId}/accommodations/${student.id}` as const
    const ofClass = `/api/v01/admin/exams/${examId}/class-accommodations/${classId}` as const
    const taught = `/api/v01/classes/${classId}/exams/${examId}/accommodations/${student.id}` as const
    const closes_at = '2999-01-01T10:00:30.250Z'
    const remove = (path: string, was: unknown) => `${path}?was=${encodeURIComponent(JSON.stringify(was))}`
    for (const [set, taken, who] of [
      [own, own, admin],
      [own, taught, teacher],
      [ofClass, ofClass, admin],
    ] as const) {
      await admin.put(set, { extra_time_percent: 25 }, 200)
      // Somebody else.
      await admin.patch(set, { closes_at }, 200)
      const refused = await who.request(
        'DELETE',
        remove(taken, { ...NONE, extra_time_percent: 25 }),
        undefined,
        409,
      )
      expect(refused.body).toMatchObject({ code: 'changed', stored: { closes_at } })
      await admin.patch(set, { closes_at, was: { closes_at } }, 200)
      for (const wrong of ['seen', { closes_at: 'soon' }])
        await who.request('DELETE', remove(taken, wrong), undefined, 400)
      const seen = { extra_time_percent: 25, opens_at: null, closes_at: '2999-01-01 11:00:30.25+01:00' }
      await who.request('DELETE', remove(taken, seen), undefined, 200)
      await who.request('DELETE', remove(taken, seen), undefined, 404)
    }
    // One that takes them away and one that changes them: never is lost what was not seen.
    for (const path of [own, ofClass]) {
      await admin.put(path, { extra_time_percent: 25 }, 200)
      const statuses = await race(12, (client, turn) =>
        turn % 3 === 0
          ? client.request('DELETE', remove(path, { extra_time_percent: 25 }), undefined)
          : client.patch(path, { extra_time_percent: 50 + turn, was: { extra_time_percent: 25 } }),
      )
      expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    }
  })

  test('and code of a class: a page that is out of date replaces no code that it hasn’t seen', async () => {
    const teacher = await service.person()
    const classId = await createClass(service.sql, { teachers: [teacher] })
    const path = `/api/v01/classes/${classId}/code` as const
    const make = (client: Client) => client.post(path, { was: { code: null } })
    expect(await race(6, make)).toEqual([200, ...Array(5).fill(409)])
    const { code } = (await teacher.post(path, { ends_at: '2999-01-01T00:00:30Z' }, 200)).body
    const refused = await teacher.post(path, { was: { code: 'BCDFGHJK', ends_at: null } }, 409)
    expect(refused.body).toMatchObject({
      code: 'changed',
      stored: { code, ends_at: '2999-01-01T00:00:30.000Z' },
    })
    await teacher.post(path, { was: { code, ends_at: '2999-01-01 01:00:30+01:00' } }, 200)
  })
})

describe('teachers of a class', () => {
  const classOf = (id: number) => `/api/v01/admin/classes/${id}` as const
  const roleOf = async (classId: number, userId: number) =>
    (
      await service.sql`
        select role from class_members where class_id = ${classId} and user_id = ${userId} and left_at is null`
    )[0]?.role

  test('change only if they are as they were seen', async () => {
    const [one, other] = [await service.person(), await service.person()]
    const classId = await createClass(service.sql, { teachers: [one] })
    await admin.patch(
      classOf(classId),
      { teacher_ids: [one.id, other.id], was: { teacher_ids: [one.id] } },
      200,
    )
    // A list that was read before would take the other one away.
    const refused = await admin.patch(
      classOf(classId),
      { teacher_ids: [], was: { teacher_ids: [one.id] } },
      409,
    )
    expect(refused.body.stored).toEqual({ teacher_ids: expect.toSatisfy((ids) => ids.length === 2) })
    await admin.patch(
      classOf(classId),
      { name: 'New', was: { name: '10 b', teacher_ids: [other.id, one.id] } },
      200,
    )
    await admin.patch(classOf(classId), { teacher_ids: [one.id], was: { teacher_ids: [] } }, 409)
    expect(await roleOf(classId, other.id)).toBe('teacher')
  })

  test('are no students of it, unless that is replaced', async () => {
    const [student, stranger] = [await service.person(), await service.person()]
    const classId = await createClass(service.sql, { students: [student] })
    const change = { teacher_ids: [stranger.id, student.id] }
    const refused = await admin.patch(classOf(classId), change, 409)
    expect(refused.body).toMatchObject({ code: 'is_student', user_ids: [student.id] })
    expect(await roleOf(classId, student.id)).toBe('student')
    expect(await roleOf(classId, stranger.id)).toBeUndefined()
    await admin.patch(classOf(classId), { ...change, replace: true }, 200)
    expect(await roleOf(classId, student.id)).toBe('teacher')
    // Who is one stays one without it.
    await admin.patch(classOf(classId), change, 200)
  })

  test('are told apart from students in a roster, row by row, before and when it is stored', async () => {
    const [student, known] = [await service.person(), await service.person()]
    await service.sql`update users set email_verified = true where id in ${service.sql([student.id, known.id])}`
    const classId = await createClass(service.sql, { students: [student] })
    const emails = new Map(
      (
        await service.sql<{ id: number; email: string }[]>`
          select id, email from users where id in ${service.sql([student.id, known.id])}`
      ).map(({ id, email }) => [id, email]),
    )
    const csv = `email,role\n${emails.get(student.id)},teacher\n${emails.get(known.id)},teacher\n`
    for (const dry of ['?dry_run=true', '']) {
      const { body } = await admin.post(
        `/api/v01/classes/${classId}/roster${dry}`,
        form({}, { field: 'file', name: 'roster.csv', bytes: csv }),
        200,
      )
      expect(body).toMatchObject({ added: 1, invited: 0, errors: ['Row 2: is a student of the class'] })
    }
    expect(await roleOf(classId, student.id)).toBe('student')
    expect(await roleOf(classId, known.id)).toBe('teacher')
  })
})
