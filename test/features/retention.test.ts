import { expect, test } from 'vitest'
import { deleteExpired } from '../../src/features/retention/retention.service.ts'
import { readConfig } from '../../src/settings/config.ts'
import { createExam } from '../support/content/exams.ts'
import { type TestService, withService } from '../support/service.ts'

const NONE = { suspendedDays: undefined, tutorDays: undefined, auditDays: undefined }

/** Two nodes sweep at once. */
async function sweep(service: TestService) {
  await Promise.all(service.nodes.map(({ core }) => deleteExpired(core)))
}

test('accounts go so many days after their suspension, once no exam of theirs runs', async () => {
  const service = await withService({ nodes: 2, config: { retention: { ...NONE, suspendedDays: 90 } } })
  const [admin, leaver, other, busy] = [
    await service.admin(),
    await service.person(),
    await service.person(),
    await service.person(),
  ]
  const { examId } = await createExam(service.sql, { duration_minutes: 60 })
  await busy.post(`/api/v01/exams/${examId}/start`, {}, 201)
  for (const { id } of [leaver, busy])
    await admin.patch(`/api/v01/admin/users/${id}`, { suspended: true }, 200)
  const wait = (days: number) => service.sql`
    update users set suspended_at = now() - make_interval(days => ${days}) where suspended_at is not null`
  await wait(89)
  await sweep(service)
  const left = () => service.sql`select id from users where id > 0 and deleted_at is null order by id`
  expect(await left()).toHaveLength(4)

  await wait(91)
  await sweep(service)
  expect((await left()).map(({ id }) => id)).toEqual([admin.id, other.id, busy.id])
  await expect
    .poll(() => service.sql`select 1 from users where id = ${leaver.id ?? 0}`, { timeout: 10_000 })
    .toEqual([])
  expect(
    await service.sql`select actor_id, summary from audit_entries where action = 'account.delete'`,
  ).toEqual([{ actor_id: null, summary: 'Deleted 90 days after its suspension' }])
})

test('conversations with the tutor and entries of the log go in time, later ones stay', async () => {
  const service = await withService({
    nodes: 2,
    config: { retention: { ...NONE, tutorDays: 30, auditDays: 365 } },
  })
  const person = await service.person()
  const { sql } = service
  for (const days of [29, 31]) {
    const [conversation] = await sql<{ id: number }[]>`
      insert into assistant_conversations (user_id, title, message_count, updated_at)
      values (${person.id ?? 0}, ${`${days}`}, 1, now() - ${`${days} days`}::interval) returning id`
    await sql`insert into assistant_messages (conversation_id, user_id, is_user, text)
              values (${conversation?.id ?? 0}, ${person.id ?? 0}, true, 'Why?')`
  }
  await sql`
    insert into audit_entries (at, actor_id, action, subject_type, summary)
    select now() - make_interval(days => 1000 - day), null, 'exam.create', 'exam', 'An exam' from generate_series(1, 999) day`
  await sweep(service)
  expect(await sql`select title from assistant_conversations`).toEqual([{ title: '29' }])
  expect(await sql`select 1 from assistant_messages`).toHaveLength(1)
  const [{ count, oldest } = {}] = await sql`
    select count(*)::int as count, extract(day from now() - min(at))::int as oldest
      from audit_entries where action = 'exam.create'`
  expect({ count, oldest }).toEqual({ count: 364, oldest: 364 })
})

test('without the setting nothing goes, and the log keeps its last month whoever asks', async () => {
  const service = await withService({ config: { retention: NONE } })
  const { sql } = service
  await sql`
    insert into audit_entries (at, actor_id, action, subject_type, summary)
    select now() - make_interval(days => day), null, 'exam.create', 'exam', 'An exam' from unnest(array[29, 3000]) day`
  await sweep(service)
  const days = async () =>
    (await sql`select extract(day from now() - at)::int as day from audit_entries order by day`).map(
      ({ day }) => day,
    )
  expect(await days()).toEqual(expect.arrayContaining([29, 3000]))
  await expect(sql`delete from audit_entries where at < now() - interval '1000 days'`).rejects.toThrow(
    'append-only',
  )
  const removeAll = sql.begin(async (tx) => {
    await tx`set local exam_practice.audit_retention = 'on'`
    await tx`delete from audit_entries where at < now() - interval '28 days'`
  })
  await expect(removeAll).rejects.toThrow('append-only')
})

test('the setting is read, and refused where it says anything else', () => {
  expect(readConfig({ RETENTION: 'suspended=90, audit=365' }).retention).toEqual({
    suspendedDays: 90,
    tutorDays: undefined,
    auditDays: 365,
  })
  for (const RETENTION of ['messages=3', 'tutor', 'tutor=0', 'audit=29', 'tutor=1;audit=90'])
    expect(() => readConfig({ RETENTION })).toThrow('RETENTION')
})

test('the privacy page says what these settings keep, or leads to the operator’s own', async () => {
  const service = await withService({
    config: { retention: { suspendedDays: 90, tutorDays: 180, auditDays: undefined } },
  })
  const guest = service.guest()
  for (const page of ['/login', '/create_account'] as const)
    expect((await guest.get(page, 200)).body).toContain('href="/privacy"')
  const { body } = await guest.get('/privacy', 200)
  expect(body).toContain('90 days after an administrator has suspended the account')
  expect(body).toContain('at most 180 days after the last question')
  expect(body).toContain('The log of changes: as long as the service')

  const own = await withService({ config: { privacyUrl: 'https://school.example/privacy' } })
  const { status, headers } = await own.guest().get('/privacy')
  expect([status, headers.get('location')]).toEqual([303, 'https://school.example/privacy'])
})
