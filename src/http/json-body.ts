import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Core } from '../core.ts'
import { AppError } from '../errors.ts'
import { isTooComplex, SHORT_TEXT } from '../formats/json-size.ts'
import { askerOf } from './request-log.ts'

/** Answers with a JSON text; the route's schema only describes it. */
export function sendJson(reply: Pick<FastifyReply, 'type'>, json: string | Buffer | Readable): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(json)
}

/** Longest body of somebody without a session, as of a login. */
export const STRANGERS_BYTES = 64 * 1024
/** Longest body of most operations that need a session. */
export const BODY_BYTES = 1024 * 1024
/** Longest body that adds many questions (docs/protocol/http.md#input). */
export const BULK_BYTES = 16 * 1024 * 1024

/**
 * Reads JSON bodies: long ones take turns, and those that are too complex for any operation are refused. (Some clients
 * send the content type of JSON without a body: that counts as no body, not as invalid JSON.)
 */
export function registerJson(app: FastifyInstance, core: Core): void {
  const parse = app.getDefaultJsonParser('error', 'error')

  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const read = () => {
      const text = isUtf8(body) ? body.toString() : undefined
      if (text === undefined || isTooComplex(text)) done(new AppError('invalid_json'))
      else void parse(request, text, done)
    }
    if (body.length === 0) done(null)
    else if (body.length <= SHORT_TEXT) read()
    else core.gate.block(askerOf(request), read).catch(done)
  })
}
