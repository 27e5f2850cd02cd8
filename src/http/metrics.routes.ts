import { createHash, timingSafeEqual } from 'node:crypto'
import { collectDefaultMetrics, register } from '@prometheus-io/client'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Core } from '../core.ts'
import { AppError } from '../errors.ts'
import { build, bus, database, generation, http } from '../telemetry/metrics.ts'
import { VERSION } from '../version.ts'
import { bearerToken } from './caller-tokens.ts'
import { isDatabaseUp, lookAtBus } from './operators.routes.ts'

// Of the process: most have one node, which is what the others measure.
collectDefaultMetrics()
build.set({ version: VERSION }, 1)

/**
 * Prometheus metrics at `/metrics`. With METRICS_TOKEN they are for clients that send it, otherwise for this machine
 * only; all others get 404.
 */
export function registerMetrics(app: FastifyInstance, core: Core): void {
  const { metricsToken } = core.config
  measureRoutes(app)
  app.get(
    '/metrics',
    {
      schema: { hide: true },
      config: { whileClosing: true, budget: 'none' },
      onRequest: async (request) => {
        if (metricsToken !== undefined) requireToken(request, metricsToken)
        else if (!isLocal(request)) throw new AppError('not_found')
      },
    },
    async (_request, reply) => {
      await measureNow(core)
      return reply.type(register.contentType).send(await register.metrics())
    },
  )
}

/** Sets what is only known when somebody asks. */
async function measureNow(core: Core): Promise<void> {
  const { databasePool } = core.config
  const [state, isUp, lag, { values }] = await Promise.all([
    lookAtBus(core),
    isDatabaseUp(core),
    core.bus.measureLag(),
    database.underWay.get(),
  ])
  bus.up.set(Number(state === 'up'))
  database.up.set(Number(isUp))
  if (lag === undefined) bus.lag.remove()
  else bus.lag.set(lag)
  generation.up.set(Number(!core.jobs.standing.isStill))
  generation.waiting.set(core.jobs.standing.waitingSeconds)
  database.connections.set(databasePool)
  database.waiting.set(Math.max(0, (values[0]?.value ?? 0) - databasePool))
}

/** Measures the answers of the routes that are registered from now on. */
function measureRoutes(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    route.onResponse = [
      ({ method }, { statusCode, elapsedTime }, done) => {
        const status = `${Math.floor(statusCode / 100)}xx`
        http.durations.observe({ method, route: route.url, status_code: status }, elapsedTime / 1_000)
        done()
      },
      ...[route.onResponse ?? []].flat(),
    ]
  })
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
