import type { FastifyRequest, preHandlerHookHandler } from 'fastify'
import { AppError, invalidField } from '../errors.ts'
import { type FileStream, readParts, takesForm } from './form-body.ts'

/** Longest file (docs/protocol/http.md#input). */
const LARGEST = 50 * 1024 * 1024
/** Bytes of a form besides its file. */
const REST_OF_FORM = 64 * 1024
/** Enough for the largest file. */
const TIMEOUT_MS = 10 * 60_000

const refuseLarge: preHandlerHookHandler = (request, _reply, done) => {
  const isLarge = Number(request.headers['content-length']) > LARGEST + REST_OF_FORM
  done(isLarge ? new AppError('payload_too_large') : undefined)
}

/** Options of a route that imports a file. */
export const takesImport = {
  ...takesForm,
  config: { ...takesForm.config, timeoutMs: TIMEOUT_MS },
  preHandler: refuseLarge,
}

/** Imports the file of a field of a form as it arrives, cut off at the largest size. 400 without such a file. */
export async function readImport<T>(
  request: FastifyRequest,
  field: string,
  read: (file: FileStream) => Promise<T>,
): Promise<T> {
  for await (const part of readParts(request, { largest: LARGEST, files: 10 }))
    if ('stream' in part && part.field === field) return await read(part.stream)
  throw invalidField(`/${field}`, 'is required')
}
