import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { connectedPair, startService, type TestService, withService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const CHAT = '/api/v01/chat'

describe('user search', () => {
  test('finds parts of names in any case, at most 20, never oneself or the ghost', async () => {
    const seeker = await service.person('search.zed')
    for (let n = 0; n < 22; n++) await service.person(`Zebra${n}`)
    const { body } = await seeker.get(`${CHAT}/users?q=zEBRa`, 200)
    expect(body.users).toHaveLength(20)
    expect(body.users[0]).toEqual({
      id: expect.any(Number),
      username: 'Zebra0',
      full_name: 'Zebra0',
      online: false,
      connection_status: null,
      conn_id: null,
    })
    expect((await seeker.get(`${CHAT}/users?q=search.zed`, 200)).body.users).toEqual([])
    expect((await seeker.get(`${CHAT}/users?q=deleted`, 200)).body.users).toEqual([])
    expect((await seeker.get(`${CHAT}/users?q=z`, 200)).body.users).toHaveLength(20)
    expect((await seeker.get(`${CHAT}/users?q=%F0%9F%98%80`, 200)).body.users).toEqual([])
    await seeker.get(`${CHAT}/users`, 400)
  })

  test('takes %, _ and \\ literally', async () => {
    const seeker = await service.person()
    await service.person('under_score')
    await service.person('underXscore')
    const names = async (q: string) =>
      (await seeker.get(`${CHAT}/users?q=${encodeURIComponent(q)}`, 200)).body.users.map(
        ({ username }) => username,
      )
    expect(await names('r_s')).toEqual(['under_score'])
    expect(await names('%%')).toEqual([])
    expect(await names('\\_')).toEqual([])
  })

  test('can be answered from the index', async () => {
    const plan = await service.sql.begin(async (sql) => {
      await sql`set local enable_seqscan = off`
      return sql`explain select id from users where username ilike '%zebra%' or full_name ilike '%zebra%'`
    })
    expect(JSON.stringify(plan)).toContain('users_search_idx')
  })

  test('shows the state of the connection, and presence only to those who are connected', async () => {
    const { alice, bob } = await connectedPair(service)
    const stranger = await service.person()
    const [socket, other] = await Promise.all([bob.socket(), stranger.socket()])
    const find = async (name: string) => (await alice.get(`${CHAT}/users?q=${name}`, 200)).body.users[0]
    expect(await find(bob.username)).toMatchObject({ online: true, connection_status: 'accepted' })
    expect(await find(stranger.username)).toMatchObject({ online: false, connection_status: null })
    await alice.post(`${CHAT}/connections`, { recipient_id: stranger.id }, 201)
    expect(await find(stranger.username)).toMatchObject({ online: false, connection_status: 'pending' })
    await Promise.all([socket.close(), other.close()])
  })
})

describe('blocks', () => {
  test('a blocked person can neither write nor see whether the other one is online', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const [hers, his] = await Promise.all([alice.socket(), bob.socket()])
    const statusOf = async (person: typeof alice, id: number) =>
      (await person.get(`${CHAT}/presence`, 200)).body.status[String(id)]
    expect(await statusOf(bob, alice.id)).toBe(true)

    const messages = await Promise.all(
      [alice, bob].map((each) => each.send(conversationId, 'hi', undefined, 201)),
    )
    await alice.put(`${CHAT}/blocks/${bob.id}`, {}, 200)
    await alice.put(`${CHAT}/blocks/${bob.id}`, {}, 200)
    for (const [n, each] of [alice, bob].entries()) {
      const path = `${CHAT}/messages/${messages[n]?.body.message.id ?? 0}` as const
      expect((await each.patch(path, { message: 'psst' }, 403)).body.code).toBe('not_connected')
    }
    const { body } = await alice.get(`${CHAT}/blocks`, 200)
    expect(body.users).toEqual([{ id: bob.id, username: bob.username, full_name: bob.username }])
    expect((await bob.send(conversationId, 'hey', undefined, 403)).body.code).toBe('not_connected')
    await his.waitFor(({ type, user_id, online }) => type === 'presence' && user_id === alice.id && !online)
    await hers.waitFor(({ type, user_id, online }) => type === 'presence' && user_id === bob.id && !online)
    expect(await statusOf(bob, alice.id)).toBe(false)
    expect(await statusOf(alice, bob.id)).toBe(false)
    const find = async (who: Client, name: string) =>
      (await who.get(`${CHAT}/users?q=${name}`, 200)).body.users.map(({ id }) => id)
    expect(await find(bob, alice.username)).toEqual([])
    expect(await find(alice, bob.username)).toEqual([bob.id])
    const list = await alice.get(`${CHAT}/conversations`, 200)
    expect(list.body.conversations[0]?.online).toBe(false)

    const presence = his.of('presence').length
    await hers.close()
    await alice.socket()
    const mine = await alice.send(conversationId, 'nor may the one who blocks', undefined, 403)
    expect(mine.body.code).toBe('not_connected')
    await his.ask({ type: 'ping' })
    expect(his.of('presence')).toHaveLength(presence)

    await alice.delete(`${CHAT}/blocks/${bob.id}`, 200)
    await his.waitFor(({ type, online }) => type === 'presence' && online)
    await bob.send(conversationId, 'thanks', undefined, 201)
    await alice.send(conversationId, 'fine', undefined, 201)
    expect(await find(bob, alice.username)).toEqual([alice.id])
    expect(await statusOf(bob, alice.id)).toBe(true)
  })

  test('are not told to somebody with whom one shares nothing', async () => {
    const [alice, bob, carol] = [await service.person(), await service.person(), await service.person()]
    const his = await bob.socket()
    await alice.put(`${CHAT}/blocks/${bob.id}`, {}, 200)
    await carol.post(`${CHAT}/connections`, { recipient_id: bob.id }, 201)
    await his.waitFor(({ type }) => type === 'connection_request')
    // Presence is written after what is queued with it.
    await his.ask({ type: 'ping' })
    expect(his.of('presence')).toEqual([])
  })

  test('a blocked person’s request is answered as if nobody were there, and a pending one is deleted', async () => {
    const [alice, bob] = await Promise.all([service.person(), service.person()])
    await bob.post(`${CHAT}/connections`, { recipient_id: alice.id }, 201)
    await alice.put(`${CHAT}/blocks/${bob.id}`, {}, 200)
    expect((await alice.get(`${CHAT}/unread`, 200)).body.requests).toBe(0)
    const refused = await bob.post(`${CHAT}/connections`, { recipient_id: alice.id }, 404)
    expect(refused.body).toEqual((await bob.post(`${CHAT}/connections`, { recipient_id: 999_999 }, 404)).body)
    await alice.put(`${CHAT}/blocks/${alice.id}`, {}, 404)
    await alice.put(`${CHAT}/blocks/999999`, {}, 404)
  })

  test('a request that somebody made before they blocked whom they had asked is none any more', async () => {
    const [alice, bob] = await Promise.all([service.person(), service.person()])
    const { conn_id } = (await alice.post(`${CHAT}/connections`, { recipient_id: bob.id }, 201)).body
    const his = await bob.socket()
    expect((await bob.get(`${CHAT}/unread`, 200)).body.requests).toBe(1)
    await alice.put(`${CHAT}/blocks/${bob.id}`, {}, 200)
    await his.waitFor(({ type, requests }) => type === 'unread' && requests === 0)
    expect((await bob.get(`${CHAT}/connections/requests`, 200)).body.requests).toEqual([])
    await bob.post(`${CHAT}/connections/${conn_id}/respond`, { action: 'accept' }, 409)
    expect((await bob.get(`${CHAT}/conversations`, 200)).body.conversations).toEqual([])
  })

  test('a block and a request at once never leave a pending request', async () => {
    for (let round = 0; round < 10; round++) {
      const [alice, bob] = await Promise.all([service.person(), service.person()])
      await Promise.all([
        alice.put(`${CHAT}/blocks/${bob.id}`, {}, 200),
        bob.post(`${CHAT}/connections`, { recipient_id: alice.id }),
      ])
      expect((await alice.get(`${CHAT}/connections/requests`, 200)).body.requests).toEqual([])
    }
  })
})

test('nobody waits longer because a clock was set back', async () => {
  let now = Date.now()
  const slow = await withService({ config: { chat: { sendIntervalMs: 2_000 } }, clock: () => now })
  const { alice, conversationId } = await connectedPair(slow)
  await alice.send(conversationId, 'before', undefined, 201)
  now -= 3_600_000
  await alice.send(conversationId, 'after', undefined, 201)
  await alice.send(conversationId, 'too fast', undefined, 429)
})
