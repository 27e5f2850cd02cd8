import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type FastifyInstance, type FastifyReply, LogController } from 'fastify'

const node = randomBytes(6).toString('hex')
let count = 0

/** The caller's own id for this request where it sent a plain one, else one that no other node gives. */
export function nameRequest(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : nextName()
}

export function nextName(): string {
  count += 1
  return `${node}-${count.toString(36)}`
}

/**
 * Whether a request becomes a WebSocket's upgrade. Any other is answered as the plain request that it is as
 * well: what asks for HTTP/2 (`curl --http2`), and handshakes that are not whole.
 */
export function shouldUpgrade({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    /^(8|13)$/.test(headers['sec-websocket-version'] ?? '') &&
    /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '')
  )
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
