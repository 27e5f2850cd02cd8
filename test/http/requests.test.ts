import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type TestService, withService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** What the service answers to these bytes, until it hangs up. */
async function send(text: string): Promise<string> {
  const { hostname, port } = new URL(service.urls[0] as string)
  const socket = connect(Number(port), hostname)
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  socket.write(text)
  await once(socket, 'close')
  return answer
}

const upgrade = (path: string, headers: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: Upgrade, close', ...headers, '', ''].join('\r\n')

test('what can’t be read or routed is answered like everything else, by a name', async () => {
  for (const [text, status] of [
    ['NONSENSE\r\n\r\n', 400],
    ['POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['GET /api/%ZZ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
    [`GET /exam/${'1'.repeat(200)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, 400],
  ] as const) {
    const answer = await send(text)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(answer).toMatch(/^x-request-id: \S+\r$/m)
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))
    expect(body).toEqual({ success: false, code: 'invalid_request', message: expect.any(String) })
  }
})

test('who asks for another protocol is answered over this one', async () => {
  const answer = await send(upgrade('/healthz', ['Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAoAAA']))
  expect(answer).toMatch(/^HTTP\/1.1 200 /)
  expect(answer).toContain('"status":"up"')
})

test('a handshake that is not whole is refused by a name, too', async () => {
  const { accessToken } = await service.person()
  const socket = ['Upgrade: websocket', `Authorization: Bearer ${accessToken}`]
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
  for (const headers of [
    [...socket, key, 'Sec-WebSocket-Version: 7'],
    [...socket, 'Sec-WebSocket-Key: short', 'Sec-WebSocket-Version: 13'],
    [...socket, 'Sec-WebSocket-Version: 13'],
  ]) {
    const answer = await send(upgrade('/api/v01/ws', headers))
    expect(answer).toMatch(/^HTTP\/1.1 426 /)
    expect(answer).toMatch(/^x-request-id: \S+\r$/m)
    expect(answer).toContain('"code":"upgrade_required"')
  }
})

test('the operator’s limit counts what is refused and what no route takes as well', async () => {
  const limited = await withService({ config: { rateLimit: 6 } })
  const guest = limited.guest()
  // One was made to read the API document.
  await guest.get('/api/v01/exams', 401)
  await guest.get('/api/v01/admin/users', 401)
  await guest.get('/nowhere', 404)
  await guest.get('/healthz', 200)
  await guest.post('/api/v01/auth/login', {}, 400)
  for (const path of ['/api/v01/exams', '/nowhere', '/healthz']) {
    const { body, headers } = await guest.get(path, 429)
    expect(body).toMatchObject({ success: false, code: 'rate_limited', retry_after: expect.any(Number) })
    expect(headers.get('retry-after')).toBe(String(body.retry_after))
    expect(headers.get('x-request-id')).toBeTruthy()
  }
})
