import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type {
  ConnectionError,
  FastifyBaseLogger,
  FastifyContextConfig,
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RouteOptions,
} from 'fastify'
import { Failure } from '../../schemas/common.ts'
import { translateDatabaseError } from '../db/database-errors.ts'
import { AppError, CATALOGUE, type ErrorCode } from '../errors.ts'
import { LogLimit } from '../telemetry/log-limit.ts'
import { watchMethods } from './methods.ts'
import { nextName } from './request-log.ts'

/** Token endpoints answer `{status, …}`, all others `{success, …}` (docs/protocol/http.md#envelopes). */
export type Envelope = 'status' | 'success'

/** A code that a route refuses with; with a status where that isn't the code's usual one. */
export type Refusal = ErrorCode | readonly [ErrorCode, number]

declare module 'fastify' {
  interface FastifyContextConfig {
    envelope?: Envelope
    /** What the route refuses with, besides what every route does. */
    refuses?: readonly Refusal[]
  }
}

/** The body of a failure. */
function renderFailure(error: AppError, envelope: Envelope): Failure {
  return {
    ...(envelope === 'status' || error.isAuthFailure ? { status: 'error' as const } : {}),
    ...(envelope === 'success' ? { success: false as const } : {}),
    ...failureFields(error),
  }
}

/** A failure as frames and events have it: without an envelope. */
export function failureFields({ code, message, retryAfter, details }: AppError) {
  return { code, message, ...(retryAfter === undefined ? {} : { retry_after: retryAfter }), ...details }
}

/** Has a route refuse with these codes too. */
export function addRefusals(route: RouteOptions, ...codes: ErrorCode[]): void {
  route.config = { ...route.config, refuses: [...(route.config?.refuses ?? []), ...codes] }
}

/** The codes that a route refuses with, by status. */
export function refusalsByStatus({ refuses = [] }: FastifyContextConfig): Map<number, Set<ErrorCode>> {
  const byStatus = new Map<number, Set<ErrorCode>>()
  for (const refusal of refuses) {
    const [code, status] = typeof refusal === 'string' ? [refusal, CATALOGUE[refusal][0]] : refusal
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code))
  }
  return byStatus
}

/** Turns any error into the failure that the client gets. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const translated = translateFrameworkError(error) ?? translateDatabaseError(error)
  return translated ?? new AppError('internal_error', { cause: error })
}

/**
 * Addresses below which unknown paths, too, are answered in the envelope of token endpoints
 * (docs/protocol/http.md#envelopes).
 */
const TOKEN_ENDPOINTS = /^\/api\/(v01\/)?auth\//

/** Renders all failures: errors of routes, unknown URLs and URLs that can't be parsed. */
export function registerFailures(app: FastifyInstance): void {
  app.addSchema(Failure)
  app.setErrorHandler((error, request, reply) => sendFailure(toAppError(error), request, reply))
  const findOtherMethods = watchMethods(app)
  app.setNotFoundHandler((request, reply) => {
    const others = findOtherMethods(request)
    if (!others) {
      const envelope = TOKEN_ENDPOINTS.test(request.url) ? 'status' : 'success'
      return sendFailure(new AppError('not_found'), request, reply, envelope)
    }
    reply.header('allow', others.allow)
    return sendFailure(new AppError('method_not_allowed'), request, reply, others.envelope)
  })
  app.addHook('onRoute', declareFailures)
}

export function sendFailure(
  error: AppError,
  request: FastifyRequest,
  reply: FastifyReply,
  envelope: Envelope = request.routeOptions.config?.envelope ?? 'success',
): FastifyReply {
  logFailure(error, request.log, 'request')
  if (error.retryAfter !== undefined) reply.header('retry-after', error.retryAfter)
  return reply.code(error.status).send(renderFailure(error, envelope))
}

/**
 * Logs a failure of the service itself. A refusal of our own, such as that of a full queue, has no cause: anybody can
 * bring many about, so their lines are short.
 */
export function logFailure(
  { cause, code, stack, status }: AppError,
  log: FastifyBaseLogger,
  what: 'request' | 'stream' | 'frame',
): void {
  const line = status < 500 ? undefined : failureLines.next()
  if (!line) return
  if (cause !== undefined) log.error({ err: cause, code, ...line }, `${what} failed`)
  else if (status === 500) log.error({ stack, code, ...line }, `${what} failed`)
  else log.warn({ code, ...line }, `${what} refused`)
}

/** While the database is away, every request fails. */
const failureLines = new LogLimit(10)

/**
 * A failure after the answer, such as that at the deadline. Fastify would log each with its stack as an error, even
 * refusals, which anybody can bring about.
 */
export function logLate(error: unknown, request: FastifyRequest): void {
  logFailure(toAppError(error), request.log, 'request')
}

/** For requests whose URL can't be routed: no hook runs for them. */
export function refuseUnroutable(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const failure = toAppError(error)
  request.log.info({ method: request.method, status: failure.status }, 'request')
  // Nothing else would end a body that stalls.
  reply.header('connection', 'close')
  sendFailure(failure, request, reply.header('x-request-id', request.id))
}

/** For requests that Node can't parse: the answer is written to the socket itself. */
export function refuseUnreadable(this: FastifyInstance, { code }: ConnectionError, socket: Socket): void {
  if (code === 'ECONNRESET' || socket.destroyed) return
  const status = UNREADABLE[code] ?? 400
  const name = nextName()
  this.log.info({ request_id: name, status, code }, 'request')
  const body = JSON.stringify(renderFailure(new AppError('invalid_request', { status }), 'success'))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `x-request-id: ${name}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroySoon()
}

/** Statuses other than 400 for Node's errors. */
const UNREADABLE: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
}

/** Failures that every route can answer: bad input, an overloaded or failing service. */
function declareFailures(route: RouteOptions): void {
  const methods = [route.method].flat()
  const changes = methods.some((method) => method !== 'GET' && method !== 'HEAD')
  const takesBody = changes && (!methods.includes('DELETE') || route.schema?.body !== undefined)
  route.schema = { ...route.schema, response: { ...(route.schema?.response as object), ...FAILURES } }
  addRefusals(route, 'validation_failed', 'invalid_request', 'rate_limited', 'internal_error', 'unavailable')
  if (changes) addRefusals(route, 'cross_site_request')
  if (takesBody) addRefusals(route, 'invalid_json', 'payload_too_large', 'unsupported_media_type')
}

/** How failures of any status are written. */
const FAILURES = { '4xx': { $ref: 'Failure#' }, '5xx': { $ref: 'Failure#' } }

function translateFrameworkError(error: unknown): AppError | undefined {
  const { code, statusCode } = error as Partial<FastifyError>
  if (code === 'FST_ERR_CTP_INVALID_JSON_BODY') return new AppError('invalid_json', { cause: error })
  if (statusCode === 413) return new AppError('payload_too_large', { cause: error })
  if (statusCode === 415) return new AppError('unsupported_media_type', { cause: error })
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new AppError('invalid_request', { cause: error })
  return undefined
}
