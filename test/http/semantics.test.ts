import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { makeImage } from '../support/content/images.ts'
import { connectedPair, startService, type TestService } from '../support/service.ts'

let service: TestService
let alice: Client
let bob: Client
let conversationId: number
let image: { url: string; bytes: Buffer }
beforeAll(async () => {
  service = await startService({ config: { corsOrigins: ['https://app.example.org'] } })
  ;({ alice, bob, conversationId } = await connectedPair(service))
  const { notebook } = (await alice.post('/api/v01/notebooks', { title: 'Scraps' }, 201)).body
  const { page } = (await alice.post(`/api/v01/notebooks/${notebook.id}/pages`, {}, 201)).body
  const bytes = Buffer.from(await makeImage('png'))
  const upload = form({}, { field: 'image', name: 'a.png', bytes })
  const { body } = await alice.request('POST', `/api/v01/pages/${page.id}/assets`, upload, 201)
  image = { url: body.asset.url, bytes }
})
afterAll(() => service.close())

const ask = (client: Client, path: string, headers: Record<string, string>, status: number) =>
  client.request('GET', path, undefined, status, headers)

describe('a repeated read', () => {
  test('is 304 by its ETag until the content changes', async () => {
    const path = '/api/v01/chat/conversations'
    const first = await alice.get(path, 200)
    const etag = first.headers.get('etag') as string
    expect(etag).toMatch(/^W\/"[\w-]+"$/)
    expect(first.headers.get('vary')).toContain('accept-encoding')
    for (const held of [etag, `"other", ${etag}`, etag.replace('W/', ''), '*', `W/"x",${etag}`]) {
      const again = await ask(alice, path, { 'if-none-match': held }, 304)
      expect(again.body).toBe('')
      expect(again.headers.get('etag')).toBe(etag)
      expect(again.headers.get('content-type')).toBeNull()
      expect(again.headers.get('cache-control')).toBe('no-store')
    }
    for (const held of ['"other"', 'W/"other", "one more"', ''])
      await ask(alice, path, { 'if-none-match': held }, 200)
    await bob.send(conversationId, 'news', undefined, 201)
    await ask(alice, path, { 'if-none-match': etag }, 200)
  })

  test('is 304 for everything that is polled, but still 401 for those who may not read it', async () => {
    const admin = await service.admin()
    const paths = [
      'exams',
      'attempts',
      'chat/unread',
      'notebooks',
      'admin/ai/jobs',
      'admin/exams',
      'admin/overview',
    ]
    for (const path of paths.map((each) => `/api/v01/${each}`)) {
      const etag = (await admin.get(path, 200)).headers.get('etag') as string
      await ask(admin, path, { 'if-none-match': etag }, 304)
      await ask(service.guest(), path, { 'if-none-match': etag }, 401)
    }
  })

  test('has the same ETag compressed or not, and for HEAD', async () => {
    for (let count = 0; count < 40; count++)
      await alice.send(conversationId, 'word '.repeat(40), undefined, 201)
    const path = `/api/v01/chat/conversations/${conversationId}/messages?peek=true` as const
    const plain = await ask(alice, path, { 'accept-encoding': 'identity' }, 200)
    const packed = await ask(alice, path, { 'accept-encoding': 'gzip' }, 200)
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(packed.headers.get('etag')).toBe(plain.headers.get('etag'))
    expect(packed.headers.get('vary')?.match(/accept-encoding/g)).toHaveLength(1)
    const head = await alice.fetch('HEAD', path)
    expect(head.headers.get('etag')).toBe(plain.headers.get('etag'))
  })

  test('names the headers that it depends on in Vary', async () => {
    const admin = await service.admin()
    const vary = async (path: string, headers = {}) =>
      (await ask(admin, path, headers, 200)).headers.get('vary')
    expect(await vary('/api/v01/admin/analytics')).toBe('Origin, accept, accept-encoding')
    expect(await vary('/api/v01/exams', { origin: 'https://app.example.org' })).toMatch(
      /^Origin, accept-encoding$/,
    )
    const refused = await admin.post('/api/v01/assistant/messages', { message: 'x' }, 503)
    expect(refused.headers.get('vary')).toBe('Origin, accept')
  })
})

describe('files', () => {
  const read = async (headers: Record<string, string> = {}, method = 'GET') => {
    const answer = await service.guest().fetch(method, image.url, { headers })
    return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
  }

  test('can be read in ranges', async () => {
    const whole = await read()
    expect(whole.bytes.equals(image.bytes)).toBe(true)
    const size = whole.bytes.length
    expect(whole.headers.get('accept-ranges')).toBe('bytes')
    const parts: [range: string, start: number, end: number][] = [
      ['bytes=0-9', 0, 9],
      ['bytes=10-', 10, size - 1],
      ['bytes=-5', size - 5, size - 1],
      [`bytes=5-${size + 99}`, 5, size - 1],
      [`bytes=-${size + 99}`, 0, size - 1],
    ]
    for (const [range, start, end] of parts) {
      const part = await read({ range })
      expect(part.status, range).toBe(206)
      expect(part.headers.get('content-range'), range).toBe(`bytes ${start}-${end}/${size}`)
      expect(part.bytes.equals(whole.bytes.subarray(start, end + 1)), range).toBe(true)
    }
    for (const range of [`bytes=${size}-`, 'bytes=-0']) {
      const beyond = await read({ range })
      expect([beyond.status, beyond.headers.get('content-range')], range).toEqual([416, `bytes */${size}`])
      expect(JSON.parse(beyond.bytes.toString())).toMatchObject({ code: 'range_not_satisfiable' })
    }
    // An invalid range, or several ones, are answered with the whole file.
    for (const range of ['bytes=', 'bytes=9-3', 'bytes=0-1,4-5', 'lines=1-2', 'bytes=a-b'])
      expect(await read({ range }), range).toMatchObject({ status: 200, bytes: whole.bytes })
    const head = await read({ range: 'bytes=0-9' }, 'HEAD')
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(size)])
  })

  test('are continued by If-Range only if they have not changed', async () => {
    const { headers, bytes } = await read()
    const etag = headers.get('etag') as string
    expect(etag).toMatch(/^"/)
    for (const method of ['GET', 'HEAD'])
      expect((await read({ 'if-none-match': `"other", W/${etag}` }, method)).status, method).toBe(304)
    expect((await read({ range: 'bytes=0-9', 'if-range': etag })).status).toBe(206)
    const changed = await read({ range: 'bytes=0-9', 'if-range': '"other"' })
    expect([changed.status, changed.bytes.length]).toEqual([200, bytes.length])
  })
})

test('a wrong method is 405 with the allowed ones', async () => {
  const cases: [method: string, path: string, allow: string[]][] = [
    ['DELETE', '/api/v01/exams', ['GET', 'HEAD']],
    ['GET', '/api/v01/auth/login', ['POST']],
    ['POST', '/api/v01/exams/7?x=1', ['GET', 'HEAD']],
    ['PATCH', `/api/v01/chat/conversations/${conversationId}/messages/`, ['GET', 'HEAD', 'POST']],
    ['PUT', '/files/a/b.png', ['GET', 'HEAD']],
    ['POST', '/healthz', ['GET', 'HEAD']],
  ]
  for (const [method, path, allow] of cases) {
    const answer = await service.guest().request(method, path, method === 'GET' ? undefined : {}, 405)
    expect(answer.headers.get('allow')?.split(', ').sort(), path).toEqual(allow)
    expect(answer.body).toMatchObject({ code: 'method_not_allowed' })
  }
  const login = await service.guest().get('/api/v01/auth/login', 405)
  expect(login.body).toMatchObject({ status: 'error' })
  expect(login.body).not.toHaveProperty('success')
  // Unknown addresses stay 404, also below `/admin`, and preflights still work.
  await service.guest().get('/api/v01/exams/7/nowhere', 404)
  await service.guest().post('/nowhere', {}, 404)
  expect((await service.guest().get('/api/v01/auth/nowhere', 404)).body).toMatchObject({ status: 'error' })
  await service.guest().post('/admin/nowhere', {}, 404)
  const preflight = { origin: 'https://app.example.org', 'access-control-request-method': 'POST' }
  await service.guest().request('OPTIONS', '/api/v01/exams', undefined, 204, preflight)
})
