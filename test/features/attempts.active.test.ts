import { expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { sharedService } from '../support/service.ts'

const service = await sharedService()
const admin = await service.admin()

const OWN = '/api/v01/attempts/active'
const ALL = '/api/v01/admin/attempts/active'
const start = async (person: Client, examId: number) =>
  (await person.post(`/api/v01/exams/${examId}/start`, {}, 201)).body.attempt_id

test('one’s own attempts under way are listed, whatever became of their exams, until they end', async () => {
  const [person, other] = [await service.person(), await service.person()]
  const timed = await createExam(service.sql, { name: 'Timed', duration_minutes: 30 })
  const open = await createExam(service.sql, { name: 'Open' })
  expect((await person.get(OWN, 200)).body.attempts).toEqual([])
  const first = await start(person, timed.examId)
  const second = await start(person, open.examId)
  await start(other, open.examId)
  await service.sql`update exams set published = false where id = ${timed.examId}`
  const both = [
    {
      attempt_id: second,
      attempt_number: 1,
      exam_id: open.examId,
      exam_name: 'Open',
      started_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      ends_at: null,
    },
    expect.objectContaining({ attempt_id: first, exam_id: timed.examId, exam_name: 'Timed' }),
  ]
  const { attempts } = (await person.get(OWN, 200)).body
  expect(attempts).toEqual(both)
  const { ends_at } = (await person.get(`/api/v01/exams/${timed.examId}/attempt-status`, 200)).body
  expect(attempts[1]?.ends_at).toBe(ends_at)
  // What is over is no longer listed, closed or not.
  await service.sql`update attempts set ends_at = now() - interval '1 hour' where id = ${first}`
  expect((await person.get(OWN, 200)).body.attempts).toEqual(both.slice(0, 1))
  await person.post(`/api/v01/exams/${open.examId}/submit`, {}, 200)
  expect((await person.get(OWN, 200)).body.attempts).toEqual([])
  await service.guest().get(OWN, 401)
})

test('administrators see which exams are taken now, by how many and some of whom', async () => {
  await service.sql`delete from attempts`
  const { examId, questionIds } = await createExam(service.sql, {
    name: 'Taken by many',
    duration_minutes: 30,
  })
  const single = await createExam(service.sql, { name: 'Taken by one' })
  await createExam(service.sql, { name: 'Taken by nobody' })
  const people = await Promise.all(
    Array.from({ length: 12 }, (_, index) => service.person(`sitting.${String(index).padStart(2, '0')}`)),
  )
  for (const person of people) await start(person, examId)
  const [first, second] = people as [Client, Client]
  const id = await start(second, single.examId)
  const answers = { [String(questionIds[0])]: 'A' }
  await first.put(`/api/v01/exams/${examId}/answers`, { answers, revision: 1 }, 200)
  const { exams } = (await admin.get(ALL, 200)).body
  expect(exams.map(({ exam_name, students, attempts }) => [exam_name, students, attempts.length])).toEqual([
    ['Taken by many', 12, 10],
    ['Taken by one', 1, 1],
  ])
  expect(exams[0]?.attempts.map(({ username }) => username)).toEqual(
    people.slice(0, 10).map(({ username }) => username),
  )
  expect(exams[0]?.attempts[0]).toMatchObject({ user_id: first.id, answered: 1 })
  expect(exams[1]?.attempts).toEqual([
    {
      attempt_id: id,
      user_id: second.id,
      username: second.username,
      full_name: expect.any(String),
      started_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      ends_at: null,
      answered: 0,
    },
  ])
  await second.post(`/api/v01/exams/${single.examId}/submit`, {}, 200)
  expect((await admin.get(ALL, 200)).body.exams.map(({ exam_id }) => exam_id)).toEqual([examId])
  await first.get(ALL, 403)
})
