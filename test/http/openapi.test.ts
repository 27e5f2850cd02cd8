import { pbkdf2 } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { memoryInUse } from '../support/memory.ts'
import { sharedService, withService } from '../support/service.ts'

const deriveKey = promisify(pbkdf2)

interface DocumentedOperation {
  operationId?: string
  security?: object[]
  summary?: string
  tags?: string[]
  parameters?: { in: string; name: string; schema?: object }[]
  requestBody?: { content: Record<string, { schema?: object }> }
  responses: Record<string, { description?: string; content?: Record<string, { schema?: Schema }> }>
}

interface Schema {
  $ref?: string
  allOf?: Schema[]
  properties?: Record<string, { enum?: string[] }>
}

const service = await sharedService()
let operations: { name: string; path: string; method: string; operation: DocumentedOperation }[]
let text: string
beforeAll(async () => {
  const { body } = await service.guest().get('/openapi.json', 200)
  text = JSON.stringify(body)
  expect(body.openapi).toMatch(/^3\.1\./)
  operations = Object.entries(body.paths as Record<string, Record<string, DocumentedOperation>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        name: `${method} ${path}`,
        path,
        method,
        operation,
      })),
  )
})

function findOperation(id: string): DocumentedOperation {
  const found = operations.find(({ operation }) => operation.operationId === id)
  if (!found) throw new Error(`no operation is called ${id}`)
  return found.operation
}

test('every operation has a unique, readable name', () => {
  const ids = operations.map(({ operation }) => operation.operationId ?? '')
  for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]+$/)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  expect(ids).toEqual(expect.arrayContaining(['login', 'sendMessage', 'startAttempt']))
  expect(ids).toEqual(expect.arrayContaining(['renameTutorConversation', 'renameTutorConversationByPut']))
  // No name is made from the address.
  for (const { name, operation } of operations)
    expect(operation.operationId, name).not.toMatch(/^(post|put|patch|delete|get)[A-Z]\w*By[A-Z]/)
})

test('every operation says what it is for, and describes each parameter of its path', () => {
  for (const { name, path, operation } of operations) {
    expect(operation.summary, name).toBeTruthy()
    expect(operation.tags, name).toHaveLength(1)
    const inPath = [...path.matchAll(/\{([^}]*)\}/g)].map(([, parameter]) => parameter)
    const described = (operation.parameters ?? []).filter((each) => each.in === 'path')
    for (const parameter of inPath) expect(parameter, name).toMatch(/^\w+$/)
    expect(described.map((each) => each.name).sort(), name).toEqual(inPath.sort())
    for (const { description } of Object.values(operation.responses)) expect(description, name).toBeTruthy()
  }
})

test('every body has a schema; only operations that need no body have none', () => {
  const without = operations.filter(
    ({ method, operation }) => ['post', 'put', 'patch'].includes(method) && !operation.requestBody,
  )
  for (const { path } of without)
    expect(path).toMatch(
      /\/(logout|prepare|start|cancel|undo|exchange|accept|conversation|free-address|password-link|blocks\/\{user_id\}|reactions\/\{emoji\}|excused\/\{user_id\}\/\{exam_id\})$/,
    )
  for (const { name, operation } of operations)
    for (const { schema } of Object.values(operation.requestBody?.content ?? {}))
      expect(schema, name).toBeDefined()
})

test('every reference leads to a schema', () => {
  const { components } = JSON.parse(text) as { components: { schemas: object } }
  const names = new Set([...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, ref]) => ref))
  const known = Object.keys(components.schemas).map((name) => `#/components/schemas/${name}`)
  for (const ref of names) expect(known).toContain(ref)
})

test('what the document leaves out is named in it', async () => {
  const { info, paths } = JSON.parse(text) as { info: { description: string }; paths: object }
  for (const path of ['/docs', '/desk', '/pages.css', '/asyncapi.json', '/metrics']) {
    expect((await service.guest().get(path)).status, path).not.toBe(404)
    expect(paths).not.toHaveProperty(path)
    expect(info.description).toContain(`\`${path}\``)
  }
})

test('both documents name only formats that other programs know', async () => {
  const formats = new Set<unknown>()
  for (const path of ['/openapi.json', '/asyncapi.json'] as const)
    JSON.stringify((await service.guest().get(path, 200)).body, (key, value) => {
      if (key === 'format') formats.add(value)
      return value
    })
  formats.delete(undefined)
  expect([...formats].filter((format) => typeof format === 'string').sort()).toEqual(['binary', 'date-time'])
})

test('forms name their files', () => {
  const { components } = JSON.parse(text) as { components: { schemas: Record<string, Schema> } }
  expect(components.schemas.GenerateForm?.properties?.pdf_file).toMatchObject({ format: 'binary' })
})

test('every JSON answer has a named schema', () => {
  const { components } = JSON.parse(text) as { components: { schemas: Record<string, object> } }
  const names = Object.keys(components.schemas)
  expect(names).toEqual(expect.arrayContaining(['Exam', 'Question', 'PaperQuestion', 'Message', 'Comment']))
  const unnamed = operations.filter(({ operation }) =>
    Object.entries(operation.responses).some(
      ([status, { content }]) =>
        status.startsWith('2') && JSON.stringify(content?.['application/json'] ?? '').includes('properties'),
    ),
  )
  // Except the answers to probes, which no client code uses.
  expect(unnamed.map(({ name }) => name)).toEqual(['get /healthz', 'get /readyz'])
})

test('every failure lists its codes, the same in schema and description', () => {
  for (const { name, operation } of operations)
    for (const [status, { description = '', content }] of Object.entries(operation.responses)) {
      const [failure, narrowed] = content?.['application/json']?.schema?.allOf ?? []
      if (!failure?.$ref?.endsWith('/Failure')) continue
      const codes = narrowed?.properties?.code?.enum ?? []
      expect(codes.map((code) => `\`${code}\``).join(', '), `${name} ${status}`).toBe(description)
    }
  const send = findOperation('sendMessage').responses[403]?.content?.['application/json']?.schema?.allOf?.[1]
  const codes = ['not_connected', 'cross_site_request', 'exam_in_progress']
  expect(send?.properties?.code?.enum).toEqual(codes)
})

test('every operation says who may call it, and the tutor that it streams', () => {
  for (const { name, operation } of operations) expect(operation.security, name).toBeDefined()
  expect(findOperation('login').security).toEqual([])
  expect(findOperation('sendMessage').security).toEqual([{ bearer: [] }, { session: [] }])
  expect(Object.keys(findOperation('askTutor').responses[200]?.content ?? {})).toEqual([
    'application/json',
    'text/event-stream',
  ])
})

test('a request whose deadline passes during compression gets an uncompressed refusal', {
  meta: { costly: 'compresses the document many times' },
}, async () => {
  const hurried = await withService({ config: { requestTimeoutMs: 100 } })
  const headers = { 'accept-encoding': 'br' }
  // Compression waits for longer than the deadline for one of the four threads of such work.
  const others = Array.from({ length: 12 }, () => deriveKey('secret', 'salt', 200_000, 64, 'sha512'))
  const refused = await hurried.guest().request('GET', '/openapi.json', undefined, 503, headers)
  expect(refused.body).toMatchObject({ code: 'unavailable' })
  expect(refused.headers.get('content-encoding')).toBeNull()
  await Promise.all(others)
})

test('the documents are compressed once, not for each request, and the files of the page never', async () => {
  const guest = service.guest()
  const ask = async (path: string, encoding: string) => {
    const headers = { 'accept-encoding': encoding }
    return (await guest.request('GET', path, undefined, undefined, headers)).headers.get('content-encoding')
  }
  for (const path of ['/openapi.json', '/asyncapi.json']) {
    expect(await ask(path, 'gzip, deflate, br')).toBe('br')
    expect(await ask(path, 'gzip;q=1.0, br;q=0')).toBe('gzip')
    expect(await ask(path, 'deflate')).toBe('identity')
  }
  const started = [
    vi.spyOn(zlib, 'createBrotliCompress'),
    vi.spyOn(zlib, 'createGzip'),
    vi.spyOn(zlib, 'brotliCompressSync'),
  ]
  onTestFinished(() => {
    for (const start of started) start.mockRestore()
  })
  for (let count = 0; count < 3; count++)
    for (const path of ['/openapi.json', '/asyncapi.json', '/docs/static/swagger-ui-bundle.js'])
      for (const encoding of ['br', 'gzip']) await ask(path, encoding)
  for (const start of started) expect(start).not.toHaveBeenCalled()
})

test('the document is serialised once, not for each request', async () => {
  const guest = service.guest()
  for (const path of ['/docs/json', '/docs/yaml']) {
    const { headers } = await guest.get(path, 302)
    expect(headers.get('location')).toBe('/openapi.json')
  }
  const stringify = vi.spyOn(JSON, 'stringify')
  onTestFinished(() => stringify.mockRestore())
  for (let count = 0; count < 5; count++) await guest.get('/openapi.json', 200)
  const isDescription = (value: unknown) => Object.hasOwn(Object(value), 'openapi')
  expect(stringify.mock.calls.filter(([value]) => isDescription(value))).toHaveLength(0)
})

test('the document is in memory once, however many don’t read it', {
  meta: { costly: 'asks for the document many times' },
}, async () => {
  const { hostname, port } = new URL(service.urls[0] as string)
  const before = await memoryInUse()
  const sockets = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const socket = connect(Number(port), hostname)
      // The first answers fill what the system takes for a connection that nobody reads.
      socket.pause().write('GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(20))
      await once(socket, 'connect')
      return socket
    }),
  )
  for (let count = 0; count < 20; count++) await service.guest().get('/readyz', 200)
  const held = (await memoryInUse()) - before
  for (const socket of sockets) socket.destroy()
  expect(held).toBeLessThan(30)
})
