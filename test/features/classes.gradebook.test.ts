import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { totalOf } from '../../src/features/classes/class-weights.ts'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam, type ExamFields } from '../support/content/exams.ts'
import { startService, type TestService } from '../support/service.ts'

const MINUTE_MS = 60_000
let now = Date.UTC(2026, 10, 20, 20)
let service: TestService
let admin: Client
let teacher: Client
let ann: Client
let ben: Client
let classId: number
beforeAll(async () => {
  service = await startService({ clock: () => now, config: { timezone: 'Asia/Kolkata' } })
  const people = [service.admin(), service.person(), service.person(), service.person()]
  ;[admin, teacher, ann, ben] = (await Promise.all(people)) as [Client, Client, Client, Client]
})
afterAll(() => service.close())
beforeEach(async () => {
  classId = await createClass(service.sql, { teachers: [teacher], students: [ann, ben] })
})

async function addExam(fields: ExamFields = {}) {
  const questions = [{ positive_marks: 1, negative_marks: 1 }, { positive_marks: 2 }]
  const { examId, questionIds } = await createExam(service.sql, { questions, ...fields })
  await service.sql`update exams set for_classes = true where id = ${examId}`
  await service.sql`insert into exam_classes (exam_id, class_id) values (${examId}, ${classId})`
  return { examId, questionIds }
}

type Exam = Awaited<ReturnType<typeof addExam>>
async function take(person: Client, { examId, questionIds }: Exam, ...letters: string[]): Promise<void> {
  now += 1_000
  await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
  const answers = Object.fromEntries(letters.map((letter, at) => [questionIds[at], letter]))
  await person.post(`/api/v01/exams/${examId}/submit`, { answers }, 200)
}

const path = () => `/api/v01/classes/${classId}` as const
const read = async () => (await teacher.get(`${path()}/gradebook`, 200)).body
const studentOf = async (person: Client) =>
  (await read()).students.find(({ user_id }) => user_id === person.id)
const totals = async () => [(await studentOf(ann))?.total, (await studentOf(ben))?.total]

test('a total is exact, whatever the weights are', () => {
  const marks = [33.33, 66.67, -20, null].map((percentage, examId) => ({ examId, percentage }))
  expect(totalOf({}, marks)).toBe(33.33)
  expect(totalOf({ 0: 50, 1: 50 }, marks)).toBe(50)
  expect(totalOf({ 0: 0.01, 1: 0.02 }, marks)).toBe(55.56)
  expect(totalOf({ 3: 100 }, marks)).toBe(null)
  expect(totalOf({}, [])).toBe(null)
  // Half a hundredth is rounded up.
  expect(
    totalOf({ 0: 50, 1: 50 }, [
      { examId: 0, percentage: 0.01 },
      { examId: 1, percentage: 0 },
    ]),
  ).toBe(0.01)
})

test('totals follow weights, which attempt counts, what was missed and who is excused', async () => {
  const first = await addExam({ name: 'First', pass_percentage: 50 })
  const second = await addExam({ name: 'Second', closes_at: new Date(now + MINUTE_MS) })
  const held = await addExam({ name: 'Held back', result_mode: 'on_release' })
  // Ann: 33.33, then 100, then 66.67 at the first; the second she misses.
  await take(ann, first, 'A')
  await take(ann, first, 'A', 'A')
  await take(ann, first, 'B', 'A')
  await take(ben, second, 'A', 'A')
  await take(ann, held, 'A', 'A')
  expect(await totals()).toEqual([100, 100])
  expect((await read()).exams.find(({ id }) => id === held.examId)).toMatchObject({
    average: null,
    marked: null,
    passed: null,
  })
  now += MINUTE_MS
  // Ben hasn't missed the first one, which never closes.
  expect(await totals()).toEqual([50, 100])
  expect((await read()).exams.find(({ id }) => id === second.examId)).toMatchObject({
    average: 100,
    marked: 1,
    passed: 1,
  })

  const settings = (body: object, status = 200) => teacher.request('PATCH', path(), body, status)
  await settings({ weights: { [first.examId]: 75, [second.examId]: 25 } })
  expect(await totals()).toEqual([75, 100])
  const counting = async () =>
    (await studentOf(ann))?.results.find(({ exam_id }) => exam_id === first.examId)?.attempt_id
  const ofAnn = await service.sql`
    select id from attempts where user_id = ${ann.id} and exam_id = ${first.examId} order by attempt_number`
  const [one, two, three] = ofAnn.map(({ id }) => id)
  expect(await counting()).toBe(two)
  await settings({ counts: 'latest' })
  const latest = await studentOf(ann)
  expect(await counting()).toBe(three)
  expect(latest?.results.find(({ exam_id }) => exam_id === first.examId)?.percentage).toBe(33.33)
  expect(latest?.total).toBe(25)
  await settings({ counts: 'first' })
  expect(await counting()).toBe(one)
  expect((await studentOf(ann))?.total).toBe(25)
  await settings({ counts: 'best', weights: { [held.examId]: 100 } })
  expect(await totals()).toEqual([null, null])

  const excused = `${path()}/gradebook/excused/${ann.id}/${second.examId}` as const
  await settings({ weights: {} })
  await teacher.put(excused, undefined, 200)
  await teacher.put(excused, undefined, 200)
  expect(await studentOf(ann)).toMatchObject({ total: 100, excused: [second.examId] })
  await teacher.delete(excused, 200)
  expect(await studentOf(ann)).toMatchObject({ total: 50, excused: [] })
  // Students of other classes and other exams aren't there.
  await teacher.put(`${path()}/gradebook/excused/${teacher.id}/${second.examId}`, undefined, 404)
  await teacher.put(`${path()}/gradebook/excused/${ann.id}/${second.examId + 999}`, undefined, 404)

  for (const weights of [
    { [first.examId]: 100.01 },
    { [first.examId]: 60, [second.examId]: 40.01 },
    { [first.examId]: 0.001 },
    { [first.examId]: -1 },
    { [second.examId + 999]: 1 },
    { x: 1 },
  ])
    await settings({ weights }, 400)
  await settings({ weights: { [first.examId]: 33.34, [second.examId]: 33.33, [held.examId]: 33.33 } })
  const shown = (await teacher.get(path(), 200)).body.class
  expect(shown).toMatchObject({ counts: 'best', weights: { [first.examId]: 33.34 } })
  const forStudent = (await ann.get(path(), 200)).body.class
  expect(forStudent.weights ?? forStudent.counts).toBe(undefined)
})

test('an exam that closed before somebody joined, or closes later for them, isn’t missed', async () => {
  await addExam({ closes_at: new Date(now - MINUTE_MS) })
  const later = await addExam({ closes_at: new Date(now + MINUTE_MS) })
  await service.sql`update class_members set joined_at = ${new Date(now - 1_000)} where class_id = ${classId}`
  const times = `/api/v01/admin/exams/${later.examId}/accommodations/${ann.id}` as const
  await admin.put(times, { closes_at: new Date(now + 10 * MINUTE_MS).toISOString() }, 200)
  now += 2 * MINUTE_MS
  expect(await totals()).toEqual([null, 0])
})

test('comments are for teachers, in the download and in nobody else’s answers', async () => {
  await service.sql`update classes set name = 'Größe 10/b' where id = ${classId}`
  const comment = `${path()}/gradebook/comments/${ann.id}` as const
  await teacher.put(comment, { text: ' Asks good questions ' }, 200)
  expect((await studentOf(ann))?.comment).toBe('Asks good questions')
  await ann.put(comment, { text: 'Hi' }, 403)
  await teacher.put(comment, { text: 'x'.repeat(1_001) }, 400)
  await service.sql`update class_members set email = 'ann@school.example' where user_id = ${ann.id} and class_id = ${classId}`
  const sheet = await teacher.fetch('GET', `${path()}/gradebook.csv`)
  // A day later where the service is.
  const day = new Date(now + 5.5 * 3_600_000).toISOString().slice(0, 10)
  expect(sheet.headers.get('content-disposition')).toBe(
    `attachment; filename="Gr__e 10_b-${day}.csv"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%2010_b-${day}.csv`,
  )
  const [head, ...rows] = (await sheet.text()).trim().split('\r\n')
  expect(head).toBe('id,username,full_name,email,left,total,comment')
  expect(rows).toContain(
    `${ann.id},${ann.username},${ann.username},ann@school.example,false,,Asks good questions`,
  )
  await teacher.put(comment, { text: '' }, 200)
  expect((await studentOf(ann))?.comment).toBe('')
  await service.sql`update classes set archived = true where id = ${classId}`
  await teacher.put(comment, { text: 'Late' }, 409)
})

test('the address by which somebody was invited is in the download', async () => {
  await service.sql`update users set email_verified = true where id = ${ben.id}`
  const other = await createClass(service.sql, { teachers: [teacher] })
  await teacher.post(`/api/v01/classes/${other}/members`, { emails: [`${ben.username}@example.org`] }, 200)
  await ben.post(`/api/v01/classes/${other}/accept`, {}, 200)
  const sheet = await (await teacher.fetch('GET', `/api/v01/classes/${other}/gradebook.csv`)).text()
  expect(sheet).toContain(`,${ben.username}@example.org,false`)
})
