import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import { PASSWORD } from '../../test/support/client.ts'
import { startService, type TestService } from '../../test/support/service.ts'
import { createClient, type Owner, type Platform, Unreachable } from '../src/index.ts'
import { node } from '../src/platforms/node.ts'
import { memoryStore } from '../src/storage/memory.ts'

let service: TestService
/** How far the clocks of service and client are ahead. */
let aheadMs = 0
beforeAll(async () => {
  service = await startService({ clock: () => Date.now() + aheadMs })
})
afterAll(() => service.close())

/** A client whose requests the test sees in `sent`, and can make fail by `spoil`. */
function watched(store = memoryStore(), more: Partial<Platform> = {}) {
  const sent: string[] = []
  let spoil: (request: Request, number: number) => Response | 'cut' | undefined = () => undefined
  const platform: Platform = {
    ...node({ store }),
    async fetch(request) {
      const name = `${request.method} ${new URL(request.url).pathname.replace('/api/v01', '')}`
      sent.push(name)
      const spoilt = spoil(request, sent.filter((each) => each === name).length)
      if (spoilt === 'cut') throw new TypeError('fetch failed')
      return spoilt ?? fetch(request)
    },
    now: () => Date.now() + aheadMs,
    ...more,
  }
  const client = createClient({ baseUrl: service.urls[0] as string, platform })
  return { client, sent, spoil: (how: typeof spoil) => (spoil = how) }
}

async function signedIn(store = memoryStore()) {
  const person = await service.person()
  const app = watched(store)
  const { user } = await app.client.session.login({ username: person.username, password: PASSWORD })
  expect(user?.id).toBe(person.id)
  app.sent.length = 0
  return { ...app, person }
}

describe('operations', () => {
  test('answer data or an error whose code is known', async () => {
    const { client } = await signedIn()
    const { data, error } = await client.GET('/api/v01/auth/me')
    expect(error).toBeUndefined()
    expectTypeOf(data?.data.username).toEqualTypeOf<string | undefined>()
    const missing = await client.GET('/api/v01/exams/{exam_id}', { params: { path: { exam_id: 999_999 } } })
    expect(missing.error?.code).toBe('not_found')
    expect(missing.response.status).toBe(404)
    expectTypeOf(missing.error?.code).toEqualTypeOf<
      | 'not_found'
      | 'validation_failed'
      | 'invalid_request'
      | 'authentication_required'
      | 'token_expired_or_invalid'
      | 'rate_limited'
      | 'internal_error'
      | 'unavailable'
      | undefined
    >()
  })

  test('of wrong names, parameters and bodies do not compile', () => {
    const { client } = watched()
    const wrong = [
      // @ts-expect-error: no such path
      () => client.GET('/api/v01/exam'),
      // @ts-expect-error: no such method there
      () => client.DELETE('/api/v01/auth/me'),
      // @ts-expect-error: its parameter is missing
      () => client.GET('/api/v01/exams/{exam_id}'),
      // @ts-expect-error: a number is meant
      () => client.GET('/api/v01/exams/{exam_id}', { params: { path: { exam_id: 'x' } } }),
      () =>
        client.POST('/api/v01/chat/connections', {
          // @ts-expect-error: another field is meant
          body: { recipient: 7 },
        }),
      async () => {
        const { error } = await client.GET('/api/v01/auth/me')
        // @ts-expect-error: never answered there
        return error?.code === 'attempts_exhausted'
      },
    ]
    expect(wrong).toHaveLength(6)
  })

  test('send a query, a body and a form', async () => {
    const { client, person } = await signedIn()
    const other = await service.person()
    const found = await client.GET('/api/v01/chat/users', { params: { query: { q: other.username } } })
    expect(found.data?.users).toMatchObject([{ id: other.id }])
    const asked = await client.POST('/api/v01/chat/connections', { body: { recipient_id: other.id } })
    expect(asked.data).toMatchObject({ status: 'pending' })
    const book = await client.POST('/api/v01/notebooks', { body: { title: `of ${person.username}` } })
    expect(book.data?.notebook).toMatchObject({ page_count: 0 })
  })
})

describe('a retry', () => {
  const busy = (status: number) =>
    new Response(JSON.stringify({ success: false, code: 'rate_limited', message: '' }), {
      status,
      headers: { 'content-type': 'application/json', 'retry-after': '0', 'x-request-id': 'busy' },
    })

  test('follows a lost answer of a read, 503, and 429', async () => {
    const { client, sent, spoil } = await signedIn()
    for (const fault of ['cut', busy(503), busy(429)] as const) {
      sent.length = 0
      spoil((_, number) => (number === 1 ? fault : undefined))
      const { data } = await client.GET('/api/v01/auth/me')
      expect(data).toBeDefined()
      expect(sent).toEqual(['GET /auth/me', 'GET /auth/me'])
    }
  })

  test('does not follow a lost answer of a request that may have had its effect', async () => {
    const { client, sent, spoil } = await signedIn()
    spoil(() => 'cut')
    await expect(client.POST('/api/v01/notebooks', { body: { title: 'x' } })).rejects.toThrow(Unreachable)
    expect(sent).toEqual(['POST /notebooks'])
    spoil(() => busy(503))
    const { response } = await client.POST('/api/v01/notebooks', { body: { title: 'x' } })
    expect(response.status).toBe(503)
  })

  test('is given up when its signal aborts', async () => {
    const { client, spoil } = await signedIn()
    const stop = new AbortController()
    spoil(() => {
      stop.abort(new Error('enough'))
      return 'cut'
    })
    await expect(client.GET('/api/v01/auth/me', { signal: stop.signal })).rejects.toThrow('enough')
  })
})

describe('the session', () => {
  test('is refreshed once, however many requests find its token expired', async () => {
    const { client, sent } = await signedIn()
    aheadMs += 3_600_000
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.GET('/api/v01/auth/me')))
    for (const { response } of answers) expect(response.status).toBe(200)
    expect(sent.filter((each) => each === 'POST /auth/refresh')).toHaveLength(1)
  })

  test('is refreshed once when the service refuses a token that has not expired', async () => {
    const { client, sent, person } = await signedIn()
    await service.sql`update users set role = 'user,admin' where id = ${person.id}`
    const admin = await service.admin()
    await admin.post('/api/v01/admin/users/role', { user_id: person.id, new_role: 'user' }, 200)
    await expect.poll(async () => (await person.get('/api/v01/auth/me')).status).toBe(401)
    const answers = await Promise.all(Array.from({ length: 5 }, () => client.GET('/api/v01/auth/me')))
    for (const { response } of answers) expect(response.status).toBe(200)
    expect(sent.filter((each) => each === 'POST /auth/refresh')).toHaveLength(1)
  })

  test('changes its refresh token once a day, and survives a lost answer', async () => {
    const store = memoryStore()
    const { client, spoil } = await signedIn(store)
    const before = (await store.get('session')) as { refreshToken: string }
    aheadMs += 25 * 3_600_000
    const lost: Promise<Response>[] = []
    spoil((request, number) => {
      if (!request.url.endsWith('/refresh') || number > 1) return undefined
      lost.push(fetch(request))
      return 'cut'
    })
    await expect(client.session.token(client.session.owner() as Owner)).rejects.toThrow(Unreachable)
    await Promise.all(lost)
    expect((await client.GET('/api/v01/auth/me')).data).toBeDefined()
    const after = (await store.get('session')) as { refreshToken: string }
    expect(after.refreshToken).not.toBe(before.refreshToken)
  })

  test('outlives the process, and ends for good with a logout', async () => {
    const store = memoryStore()
    const { client, person } = await signedIn(store)
    const again = watched(store).client
    expect((await again.GET('/api/v01/auth/me')).data?.data.id).toBe(person.id)
    expect(await client.session.logout()).toBe(true)
    expect(client.session.$user.get()).toBeNull()
    // The difference of the clocks is nobody's.
    expect((await store.list('')).filter(([key]) => key !== 'clock')).toEqual([])
    const { error } = await client.GET('/api/v01/auth/me')
    expect(error?.code).toBe('authentication_required')
  })

  test('that the service has ended signs the user out; a wrong password is refused by its code', async () => {
    const { client, person } = await signedIn()
    await person.delete('/api/v01/account', 200, { confirm: 'DELETE' })
    aheadMs += 3_600_000
    await client.GET('/api/v01/auth/me')
    expect(client.session.$user.get()).toBeNull()
    const { error } = await client.session.login({ username: person.username, password: 'wrong' })
    expect(error?.code).toBe('invalid_credentials')
  })

  test('writes diagnostics without tokens and passwords', async () => {
    const { client } = await signedIn()
    aheadMs += 3_600_000
    await client.GET('/api/v01/auth/me')
    const text = JSON.stringify(client.diagnostics.entries())
    expect(text).toContain('session.refresh')
    expect(text).not.toMatch(/eyJ|password/)
  })
})
