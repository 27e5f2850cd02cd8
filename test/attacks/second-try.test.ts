import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, PASSWORD } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { startService, type TestService, withService } from '../support/service.ts'

const PATH = '/api/v01/account'
const AUDIT = '/api/v01/admin/audit'

let service: TestService
let admin: Client
beforeAll(async () => {
  service = await startService({ nodes: 2 })
  admin = await service.admin()
})
afterAll(() => service.close())

describe('whoever wants an exam a second time', () => {
  test('can’t get out of one by deleting the account, on no node, while its time runs', async () => {
    const { examId } = await createExam(service.sql, {
      lock_help: true,
      duration_minutes: 60,
      max_attempts: 1,
    })
    const alice = await service.person()
    await alice.post(`/api/v01/exams/${examId}/start`, {}, 201)
    const { ends_at } = (await alice.get(`/api/v01/exams/${examId}/paper`, 200)).body
    for (const device of [alice, alice.at(service.urls[1] as string)]) {
      const { body } = await device.delete(PATH, 409, { confirm: 'DELETE' })
      expect(body).toMatchObject({ success: false, code: 'attempt_active', exam_id: examId, ends_at })
    }
    await alice.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    await alice.delete(PATH, 200, { confirm: 'DELETE' })
  })

  test('never has a paper and no account, in 20 races of starting and deleting', async () => {
    const { examId } = await createExam(service.sql, { duration_minutes: 60, max_attempts: 1 })
    for (let round = 0; round < 20; round++) {
      const alice = await service.person()
      const [started, deleted] = await Promise.all([
        alice.at(service.urls[1] as string).post(`/api/v01/exams/${examId}/start`, {}),
        alice.delete(PATH, undefined, { confirm: 'DELETE' }),
      ])
      expect([200, 409]).toContain(deleted.status)
      if (deleted.status === 409) expect(started.status).toBe(201)
      else await service.guest().post('/api/v01/auth/refresh', { refresh_token: alice.refreshToken }, 401)
    }
  })

  test('may go when the time is over, though nobody has closed the attempt', async () => {
    let now = Date.now()
    const timed = await withService({ clock: () => now })
    const { examId } = await createExam(timed.sql, { duration_minutes: 1 })
    const alice = await timed.person()
    await alice.post(`/api/v01/exams/${examId}/start`, {}, 201)
    now += 89_000
    await alice.delete(PATH, 409, { confirm: 'DELETE' })
    now += 2_000
    await alice.delete(PATH, 200, { confirm: 'DELETE' })
  })

  test('leaves a row in the audit log, without a name, and their results are gone from all figures', async () => {
    const alice = await service.person()
    await alice.delete(PATH, 200, { confirm: 'DELETE' })
    const { entries } = (await admin.get(`${AUDIT}?subject=user:${alice.id}`, 200)).body
    expect(entries).toMatchObject([
      { action: 'account.delete', actor: 'Deleted Account', actor_id: -1, ip: null, subject_id: alice.id },
    ])
    expect(JSON.stringify(entries)).not.toContain(alice.username)
  })
})

describe('an administrator who deletes their account', () => {
  test('gives the password, so that nobody does it who found them signed in', async () => {
    const other = await service.admin()
    const { body } = await other.delete(PATH, 400, { confirm: 'DELETE' })
    expect(body.errors).toMatchObject([{ path: '/current_password' }])
    await other.delete(PATH, 403, { confirm: 'DELETE', current_password: 'a guess' })
    await other.get('/api/v01/auth/me', 200)
  })

  test('leaves what they did under one name that stays, also beside others who left', async () => {
    const gone = await Promise.all([service.admin(), service.admin()])
    for (const [index, each] of gone.entries())
      for (const name of ['One', 'Two'])
        await each.post('/api/v01/admin/exams', { name: `${name} of ${index}` }, 201)
    for (const each of gone) await each.delete(PATH, 200, { confirm: 'DELETE', current_password: PASSWORD })
    const { entries } = (await admin.get(`${AUDIT}?actor_id=-1`, 200)).body
    for (const { id } of gone) {
      const theirs = entries.filter(({ actor }) => actor === `Former administrator ${id}`)
      expect(theirs.map(({ action }) => action)).toEqual(['account.delete', 'exam.create', 'exam.create'])
      expect(theirs.map(({ ip }) => ip)).toEqual([null, null, null])
    }
  })
})
