import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fastifyMetrics from 'fastify-metrics'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { bus, database, MEASURES } from '../../measures.ts'
import { bearerToken } from '../callers/credentials.ts'

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
    routeMetrics: { enabled: { histogram: true, summary: false }, groupStatusCodes: true },
  })
  bus.lag.read = () => core.bus.measureLag()
  database.connections.read = () => core.config.databasePool
  database.waiting.read = () => Math.max(0, database.underWay.value - core.config.databasePool)
  const { Counter, register } = app.metrics.client
  app.get(
    '/metrics',
    {
      schema: { hide: true },
      config: { whileClosing: true, disableMetrics: true },
      onRequest: async (request) => {
        if (metricsToken !== undefined) requireToken(request, metricsToken)
        else if (!isLocal(request)) throw new AppError('not_found')
      },
    },
    async (_request, reply) => {
      const own = await Promise.all(MEASURES.map((meter) => meter.render()))
      return reply.type(register.contentType).send((await register.metrics()) + own.join(''))
    },
  )
  const { ai } = core
  if (!ai) return
  new Counter({
    name: 'ai_tokens_total',
    help: 'Tokens that the model took and gave, failed answers included',
    labelNames: ['kind'],
    collect() {
      this.reset()
      for (const [kind, tokens] of Object.entries(ai.used)) this.inc({ kind }, tokens)
    },
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
