import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { Failure } from '../../schemas/common.ts'
import { translateDatabaseError } from '../db/errors.ts'
import { AppError, CATALOGUE, type ErrorCode } from '../errors.ts'

/** Token endpoints answer `{status, …}`, all others `{success, …}` (specification: Response envelopes). */
export type Envelope = 'status' | 'success'

declare module 'fastify' {
  interface FastifyContextConfig {
    envelope?: Envelope
  }
}

/** One failure, as the body that its endpoint answers. */
export function renderFailure(error: AppError, envelope: Envelope): Failure {
  return {
    ...(envelope === 'status' || error.isAuthFailure ? { status: 'error' as const } : {}),
    ...(envelope === 'success' ? { success: false as const } : {}),
    code: error.code,
    message: error.message,
    ...(error.retryAfter === undefined ? {} : { retry_after: error.retryAfter }),
    ...error.details,
  }
}

/** The declared responses of a route for these codes, to spread into its `response`. */
export function failures(...codes: ErrorCode[]): Record<number, TSchema> {
  const byStatus = Map.groupBy(codes, (code) => CATALOGUE[code][0])
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      failureSchema(group.map((code) => `\`${code}\``).join(', ')),
    ]),
  )
}

/** Errors that are not ours yet, as the fault that the client is told. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const translated = translateFrameworkError(error) ?? translateDatabaseError(error)
  return translated ?? new AppError('internal_error', { cause: error })
}

/** Every failure leaves through here: errors of routes, unknown URLs and URLs that can't be parsed. */
export function registerFailures(app: FastifyInstance): void {
  app.addSchema(Failure)
  app.setErrorHandler((error, request, reply) => sendFailure(toAppError(error), request, reply))
  app.setNotFoundHandler((request, reply) => sendFailure(new AppError('not_found'), request, reply))
  app.addHook('onRoute', declareCommonFailures)
}

export function sendFailure(error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error.status >= 500)
    request.log.error({ err: error.cause ?? error, code: error.code }, 'request failed')
  if (error.retryAfter !== undefined) reply.header('retry-after', error.retryAfter)
  return reply
    .code(error.status)
    .send(renderFailure(error, request.routeOptions.config?.envelope ?? 'success'))
}

/** What any route can answer: bad input, an overloaded or failing service. */
function declareCommonFailures(route: RouteOptions): void {
  const methods = [route.method].flat()
  const changes = methods.some((method) => method !== 'GET' && method !== 'HEAD')
  const takesBody = changes && (!methods.includes('DELETE') || route.schema?.body !== undefined)
  route.schema = {
    ...route.schema,
    response: {
      ...failures('validation_failed', 'rate_limited', 'internal_error', 'unavailable'),
      ...(changes ? failures('cross_site_request') : {}),
      ...(takesBody ? failures('payload_too_large', 'unsupported_media_type') : {}),
      ...(route.schema?.response ?? {}),
    },
  }
}

function failureSchema(description: string): TSchema {
  return Type.Unsafe<Failure>({ $ref: 'Failure#', description })
}

function translateFrameworkError(error: unknown): AppError | undefined {
  const { code, statusCode } = error as Partial<FastifyError>
  switch (code) {
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new AppError('invalid_json', { cause: error })
    case 'FST_ERR_HANDLER_TIMEOUT':
      return new AppError('unavailable', { retryAfter: 2, cause: error })
  }
  if (statusCode === 413) return new AppError('payload_too_large', { cause: error })
  if (statusCode === 415) return new AppError('unsupported_media_type', { cause: error })
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new AppError('invalid_request', { cause: error })
  return undefined
}
