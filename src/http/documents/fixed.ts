import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { sendJson } from '../bodies/json.ts'
import { addVary } from '../semantics/vary.ts'

/** The best would take seconds of a thread that hashes passwords. */
const PARAMS = { [constants.BROTLI_PARAM_QUALITY]: 5 }
const [brotli, zip] = [promisify(brotliCompress), promisify(gzip)]
const COMPRESS = { br: (text: string) => brotli(text, { params: PARAMS }), gzip: (text: string) => zip(text) }

/** Serves a document that never changes. It is written and compressed once, not for each reader. */
export function serveFixed(app: FastifyInstance, address: string, write: () => object): void {
  let written: string | undefined
  const compressed: { br?: Promise<Buffer>; gzip?: Promise<Buffer> } = {}
  app.get(address, { schema: { hide: true } }, async ({ headers }, reply) => {
    written ??= JSON.stringify(write())
    const encoding = (['br', 'gzip'] as const).find((name) => accepts(headers['accept-encoding'], name))
    addVary(reply, 'accept-encoding')
    if (!encoding) return sendJson(reply.header('content-encoding', 'identity'), written)
    compressed[encoding] ??= COMPRESS[encoding](written)
    return sendJson(reply.header('content-encoding', encoding), await compressed[encoding])
  })
}

function accepts(header: string | string[] = '', encoding: string): boolean {
  const offered = String(header)
    .split(',')
    .map((each) => each.replaceAll(' ', ''))
  return offered.some(
    (each) => each === encoding || (each.startsWith(`${encoding};`) && !/q=0(\.0*)?$/.test(each)),
  )
}
