import { hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { imageTypeOf } from '../../formats/image-types.ts'
import { encodeExtended } from '../../formats/percent.ts'
import { isHeld, NotModified } from '../../http/etags.ts'
import { sendContent } from '../../http/ranges.ts'
import { isLiveAddress, type SavedAs } from './upload-addresses.ts'
import { ATTACHMENTS_FOLDER } from './upload-keys.ts'

/** Only a material of a class whose bytes are a PDF has such a key. */
const isPdf = (key: string) => key.startsWith(`${ATTACHMENTS_FOLDER}/`) && key.endsWith('.pdf')

/**
 * Browsers show images and PDFs, and save everything else: only what was decoded as an image has a key that ends like
 * one's (src/features/uploads/upload-keys.ts). Their viewers of PDFs run no script of the file in this origin, and
 * don't work in a sandbox.
 */
function dispositionOf(key: string, saved: SavedAs | undefined): string {
  const kind = imageTypeOf(key) || isPdf(key) ? 'inline' : 'attachment'
  return saved ? `${kind}; filename*=UTF-8''${encodeExtended(saved.name)}` : kind
}

/** Any text: a wrong address is answered 403, not 400. */
const Once = Type.Union([
  Type.String(),
  Type.Array(Type.String(), { maxItems: 5_000, description: 'given twice: 403' }),
])
const Signed = Type.Partial(Type.Object({ expires: Once, name: Once, type: Once, signature: Once }))
const Bytes = Type.Unsafe<Readable>({
  description: 'The file, or the part of it that `range` asks for',
  content: { '*/*': { schema: Type.String({ format: 'binary' }) } },
})

/** Stored files, by signed address only, at `/files` (docs/protocol/http.md#questions). */
export const fileRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/*',
    {
      config: { budget: 'none', refuses: ['invalid_signature', 'not_found', 'range_not_satisfiable'] },
      schema: {
        operationId: 'getFile',
        summary: 'A stored file, by its signed address',
        tags: ['files'],
        querystring: Signed,
        params: Type.Object({ '*': Type.String() }),
        response: { 200: Bytes, 206: Bytes, 304: NotModified },
      },
    },
    async (request, reply) => {
      const key = request.params['*']
      const { expires = '', name, type, signature = '' } = request.query
      const saved = name === undefined ? undefined : { name: String(name), type: String(type) }
      const signed = { key, expires: String(expires), ...saved }
      if (!isLiveAddress(core, signed, String(signature))) throw new AppError('invalid_signature')
      const file = await core.files.find(key)
      if (!file) throw new AppError('not_found')
      const etag = `"${hash('sha1', file.version, 'base64url')}"`
      // Browsers ask each time, so a replaced image is gone at once.
      reply.header('cache-control', 'private, no-cache').header('etag', etag)
      if (isHeld(request.headers['if-none-match'], etag)) return reply.code(304).send(null)
      reply
        .header('content-type', saved?.type ?? file.contentType)
        .header('content-disposition', dispositionOf(key, saved))
        .header(
          'content-security-policy',
          isPdf(key)
            ? "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'"
            : "default-src 'none'; sandbox",
        )
        // Pages of other origins may show these images: whoever has the address may see the file.
        .header('cross-origin-resource-policy', 'cross-origin')
      return sendContent(request, reply, file, etag)
    },
  )
}
