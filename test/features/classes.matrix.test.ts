import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam } from '../support/content/exams.ts'
import { form } from '../support/content/forms.ts'
import { startService, type TestService } from '../support/service.ts'

/** Everybody in the order of a row of the matrix. */
const KINDS = ['nobody', 'student', 'student of another', 'teacher', 'teacher of another', 'admin'] as const
type Kind = (typeof KINDS)[number]
type Row = [number, number, number, number, number, number]

/** A class with an exam that an administrator made, as an operation finds them. */
interface World {
  classId: number
  examId: number
  questionId: number
  /** A finished one of the student. */
  attemptId: number
  studentId: number
}

interface Place {
  /** Who may do it has done it already: nothing is logged. */
  changesNothing?: true
  statuses: Row
  /** Beside the ids of the world. */
  params?: (world: World) => Promise<Record<string, number>> | Record<string, number>
  query?: (world: World) => string
  body?: (world: World) => unknown
}

let service: TestService
let people: Record<Kind, Client>
let operations: { name: string; isAdmin: boolean }[]
beforeAll(async () => {
  service = await startService()
  const person = () => service.person()
  const [student, other, teacher, otherTeacher, admin] = await Promise.all([
    person(),
    person(),
    person(),
    person(),
    service.admin(),
  ])
  people = {
    nobody: service.guest(),
    student,
    'student of another': other,
    teacher,
    'teacher of another': otherTeacher,
    admin,
  }
  await createClass(service.sql, { students: [other], teachers: [otherTeacher] })
  const { body } = await service.guest().get('/openapi.json', 200)
  operations = Object.entries(body.paths as Record<string, Record<string, { responses: object }>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => ({
        name: `${method.toUpperCase()} ${path}`,
        isAdmin: JSON.stringify(responses).includes('`admin_required`'),
      })),
  )
})
afterAll(() => service.close())

async function makeWorld(): Promise<World> {
  const classId = await createClass(service.sql, {
    students: [people.student],
    teachers: [people.teacher],
  })
  const { examId, questionIds } = await createExam(service.sql, { result_mode: 'on_release' })
  await service.sql`update exams set for_classes = true where id = ${examId}`
  await service.sql`insert into exam_classes (exam_id, class_id) values (${examId}, ${classId})`
  const { body } = await people.student.post(`/api/v01/exams/${examId}/start`, {}, 201)
  await people.student.post(`/api/v01/exams/${examId}/submit`, {}, 200)
  return {
    classId,
    examId,
    questionId: questionIds[0] as number,
    attemptId: body.attempt_id,
    studentId: people.student.id,
  }
}

const ids = ({ classId, examId, questionId, attemptId, studentId }: World) => ({
  id: classId,
  exam_id: examId,
  question_id: questionId,
  attempt_id: attemptId,
  user_id: studentId,
})

const roster = () => form({}, { field: 'file', name: 'a.csv', bytes: 'email\nsomebody@school.example' })
const invitation = async ({ classId }: World) => {
  const [row] = await service.sql<{ id: number }[]>`
    insert into class_invitations (class_id, email, role, invited_at)
    values (${classId}, 'x@school.example', 'student', now()) returning id`
  return { invitation_id: row?.id ?? 0 }
}
const news = async ({ classId }: World) => {
  const [row] = await service.sql<{ id: number }[]>`
    insert into class_news (class_id, text, created_at) values (${classId}, 'News', now()) returning id`
  return { news_id: row?.id ?? 0 }
}
const material = async ({ classId }: World) => {
  const [row] = await service.sql<{ id: number }[]>`
    insert into materials (class_id, title, type, size, file_key, status)
    values (${classId}, 'Script', 'text', 6, ${`Attachments/${randomUUID()}`}, 'ready') returning id`
  return { material_id: row?.id ?? 0 }
}
const accommodation = async ({ examId, studentId }: World) => {
  await service.sql`insert into accommodations (exam_id, user_id) values (${examId}, ${studentId})`
  return {}
}
const comment = async ({ questionId }: World) => {
  const { body } = await people.admin.post(`/api/v01/discussions/${questionId}`, { message: 'Hm' }, 201)
  return { id: body.comment.id }
}

/** What only teachers of the class and administrators do: students of it know that it is there. */
const TEACHING: Row = [401, 403, 404, 200, 404, 200]
/** What is there for all members of the class, and for administrators. */
const ATTENDING: Row = [401, 200, 404, 200, 404, 200]
/** What an exam of the class is for everybody. */
const EXAM: Row = [401, 200, 404, 200, 404, 200]
/** What only its owner has. */
const STUDENTS_OWN: Row = [401, 200, 404, 404, 404, 404]
const EVERYBODY: Row = [401, 200, 200, 200, 200, 200]
/** Nobody has an attempt under way. */
const NO_ATTEMPT: Row = [401, 409, 404, 409, 404, 409]
const answers = () => ({ answers: {}, markedForReview: [] })

/** Operations on classes. */
const CLASSES: Record<string, Place> = {
  'GET /': { statuses: EVERYBODY },
  'POST /join': { statuses: [401, 404, 404, 404, 404, 404], body: () => ({ code: 'a wrong one' }) },
  'POST /{id}/accept': { statuses: [401, 200, 404, 200, 404, 404], changesNothing: true },
  'DELETE /{id}/invitation': { statuses: [401, 404, 404, 404, 404, 404] },
  'DELETE /{id}/membership': { statuses: [401, 200, 404, 200, 404, 404] },
  'GET /by-code/{code}': { statuses: [401, 404, 404, 404, 404, 404] },
  'GET /{id}': { statuses: ATTENDING },
  'PATCH /{id}': { statuses: TEACHING, body: () => ({ shows_members: true }) },
  'GET /{id}/agenda': { statuses: ATTENDING },
  'GET /{id}/news': { statuses: ATTENDING },
  'POST /{id}/news': { statuses: [401, 403, 404, 201, 404, 404], body: () => ({ text: 'Bring a ruler' }) },
  'POST /{id}/message': {
    statuses: [401, 403, 404, 200, 404, 404],
    body: ({ studentId }) => ({ text: 'Well done', user_ids: [studentId] }),
  },
  'PATCH /{id}/news/{news_id}': { statuses: TEACHING, params: news, body: () => ({ pinned: true }) },
  'DELETE /{id}/news/{news_id}': { statuses: TEACHING, params: news },
  'GET /{id}/materials': { statuses: ATTENDING },
  'POST /{id}/materials': {
    statuses: [401, 403, 404, 201, 404, 201],
    body: () => form({}, { field: 'file', name: 'a.txt', bytes: 'A text' }),
  },
  'GET /{id}/materials/search': { statuses: ATTENDING, query: () => 'q=text' },
  'GET /{id}/materials/{material_id}': { statuses: ATTENDING, params: material },
  'PATCH /{id}/materials/{material_id}': {
    statuses: TEACHING,
    params: material,
    body: () => ({ title: 'Another' }),
  },
  'DELETE /{id}/materials/{material_id}': { statuses: TEACHING, params: material },
  'POST /{id}/code': { statuses: TEACHING, body: () => ({}) },
  'DELETE /{id}/code': { statuses: TEACHING },
  'POST /{id}/conversation': { statuses: [401, 403, 404, 201, 404, 404] },
  'POST /{id}/members': { statuses: TEACHING, body: () => ({ emails: ['somebody@school.example'] }) },
  'DELETE /{id}/members/{user_id}': { statuses: TEACHING },
  'DELETE /{id}/invitations/{invitation_id}': { statuses: TEACHING, params: invitation },
  'POST /{id}/roster': { statuses: TEACHING, body: roster },
  'GET /{id}/results': { statuses: TEACHING, query: ({ examId }) => `exam_id=${examId}` },
  'GET /{id}/results.csv': { statuses: TEACHING, query: ({ examId }) => `exam_id=${examId}` },
  'GET /{id}/gradebook': { statuses: TEACHING },
  'GET /{id}/gradebook.csv': { statuses: TEACHING },
  'PUT /{id}/gradebook/excused/{user_id}/{exam_id}': { statuses: TEACHING },
  'DELETE /{id}/gradebook/excused/{user_id}/{exam_id}': { statuses: TEACHING, changesNothing: true },
  'PUT /{id}/gradebook/comments/{user_id}': { statuses: TEACHING, body: () => ({ text: 'Well done' }) },
  'GET /{id}/attempts/{attempt_id}': { statuses: TEACHING },
  'GET /{id}/exams/{exam_id}/accommodations': { statuses: TEACHING },
  'PUT /{id}/exams/{exam_id}/accommodations/{user_id}': { statuses: TEACHING, body: () => ({}) },
  'PATCH /{id}/exams/{exam_id}/accommodations/{user_id}': {
    statuses: TEACHING,
    body: () => ({ extra_time_percent: 25 }),
  },
  'DELETE /{id}/exams/{exam_id}/accommodations/{user_id}': { statuses: TEACHING, params: accommodation },
  'POST /{id}/exams/{exam_id}/extend': { statuses: TEACHING, body: () => ({ minutes: 5 }) },
  'GET /{id}/exams/{exam_id}/live': { statuses: TEACHING },
  'POST /{id}/exams/{exam_id}/live/extend': { statuses: TEACHING, body: () => ({ minutes: 5 }) },
  // The student has handed in, above.
  'POST /{id}/exams/{exam_id}/live/hand-in': {
    statuses: [401, 403, 404, 409, 404, 409],
    body: ({ studentId }) => ({ user_ids: [studentId], confirm: true }),
    changesNothing: true,
  },
  'POST /{id}/exams/{exam_id}/live/message': { statuses: TEACHING, body: () => ({ text: 'Hello' }) },
  'POST /{id}/exams/{exam_id}/allowances': {
    statuses: TEACHING,
    body: ({ studentId }) => ({ student_id: studentId, action: 'reset' }),
  },
  'GET /{id}/exams/{exam_id}/items': { statuses: TEACHING },
  'GET /{id}/analytics': { statuses: TEACHING },
}

/** Operations on exams that are not the administrators', in both generations. */
const EXAMS: Record<string, Place> = {
  'GET /exams': { statuses: EVERYBODY },
  'GET /exams/{exam_id}': { statuses: EXAM },
  'GET /exams/{exam_id}/attempt-status': { statuses: EXAM },
  'POST /exams/{exam_id}/prepare': { statuses: EXAM },
  'POST /exams/{exam_id}/start': { statuses: [401, 201, 404, 403, 404, 201] },
  'GET /exams/{exam_id}/paper': { statuses: NO_ATTEMPT },
  'PUT /exams/{exam_id}/answers': { statuses: NO_ATTEMPT, body: answers },
  'POST /exams/{exam_id}/submit': { statuses: [401, 200, 404, 409, 404, 409], body: () => ({}) },
  // The student has handed in, above.
  'POST /exams/{exam_id}/end': { statuses: [401, 409, 404, 409, 404, 409], body: () => ({ attempt_id: 1 }) },
  'GET /attempts': { statuses: EVERYBODY },
  'GET /attempts/active': { statuses: EVERYBODY },
  'GET /attempts/{attempt_id}': { statuses: [401, 403, 404, 404, 404, 404] },
  'GET /attempts/{attempt_id}/challenges': { statuses: STUDENTS_OWN },
  'POST /attempts/{attempt_id}/challenges': {
    statuses: [401, 403, 404, 404, 404, 404],
    body: ({ questionId }) => ({ question_id: questionId, message: 'Why?' }),
  },
  'GET /discussions/{question_id}': { statuses: EXAM },
  'POST /discussions/{question_id}': {
    statuses: [401, 201, 404, 201, 404, 201],
    body: () => ({ message: 'Why?' }),
  },
  'POST /discussions/counts': {
    statuses: EVERYBODY,
    body: ({ questionId }) => ({ question_ids: [questionId] }),
  },
  'PATCH /discussions/comments/{id}': {
    statuses: [401, 403, 404, 403, 404, 200],
    params: comment,
    body: () => ({ message: 'Hm?' }),
  },
  'DELETE /discussions/comments/{id}': { statuses: [401, 403, 404, 403, 404, 200], params: comment },
  'POST /discussions/comments/{id}/report': {
    statuses: [401, 201, 404, 201, 404, 201],
    params: comment,
    body: () => ({ reason: 'Rude' }),
  },
}

/** The guard comes before everything else. 0: administrators have tests of their own. */
const ADMINS: Row = [401, 403, 403, 403, 403, 0]
const GUARDED: Place = { statuses: ADMINS }

/** The administrators' operations that teachers may call for exams of their own, here for one that isn't. */
const FOR_TEACHERS: Record<string, Place> = {
  'GET /exams': { statuses: [401, 403, 403, 200, 200, 200] },
  'POST /exams': { statuses: [401, 403, 403, 403, 403, 201], body: () => ({ name: 'New' }) },
  'GET /exams/{id}': { statuses: [401, 403, 403, 200, 403, 200], params: ({ examId }) => ({ id: examId }) },
  'GET /exams/{id}/changes-mean': {
    statuses: [401, 403, 403, 200, 403, 200],
    params: ({ examId }) => ({ id: examId }),
  },
  'PUT /exams/{id}/order': {
    statuses: ADMINS,
    params: ({ examId }) => ({ id: examId }),
    body: () => ({ ids: [] }),
  },
  'GET /challenges': { statuses: [401, 403, 403, 200, 200, 200] },
  'POST /challenges/{id}/resolve': { statuses: ADMINS, body: () => ({ status: 'accepted' }) },
  'GET /exams/{exam_id}/export': { statuses: ADMINS, query: () => 'format=csv' },
  'POST /exams/{exam_id}/regrades': {
    statuses: ADMINS,
    body: ({ questionId }) => ({ question_id: questionId, action: 'drop' }),
  },
  'GET /exams/{exam_id}/live': { statuses: ADMINS },
  'POST /exams/{exam_id}/live/extend': { statuses: ADMINS, body: () => ({ minutes: 5 }) },
  'POST /exams/{exam_id}/live/hand-in': { statuses: ADMINS, body: () => ({ user_ids: [1] }) },
  'POST /exams/{exam_id}/live/message': { statuses: ADMINS, body: () => ({ text: 'Hello' }) },
  'POST /exams/{exam_id}/trial': {
    statuses: ADMINS,
    body: () => ({ trial: { paper_id: 1, seed: randomUUID(), shuffle: null, drawn: null } }),
  },
  'POST /questions': {
    statuses: ADMINS,
    body: ({ examId }) => form({ exam_id: examId, question_text: 'q', correct_answer: 'A' }),
  },
  'POST /questions/bulk-add': {
    statuses: ADMINS,
    body: ({ examId }) => ({ exam_id: examId, questions: [{ question_text: 'q' }] }),
  },
  'POST /questions/bulk-delete': { statuses: ADMINS, body: ({ questionId }) => ({ ids: [questionId] }) },
  'POST /questions/bulk-marks': {
    statuses: ADMINS,
    body: ({ examId }) => ({ exam_id: examId, question_type: 'MCQ', positive_marks: 5 }),
  },
  'POST /questions/preview': {
    statuses: [401, 403, 403, 200, 200, 200],
    body: () => ({ question_text: 'q' }),
  },
  'POST /questions/draws': { statuses: [401, 403, 403, 200, 200, 200], body: () => ({ question_text: 'q' }) },
  // Rows of other exams are skipped.
  'POST /questions/import-csv': {
    statuses: [401, 403, 403, 400, 400, 400],
    body: () => form({}, { field: 'csv_file', name: 'a.csv', bytes: 'no columns' }),
  },
}

/** What is about the caller alone, or about nobody: exams and classes are not to be found there. */
const ELSEWHERE: Record<string, RegExp> = {
  'signing in, and one’s account': /^\/(api\/v01|api)\/(auth|account)(\/|$)/,
  'pages of the browser': /^\/(?!api|admin\/)|^\/admin\/login$/,
  'a page of administrators': /^\/admin\/users\/analytics$/,
  'one’s own conversations': /^\/(api\/v01|api)\/(chat|assistant|study-chat)(\/|$)/,
  'one’s own notes and those that others publish': /^\/api\/v01\/(notebooks|pages|assets|library)(\/|$)/,
  'what one was told (notices.test.ts)': /^\/api\/v01\/notices(\/|$)/,
  'one’s own devices': /^\/api\/v01\/push(\/|$)/,
  'one’s own cards, of exams that are there for oneself (practice.test.ts)': /^\/api\/v01\/practice(\/|$)/,
  'names of categories': /^\/api\/v01\/categories$/,
  'the socket, whose topics have a test of their own': /^\/api\/v01\/ws$/,
}

function placeOf({ name, isAdmin }: { name: string; isAdmin: boolean }): Place | 'elsewhere' | undefined {
  const [method = '', path = ''] = name.split(' ')
  if (Object.values(ELSEWHERE).some((pattern) => pattern.test(path))) return 'elsewhere'
  if (isAdmin) return FOR_TEACHERS[`${method} ${path.replace('/api/v01/admin', '')}`] ?? GUARDED
  if (path.startsWith('/api/v01/classes'))
    return CLASSES[`${method} ${path.slice('/api/v01/classes'.length) || '/'}`]
  const exam = path
    .replace(/^\/api\/v01/, '')
    .replace(/^\/api/, '')
    .replace('/discussion/', '/discussions/')
  return EXAMS[`${method} ${exam}`]
}

test('every operation has a place in the matrix', () => {
  expect(operations.length).toBeGreaterThan(150)
  expect(operations.filter((operation) => !placeOf(operation)).map(({ name }) => name)).toEqual([])
})

const newestEntry = async () =>
  Number((await service.sql`select coalesce(max(id), 0) as id from audit_entries`)[0]?.id)

test('every place in the matrix holds, for everybody and in both generations, and changes of classes are in the log', {
  timeout: 300_000,
  meta: { costly: 'asks every operation as everybody' },
}, async () => {
  const wrong: string[] = []
  for (const operation of operations) {
    const place = placeOf(operation)
    if (!place || place === 'elsewhere') continue
    const [method = '', path = ''] = operation.name.split(' ')
    const isGuarded = place === GUARDED
    for (const [index, kind] of KINDS.entries()) {
      const status = place.statuses[index]
      if (status === 0) continue
      const world = isGuarded ? undefined : await makeWorld()
      const params: Record<string, number> = world ? { ...ids(world), ...(await place.params?.(world)) } : {}
      const url = path.replace(/\{(\w+)\}/g, (_, key: string) => String(params[key] ?? 1))
      const query = world && place.query ? `?${place.query(world)}` : ''
      const body = world && place.body?.(world)
      const before = await newestEntry()
      const response = await people[kind].fetch(method, url + query, {
        body: body ?? (method === 'GET' || method === 'DELETE' ? undefined : {}),
      })
      const text = await response.text()
      if (response.status !== status)
        wrong.push(`${operation.name} by ${kind}: ${response.status}, not ${status}: ${text.slice(0, 200)}`)
      if (
        response.ok &&
        method !== 'GET' &&
        !place.changesNothing &&
        path.startsWith('/api/v01/classes/{id}')
      ) {
        const entries = await service.sql`
          select class_id, actor_id, summary from audit_entries where id > ${before}`
        expect(entries, `${operation.name} by ${kind}`).not.toEqual([])
        for (const entry of entries) {
          expect(entry).toMatchObject({ class_id: world?.classId, actor_id: people[kind].id })
          expect(entry.summary).not.toContain('@')
        }
      }
      if (kind === 'student of another' && /discussions?\/counts$/.test(path))
        expect(JSON.parse(text).counts).toEqual({ [String(world?.questionId)]: 0 })
      if (kind.endsWith('another') && /exams$/.test(path) && !operation.isAdmin)
        expect(text).not.toContain('An exam')
    }
  }
  expect(wrong).toEqual([])
})
