import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ConfigError, readConfig } from '../../src/settings/config.ts'
import { VERSION } from '../../src/version.ts'
import { startModel } from '../support/outside/model.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { connectedPair, startService, type TestService, withService } from '../support/service.ts'

const run = promisify(execFile)

interface Attribute {
  key: string
  value: { stringValue?: string; intValue?: number }
}
interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attribute[]
  status: { code?: number }
}

const WAIT = { timeout: PATIENCE_MS }

/** A trace collector on loopback that speaks OTLP over HTTP. */
class Collector {
  readonly spans: Span[] = []
  readonly resources = new Set<string>()
  headers: IncomingHttpHeaders = {}
  path = ''
  readonly server: Server = createServer(async (request, response) => {
    this.headers = request.headers
    this.path = request.url ?? ''
    const { resourceSpans } = JSON.parse((await request.toArray()).join('')) as {
      resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Span[] }[] }[]
    }
    for (const { resource, scopeSpans } of resourceSpans) {
      for (const { key, value } of resource.attributes) this.resources.add(`${key}=${value.stringValue}`)
      this.spans.push(...scopeSpans.flatMap(({ spans }) => spans))
    }
    response.setHeader('content-type', 'application/json').end('{}')
  })

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1')
    await once(this.server, 'listening')
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  async find(name: string): Promise<Span> {
    return vi.waitFor(() => {
      const found = this.spans.findLast((span) => span.name === name)
      if (!found) throw new Error(`no span ${name} among ${this.spans.map((span) => span.name)}`)
      return found
    }, WAIT)
  }
}

const collector = new Collector()
const tracesOf = (env: Record<string, string>) => readConfig({ ...env, OTEL_BSP_SCHEDULE_DELAY: '50' }).traces
const read = ({ attributes }: Span, key: string) => {
  const value = attributes.find((attribute) => attribute.key === key)?.value
  return value?.stringValue ?? value?.intValue?.toString()
}

let service: TestService
let model: Awaited<ReturnType<typeof startModel>>
beforeAll(async () => {
  model = await startModel()
  const traces = tracesOf({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${await collector.start()}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20secret',
    OTEL_SERVICE_NAME: 'exams-of-a-school',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  })
  service = await startService({ config: { traces, ai: model.ai } })
})
afterAll(async () => {
  await service.close()
  await model.stub.close()
  collector.server.close()
})

test('a request is a span, with spans for its transactions and calls of the model as children', async () => {
  const alice = await service.person()
  const body = { message: 'A private question', conversation_id: null }
  const { headers } = await alice.post('/api/v01/assistant/messages?secret=1', body, 200)
  const request = await collector.find('POST /api/v01/assistant/messages')
  expect(request).toMatchObject({ kind: 2, status: {} })
  expect(request.parentSpanId).toBeUndefined()
  expect(BigInt(request.endTimeUnixNano)).toBeGreaterThan(BigInt(request.startTimeUnixNano))
  expect(Number(BigInt(request.startTimeUnixNano) / 1_000_000n)).toBeGreaterThan(Date.now() - 60_000)
  expect(read(request, 'http.route')).toBe('/api/v01/assistant/messages')
  expect(read(request, 'url.path')).toBe('/api/v01/assistant/messages')
  expect(read(request, 'http.response.status_code')).toBe('200')
  expect(read(request, 'http.request.header.x-request-id')).toBe(headers.get('x-request-id'))
  await vi.waitFor(() => {
    const parts = collector.spans.filter((span) => span.traceId === request.traceId && span !== request)
    expect(new Set(parts.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([request.spanId]))
    expect(parts.map(({ name }) => name)).toEqual(expect.arrayContaining(['transaction', 'chat']))
  }, WAIT)
  const chat = await collector.find('chat')
  expect(Number(read(chat, 'gen_ai.usage.output_tokens'))).toBeGreaterThan(0)
  expect(JSON.stringify(collector.spans)).not.toMatch(/private|secret|password/)
  expect(collector.path).toBe('/v1/traces')
  expect(collector.headers).toMatchObject({ 'api-key': 'a secret', 'content-type': 'application/json' })
  expect([...collector.resources].sort()).toEqual([
    'deployment.environment.name=test',
    expect.stringMatching(/^service\.instance\.id=[\da-f-]{36}$/),
    'service.name=exams-of-a-school',
    `service.version=${VERSION}`,
  ])
})

test('the span of a statement is named by what it does to which table', async () => {
  const alice = await service.person()
  await alice.get('/api/v01/notebooks', 200)
  const span = await collector.find('select notebooks')
  expect(read(span, 'db.system.name')).toBe('postgresql')
  expect(read(span, 'db.operation.name')).toBe('select')
  expect(read(span, 'db.collection.name')).toBe('notebooks')
})

// Other libraries load the package `api` for their own spans; without the others it does nothing.
test('without an endpoint, nothing of OpenTelemetry that traces is loaded', async () => {
  const loadedBy = async (module: string) => {
    const watch = `import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
      await import(${JSON.stringify(new URL(module, import.meta.url).href)})
      process.stdout.write(JSON.stringify(loaded.filter((url) => /@opentelemetry\\/(?!api\\/)/.test(url))))
      process.exit()`
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', watch])
    return JSON.parse(stdout) as string[]
  }
  expect(await loadedBy('../../src/app.ts')).toEqual([])
  expect(await loadedBy('../../src/telemetry/traces.ts')).not.toEqual([])
})

test("a caller's trace is continued, and not recorded if the caller doesn't sample it", async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const ask = (path: string, traceparent: string) =>
    service.guest().request('GET', path, undefined, undefined, { traceparent })
  await ask('/api/v01/exams', `00-${traceId}-00f067aa0ba902b7-00`)
  await ask('/asyncapi.json', `00-${traceId}-00f067aa0ba902b7-01`)
  const span = await collector.find('GET /asyncapi.json')
  expect(span).toMatchObject({ traceId, parentSpanId: '00f067aa0ba902b7' })
  expect(collector.spans.filter(({ name }) => name === 'GET /api/v01/exams')).toEqual([])
  await ask('/nowhere', 'nonsense')
  expect((await collector.find('GET')).traceId).toMatch(/^[\da-f]{32}$/)
  // Probes are not traced.
  await service.guest().get('/readyz', 200)
  await service.guest().get('/create_account', 200)
  await collector.find('GET /create_account')
  expect(collector.spans.filter(({ name }) => name.includes('readyz'))).toEqual([])
})

test('requests succeed while the collector is unreachable', async () => {
  const traces = tracesOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })
  const lonely = await withService({ config: { traces } })
  const { alice, conversationId } = await connectedPair(lonely)
  await alice.send(conversationId, 'hello', undefined, 201)
})

test('the standard variables set the endpoint, the sampling, and whether there are traces', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
  expect(tracesOf({})).toBeUndefined()
  expect(tracesOf({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toBeUndefined()
  expect(tracesOf({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' })).toBeUndefined()
  expect(tracesOf(endpoint)).toMatchObject({
    url: 'http://collector:4318/v1/traces',
    resource: { 'service.name': 'exam-practice-service' },
    ratio: 1,
    followsCaller: true,
  })
  expect(tracesOf({ ...endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://other/x' })).toMatchObject({
    url: 'https://other/x',
  })
  expect(
    tracesOf({ ...endpoint, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' }),
  ).toMatchObject({ ratio: 0.25, followsCaller: false })
  expect(tracesOf({ ...endpoint, OTEL_TRACES_SAMPLER: 'parentbased_always_off' })).toMatchObject({ ratio: 0 })
  for (const [name, value] of [
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'nowhere'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
  ] as const) {
    expect(() => tracesOf({ ...endpoint, [name]: value })).toThrow(ConfigError)
    expect(() => tracesOf({ ...endpoint, [name]: value })).toThrow(name)
  }
})
