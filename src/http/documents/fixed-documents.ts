import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyInstance } from 'fastify'
import { sendJson } from '../json-body.ts'
import { addVary } from '../vary.ts'

/** Higher qualities would take seconds, in a thread that also hashes passwords. */
const PARAMS = { [constants.BROTLI_PARAM_QUALITY]: 5 }
const [brotli, zip] = [promisify(brotliCompress), promisify(gzip)]
const ENCODINGS: ('br' | 'gzip')[] = ['br', 'gzip']
const COMPRESS = { br: (text: Buffer) => brotli(text, { params: PARAMS }), gzip: (text: Buffer) => zip(text) }

/**
 * Serves a document that never changes. It is written and compressed once, not for each reader: the bytes are the same
 * for all of them.
 */
export function serveFixed(app: FastifyInstance, address: string, write: () => object): void {
  let written: Buffer | undefined
  const compressed: { br?: Promise<Buffer>; gzip?: Promise<Buffer> } = {}
  app.get(address, { schema: { hide: true } }, async ({ headers }, reply) => {
    written ??= Buffer.from(JSON.stringify(write()))
    const encoding = negotiate(String(headers['accept-encoding'] ?? ''), ENCODINGS)
    addVary(reply, 'accept-encoding')
    if (!encoding) return sendJson(reply.header('content-encoding', 'identity'), written)
    compressed[encoding] ??= COMPRESS[encoding](written)
    const body = await compressed[encoding]
    // Only now: a 503 of the deadline is not compressed.
    return sendJson(reply.header('content-encoding', encoding), body)
  })
}
