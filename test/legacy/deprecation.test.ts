import { expect, test } from 'vitest'
import { readConfig } from '../../src/settings/config.ts'
import { sharedService, withService } from '../support/service.ts'

const service = await sharedService()

/** Pages that will stay when the older generation is removed. */
const PAGES = new Set(['/admin', '/admin/login'])
const isOlder = (path: string) => /^\/(api\/(?!v01\/)|admin\/?)/.test(path) && !PAGES.has(path)

test('the API’s documents mark every older operation as deprecated, and no other one', async () => {
  const { body } = await service.guest().get('/openapi.json', 200)
  const marked = { older: 0, newer: 0 }
  for (const [path, methods] of Object.entries<Record<string, { deprecated?: boolean }>>(body.paths))
    for (const [method, { deprecated }] of Object.entries(methods)) {
      expect(deprecated ?? false, `${method} ${path}`).toBe(isOlder(path))
      marked[isOlder(path) ? 'older' : 'newer'] += 1
    }
  expect(marked.older).toBeGreaterThan(50)
  expect(marked.newer).toBeGreaterThan(100)
})

test('every answer says since when it is deprecated, and names a newer operation that exists', async () => {
  const { operations } = service.documented
  const successors = new Set(operations.map(({ path }) => path.replaceAll(/\{[^}]+\}/g, '17')))
  for (const { method, path } of operations.filter((each) => isOlder(each.path))) {
    const { headers } = await service.guest().request(method, path.replaceAll(/\{[^}]+\}/g, '17'))
    expect(headers.get('deprecation'), `${method} ${path}`).toBe(`@${Date.UTC(2026, 10, 21) / 1_000}`)
    expect(headers.get('sunset')).toBeNull()
    const [, successor] = /^<(.+)>; rel="successor-version"$/.exec(headers.get('link') ?? '') ?? []
    expect(successor, `${method} ${path}`).toMatch(/^\/api\/v01\//)
    expect(successors).toContain(successor)
  }
  const newer = await service.guest().get('/api/v01/auth/me', 401)
  expect(newer.headers.get('deprecation')).toBeNull()
  expect(newer.headers.get('link')).toBeNull()
})

test('the successor has the request’s own parameters; early refusals name it too', async () => {
  const alice = await service.person()
  const link = async (method: string, path: string) =>
    (await alice.request(method, path, method === 'GET' ? undefined : {})).headers.get('link')
  expect(await link('POST', '/api/chat/messages/5')).toContain('</api/v01/chat/conversations/5/messages>')
  expect(await link('PATCH', '/api/chat/messages/5')).toContain('</api/v01/chat/messages/5>')
  expect(await link('GET', '/api/discussion/a%3Cb')).toContain('</api/v01/discussions/a%3Cb>')
  expect(await link('GET', '/api/study-chat/history?x=1')).toContain('</api/v01/assistant/conversations>')

  await alice.loginOnWeb(alice.username)
  const crossSite = await alice.request('POST', '/api/study-chat', { message: 'x' }, 403, {
    origin: 'https://elsewhere.example',
  })
  expect(crossSite.body.code).toBe('cross_site_request')
  expect(crossSite.headers.get('deprecation')).toMatch(/^@/)
})

test('LEGACY_SUNSET is sent as an HTTP date; an invalid date is refused at the start', async () => {
  const { legacySunset } = readConfig({ LEGACY_SUNSET: '2027-06-30' })
  const ending = await withService({ config: { legacySunset } })
  const { headers } = await ending.guest().get('/admin/users', 401)
  expect(headers.get('sunset')).toBe('Wed, 30 Jun 2027 00:00:00 GMT')
  for (const wrong of ['soon', '2027-02-30', '30.06.2027'])
    expect(() => readConfig({ LEGACY_SUNSET: wrong })).toThrow('LEGACY_SUNSET: must be a date')
})

test('a metric counts the calls of each older route, also of those that nobody has called', async () => {
  const counting = await withService()
  const calls = async (route: string, method = 'GET') => {
    const { body } = await counting.guest().get('/metrics', 200)
    const line = body
      .split('\n')
      .find((each: string) => each.startsWith(`deprecated_calls_total{method="${method}",route="${route}"}`))
    return Number(line?.split(' ')[1])
  }
  // The numbers are the process's: other tests of this file have called some.
  const before = await calls('/api/chat/messages/:id', 'POST')
  const alice = await counting.person()
  await alice.post('/api/chat/messages/7', { message: 'x' }, 404)
  await alice.post('/api/chat/messages/8', {}, 400)
  await counting.guest().post('/api/chat/messages/8', { message: 'x' }, 401)
  await alice.get('/api/v01/chat/unread', 200)
  expect(await calls('/api/chat/messages/:id', 'POST')).toBe(before + 3)
  expect(await calls('/api/chat/groups', 'POST')).toBeGreaterThanOrEqual(0)
})
