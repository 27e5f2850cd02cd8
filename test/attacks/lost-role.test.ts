import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PASSWORD } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { startService, type TestService } from '../support/service.ts'

const USERS = '/api/v01/admin/users'
const REQUESTS = '/api/v01/account/access-requests'

let service: TestService
beforeAll(async () => {
  service = await startService({ nodes: 2 })
})
afterAll(() => service.close())

// Who asks again and again always has something waiting when the role is taken.
for (const [taken, half] of [
  [{ new_role: 'user' }, 0],
  [{ suspended: true }, 0],
  [{ new_role: 'user' }, 1],
  [{ suspended: true }, 1],
] as const)
  test(`what an administrator asked for in time (${half}) gives nobody anything after ${JSON.stringify(taken)}`, async () => {
    const admin = await service.admin()
    const rogue = await service.admin(undefined, 1)
    // A node runs only two requests of one person at once here.
    const here = service.guest()
    here.accessToken = rogue.accessToken
    const [friend, other] = [await service.person(), await service.person()]
    const names = { username: friend.username, email: `${friend.username}@example.org` }
    const { body } = await friend.post(
      REQUESTS,
      { ...names, current_access: 'user', requested_access: 'admin', user_reason: 'so that I can help' },
      201,
    )
    const newName = `n${randomUUID().slice(0, 8)}`
    const csv = `email,role\n${randomUUID()}@example.org,admin\n`
    const file = form({}, { field: 'file', name: 'people.csv', bytes: csv })
    const confirmed = { confirm: 'DELETE', current_password: PASSWORD }
    const all = [
      () => here.post(`${USERS}/role`, { user_id: rogue.id, new_role: 'user,admin' }),
      () => rogue.post(`${USERS}/bulk-role`, { updates: [{ user_id: friend.id, new_role: 'admin' }] }),
      () => here.patch(`${USERS}/${rogue.id}`, { suspended: false }),
      () => rogue.patch(`${USERS}/${other.id}`, { suspended: true }),
      () => here.post(USERS, { username: newName, email: `${newName}@example.org`, role: 'admin' }),
      () => rogue.request('POST', `${USERS}/import`, file),
      () =>
        here.post(`/api/v01/admin/access-requests/${body.request_id}/approve`, { approved_access: 'admin' }),
      () => rogue.delete(`${USERS}/${other.id}`, undefined, confirmed),
    ]
    const asks = all.slice(4 * half, 4 * half + 4)
    const asked: Promise<{ status: number }>[] = []
    const loss = await service.sql.begin(async (tx) => {
      await tx`select from users where id = ${rogue.id} for update`
      const taking =
        'suspended' in taken
          ? admin.patch(`${USERS}/${rogue.id}`, { suspended: true })
          : admin.post(`${USERS}/role`, { user_id: rogue.id, new_role: 'user' })
      await expect.poll(service.lockWaits).toHaveLength(1)
      for (const ask of asks) {
        asked.push(ask())
        await expect.poll(service.lockWaits).toHaveLength(asked.length + 1)
      }
      return [taking]
    })
    expect((await Promise.all(loss)).map(({ status }) => status)).toEqual([200])
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asks.map(() => 403))
    const admins = await service.sql`select id from users where role <> 'user' and suspended_at is null`
    expect(admins.map(({ id }) => id)).not.toEqual(expect.arrayContaining([rogue.id]))
    const rows = await service.sql`
      select id, role, suspended_at from users where id in (${friend.id}, ${other.id}) order by id`
    expect(rows).toEqual([friend, other].map(({ id }) => ({ id, role: 'user', suspended_at: null })))
  })
