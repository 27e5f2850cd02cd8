import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Core } from '../core.ts'
import type { RequestSpan } from '../telemetry/traces.ts'
import { loggedPath } from './request-log.ts'

/**
 * A span for each request, with parts for its use of the database and the model (docs/protocol/operations.md#traces).
 * Without an endpoint no hook is there, and no code of OpenTelemetry is loaded.
 */
export async function registerTracing(app: FastifyInstance, { config, log }: Core): Promise<void> {
  if (!config.traces) return
  const { Traces } = await import('../telemetry/traces.ts')
  const traces = new Traces(config.traces, (err) => log.warn({ err }, 'traces are not taken'))
  const spans = new WeakMap<FastifyRequest, RequestSpan>()

  app.addHook('onRequest', (request, _reply, done) => {
    const span = PROBES.has(request.routeOptions.url)
      ? undefined
      : traces.beginRequest(request.method, describe(request), request.headers)
    if (!span) {
      done()
      return
    }
    spans.set(request, span)
    span.within(done)
  })
  // A body arrives in the async context of its connection, not of its request.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request)
    if (span) span.within(done)
    else done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { url } = request.routeOptions
    spans.get(request)?.end({
      name: url === undefined ? request.method : `${request.method} ${url}`,
      failed: reply.statusCode >= 500,
      attributes: {
        'http.response.status_code': reply.statusCode,
        ...(url === undefined ? {} : { 'http.route': url }),
      },
    })
    done()
  })
  app.addHook('onClose', () => traces.close())
}

/** Called every second, and of no interest in traces. */
const PROBES = new Set<string | undefined>(['/healthz', '/readyz', '/metrics'])

/** Leaves out the person. */
function describe({ method, url, protocol, id, routeOptions }: FastifyRequest) {
  return {
    'http.request.method': method,
    'url.path': loggedPath(url, routeOptions.url),
    'url.scheme': protocol,
    'http.request.header.x-request-id': id,
  }
}
