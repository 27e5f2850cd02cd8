import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { brotliCompressSync, constants } from 'node:zlib'
import { expect, test } from 'vitest'
import { sharedService, withService } from '../support/service.ts'

const service = await sharedService()

/** Sends these bytes; answers what comes back until the service closes the connection. */
async function send(text: string): Promise<string> {
  const { hostname, port } = new URL(service.urls[0] as string)
  const socket = connect(Number(port), hostname)
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  // A reset, if the service had not read everything when it closed the connection.
  socket.on('error', () => {})
  socket.write(text)
  // Not `events.once`, which would reject upon a reset.
  await new Promise((resolve) => socket.once('close', resolve))
  return answer
}

const upgrade = (path: string, headers: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: Upgrade, close', ...headers, '', ''].join('\r\n')

test('requests that can’t be parsed or routed get the usual error body', async () => {
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

test('a connection with more than 20 requests before an answer is cut off', async () => {
  const request = 'GET /nowhere HTTP/1.1\r\nHost:\r\n\r\n'
  const last = request.replace('Host:', 'Host:\r\nConnection: close')
  const answers = async (count: number) =>
    (await send(request.repeat(count - 1) + last)).match(/ 404 /g)?.length
  expect(await answers(20)).toBe(20)
  expect((await answers(2_000)) ?? 0).toBeLessThan(20)
})

test('a connection that sends a body in very many tiny chunks is cut off', async () => {
  const head =
    'POST /api/v01/auth/login HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
  const spaces = (count: number) => '1\r\n \r\n'.repeat(count)
  const end = '2\r\n{}\r\n0\r\n\r\n'
  expect(await send(`${head}${spaces(200)}${end}`)).toContain('validation_failed')
  const large = `c000\r\n${' '.repeat(0xc000)}\r\n`
  expect(await send(head + large + spaces(500) + end)).toContain('validation_failed')
  expect(await send(head + spaces(20_000) + end)).toBe('')
})

test('an unread body does not affect requests on other connections', async () => {
  const { hostname, port } = new URL(service.urls[0] as string)
  for (let n = 0; n < 3; n++) {
    const socket = connect(Number(port), hostname)
    socket.write('POST /api/v01/notebooks HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n')
    await once(socket, 'data')
    socket.destroy()
  }
  // Node.js reuses its parsers for any next connection in this process, also of its clients.
  const echo = createServer((request, response) => request.pipe(response))
  await once(echo.listen(0, '127.0.0.1'), 'listening')
  const { port: echoPort } = echo.address() as AddressInfo
  const answers = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const asked = request({ port: echoPort, method: 'POST', agent: false }).end('heard')
      const [response] = (await once(asked, 'response')) as [IncomingMessage]
      return text(response)
    }),
  )
  expect(answers).toEqual(Array.from({ length: 8 }, () => 'heard'))
  echo.close()
})

test('a request to upgrade to another protocol is answered over HTTP/1.1', async () => {
  const answer = await send(upgrade('/healthz', ['Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAoAAA']))
  expect(answer).toMatch(/^HTTP\/1.1 200 /)
  expect(answer).toContain('"status":"up"')
})

test('an incomplete WebSocket handshake is refused with the usual error body', async () => {
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

test('the operator’s rate limit also counts refused requests and unknown addresses', async () => {
  const limited = await withService({ config: { rateLimit: 5 } })
  const guest = limited.guest()
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

test('every answer has the security headers for browsers, refusals included', async () => {
  for (const [path, status] of [
    ['/healthz', 200],
    ['/nowhere', 404],
    ['/api/v01/notebooks', 401],
  ] as const) {
    const { headers } = await service.guest().get(path, status)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy': expect.stringContaining("default-src 'self'"),
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'origin-agent-cluster': '?1',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
    })
  }
})

test('answers with personal data or tokens are not cached', async () => {
  const person = await service.person()
  const admin = await service.admin()
  for (const answer of [
    await service.guest().post('/api/v01/auth/login', { username: person.username, password: 'wrong' }),
    await person.get('/api/v01/auth/me'),
    await person.get('/api/v01/chat/conversations'),
    await person.get('/api/v01/nowhere'),
    await admin.get('/api/v01/admin/users'),
    await admin.request('GET', '/api/v01/admin/overview', undefined, undefined, { accept: 'text/csv' }),
    await person.loginOnWeb(person.username),
  ])
    expect(answer.headers.get('cache-control')).toBe('no-store')
})

test('a form with too many fields is refused before it is parsed', async () => {
  const post = (body: string) =>
    service.guest().request('POST', '/login', body, undefined, {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    })
  const names = Array.from({ length: 120_000 }, (_, n) => `${n}=1`).join('&')
  expect((await post(names)).status).toBe(413)
  const few = await post(names.slice(0, 16_000))
  expect([400, 401]).toContain(few.status)
})

const packed = brotliCompressSync(Buffer.alloc(64 * 1024 * 1024), {
  params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
})

test.each(['br', 'gzip', 'deflate', 'zstd'])(
  'a body compressed with %s is refused unread',
  async (encoding) => {
    for (const [path, type] of [
      ['/api/v01/auth/login', 'application/json'],
      ['/login', 'application/x-www-form-urlencoded'],
    ] as const) {
      const headers = { 'content-type': type, 'content-encoding': encoding }
      const answer = await service.guest().request('POST', path, packed, 415, headers)
      expect(JSON.stringify(answer.body)).toContain('content type')
    }
  },
)
