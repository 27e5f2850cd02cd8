import { beforeAll, describe, expect, test } from 'vitest'
import { connect, connectedPair, type SharedService, sharedService } from '../support/service.ts'

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})

const CHAT = '/api/v01/chat'

describe('editing and deleting', () => {
  test('an edit takes a version and reaches both sides', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const [hers, his] = await Promise.all([alice.socket(), bob.socket()])
    const { id } = (await alice.send(conversationId, 'teh')).body.message

    const { body } = await alice.patch(`${CHAT}/messages/${id}`, { message: ' the ' }, 200)
    expect(body.message).toMatchObject({
      id,
      seq: 1,
      version: 2,
      message: 'the',
      is_edited: true,
      is_own: true,
    })
    const edited = { type: 'message_edited', conversation_id: conversationId }
    expect(await hers.waitFor(({ type }) => type === 'message_edited')).toEqual({
      ...edited,
      message: body.message,
    })
    expect(await his.waitFor(({ type }) => type === 'message_edited')).toEqual({
      ...edited,
      message: { ...body.message, is_own: false, client_id: null },
    })
    const changes = await bob.get(`${CHAT}/conversations/${conversationId}/changes?since=1`, 200)
    expect(changes.body).toMatchObject({ version: 2, has_more: false, messages: [{ id, version: 2 }] })
  })

  test('a reader of a version that never was learns the true one', async () => {
    const { bob, conversationId } = await connectedPair(service)
    for (const text of ['one', 'two']) await bob.send(conversationId, text)
    const { body } = await bob.get(`${CHAT}/conversations/${conversationId}/changes?since=2000`, 200)
    expect(body).toMatchObject({ version: 2, has_more: false, messages: [] })
  })

  test('a deleted message leaves a tombstone, which counts as unread until it is read', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const his = await bob.socket()
    const { id } = (await alice.send(conversationId, 'regret')).body.message
    await alice.delete(`${CHAT}/messages/${id}`, 200)
    await alice.delete(`${CHAT}/messages/${id}`, 200)
    await alice.patch(`${CHAT}/messages/${id}`, { message: 'back' }, 404)

    const frame = await his.waitFor(({ type }) => type === 'message_deleted')
    expect(frame.message).toMatchObject({ id, message: '', is_deleted: true, version: 2 })
    const { body } = await bob.get(`${CHAT}/conversations`, 200)
    expect(body.conversations[0]).toMatchObject({ unread: 1, version: 2, last_message: { message: '' } })
  })

  test('only its author can change a message, and strangers can’t tell that it exists', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const stranger = await service.person()
    const { id } = (await alice.send(conversationId, 'mine')).body.message
    const path = `${CHAT}/messages/${id}` as const
    expect((await bob.patch(path, { message: 'his' }, 403)).body.code).toBe('not_owner')
    expect((await bob.delete(path, 403)).body.code).toBe('not_owner')
    expect((await stranger.patch(path, { message: 'x' }, 404)).body).toEqual(
      (await stranger.patch(`${CHAT}/messages/2000000000`, { message: 'x' }, 404)).body,
    )
    await stranger.delete(path, 404)
    const [row] = await service.sql`select version from conversations where id = ${conversationId}`
    expect(row).toEqual({ version: 1 })
  })

  test('sends and edits at once each get a version of their own', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const sent = await Promise.all(
      Array.from({ length: 10 }, (_, n) => (n % 2 ? alice : bob).send(conversationId, `message ${n}`)),
    )
    const people = new Map([alice, bob].map((person) => [person.username, person]))
    await Promise.all(
      sent.flatMap(({ body: { message } }, n) => {
        const author = people.get(message.sender_name) ?? alice
        return [
          author.patch(`${CHAT}/messages/${message.id}`, { message: `edited ${n}` }, 200),
          author.send(conversationId, `later ${n}`, undefined, 201),
          ...(n < 3 ? [author.patch(`${CHAT}/messages/${message.id}`, { message: 'again' }, 200)] : []),
        ]
      }),
    )
    const [row] = await service.sql`
      select c.version, c.last_seq, count(distinct m.version)::int as versions, max(m.version) as highest
        from conversations c join messages m on m.conversation_id = c.id
       where c.id = ${conversationId} group by c.id`
    expect(row).toEqual({ version: 33, last_seq: 20, versions: 20, highest: 33 })
  })
})

describe('paging', () => {
  test('`before` pages through every message once, and reading the newest page marks as read, without `peek`', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    await Promise.all(Array.from({ length: 12 }, (_, n) => alice.send(conversationId, `${n}`)))
    const path = `${CHAT}/conversations/${conversationId}/messages?limit=5` as const
    const unread = async () => (await bob.get(`${CHAT}/unread`, 200)).body.unread
    await bob.get(`${path}&peek=true`, 200)
    expect(await unread()).toBe(12)

    const seqs: number[] = []
    let page = (await bob.get(path, 200)).body
    for (;;) {
      seqs.unshift(...page.messages.map(({ seq }) => seq))
      if (!page.has_more) break
      page = (await bob.get(`${path}&before=${page.messages[0]?.created_at}`, 200)).body
    }
    expect(seqs).toEqual(Array.from({ length: 12 }, (_, n) => n + 1))
    expect(await unread()).toBe(0)
    expect((await bob.get(`${path}&before=yesterday`, 400)).body.code).toBe('validation_failed')
  })

  test('`around` has a message in its middle, marks nothing as read, and is for members', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const ids: number[] = []
    for (let n = 0; n < 12; n++) ids.push((await alice.send(conversationId, `${n}`)).body.message.id)
    const path = `${CHAT}/conversations/${conversationId}/messages` as const
    const around = async (seq: number) => {
      const { body } = await bob.get(`${path}?limit=5&around=${ids[seq - 1]}`, 200)
      return [body.messages.map((message) => message.seq), body.has_more, body.has_newer]
    }
    expect(await around(6)).toEqual([[4, 5, 6, 7, 8], true, true])
    expect(await around(3)).toEqual([[1, 2, 3, 4, 5], false, true])
    expect(await around(1)).toEqual([[1, 2, 3], false, true])
    expect(await around(10)).toEqual([[8, 9, 10, 11, 12], true, false])
    expect((await bob.get(`${path}?limit=1&around=${ids[5]}`, 200)).body).toMatchObject({
      messages: [{ seq: 6 }],
      has_more: true,
      has_newer: true,
    })
    expect((await bob.get(`${CHAT}/unread`, 200)).body.unread).toBe(12)
    const elsewhere = await connectedPair(service)
    await bob.get(`${CHAT}/conversations/${conversationId}/messages?around=2147483647`, 404)
    const theirs = (await elsewhere.alice.send(elsewhere.conversationId, 'theirs')).body.message.id
    await bob.get(`${path}?around=${theirs}`, 404)
    await elsewhere.bob.get(`${path}?around=${ids[5]}`, 404)
    await bob.get(`${path}?around=x`, 400)
  })
})

describe('a conversation', () => {
  test('is described with its members, to them alone', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const his = await bob.socket()
    await alice.send(conversationId, 'hello')
    const { body } = await alice.get(`${CHAT}/conversations/${conversationId}`, 200)
    expect(body.conversation).toMatchObject({
      id: conversationId,
      name: bob.username,
      is_group: false,
      user_id: bob.id,
      member_count: 2,
      online: true,
      can_send: true,
      members: expect.arrayContaining([
        {
          id: bob.id,
          username: bob.username,
          full_name: bob.username,
          online: true,
          is_owner: false,
          last_read_seq: 0,
        },
      ]),
    })
    expect(body.conversation.conn_id).toBeGreaterThan(0)
    const stranger = await service.person()
    await stranger.get(`${CHAT}/conversations/${conversationId}`, 404)
    await stranger.get(`${CHAT}/conversations/${conversationId}/changes?since=0`, 404)
    await his.close()
  })

  test('has read pointers that never move back, even under concurrent reads', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    for (let n = 0; n < 8; n++) await alice.send(conversationId, `${n}`)
    await Promise.all(
      [3, 8, 1, 5, 2, 7].map((up_to_seq) =>
        bob.post(`${CHAT}/conversations/${conversationId}/read`, { up_to_seq }, 200),
      ),
    )
    const late = await bob.post(`${CHAT}/conversations/${conversationId}/read`, { up_to_seq: 2 }, 200)
    expect(late.body).toEqual({ success: true, unread: 0 })
  })
})

describe('connections', () => {
  test('can be ended, which leaves the conversation readable, and be made again, which gives the same one', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const his = await bob.socket()
    const { id } = (await alice.send(conversationId, 'while we were', undefined, 201)).body.message
    const [listed] = (await alice.get(`${CHAT}/conversations`, 200)).body.conversations
    const connId = listed?.conn_id
    await (await service.person()).delete(`${CHAT}/connections/${connId}`, 404)
    await alice.delete(`${CHAT}/connections/${connId}`, 200)

    for (const person of [alice, bob])
      expect((await person.send(conversationId, 'still there?', undefined, 403)).body.code).toBe(
        'not_connected',
      )
    const edit = await alice.patch(`${CHAT}/messages/${id}`, { message: 'in secret' }, 403)
    expect(edit.body.code).toBe('not_connected')
    expect(await his.waitFor(({ type }) => type === 'conversation')).toMatchObject({
      conversation: { id: conversationId, can_send: false },
    })
    await bob.get(`${CHAT}/conversations/${conversationId}/messages`, 200)
    const found = await alice.get(`${CHAT}/users?q=${bob.username}`, 200)
    expect(found.body.users[0]).toMatchObject({ connection_status: null, conn_id: null })
    expect(await connect(bob, alice)).toBe(conversationId)
    await alice.send(conversationId, 'again', undefined, 201)
  })

  test('are made once if both people ask at once', async () => {
    const [one, other] = await Promise.all([service.person(), service.person()])
    const answers = await Promise.all([
      one.post(`${CHAT}/connections`, { recipient_id: other.id }),
      other.post(`${CHAT}/connections`, { recipient_id: one.id }),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 201])
    const { body } = await one.post(`${CHAT}/connections`, { recipient_id: other.id }, 409)
    expect(body).toMatchObject({ code: 'already_connected', conn_id: answers[0]?.body.conn_id })
  })

  test('begin with a request that is announced, counted, answered once, and may follow a rejection a day later', async () => {
    const [asker, asked] = await Promise.all([service.person(), service.person()])
    const [hers, his] = await Promise.all([asker.socket(), asked.socket()])
    const { conn_id } = (await asker.post(`${CHAT}/connections`, { recipient_id: asked.id }, 201)).body
    const frame = await his.waitFor(({ type }) => type === 'connection_request')
    const { body } = await asked.get(`${CHAT}/connections/requests`, 200)
    expect(body.requests).toEqual([frame.request])
    expect(frame.request).toMatchObject({ conn_id, from_id: asker.id, from_name: asker.username })
    await his.waitFor(({ type, requests }) => type === 'unread' && requests === 1)

    const respond = `${CHAT}/connections/${conn_id}/respond` as const
    await asker.post(respond, { action: 'accept' }, 404)
    expect((await asked.post(respond, { action: 'reject' }, 200)).body.conv_id).toBeNull()
    await asked.post(respond, { action: 'accept' }, 409)
    const ask = (status: number) => asker.post(`${CHAT}/connections`, { recipient_id: asked.id }, status)
    expect((await ask(409)).body.code).toBe('already_answered')
    await asker.delete(`${CHAT}/connections/${conn_id}`, 200)
    expect((await ask(409)).body.code).toBe('already_answered')
    await service.sql`update connections set rejected_at = rejected_at - interval '1 day' where id = ${conn_id}`
    await ask(201)
    const { conv_id } = (await asked.post(respond, { action: 'accept' }, 200)).body
    expect(await hers.waitFor(({ type }) => type === 'connection_accepted')).toEqual({
      type: 'connection_accepted',
      conn_id,
      conv_id,
      user: { id: asked.id, username: asked.username, full_name: asked.username },
    })
    await hers.waitFor(({ type, conversation }) => type === 'conversation' && conversation.id === conv_id)
    await his.waitFor(({ type, requests }) => type === 'unread' && requests === 0)
  })

  test('may be asked for at once by whoever rejected', async () => {
    const [asker, asked] = await Promise.all([service.person(), service.person()])
    const { conn_id } = (await asker.post(`${CHAT}/connections`, { recipient_id: asked.id }, 201)).body
    await asked.post(`${CHAT}/connections/${conn_id}/respond`, { action: 'reject' }, 200)
    await asked.post(`${CHAT}/connections`, { recipient_id: asker.id }, 201)
    await asker.post(`${CHAT}/connections`, { recipient_id: asked.id }, 200)
  })
})
