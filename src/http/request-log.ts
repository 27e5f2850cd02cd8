import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { type Asker, personAsking } from '../scheduling/fair-queue.ts'
import { LateLogger } from '../telemetry/late-logger.ts'
import { LogLimit } from '../telemetry/log-limit.ts'
import { addressOf, networkOf } from './networks.ts'

const node = randomBytes(6).toString('hex')
let count = 0

/** The caller's id for this request if it sent a plain one, else a new one that no other node uses. */
export function nameRequest(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : nextName()
}

export function nextName(): string {
  count += 1
  return `${node}-${count.toString(36)}`
}

/**
 * Whether a request is a WebSocket upgrade: a complete handshake at the only address that accepts them. Other requests
 * with an `Upgrade` header, such as those of `curl --http2`, are answered like plain ones.
 */
export function upgradesAt(path: string): (request: IncomingMessage) => boolean {
  return ({ method, url = '', headers }) =>
    url.split('?', 1)[0]?.replace(/\/$/, '') === path &&
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    /^(8|13)$/.test(headers['sec-websocket-version'] ?? '') &&
    /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '')
}

/** Fastify's own lines are off: `registerRequestLog` writes one a request. */
export const logController = new LogController({
  disableRequestLogging: true,
  requestIdLogLabel: 'request_id',
})

/** The content type without its parameters, in lower case; undefined without one. */
export function mediaTypeOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
}

/** Each answer has the request's id. Refused requests are logged, all others only at level `debug`. */
export function registerRequestLog(app: FastifyInstance): void {
  app.setChildLoggerFactory((log, bindings, options) => new LateLogger(() => log.child(bindings, options)))
  const logsAll = app.log.level === 'debug' || app.log.level === 'trace'
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    if (logsAll || reply.statusCode >= 400) logAnswer(request, reply)
    done()
  })
}

/** While the database is away, every answer is a failure. */
const failureLines = new LogLimit(50)

function logAnswer(
  { log, method, url, routeOptions }: FastifyRequest,
  { statusCode, elapsedTime }: FastifyReply,
): void {
  const line = statusCode >= 500 ? failureLines.next() : {}
  if (!line) return
  log[statusCode >= 400 ? 'info' : 'debug'](
    {
      method,
      path: loggedPath(url, routeOptions.url),
      status: statusCode,
      milliseconds: Math.round(elapsedTime),
      ...line,
    },
    'request',
  )
}

/** The path of an address without what opens something: the query may hold a signature, and a parameter a code. */
export function loggedPath(url: string, route: string | undefined): string {
  return route?.includes('/:code') ? route : (url.split('?', 1)[0] as string)
}

/**
 * Aborts when the client goes away before it has its whole answer. (`request.signal` can't be used: it aborts as soon
 * as a body has been read.)
 */
export function hangUpSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort()
  })
  return gone.signal
}

/** Who asks, for queues in which people take turns: the person, or the network without a sign-in. */
export function askerOf(request: FastifyRequest): Asker {
  const { caller, raw } = request
  return caller
    ? personAsking(caller.userId, raw.socket)
    : { name: networkOf(addressOf(request)), connection: raw.socket }
}
