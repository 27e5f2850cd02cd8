import type { FastifyRequest, preHandlerHookHandler } from 'fastify'
import { DryRun } from '../../schemas/common.ts'
import { AppError, invalidField } from '../errors.ts'
import { checkFields, type FileStream, readParts, takesForm } from './form-body.ts'

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

/** Settings of an operation that imports a file. */
export const takesImport = { ...takesForm, timeoutMs: TIMEOUT_MS, preHandler: refuseLarge }

/** Most files of a form with an import; all but one are dropped. */
const MOST_FILES = 10

/** Imports the file of a field of a form as it arrives, cut off at the largest size. 400 without such a file. */
export async function readImport<T>(
  request: FastifyRequest,
  field: string,
  read: (file: FileStream) => Promise<T>,
): Promise<T> {
  for await (const part of readParts(request, { largest: LARGEST, files: MOST_FILES }))
    if ('stream' in part && part.field === field) return await read(part.stream)
  throw invalidField(`/${field}`, 'is required')
}

/**
 * Reads an import that can be tried: its file, and whether the query or the form says `dry_run`, before the file or
 * after it. So the whole form is there before anything is stored.
 */
export async function readTriableImport<T>(
  request: FastifyRequest & { query: DryRun },
  field: string,
  read: (file: FileStream) => Promise<T>,
): Promise<{ content: T; isDryRun: boolean }> {
  let found: { content: T } | undefined
  const given: Record<string, string> = {}
  for await (const part of readParts(request, { largest: LARGEST, files: MOST_FILES }))
    if (!('stream' in part)) given[part.field] = part.value
    else if (part.field === field) found ??= { content: await read(part.stream) }
  if (!found) throw invalidField(`/${field}`, 'is required')
  const { dry_run: isAsked = false } = checkFields(DryRun, given)
  return { ...found, isDryRun: isAsked || (request.query.dry_run ?? false) }
}
