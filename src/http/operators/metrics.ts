import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fastifyMetrics from 'fastify-metrics'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { type Histogram, Histograms } from '../../telemetry/metric-types.ts'
import { bus, database, MEASURES } from '../../telemetry/metrics.ts'
import { bearerToken } from '../callers/tokens.ts'

const DURATIONS = {
  name: 'http_request_duration_seconds',
  help: 'How long answers took, by route and class of status',
}
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Of the newest node, if a process has several. */
let durations: Histograms

/**
 * Prometheus metrics at `/metrics`. With METRICS_TOKEN they are for clients that send it, otherwise for this machine
 * only; all others get 404.
 */
export async function registerMetrics(app: FastifyInstance, core: Core): Promise<void> {
  const { metricsToken } = core.config
  await app.register(fastifyMetrics.default, {
    endpoint: null,
    // A process has one node; in tests it has more, and the newest one is measured.
    clearRegisterOnInit: true,
    routeMetrics: { enabled: false },
  })
  durations = measureRoutes(app)
  bus.lag.read = () => core.bus.measureLag()
  database.connections.read = () => core.config.databasePool
  database.waiting.read = () => Math.max(0, database.underWay.value - core.config.databasePool)
  const { register } = app.metrics.client
  app.get(
    '/metrics',
    {
      schema: { hide: true },
      config: { whileClosing: true, turns: 'none' },
      onRequest: async (request) => {
        if (metricsToken !== undefined) requireToken(request, metricsToken)
        else if (!isLocal(request)) throw new AppError('not_found')
      },
    },
    async (_request, reply) => {
      const own = await Promise.all([durations, ...MEASURES].map((meter) => meter.render()))
      return reply.type(register.contentType).send((await register.metrics()) + own.join(''))
    },
  )
}

/** The durations of all answers by the routes that are registered from now on. */
function measureRoutes(app: FastifyInstance): Histograms {
  const durations = new Histograms(DURATIONS, SECONDS)
  app.addHook('onRoute', (route) => {
    /** By method and class of status. */
    const known = new Map<string, Histogram>()
    route.onResponse = [
      ({ method }, { statusCode, elapsedTime }, done) => {
        const status = `${Math.floor(statusCode / 100)}xx`
        const key = method + status
        const histogram = known.get(key) ?? durations.add({ method, route: route.url, status_code: status })
        known.set(key, histogram)
        histogram.observe(elapsedTime / 1_000)
        done()
      },
      ...[route.onResponse ?? []].flat(),
    ]
  })
  return durations
}

function requireToken({ headers }: FastifyRequest, expected: string): void {
  const given = bearerToken(headers.authorization)
  if (given === undefined) throw new AppError('authentication_required')
  if (!timingSafeEqual(digest(given), digest(expected))) throw new AppError('token_expired_or_invalid')
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Headers that proxies add. */
const FORWARDED = /^(forwarded|via|x-forwarded-.+|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip)$/

/**
 * Whether the client itself runs on this machine, rather than behind a proxy on this machine. A proxy adds such a
 * header, passes on another host name, or speaks HTTP/1.0, as nginx does by default.
 */
function isLocal({ socket, headers, raw }: FastifyRequest): boolean {
  return (
    /^(::1$|(::ffff:)?127\.)/.test(socket.remoteAddress ?? '') &&
    /^(localhost|127\.[\d.]+|\[::1\])(:\d+)?$/i.test(headers.host ?? '') &&
    raw.httpVersion !== '1.0' &&
    !Object.keys(headers).some((name) => FORWARDED.test(name))
  )
}
