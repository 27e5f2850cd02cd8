import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type FastifyInstance, type FastifyReply, LogController } from 'fastify'

const node = randomBytes(6).toString('hex')
let count = 0

/** The caller's own id for this request where it sent a plain one, else one that no other node gives. */
export function nameRequest(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  if (typeof given === 'string' && /^[\w.-]{1,64}$/.test(given)) return given
  count += 1
  return `${node}-${count.toString(36)}`
}

/** Fastify's own lines are off: `registerRequestLog` writes one a request. */
export const logController = new LogController({
  disableRequestLogging: true,
  requestIdLogLabel: 'request_id',
})

/** Every answer names its request, and every refused one leaves a line; all others only at level `debug`. */
export function registerRequestLog(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    request.log[reply.statusCode >= 400 ? 'info' : 'debug'](
      {
        method: request.method,
        // Without the query, which may hold a signature.
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime),
      },
      'request',
    )
    done()
  })
}

/**
 * Aborts when the client goes away before it has its whole answer. (`request.signal` won't do: it aborts as
 * soon as a body has been read.)
 */
export function hangUpSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort()
  })
  return gone.signal
}
