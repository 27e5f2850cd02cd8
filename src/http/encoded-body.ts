import type { FastifyInstance } from 'fastify'
import { AppError } from '../errors.ts'

export const NOT_UTF8 = 'The text is not in UTF-8'

/**
 * Refuses before anything is read: compressed bodies with 415, since nobody needs them, and a few bytes can unpack to a
 * gigabyte; and 400 for text that says of itself that it is not in UTF-8, which would be stored as other text.
 */
export function refuseEncodedBodies(app: FastifyInstance): void {
  app.addHook('preParsing', ({ headers }, _reply, _payload, done) => {
    const { 'content-encoding': encoding = 'identity', 'content-length': length } = headers
    const hasBody = Number(length) > 0 || headers['transfer-encoding'] !== undefined
    if (hasBody && encoding.toLowerCase() !== 'identity') done(new AppError('unsupported_media_type'))
    else if (hasBody && OTHER_CHARSET.test(headers['content-type'] ?? ''))
      done(new AppError('invalid_request', { message: NOT_UTF8 }))
    else done(null)
  })
}

const OTHER_CHARSET = /;\s*charset\s*=\s*"?(?!utf-?8"?\s*(?:;|$))/i
