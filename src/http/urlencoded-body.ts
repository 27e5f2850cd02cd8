import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../errors.ts'
import { NOT_UTF8 } from './encoded-body.ts'

/** More than any form here has. */
const MOST_FIELDS = 50

/** Reads browsers' forms in this scope. An empty field counts as left out; text that is not in UTF-8 is 400. */
export function registerUrlencoded(scope: FastifyInstance, bodyLimit: number): void {
  const options = { parseAs: 'buffer', bodyLimit } as const
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    options,
    async (_request: unknown, body: Buffer) => {
      if (!isUtf8(unescaped(body))) throw new AppError('invalid_request', { message: NOT_UTF8 })
      const fields = new URLSearchParams(body.toString()).entries().take(MOST_FIELDS)
      return Object.fromEntries(fields.filter(([, value]) => value !== ''))
    },
  )
}

/** URLSearchParams replaces what is no text: the bytes that it reads. */
function unescaped(body: Buffer): Buffer {
  const toCharacter = (_: string, byte: string) => String.fromCharCode(Number.parseInt(byte, 16))
  return Buffer.from(body.toString('latin1').replaceAll(/%([\da-f]{2})/gi, toCharacter), 'latin1')
}
