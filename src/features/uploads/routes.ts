import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { failures } from '../../http/failures.ts'
import { isLiveAddress } from './addresses.ts'

const Signed = Type.Object({ expires: Type.Integer(), signature: Type.String({ maxLength: 100 }) })

/** Stored files, by signed address only, at `/files` (contract §8). */
export const fileRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/*',
    {
      schema: {
        summary: 'A stored file, by its signed address',
        tags: ['files'],
        querystring: Type.Partial(Signed),
        params: Type.Object({ '*': Type.String() }),
        response: failures('invalid_signature', 'not_found'),
      },
    },
    async (request, reply) => {
      const key = request.params['*']
      const { expires = 0, signature = '' } = request.query
      if (!isLiveAddress(core, key, expires, signature)) throw new AppError('invalid_signature')
      const file = await core.files.get(key)
      if (!file) throw new AppError('not_found')
      return reply
        .header('content-type', file.contentType)
        .header('cache-control', 'private, no-cache')
        .header('content-security-policy', "default-src 'none'; sandbox")
        .send(file.bytes)
    },
  )
}
