import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendJson } from './json-body.ts'
import { addVary } from './vary.ts'

/** Higher qualities would take seconds, in a thread that also hashes passwords. */
const PARAMS = { [constants.BROTLI_PARAM_QUALITY]: 5 }
const [brotli, zip] = [promisify(brotliCompress), promisify(gzip)]
const ENCODINGS: ('br' | 'gzip')[] = ['br', 'gzip']
const COMPRESS = { br: (text: Buffer) => brotli(text, { params: PARAMS }), gzip: (text: Buffer) => zip(text) }

/** A JSON text that many readers get: it is compressed once, not for each of them. */
export class SharedBody {
  readonly #json: Buffer
  readonly #compressed: { br?: Promise<Buffer>; gzip?: Promise<Buffer> } = {}

  constructor(json: string) {
    this.#json = Buffer.from(json)
  }

  async send({ headers }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const encoding = negotiate(String(headers['accept-encoding'] ?? ''), ENCODINGS)
    addVary(reply, 'accept-encoding')
    if (!encoding) return sendJson(reply.header('content-encoding', 'identity'), this.#json)
    this.#compressed[encoding] ??= COMPRESS[encoding](this.#json)
    const body = await this.#compressed[encoding]
    // Only now: a 503 of the deadline is not compressed.
    return sendJson(reply.header('content-encoding', encoding), body)
  }
}
