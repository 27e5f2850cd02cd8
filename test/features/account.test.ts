import { beforeAll, describe, expect, test } from 'vitest'
import { PASSWORD } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { connectedPair, type SharedService, sharedService } from '../support/service.ts'

const PATH = '/api/v01/account'

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})

describe('changing an account', () => {
  test('needs no password for the name', async () => {
    const person = await service.person()
    const { body } = await person.patch(PATH, { full_name: ' Ada Lovelace ', role: 'admin' }, 200)
    expect(body).toEqual({
      success: true,
      user: {
        ...(await person.get('/api/v01/auth/me', 200)).body.data,
        full_name: 'Ada Lovelace',
        role: 'user',
      },
    })
  })

  test('needs the password for address and password, and ends the other sessions', async () => {
    const person = await service.person()
    const phone = service.guest()
    await phone.login(person.username)
    const change = {
      email: `${person.username}@New.example`,
      new_password: ' a new password ',
      current_password: PASSWORD,
    }
    const { body } = await person.patch(PATH, change, 200)
    expect(body.user.email).toBe(change.email)
    await person.get('/api/v01/auth/me', 200)
    await expect.poll(async () => (await phone.get('/api/v01/auth/me')).status).toBe(401)
    await service.guest().login(change.email.toLowerCase(), change.new_password)
    await service.guest().post('/api/v01/auth/login', { username: person.username, password: PASSWORD }, 401)
  })

  test.each(['a\nb', 'a\r\nBcc: x', 'a\u0007b', 'a\u0085b', 'a\u2028b', 'a\u2029b', 'a\u007fb', 'tab\tbed'])(
    'a name is one line: not %j, wherever one is given',
    async (name) => {
      const [person, admin] = [await service.person(), await service.admin()]
      await person.patch(PATH, { full_name: name }, 400)
      const fresh = {
        username: 'one.line',
        email: 'one.line@example.org',
        password: PASSWORD,
        full_name: name,
      }
      await service.guest().post('/api/v01/auth/register', fresh, 400)
      await service.guest().post('/create_account', fresh, 400)
      await person.post('/api/v01/chat/groups', { name, member_ids: [admin.id] }, 400)
      await admin.post('/api/v01/admin/exams', { name }, 400)
      await admin.request('POST', '/api/v01/admin/categories', form({ name }), 400)
    },
  )

  test('is refused without the password, with a wrong one, for a taken address and if nothing changes', async () => {
    const [person, other] = [await service.person(), await service.person()]
    const email = 'fresh@example.org'
    const missing = await person.patch(PATH, { email }, 400)
    expect(missing.body).toMatchObject({ code: 'validation_failed', errors: [{ path: '/current_password' }] })
    const wrong = await person.patch(PATH, { email, current_password: 'wrong' }, 403)
    expect(wrong.body).toMatchObject({ success: false, code: 'wrong_password' })
    const short = await person.patch(PATH, { new_password: 'short', current_password: PASSWORD }, 400)
    expect(short.body.code).toBe('validation_failed')
    const taken = { email: `${other.username.toUpperCase()}@example.org`, current_password: PASSWORD }
    expect((await person.patch(PATH, taken, 409)).body).toMatchObject({ success: false, code: 'email_taken' })
    for (const nothing of [{}, { current_password: PASSWORD }, { unknown: 1 }])
      expect((await person.patch(PATH, nothing, 400)).body.code).toBe('nothing_to_update')
    await service.guest().patch(PATH, { full_name: 'x' }, 401)
    expect((await person.get('/api/v01/auth/me', 200)).body.data.email).toBe(`${person.username}@example.org`)
  })

  test('of several password changes at once one holds', async () => {
    const person = await service.person()
    // Two of them fail for a wrong password. A third failure would lock the account.
    const passwords = Array.from({ length: 3 }, (_, n) => `new password ${n}`)
    const answers = await Promise.all(
      passwords.map((new_password) => person.patch(PATH, { new_password, current_password: PASSWORD })),
    )
    const made = answers.flatMap(({ status }, n) => (status === 200 ? [n] : []))
    expect(made).toHaveLength(1)
    expect(answers.filter(({ body }) => body.code === 'wrong_password')).toHaveLength(2)
    await service.guest().login(person.username, passwords[made[0] as number])
  })
})

describe('sessions', () => {
  test('are listed and ended, one’s own only', async () => {
    const person = await service.person()
    const browser = service.guest()
    await browser.loginOnWeb(person.username)
    const { body } = await person.get(`${PATH}/sessions`, 200)
    const session = {
      id: expect.any(Number),
      ip: '127.0.0.1',
      user_agent: 'node',
      created_at: expect.stringMatching(/Z$/),
      last_used_at: expect.stringMatching(/Z$/),
    }
    expect(body).toEqual({
      success: true,
      sessions: [
        { ...session, kind: 'web', current: false },
        { ...session, kind: 'client', current: true },
      ],
    })
    const seen = await browser.get(`${PATH}/sessions`, 200)
    expect(seen.body.sessions[0]?.current).toBe(true)

    const [web, client] = body.sessions
    const stranger = await service.person()
    await stranger.delete(`${PATH}/sessions/${web?.id}`, 404)
    expect((await person.delete(`${PATH}/sessions/${web?.id}`, 200)).body).toEqual({ success: true })
    await person.delete(`${PATH}/sessions/${web?.id}`, 404)
    await expect.poll(async () => (await browser.get('/api/v01/auth/me')).status).toBe(401)
    await person.delete(`${PATH}/sessions/x`, 400)
    await person.delete(`${PATH}/sessions/${client?.id}`, 200)
    await expect.poll(async () => (await person.get('/api/v01/auth/me')).status).toBe(401)
  })
})

describe('deleting an account', () => {
  test.each([
    undefined,
    {},
    { confirm: 'delete' },
    { confirm: ' DELETE' },
    { confirm: ['DELETE'] },
    { confirm: true },
  ])('is refused without the exact word: %j', async (body) => {
    const person = await service.person()
    const refused = await person.delete(PATH, 400, body)
    expect(refused.body).toMatchObject({ success: false, code: 'confirmation_required' })
    await person.get('/api/v01/auth/me', 200)
  })

  test('erases the person, frees name and address, and leaves what they wrote to the ghost', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const carol = await service.person()
    await alice.post('/api/v01/chat/connections', { recipient_id: carol.id }, 201)
    const said = (await alice.send(conversationId, 'Do you remember me?', undefined, 201)).body.message
    const path = `/api/v01/chat/conversations/${conversationId}/messages` as const
    await bob.post(path, { message: 'Always', reply_to_id: said.id }, 201)
    await bob.send(conversationId, 'mine', undefined, 201)
    await alice.post('/api/v01/account/password-reset', { email: `${alice.username}@example.org` }, 200)
    await alice.post(
      '/api/v01/account/access-requests',
      {
        username: alice.username,
        email: `${alice.username}@example.org`,
        current_access: 'user',
        requested_access: 'admin',
        user_reason: 'please',
      },
      201,
    )
    const socket = await alice.socket()

    const { body } = await alice.delete(PATH, 200, { confirm: 'DELETE' })
    expect(body).toEqual({ success: true, message: expect.any(String) })

    expect((await socket.closure()).code).toBe(4001)
    await expect.poll(async () => (await alice.get('/api/v01/auth/me')).status).toBe(401)
    await alice.post('/api/v01/auth/refresh', { refresh_token: alice.refreshToken }, 401)
    await service.guest().post('/api/v01/auth/login', { username: alice.username, password: PASSWORD }, 401)

    const { messages } = (await bob.get(`${path}?peek=true`, 200)).body
    expect(messages).toMatchObject([
      { message: 'Do you remember me?', sender_id: -1, sender_name: 'Deleted Account', is_own: false },
      { message: 'Always', sender_id: bob.id, is_own: true, reply_to_name: 'Deleted Account' },
      { message: 'mine', sender_id: bob.id },
    ])
    expect((await bob.get('/api/v01/chat/conversations', 200)).body.conversations).toMatchObject([
      { id: conversationId, name: 'Deleted Account', user_id: -1, conn_id: null, member_count: 2 },
    ])
    expect((await bob.send(conversationId, 'hello?', undefined, 403)).body.code).toBe('not_connected')
    expect((await carol.get('/api/v01/chat/unread', 200)).body).toMatchObject({ requests: 0 })
    await bob.post('/api/v01/chat/connections', { recipient_id: alice.id }, 404)

    const traces = await service.sql`
      select (select count(*) from sessions where user_id = ${alice.id})
           + (select count(*) from access_requests where user_id = ${alice.id})
           + (select count(*) from password_resets where user_id = ${alice.id})
           + (select count(*) from messages where sender_id = ${alice.id} or reply_to_name = ${alice.username}) as left`
    expect(traces[0]?.left).toBe('0')

    const heir = await service.person(alice.username)
    expect(heir.id).not.toBe(alice.id)
  })

  test('both sides of a conversation may be deleted, and groups go on without them', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const clientId = crypto.randomUUID()
    // With the same client_id on both sides, the ghost would have it twice.
    await alice.send(conversationId, 'one', clientId, 201)
    await bob.send(conversationId, 'two', clientId, 201)
    const [group] =
      await service.sql`insert into conversations (is_group, name) values (true, 'Group') returning id`
    const carol = await service.person()
    for (const { id } of [alice, bob, carol])
      await service.sql`insert into conversation_members (conversation_id, user_id) values (${group?.id}, ${id})`
    await alice.send(group?.id, 'to all', undefined, 201)

    await alice.delete(PATH, 200, { confirm: 'DELETE' })
    await bob.delete(PATH, 200, { confirm: 'DELETE' })
    const { conversations } = (await carol.get('/api/v01/chat/conversations', 200)).body
    expect(conversations).toMatchObject([{ id: group?.id, name: 'Group', member_count: 1 }])
    const { messages } = (await carol.get(`/api/v01/chat/conversations/${group?.id}/messages`, 200)).body
    expect(messages).toMatchObject([{ message: 'to all', sender_id: -1, sender_name: 'Deleted Account' }])
    await carol.send(group?.id, 'alone', undefined, 201)
    const rows = await service.sql`select id from conversations where id = ${conversationId}`
    expect(rows).toHaveLength(0)
  })

  test('a request that reaches the database only after the deletion is 401', async () => {
    const { alice, bob } = await connectedPair(service)
    // This node has not heard of the deletion yet, so the token still passes.
    await service.sql`update users set deleted_at = now() where id = ${alice.id}`
    for (const [path, body] of [
      ['/api/v01/notebooks', { title: 'Too late' }],
      ['/api/v01/chat/groups', { name: 'Too late', member_ids: [bob.id] }],
    ] as const)
      expect((await alice.post(path, body, 401)).body.code).toBe('token_expired_or_invalid')
    await service.sql`delete from users where id = ${alice.id}`
    await alice.post('/api/v01/notebooks', { title: 'Too late' }, 401)
  })

  test('while messages and logins of the same person run, succeeds, leaves nothing behind and makes none of them fail', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const running = Array.from({ length: 30 }, (_, n) =>
      n % 3 === 0
        ? alice.send(conversationId, `message ${n}`)
        : n % 3 === 1
          ? bob.send(conversationId, `message ${n}`)
          : service.guest().post('/api/v01/auth/login', { username: alice.username, password: PASSWORD }),
    )
    const deleted = await alice.delete(PATH, 200, { confirm: 'DELETE' })
    expect(deleted.status).toBe(200)
    for (const { status, body } of await Promise.all(running)) {
      expect([200, 201, 401, 403, 404, 429]).toContain(status)
      if (!('data' in body) || !body.data) continue
      const guest = service.guest()
      guest.accessToken = body.data.access_token
      await expect.poll(async () => (await guest.get('/api/v01/auth/me')).status).toBe(401)
    }
    const [left] = await service.sql`
      select (select count(*)::int from sessions where user_id = ${alice.id}) as sessions,
             (select count(*)::int from conversation_members where user_id = ${alice.id}) as members,
             (select count(*)::int from messages where sender_id = ${alice.id}) as messages`
    expect(left).toEqual({ sessions: 0, members: 0, messages: 0 })
  })
})
