import { createHash } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { failures } from '../../http/failures.ts'
import { isLiveAddress } from './addresses.ts'

/** Text, whatever it is: an address that is wrong in any way is 403, not 400. */
const Once = Type.Union([Type.String(), Type.Array(Type.String(), { description: 'given twice: 403' })])
const Signed = Type.Partial(Type.Object({ expires: Once, signature: Once }))
const Bytes = Type.Unsafe<Buffer>({
  description: 'The file',
  content: { 'image/*': { schema: Type.String({ format: 'binary' }) } },
})

/** Stored files, by signed address only, at `/files` (contract §8). */
export const fileRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/*',
    {
      schema: {
        summary: 'A stored file, by its signed address',
        tags: ['files'],
        querystring: Signed,
        params: Type.Object({ '*': Type.String() }),
        response: {
          200: Bytes,
          304: Type.Null({ description: 'the same as `if-none-match` says' }),
          ...failures('invalid_signature', 'not_found'),
        },
      },
    },
    async (request, reply) => {
      const key = request.params['*']
      const { expires = '', signature = '' } = request.query
      if (!isLiveAddress(core, key, String(expires), String(signature)))
        throw new AppError('invalid_signature')
      const file = await core.files.get(key)
      if (!file) throw new AppError('not_found')
      const etag = `"${createHash('sha256').update(file.bytes).digest('base64url')}"`
      // Asked for again each time: an image that was replaced is gone at once.
      reply.header('cache-control', 'private, no-cache').header('etag', etag)
      if (request.headers['if-none-match'] === etag) return reply.code(304).send(null)
      return (
        reply
          .header('content-type', file.contentType)
          .header('content-security-policy', "default-src 'none'; sandbox")
          // Pages of other origins show these images too: whoever has the address may see the file.
          .header('cross-origin-resource-policy', 'cross-origin')
          .send(file.bytes)
      )
    },
  )
}
