import { createSigner } from 'fast-jwt'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Client } from './support/client.ts'
import type { Operation, Schema } from './support/promises/documented.ts'
import { connectedPair, SECRET, startService, type TestService } from './support/service.ts'

// Each test sends requests to every operation.
vi.setConfig({ testTimeout: 120_000 })

// Sends every operation of the documents what a client can get wrong: a new route is tested without a line here.
let service: TestService
let person: Client
let admin: Client
let fingerprint: string

beforeAll(async () => {
  service = await startService()
  ;({ alice: person } = await connectedPair(service))
  admin = await service.admin()
  fingerprint = await countRows()
})
afterAll(async () => {
  expect(await countRows(), 'bad input left something behind').toBe(fingerprint)
  await service.close()
})

async function countRows(): Promise<string> {
  const rows = await service.sql`
    select relname, (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %I', relname), false, true, '')))[1]::text as n
      from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`
  return JSON.stringify(rows)
}

function operations(): Operation[] {
  return service.documented.operations.filter(({ path }) => !path.startsWith('/docs'))
}
const callerFor = ({ path }: Operation) => (/\/admin\b|\/(pin|best-answer)$/.test(path) ? admin : person)
const fill = (path: string, value: string) => path.replaceAll(/\{[^}]+\}/g, value)

async function forEach(chosen: Operation[], check: (operation: Operation) => Promise<void>): Promise<void> {
  expect(chosen.length).toBeGreaterThan(0)
  for (const operation of chosen) await check(operation)
}

describe('callers', { meta: { costly: 'sends requests to every operation' } }, () => {
  test('a guarded operation refuses whoever has no token', async () => {
    await forEach(
      // Pages redirect browsers to the login instead.
      operations().filter(({ guarded, answers }) => guarded && !answers.has('303')),
      async ({ method, path }) => {
        const guest = service.guest()
        const answer = await guest.request(method, fill(path, '1'))
        expect(answer, `${method} ${path}`).toMatchObject({
          status: 401,
          body: { status: 'error', code: 'authentication_required', message: 'Authentication required' },
        })
      },
    )
  })

  test('an expired, forged or otherwise wrong token is 401, never 500', async () => {
    const claims = { sub: String(person.id), role: 'user', sid: 1, gen: 0 }
    const make = (options: object, payload: object = {}) =>
      createSigner({ key: SECRET, iss: 'exam-practice', aud: 'exam-practice:access', ...options } as never)({
        ...claims,
        exp: Math.floor(Date.now() / 1_000) + 60,
        ...payload,
      })
    const typ = { header: { alg: 'HS256', typ: 'access+jwt' }, algorithm: 'HS256' }
    const none = (text: object) => Buffer.from(JSON.stringify(text)).toString('base64url')
    const tokens = {
      valid: make(typ),
      expired: make(typ, { exp: Math.floor(Date.now() / 1_000) - 1 }),
      'another key': make({ ...typ, key: `${SECRET}!` }),
      HS384: make({ algorithm: 'HS384', header: { alg: 'HS384', typ: 'access+jwt' } }),
      'no exp': createSigner({
        key: SECRET,
        iss: 'exam-practice',
        aud: 'exam-practice:access',
        ...typ,
      } as never)(claims),
      'alg none': `${none({ alg: 'none', typ: 'access+jwt' })}.${none({ ...claims, exp: 9e9 })}.`,
      'foreign issuer': make({ ...typ, iss: 'somebody' }),
      'foreign audience': make({ ...typ, aud: 'exam-practice:web' }),
      'another typ': make({ algorithm: 'HS256', header: { alg: 'HS256', typ: 'JWT' } }),
      'a crit header': make({ algorithm: 'HS256', header: { alg: 'HS256', typ: 'access+jwt', crit: ['x'] } }),
      garbage: 'a.b.c',
      empty: '',
    }
    for (const [name, token] of Object.entries(tokens)) {
      const guest = service.guest()
      guest.accessToken = token
      const answer = await guest.get('/api/v01/chat/unread')
      if (name === 'valid') expect(answer.status, name).toBe(200)
      else
        expect(answer, name).toMatchObject({
          status: 401,
          body: { status: 'error', success: false, code: 'token_expired_or_invalid' },
        })
    }
  })
})

describe('addresses', { meta: { costly: 'sends requests to every operation' } }, () => {
  test('a malformed id is 400, and the id of nothing is never a success', async () => {
    await forEach(
      operations().filter(({ path }) => path.includes('{id}')),
      async (operation) => {
        const { method, path } = operation
        for (const id of ['abc', '0', '-9', '1.5', '%00'])
          expect(
            (await callerFor(operation).request(method, fill(path, id))).status,
            `${method} ${path} ${id}`,
          ).toBe(400)
        const { status } = await callerFor(operation).request(method, fill(path, '2147483647'))
        expect([400, 403, 404, 415], `${method} ${path}`).toContain(status)
      },
    )
  })

  test('an id beyond all ids is that of nothing', async () => {
    await forEach(
      operations().filter(({ path }) => /^\/api\/.*\{(\w+_)?id\}/.test(path)),
      async (operation) => {
        const { method, path } = operation
        for (const id of ['2147483648', '9'.repeat(30)]) {
          const { status } = await callerFor(operation).request(method, fill(path, id))
          expect([400, 403, 404, 415], `${method} ${path} ${id}`).toContain(status)
        }
      },
    )
    for (const id of ['2147483647', '2147483648', '9'.repeat(30)]) {
      expect((await person.get(`/api/v01/exams/${id}/status`, 404)).body.code).toBe('not_found')
      await person.delete(`/api/v01/chat/messages/${id}`, 404)
    }
  })

  test('unknown and malformed addresses are answered with the usual error body', async () => {
    for (const [path, code] of [
      ['/nowhere', 'not_found'],
      ['/api/v01/chat/nowhere', 'not_found'],
      ['/api/%ZZ', 'invalid_request'],
    ] as const)
      expect((await person.get(path)).body).toMatchObject({ success: false, code })
  })
})

describe('bodies', { meta: { costly: 'sends requests to every operation, some with large bodies' } }, () => {
  const withBody = () => operations().filter(({ body }) => body !== undefined)
  const ask = (operation: Operation, body: unknown, headers?: Record<string, string>) =>
    callerFor(operation).request(
      operation.method,
      fill(operation.path, '2147483647'),
      body,
      undefined,
      headers,
    )

  test('broken JSON, another content type, a list and a body that is too large are refused by their codes', async () => {
    const large = JSON.stringify({ a: 'x'.repeat(1024 * 1024) })
    await forEach(withBody(), async (operation) => {
      const name = `${operation.method} ${operation.path}`
      expect(await ask(operation, '{"a":'), name).toMatchObject({
        status: 400,
        body: { code: 'invalid_json' },
      })
      expect(await ask(operation, 'a=1', { 'content-type': 'text/xml' }), name).toMatchObject({
        status: 415,
        body: { code: 'unsupported_media_type' },
      })
      if (!operation.takesForm)
        expect(await ask(operation, new FormData()), name).toMatchObject({ status: 415 })
      expect(await ask(operation, '[1]'), name).toMatchObject({
        status: 400,
        body: { code: 'validation_failed' },
      })
      // Many questions at once may be larger.
      const isBulk = /\/(questions\/bulk-add|order|ai\/(save|export))$/.test(operation.path)
      const tooLarge = isBulk ? large.repeat(16) : large
      expect(await ask(operation, tooLarge), name).toMatchObject({
        status: 413,
        body: { code: 'payload_too_large' },
      })
    })
  })

  test('text that is not in UTF-8 is refused in every kind of body', async () => {
    const latin1 = (text: string) => Buffer.from(text, 'latin1')
    await forEach(withBody(), async (operation) => {
      const name = `${operation.method} ${operation.path}`
      expect(await ask(operation, latin1('{"é":1}')), name).toMatchObject({
        status: 400,
        body: { code: 'invalid_json' },
      })
    })
    const login = (body: Buffer | string, type: string) =>
      service
        .guest()
        .request('POST', '/login', body, undefined, { 'content-type': type, accept: 'application/json' })
    const urlencoded = 'application/x-www-form-urlencoded'
    for (const [body, type] of [
      ['{"username":"a","password":"b"}', 'application/json; charset=iso-8859-1'],
      ['username=a&password=b', `${urlencoded}; charset="utf-16"`],
      ['username=%E9&password=b', urlencoded],
      [latin1('username=é&password=b'), urlencoded],
    ] as const)
      expect(await login(body, type), type).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    for (const type of [`${urlencoded}; charset=UTF-8`, urlencoded])
      expect((await login('username=%C3%A9', type)).body.code).toBe('validation_failed')

    const field = (text: string, type = '') =>
      `--x\r\nContent-Disposition: form-data; name="name"${type}\r\n\r\n${text}\r\n--x--\r\n`
    const category = (body: Buffer) =>
      admin.request('POST', '/api/v01/admin/categories', body, undefined, {
        'content-type': 'multipart/form-data; boundary=x',
      })
    const declared = '\r\nContent-Type: text/plain; charset=iso-8859-1'
    for (const body of [latin1(field('Médecine')), latin1(field('Médecine', declared))])
      expect(await category(body)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    // Bytes that are UTF-8 are read, whatever they are called.
    const long = await category(Buffer.from(field('x'.repeat(1_000), declared)))
    expect(long).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
  })

  test('a body nested more deeply than any operation takes is refused before it is parsed', async () => {
    const nested = (levels: number) => `${'['.repeat(levels)}"]}\\"[["${']'.repeat(levels)}`
    const [operation] = withBody()
    if (!operation) throw new Error('no operation has a body')
    expect((await ask(operation, nested(64))).body.code).toBe('validation_failed')
    for (const levels of [65, 30_000])
      expect((await ask(operation, nested(levels))).body.code).toBe('invalid_json')
    expect((await ask(operation, `{"a":"${'['.repeat(1_000)}"}`)).body.code).toBe('validation_failed')
  })

  test('a body of more values than any operation takes is refused before it is parsed', async () => {
    const [operation] = withBody().filter(({ path }) => path.endsWith('/questions/bulk-add'))
    if (!operation) throw new Error('no operation takes so long a body')
    const list = (count: number) => `[${'0,'.repeat(count - 1)}"${','.repeat(1_000)}"]`
    // The list itself is one.
    expect((await ask(operation, list(599_999))).body.code).toBe('validation_failed')
    expect((await ask(operation, list(600_000))).body.code).toBe('invalid_json')
    const objects = (count: number) => `[${Array(count).fill('{"a":":"}')}]`
    expect((await ask(operation, objects(290_000))).body.code).toBe('validation_failed')
    expect((await ask(operation, `[${Array(9_900).fill(`{${Array(31).fill('"a":1')}}`)}]`)).body.code).toBe(
      'invalid_json',
    )
  })

  test('an empty body counts as an empty object, even if its type says JSON', async () => {
    await forEach(withBody(), async (operation) => {
      const name = `${operation.method} ${operation.path}`
      const empty = await ask(operation, '')
      const { status, body } = await ask(operation, '{}')
      expect(empty, name).toMatchObject({ status, body })
    })
  })

  test('a field of a wrong type, with NUL or with a lone surrogate is refused by name', async () => {
    await forEach(withBody(), async (operation) => {
      for (const [field, schema] of Object.entries(operation.body?.properties ?? {}))
        for (const value of wrongValues(schema)) {
          const answer = await ask(operation, `{"${field}":${value}}`)
          const name = `${operation.method} ${operation.path} ${field}=${value}`
          expect(answer, name).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
          const paths = answer.body.errors?.map((error) => error.path) ?? []
          expect(
            paths.some((path) => path.startsWith(`/${field}`)),
            name,
          ).toBe(true)
        }
    })
  })

  /** As JSON text, so that they arrive exactly as they are written here. */
  function wrongValues(schema: Schema): string[] {
    const types = [schema, ...(schema.anyOf ?? [])].map(({ type }) => type)
    if (types.includes('string')) {
      const others = { number: '5', object: '{}', array: '["x"]' }
      const unstorable = ['"a\\u0000b"', '"a\\ud800b"', `"${'x'.repeat(60_000)}"`]
      return [
        ...Object.entries(others).flatMap(([type, value]) => (types.includes(type) ? [] : value)),
        ...unstorable,
      ]
    }
    if (types.includes('integer')) return ['"1"', '1.5', '1e300', '-2147483649', '[1]']
    if (types.includes('boolean')) return ['"true"', '1']
    if (types.includes('array')) return ['"x"', '{}', '5']
    if (types.includes('object')) return ['"x"', '[]', '5']
    return []
  }
})
