import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SubjectType } from '../../schemas/audit.schemas.ts'
import { COMMAND_LINE } from '../../src/actor.ts'
import { record } from '../../src/features/audit/audit.service.ts'
import { type Client, PASSWORD } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { startService, type TestService } from '../support/service.ts'

const PATH = '/api/v01/admin/audit'
let service: TestService
let admin: Client
beforeAll(async () => {
  service = await startService()
  admin = await service.admin()
})
afterAll(() => service.close())

const db = () => (service.nodes[0] as TestService['nodes'][number]).core.db

test('the log is listed newest first, filtered by actor, action and subject, with current names', async () => {
  const actor = { id: admin.id, ip: '192.0.2.7' }
  await record(
    db(),
    actor,
    { action: 'exam.create', subject: ['exam', 12], summary: 'the exam was made' },
    { action: 'image.upload', subject: ['image', 'Physics/a:b.png'], summary: 'an image was stored' },
  )
  await record(db(), COMMAND_LINE, { action: 'exam.change', subject: ['exam', 12], summary: 'changed: name' })

  const { body } = await admin.get(PATH, 200)
  expect(body).toMatchObject({ success: true, page: 1, per_page: 50 })
  expect(body.entries.slice(0, 3)).toEqual([
    {
      id: expect.any(Number),
      at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      actor_id: null,
      actor: null,
      action: 'exam.change',
      subject_type: 'exam',
      subject_id: 12,
      subject_name: null,
      class_id: null,
      summary: 'changed: name',
      ip: null,
    },
    expect.objectContaining({ actor_id: admin.id, actor: admin.username, subject_id: 'Physics/a:b.png' }),
    expect.objectContaining({ action: 'exam.create', subject_type: 'exam', subject_id: 12, ip: '192.0.2.7' }),
  ])
  const actions = async (query: string) =>
    (await admin.get(`${PATH}?${query}`, 200)).body.entries.map((entry) => entry.action)
  expect(await actions('subject=exam:12')).toEqual(['exam.change', 'exam.create'])
  expect(await actions(`subject=exam:12&actor_id=${admin.id}`)).toEqual(['exam.create'])
  expect(await actions('subject=image:Physics/a:b.png')).toEqual(['image.upload'])
  expect(await actions('action=exam.change')).toEqual(['exam.change'])
  expect(await actions('action=exam.change&page=2')).toEqual([])
  for (const wrong of ['subject=exam', 'subject=:1', 'actor_id=x', 'page=0'])
    await admin.get(`${PATH}?${wrong}`, 400)
})

test('an account, an exam, a class and a category are named as they are called today, as long as they are there', async () => {
  const person = await service.person()
  const { examId } = await createExam(service.sql, { name: 'Mechanics' })
  const { class: made } = (await admin.post('/api/v01/admin/classes', { name: '10 b' }, 201)).body
  const [category] = await service.sql`insert into categories (name) values ('Physics') returning id`
  const subjects: [SubjectType, number | string | null][] = [
    ['user', person.id],
    ['exam', examId],
    ['class', made.id],
    ['category', category?.id],
    ['exam', 999_999],
    ['exam', 9_999_999_999],
    ['question', examId],
    ['image', 'Physics/a:b.png'],
    ['image', null],
  ]
  const actor = { id: admin.id, ip: null }
  for (const subject of subjects)
    await record(db(), actor, { action: 'exam.change', subject, summary: 'named' })
  const names = async () => {
    const { entries } = (await admin.get(`${PATH}?action=exam.change&actor_id=${admin.id}`, 200)).body
    return entries
      .filter(({ summary }) => summary === 'named')
      .map((entry) => entry.subject_name)
      .reverse()
  }
  const others = [null, null, null, null, null]
  expect(await names()).toEqual([person.username, 'Mechanics', '10 b', 'Physics', ...others])
  await admin.patch(`/api/v01/admin/exams/${examId}` as const, { name: 'Waves' }, 200)
  expect((await names())[1]).toBe('Waves')
  await admin.delete(`/api/v01/admin/exams/${examId}`, 200)
  expect((await names())[1]).toBeNull()
})

test('it is for administrators alone', async () => {
  await service.guest().get(PATH, 401)
  await (await service.person()).get(PATH, 403)
})

test('rows can’t be changed or deleted; for a deleted account they name the ghost and no IP address', async () => {
  const other = await service.admin()
  const entry = { action: 'exam.create', subject: ['exam', 13], summary: 'the exam was made' } as const
  await record(db(), { id: other.id, ip: '192.0.2.8' }, entry)
  for (const change of [
    'update audit_entries set summary = summary',
    "update audit_entries set actor_id = -1, summary = 'another'",
    `update audit_entries set actor_id = ${admin.id}`,
    'delete from audit_entries',
    'truncate audit_entries',
  ])
    await expect(service.sql.unsafe(change), change).rejects.toThrow('append-only')

  await other.delete('/api/v01/account', 200, { confirm: 'DELETE', current_password: PASSWORD })
  const { body } = await admin.get(`${PATH}?subject=exam:13`, 200)
  expect(body.entries).toEqual([
    expect.objectContaining({
      actor_id: -1,
      actor: `Former administrator ${other.id}`,
      ip: null,
      summary: entry.summary,
    }),
  ])
})
