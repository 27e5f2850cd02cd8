import type { FastifyRequest, preHandlerHookHandler } from 'fastify'
import { AppError, invalidField } from '../../errors.ts'
import { FairQueue } from '../../scheduling/fair-queue.ts'
import { takeTurnIn } from '../turns.ts'
import { type FileStream, readParts, takesForm } from './forms.ts'

/** Longest file (docs/protocol/http.md#input). */
const LARGEST = 50 * 1024 * 1024
/** Bytes of a form besides its file. */
const REST_OF_FORM = 64 * 1024
/** Long enough for such a file over a slow line; an upload that stalls ends earlier. */
const TIMEOUT_MS = 10 * 60_000

/** Files that are imported at once: each keeps the database busy for as long as it takes. */
const queue = new FairQueue({ places: 4, each: 1, waiting: 200 })

const refuseLarge: preHandlerHookHandler = (request, _reply, done) => {
  const isLarge = Number(request.headers['content-length']) > LARGEST + REST_OF_FORM
  done(isLarge ? new AppError('payload_too_large') : undefined)
}

/** Options of a route that imports a file, which also waits for the person's import before it. */
export const takesImport = {
  ...takesForm,
  preHandler: [refuseLarge, takesForm.preHandler, takeTurnIn(queue)],
  handlerTimeout: TIMEOUT_MS,
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
