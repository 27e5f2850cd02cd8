import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, PASSWORD } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam } from '../support/content/exams.ts'
import { form } from '../support/content/forms.ts'
import { makeImage } from '../support/content/images.ts'
import { startModel, type TestModel } from '../support/outside/model.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let model: TestModel
let admin: Client
let student: Client
let operations: string[]
beforeAll(async () => {
  model = await startModel()
  service = await startService({ config: { ai: model.ai } })
  admin = await service.admin()
  // A second administrator, since the last one could be neither demoted nor deleted.
  await service.admin()
  student = await service.person()
  const { body } = await admin.get('/openapi.json', 200)
  operations = Object.entries(body.paths as Record<string, Record<string, { responses: object }>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods)
        .filter(
          ([method, { responses }]) =>
            method !== 'get' && JSON.stringify(responses).includes('`admin_required`'),
        )
        .map(([method]) => `${method.toUpperCase()} ${path}`),
  )
})
afterAll(async () => {
  await service.close()
})

/** The parameters in the path of an operation, and its body. */
interface Call {
  params?: Record<string, number | string>
  query?: string
  body?: object | FormData
}

const exam = async () => {
  const { examId, questionIds } = await createExam(service.sql, { max_attempts: 3, duration_minutes: 60 })
  return { examId, questionId: questionIds[0] as number }
}
const examUnderWay = async () => {
  const { examId } = await exam()
  await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
  return examId
}
const classExam = async () => {
  const classId = await createClass(service.sql)
  const { body } = await admin.post('/api/v01/admin/exams', { name: 'E', class_ids: [classId] }, 201)
  return { exam_id: body.exam.id, class_id: classId }
}
const comment = async () => {
  const { questionId } = await exam()
  const { body } = await student.post(`/api/v01/discussions/${questionId}`, { message: 'Why?' }, 201)
  return body.comment.id as number
}
const accessRequest = async () => {
  const person = await service.person()
  const { body } = await person.post(
    '/api/v01/account/access-requests',
    {
      username: person.username,
      email: `${person.username}@example.org`,
      current_access: 'user',
      requested_access: 'user,admin',
      user_reason: 'I teach',
    },
    201,
  )
  return body.request_id as number
}
const category = async () =>
  (await admin.post('/api/v01/admin/categories', form({ name: 'Optics' }), 201)).body.category.id
const attempt = async () => {
  const { examId, questionId } = await exam()
  const { body } = await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
  await student.post(`/api/v01/exams/${examId}/submit`, {}, 200)
  return { examId, questionId, attemptId: body.attempt_id as number }
}
const regrade = async () => {
  const { examId, questionId } = await attempt()
  const body = { question_id: questionId, action: 'drop' } as const
  return (await admin.post(`/api/v01/admin/exams/${examId}/regrades`, body, 201)).body.regrade.id as number
}
/** A job that goes on until it is cancelled. */
const job = async () => {
  const { examId } = await exam()
  // Another job would be given the answer that is meant for this one.
  const running = () => service.sql`select 1 from generation_jobs where status = 'running'`
  await expect.poll(async () => (await running()).length).toBe(0)
  const asked = model.stub.requests.length
  model.stub.script.push({ kind: 'answer', hold: 1, until: new Promise(() => {}) })
  const fields = form({ mode: 'pure', topic: 'x', exam_id: examId, mcq_count: 10 })
  const { body } = await admin.request('POST', '/api/v01/admin/ai/generate', fields, 202)
  await expect.poll(() => model.stub.requests.length).toBe(asked + 1)
  return body.job_id
}
const csv = (examId: number) =>
  `exam_id,question_text,option_a,option_b,option_c,option_d,correct_answer,question_type,image_path,positive_marks,negative_marks,tolerance\n${examId},q,a,b,,,A,MCQ,,,,\n`
const file = (field: string, name: string, bytes: string | Uint8Array) => ({ field, name, bytes })

/** How to make each operation change something, by its method and its path without the generation's prefix. */
const CALLS: Record<string, () => Promise<Call>> = {
  'POST /exams': async () => ({ body: { name: 'New' } }),
  'PATCH /exams/{id}': async () => ({ params: { id: (await exam()).examId }, body: { name: 'Other' } }),
  'DELETE /exams/{id}': async () => ({ params: { id: (await exam()).examId } }),
  'POST /exams/{id}/toggle-results': async () => ({ params: { id: (await exam()).examId }, body: {} }),
  'POST /exams/{exam_id}/import': async () => ({
    params: { exam_id: (await exam()).examId },
    body: form({}, file('file', 'a.gift', 'q{=a ~b}')),
  }),
  'POST /users': async () => ({ body: { username: 'made', email: 'made@example.org' } }),
  'POST /users/import': async () => ({
    body: form({}, file('file', 'people.csv', 'email\nimported@example.org\n')),
  }),
  'PATCH /users/{id}': async () => ({
    params: { id: (await service.person()).id },
    body: { suspended: true },
  }),
  'POST /users/{id}/password-link': async () => ({ params: { id: (await service.person()).id } }),
  'POST /users/{id}/free-address': async () => ({ params: { id: (await service.person()).id } }),
  'DELETE /users/{id}': async () => ({
    params: { id: (await service.person()).id },
    body: { confirm: 'DELETE', current_password: PASSWORD },
  }),
  'POST /classes': async () => ({ body: { name: '10 b' } }),
  'PATCH /classes/{id}': async () => ({
    params: { id: await createClass(service.sql) },
    body: { archived: true },
  }),
  'DELETE /classes/{id}': async () => ({ params: { id: await createClass(service.sql) } }),
  'PUT /exams/{id}/order': async () => {
    const { examId, questionId } = await exam()
    return { params: { id: examId }, body: { ids: [questionId] } }
  },
  'PUT /exams/{exam_id}/class-accommodations/{class_id}': async () => ({
    params: await classExam(),
    body: { extra_time_percent: 25 },
  }),
  'PATCH /exams/{exam_id}/class-accommodations/{class_id}': async () => ({
    params: await classExam(),
    body: { extra_time_percent: 25 },
  }),
  'DELETE /exams/{exam_id}/class-accommodations/{class_id}': async () => {
    const params = await classExam()
    const at = `/api/v01/admin/exams/${params.exam_id}/class-accommodations/${params.class_id}` as const
    await admin.put(at, { extra_time_percent: 25 }, 200)
    return { params }
  },
  'PUT /exams/{exam_id}/accommodations/{user_id}': async () => ({
    params: { exam_id: (await exam()).examId, user_id: student.id },
    body: { extra_time_percent: 25 },
  }),
  'PATCH /exams/{exam_id}/accommodations/{user_id}': async () => ({
    params: { exam_id: (await exam()).examId, user_id: student.id },
    body: { extra_time_percent: 25 },
  }),
  'DELETE /exams/{exam_id}/accommodations/{user_id}': async () => {
    const { examId } = await exam()
    await admin.put(
      `/api/v01/admin/exams/${examId}/accommodations/${student.id}`,
      { extra_time_percent: 25 },
      200,
    )
    return { params: { exam_id: examId, user_id: student.id } }
  },
  'POST /exams/{exam_id}/extend': async () => {
    const { examId } = await exam()
    await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
    return { params: { exam_id: examId }, body: { minutes: 5 } }
  },
  'POST /exams/{exam_id}/live/extend': async () => ({
    params: { exam_id: await examUnderWay() },
    body: { minutes: 5 },
  }),
  'POST /exams/{exam_id}/live/hand-in': async () => ({
    params: { exam_id: await examUnderWay() },
    body: { user_ids: [student.id], confirm: true },
  }),
  'POST /exams/{exam_id}/live/message': async () => ({
    params: { exam_id: await examUnderWay() },
    body: { text: 'Ten minutes left' },
  }),
  'POST /exams/{exam_id}/regrades': async () => {
    const { examId, questionId } = await attempt()
    return { params: { exam_id: examId }, body: { question_id: questionId, action: 'credit_all' } }
  },
  'POST /regrades/{id}/undo': async () => ({ params: { id: await regrade() } }),
  'POST /challenges/{id}/resolve': async () => {
    const { attemptId, questionId } = await attempt()
    const made = await student.post(
      `/api/v01/attempts/${attemptId}/challenges`,
      { question_id: questionId, message: 'It is B' },
      201,
    )
    return { params: { id: made.body.challenge.id }, body: { status: 'rejected' } }
  },
  'POST /questions': async () => ({ body: form({ exam_id: (await exam()).examId, question_text: 'q' }) }),
  'PUT /questions/{id}': async () => ({
    params: { id: (await exam()).questionId },
    body: form({ option_a: 'a' }),
  }),
  'PATCH /questions/{id}': async () => ({
    params: { id: (await exam()).questionId },
    body: form({ option_a: 'b' }),
  }),
  'DELETE /questions/{id}': async () => ({ params: { id: (await exam()).questionId } }),
  'POST /questions/bulk-delete': async () => ({ body: { ids: [(await exam()).questionId] } }),
  'POST /questions/bulk-add': async () => ({
    body: { exam_id: (await exam()).examId, questions: [{ question_text: 'q' }] },
  }),
  'POST /questions/copy': async () => ({
    body: { ids: [(await exam()).questionId], exam_id: (await exam()).examId },
  }),
  'POST /questions/bulk-marks': async () => ({
    body: { exam_id: (await exam()).examId, question_type: 'MCQ', positive_marks: 2 },
  }),
  'POST /questions/import-csv': async () => ({
    body: form({}, file('csv_file', 'a.csv', csv((await exam()).examId))),
  }),
  'POST /users/role': async () => ({
    body: { user_id: (await service.person()).id, new_role: 'user,admin' },
  }),
  'POST /users/bulk-role': async () => ({
    body: { updates: [{ user_id: (await service.person()).id, new_role: 'user,admin' }] },
  }),
  'POST /ai/generate': async () => ({
    body: form({ mode: 'pure', topic: 'x', exam_id: (await exam()).examId, mcq_count: 1 }),
  }),
  'POST /ai/jobs/{job_id}/cancel': async () => ({ params: { job_id: await job() } }),
  'POST /ai/save': async () => ({
    body: { questions: [{ exam_id: (await exam()).examId, question_text: 'q' }] },
  }),
  'POST /categories': async () => ({ body: form({ name: 'Mechanics' }) }),
  'PUT /categories/{id}': async () => ({ params: { id: await category() }, body: form({ name: 'Other' }) }),
  'PATCH /categories/{id}': async () => ({ params: { id: await category() }, body: form({ name: 'Other' }) }),
  'DELETE /categories/{id}': async () => ({ params: { id: await category() } }),
  'POST /attempts/modify': async () => ({
    body: { student_id: student.id, exam_id: (await exam()).examId, action: 'increase', amount: 1 },
  }),
  'POST /attempts/bulk-modify': async () => ({
    body: {
      items: [{ student_id: student.id, exam_id: (await exam()).examId }],
      action: 'increase',
      amount: 1,
    },
  }),
  'POST /access-requests/{id}/approve': async () => ({
    params: { id: await accessRequest() },
    body: { approved_access: 'user,admin' },
  }),
  'POST /access-requests/{id}/deny': async () => ({
    params: { id: await accessRequest() },
    body: { reason: 'No' },
  }),
  'POST /images': async () => ({
    body: form({ subject_folder_id: 'Physics' }, file('images', 'a.png', await makeImage())),
  }),
  'POST /reports/{id}/resolve': async () => {
    const made = await student.post(
      `/api/v01/discussions/comments/${await comment()}/report`,
      { reason: 'Rude' },
      201,
    )
    return { params: { id: made.body.report_id }, body: { action: 'delete' } }
  },
  'POST /comments/{id}/pin': async () => ({ params: { id: await comment() }, body: {} }),
  'POST /comments/{id}/best-answer': async () => ({ params: { id: await comment() }, body: {} }),
  'DELETE /comments/{id}': async () => ({ params: { id: await comment() } }),
}

/** Operations that write nothing, and why. */
const WITHOUT: Record<string, string> = {
  'POST /login': 'a sign-in is no change',
  'POST /exams/{exam_id}/trial': 'nothing of a trial is stored',
  'POST /questions/preview': 'nothing of a preview is stored',
  'POST /questions/draws': 'nothing of its draws is stored',
  'POST /ai/export': 'it gives back what it was given, as a file',
}

const shortened = (operation: string) =>
  operation.replace(/ (\/api\/v01\/admin|\/admin|\/api\/v01\/discussions|\/api\/discussion)(?=\/)/, ' ')

const newest = async () =>
  Number((await service.sql<{ id: number }[]>`select coalesce(max(id), 0) as id from audit_entries`)[0]?.id)

test('every admin operation of both generations leaves a row when it changes something', {
  timeout: 300_000,
  meta: { costly: 'asks every operation of administrators' },
}, async () => {
  expect(operations.length).toBeGreaterThan(50)
  // Open to everybody, but administrators may delete comments of others with it.
  const all = [
    ...operations,
    'DELETE /api/v01/discussions/comments/{id}',
    'DELETE /api/discussion/comments/{id}',
  ]
  for (const operation of all) {
    const name = shortened(operation)
    if (WITHOUT[name]) continue
    const prepare = CALLS[name]
    expect(prepare, `${operation}: CALLS has no entry for it`).toBeDefined()
    const { params = {}, body } = (prepare ? await prepare() : {}) as Call
    const [method = '', path = ''] = operation.split(' ')
    const url = path.replace(/\{(\w+)\}/g, (_, key: string) => String(params[key]))
    const before = await newest()
    const answer = await admin.request(method, url, body)
    expect(answer.status, `${operation} ${JSON.stringify(answer.body)}`).toBeLessThan(300)
    const rows =
      await service.sql`select * from audit_entries where id > ${before} and actor_id = ${admin.id}`
    expect(rows.length, `${operation} left no row`).toBeGreaterThan(0)
    for (const row of rows) {
      expect(row.ip).toBe('127.0.0.1')
      expect(row.summary).not.toContain(admin.username)
      expect(row.summary).not.toContain(student.username)
      // In words: no names of fields, and none of the texts that stand for nothing.
      expect(row.summary).not.toMatch(/\w_\w|[a-z][A-Z]|user,admin|null|undefined/)
    }
  }
})

test('what is refused or changes nothing leaves no row', async () => {
  const before = await newest()
  await admin.delete('/api/v01/admin/exams/999999', 404)
  await admin.delete('/api/v01/admin/questions/999999', 404)
  await admin.patch('/api/v01/admin/exams/999999', { name: 'x' }, 404)
  await admin.post('/api/v01/admin/users/role', { user_id: 999_999, new_role: 'user' }, 404)
  await admin.post('/api/v01/admin/questions/bulk-delete', { ids: [999_999] }, 200)
  await admin.post('/api/v01/admin/users/role', { user_id: admin.id, new_role: 'user,admin' }, 200)
  await student.post('/api/v01/admin/exams', { name: 'x' }, 403)
  const own = await comment()
  await student.delete(`/api/v01/discussions/comments/${own}`, 200)
  expect(await newest()).toBe(before)
})
