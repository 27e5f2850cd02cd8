import { afterAll, beforeAll, expect, test } from 'vitest'
import { COMMAND_LINE } from '../../src/actor.ts'
import type { Core } from '../../src/core.ts'
import { addUpCounts } from '../../src/db/counts.ts'
import * as attempts from '../../src/features/attempts/manual-attempts.service.ts'
import type { Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { compareCounts } from '../support/counts.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ nodes: 2 })
})
afterAll(() => service.close())

async function createNotebook(owner: Client): Promise<number> {
  return (await owner.post('/api/v01/notebooks', { title: 'Notes', is_public: true }, 201)).body.notebook.id
}

test('the stored counters equal the counted rows, whatever changes at once on two nodes', async () => {
  const ada = await service.admin()
  const people = await Promise.all(Array.from({ length: 8 }, (_, n) => service.person(undefined, n % 2)))
  const exams = [
    await createExam(service.sql, { max_attempts: 2 }),
    await createExam(service.sql),
    await createExam(service.sql),
  ]
  const [capped, uncapped, leaving] = exams.map(({ examId }) => examId) as [number, number, number]
  const notebooks = await Promise.all(people.slice(0, 3).map(createNotebook))
  const [core, other] = service.nodes.map((node) => node.core) as [Core, Core]

  const takeExams = people.flatMap((person) =>
    [capped, uncapped, leaving].flatMap((examId) =>
      [1, 2].map(async () => {
        await person.post(`/api/v01/exams/${examId}/start`)
        await person.post(`/api/v01/exams/${examId}/submit`, { answers: {}, markedForReview: [] })
      }),
    ),
  )
  const changeAllowances = people.flatMap(({ id }, index) => [
    attempts.addManualAttempts(index % 2 ? core : other, COMMAND_LINE, id, uncapped, 3),
    attempts.removeLatestAttempts(index % 2 ? other : core, COMMAND_LINE, id, uncapped, 2),
    index % 3 === 0 ? attempts.resetAttempts(core, COMMAND_LINE, id, capped) : undefined,
  ])
  const like = people.flatMap((person) =>
    notebooks.flatMap((notebook) =>
      (['like', 'bookmark', 'like'] as const).map((kind) =>
        person.post(`/api/v01/library/${notebook}/interactions`, { kind }, 200),
      ),
    ),
  )
  const addUp = Array.from({ length: 20 }, (_, n) => addUpCounts((n % 2 ? core : other).db, 1))
  await Promise.all([...takeExams, ...changeAllowances, ...like, ...addUp])
  const { kept, counted } = await compareCounts(service.sql)
  expect(kept).toEqual(counted)

  await Promise.all([
    ada.delete(`/api/v01/admin/exams/${leaving}`, 200),
    ada.post('/api/v01/admin/users/role', { user_id: people[3]?.id, role: 'admin' }),
    ada.post('/api/v01/admin/users/role', { user_id: people[4]?.id, role: 'user,admin' }),
    ...people.slice(5).map((person) => person.request('DELETE', '/api/v01/account', { confirm: 'DELETE' })),
    ...people.slice(0, 3).map((person) => person.delete(`/api/v01/notebooks/${notebooks[0]}`)),
    ...Array.from({ length: 10 }, (_, n) => addUpCounts((n % 2 ? core : other).db, 1)),
  ])
  const after = await compareCounts(service.sql)
  expect(after.kept).toEqual(after.counted)
  expect(after.kept).not.toEqual(kept)

  // Adding up the last rows of counters doesn't change their sums.
  await addUpCounts(core.db, 1)
  expect((await compareCounts(service.sql)).kept).toEqual(after.counted)
  const [results] = await service.sql`select count(*)::int from attempts where submitted_at is not null`
  const [persons] = await service.sql`select count(*)::int from users where id > 0`
  expect((await ada.get('/api/v01/admin/overview', 200)).body).toMatchObject({
    total_results: results?.count,
    total_users: persons?.count,
  })
})

test('a page of allowances agrees with its total, for those whose role takes no exams too', async () => {
  const ada = await service.admin()
  const { examId } = await createExam(service.sql, { max_attempts: 1 })
  const [bob, carl, dora] = await Promise.all([service.person(), service.person(), service.person()])
  for (const person of [bob, carl, dora]) {
    await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
    await person.post(`/api/v01/exams/${examId}/submit`, {}, 200)
  }
  await service.sql`update users set role = 'admin' where id = ${dora.id}`
  const list = async (query: string) =>
    (await ada.get(`/api/v01/admin/attempts?exam_id=${examId}&${query}`, 200)).body
  const exhausted = await list('status=exhausted')
  expect(exhausted.rows.map(({ student_id }) => student_id).sort()).toEqual([bob.id, carl.id].sort())
  expect(exhausted.total).toBe(2)
  const [{ students }] = await service.sql<[{ students: number }]>`
    select count(*)::int as students from users where id > 0 and role <> 'admin'`
  expect(await list('')).toMatchObject({ total: students })
  expect(await list('status=available')).toMatchObject({ total: students - 2 })
  expect(await list('status=unlimited')).toMatchObject({ total: 0, rows: [] })
  // Without a cap, only those who have attempts are listed.
  await service.sql`update exams set max_attempts = null where id = ${examId}`
  expect(await list('status=unlimited')).toMatchObject({ total: 2 })
  expect((await list('status=unlimited')).rows).toHaveLength(2)
  expect(await list('status=exhausted')).toMatchObject({ total: 0, rows: [] })
})
