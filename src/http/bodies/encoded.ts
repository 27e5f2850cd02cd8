import type { FastifyInstance } from 'fastify'
import { AppError } from '../../errors.ts'

/**
 * Refuses compressed bodies with 415 before anything is read: nobody needs them, and a few bytes can unpack to a
 * gigabyte.
 */
export function refuseEncodedBodies(app: FastifyInstance): void {
  app.addHook('preParsing', ({ headers }, _reply, _payload, done) => {
    const { 'content-encoding': encoding = 'identity', 'content-length': length } = headers
    const hasBody = Number(length) > 0 || headers['transfer-encoding'] !== undefined
    done(hasBody && encoding.toLowerCase() !== 'identity' ? new AppError('unsupported_media_type') : null)
  })
}
