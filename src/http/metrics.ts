import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fastifyMetrics from 'fastify-metrics'
import type { Core } from '../core.ts'
import { AppError } from '../errors.ts'
import { bearerToken } from './callers.ts'

/**
 * Prometheus metrics at `/metrics`: with METRICS_TOKEN for whoever presents it, without for this machine
 * alone (to everybody else there is no such page).
 */
export async function registerMetrics(app: FastifyInstance, core: Core): Promise<void> {
  const { metricsToken } = core.config
  await app.register(fastifyMetrics.default, {
    endpoint: null,
    // A process holds one node; where it holds more, as in tests, the newest is measured.
    clearRegisterOnInit: true,
    routeMetrics: { enabled: { histogram: true, summary: false }, groupStatusCodes: true },
  })
  const { Counter, register } = app.metrics.client
  app.get(
    '/metrics',
    {
      schema: { hide: true },
      config: { whileDraining: true, disableMetrics: true },
      onRequest: async (request) => {
        if (metricsToken !== undefined) requireToken(request, metricsToken)
        else if (!isLocal(request)) throw new AppError('not_found')
      },
    },
    async (_request, reply) => reply.type(register.contentType).send(await register.metrics()),
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

/** A proxy on this machine speaks for others, and says so. */
function isLocal({ socket, headers }: FastifyRequest): boolean {
  if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined) return false
  return /^(::1$|(::ffff:)?127\.)/.test(socket.remoteAddress ?? '')
}
